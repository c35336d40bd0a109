// `T_on_conflict`: the treatment of rows that exist already.

import { type GraphQLInputFieldConfigMap, type GraphQLInputObjectType, GraphQLList, GraphQLNonNull } from 'graphql'
import { mayCompare } from '../../../../sdk/access.ts'
import {
  type PlanContext,
  perTable,
  type SchemaScope,
  tableEnum,
  tableInput,
  type Value,
} from '../../../../sdk/graphql.ts'
import { isEnumValueName, nameText, pathKeys, validationFailed } from '../../../../sdk/index.ts'
import { conflictRefusal, keysOf, type TableModel } from '../../../../sdk/metadata.ts'
import { always, type OnConflict } from '../../../../sdk/sql.ts'
import { columnValues } from '../column-members.ts'
import { booleanExpressionType, planBoolean } from '../queries/boolean-expression.ts'
import { updatableColumns } from './written-columns.ts'

/** With interface 2, the only value for roles that may update no column. It names none, so it is refused. */
const placeholder = '_PLACEHOLDER'

const unusable = { [placeholder]: { description: 'placeholder (do not use)' } }

const isLater = ({ settings }: SchemaScope): boolean => settings.graphqlInterface === '2'

/** Whether the role may update a column whose name an enum can hold. */
const hasUpdatable = (scope: SchemaScope, table: TableModel): boolean =>
  [...updatableColumns(scope, table).keys()].some(isEnumValueName)

/**
 * `T_on_conflict`; null when there is no constraint to name. With interface 1.3 it is also null when the role may not
 * update.
 */
export function onConflictType(scope: SchemaScope, table: TableModel): GraphQLInputObjectType | null {
  if (constraintNames(scope, table).length === 0 || !(hasUpdatable(scope, table) || isLater(scope))) return null
  return conflictType(scope, table)
}

const conflictType = tableInput({
  name: (table) => `${table.graphqlName}_on_conflict`,
  description: ({ name }, scope) =>
    `${isLater(scope) ? 'on_conflict' : 'on conflict'} condition type for table "${nameText(name)}"`,
  fields: (table, scope): GraphQLInputFieldConfigMap => ({
    constraint: { type: new GraphQLNonNull(constraintType(scope, table)) },
    update_columns: {
      type: new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(updateColumnType(scope, table)))),
      default: { value: [] },
    },
    where: { type: booleanExpressionType(scope, table) },
  }),
})

/** A key of a transformed column would tell which of its values are there, unless the role may compare them. */
const constraintNames = perTable((scope, { catalog, columns, name }): string[] => {
  const read = scope.access(name)?.select ?? null
  return keysOf(catalog).flatMap((key) => {
    const isUsable = isEnumValueName(key.name) && conflictRefusal(catalog, key) === null
    return isUsable && key.columns.every((column) => mayCompare(read, columns.get(column)!)) ? [key.name] : []
  })
})

const constraintType = tableEnum({
  name: (table) => `${table.graphqlName}_constraint`,
  description: ({ name }) => `unique or primary key constraints on table "${nameText(name)}"`,
  values: (table, scope) => {
    const names = constraintNames(scope, table)
    return Object.fromEntries(names.map((name) => [name, { description: constraintText(scope, table, name) }]))
  },
})

/** Interface 2 names the columns. */
function constraintText(scope: SchemaScope, { catalog }: TableModel, name: string): string {
  const text = 'unique or primary key constraint'
  const columns = keysOf(catalog).find((key) => key.name === name)?.columns ?? []
  return isLater(scope) ? `${text} on columns ${columns.map((column) => `"${column}"`).join(', ')}` : text
}

const updateColumnType = tableEnum({
  name: (table) => `${table.graphqlName}_update_column`,
  description: ({ name }) => `update columns of table "${nameText(name)}"`,
  values: (table, scope) =>
    hasUpdatable(scope, table) ? columnValues(scope, updatableColumns(scope, table)) : unusable,
})

/** The plan of a `T_on_conflict` value. */
export function planOnConflict(value: Value, context: PlanContext, table: TableModel): OnConflict {
  const members = value.members()
  const constraint = members.get('constraint')!.enumValue()
  const updatable = updatableColumns(context.schema, table)
  const items = members.get('update_columns')!.items(1)
  const columns = new Set(
    items.map((item) => {
      const column = updatable.get(item.enumValue())
      if (!column) throw validationFailed('erroneous column name', pathKeys(value.path))
      return column.name
    }),
  )
  const where = members.get('where')
  const condition = where ? planBoolean(where, context) : always
  const update = context.schema.access(table.name)!.update?.onConflict([...columns], condition)
  return { constraint, update: update && columns.size > 0 ? update : null }
}
