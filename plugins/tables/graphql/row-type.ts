// `T`: the object type of a table's rows, and the plan of a selection of a row.

import { type GraphQLFieldConfig, type GraphQLFieldConfigArgumentMap, GraphQLNonNull, GraphQLString } from 'graphql'
import {
  conditionBuilder,
  isReadByFunction,
  onlyWhere,
  readValue,
  type SelectAccess,
  type TransformedColumn,
  transformedOutput,
} from '../../../sdk/access.ts'
import {
  columnType,
  type FieldMap,
  type FieldSelection,
  isInCapitals,
  type NeededRow,
  type PlanContext,
  perTable,
  planJoin,
  type RowPlanner,
  type SchemaScope,
  tableObject,
} from '../../../sdk/graphql.ts'
import { blaming, nameText } from '../../../sdk/index.ts'
import type { ColumnModel, TableModel } from '../../../sdk/metadata.ts'
import { type Condition, id, type NeededColumn, type Output, type SqlBuilder, sql } from '../../../sdk/sql.ts'
import { readPathArgument } from './queries/json-path.ts'

/** The type of a table's rows for a role that may select from it. */
export const rowType = tableObject({
  name: (table) => table.graphqlName!,
  description: describe,
  fields: (table, scope) => scope.rowFields(table),
  interfaces: (table, scope) => scope.rowInterfaces(table),
  extensions: (table) => ({ table: table.name }),
})

function describe(table: TableModel): string | null {
  const { comment } = table.configuration
  if (comment !== undefined) return comment || null
  const generated = `columns and relationships of "${nameText(table.name)}"`
  return table.catalog.comment === null ? generated : `${table.catalog.comment}\n\n\n${generated}\n`
}

/** The columns that a role may select and compare, by GraphQL name: transformed ones are missing. */
export const selectableColumns = perTable((scope, table): ReadonlyMap<string, ColumnModel> => {
  const allowed = scope.access(table.name)?.select?.columns
  return exposedColumns(scope, table, allowed)
})

/** The exposed columns of tables, by the sets that they were chosen from. */
type ExposedColumns = WeakMap<TableModel, Map<ReadonlySet<string>, ReadonlyMap<string, ColumnModel>>>

const exposedOf = new WeakMap<SchemaScope, ExposedColumns>()

/** Those columns of a set that GraphQL can show, by GraphQL name. */
export function exposedColumns(
  scope: SchemaScope,
  table: TableModel,
  allowed: ReadonlySet<string> | undefined,
): ReadonlyMap<string, ColumnModel> {
  if (!allowed) return new Map()
  const ofScope = exposedOf.get(scope) ?? new WeakMap()
  exposedOf.set(scope, ofScope)
  const ofTable = ofScope.get(table) ?? new Map()
  ofScope.set(table, ofTable)
  let exposed = ofTable.get(allowed)
  if (!exposed) {
    exposed = new Map()
    for (const column of table.columns.values()) {
      if (column.field === null || !allowed.has(column.name) || !columnType(scope, column)) continue
      exposed.set(column.field, column)
    }
    ofTable.set(allowed, exposed)
  }
  return exposed
}

/** Contribution: a field for each column that the role may select, transformed ones included. */
export function columnFields(scope: SchemaScope, table: TableModel): FieldMap {
  const fields = new Map<string, () => GraphQLFieldConfig<unknown, unknown>>()
  const select = scope.access(table.name)?.select
  if (!select) return fields
  for (const column of table.columns.values()) {
    const { name, field, comment: description } = column
    const seen = select.transformed.get(name)
    const type = seen || select.columns.has(name) ? columnType(scope, column) : null
    if (field === null || !type) continue
    fields.set(field, () => {
      const row = plannerOf(scope, column, seen)
      const args: GraphQLFieldConfigArgumentMap =
        isJson(column) && row.kind === 'relational'
          ? { path: { type: GraphQLString, description: 'JSON select path' } }
          : {}
      const isNullable = column.nullable || seen !== undefined
      return { type: isNullable ? type : new GraphQLNonNull(type), description, args, extensions: { row } }
    })
  }
  return fields
}

function plannerOf(scope: SchemaScope, column: ColumnModel, seen: TransformedColumn | undefined): RowPlanner {
  if (isInCapitals(scope, column) && !column.transform) return capitalPlanner(column, seen?.mask)
  return seen ? transformedPlanner(seen) : ordinaryPlanner(column)
}

/** The value of an enum in capitals, where the source spells values of enums so. */
function capitalPlanner({ name }: ColumnModel, mask: Condition | null | undefined): RowPlanner {
  const value: SqlBuilder = (row) => sql`upper(${row}.${id(name)})`
  const seen = mask ? onlyWhere(mask, value) : value
  const build: SqlBuilder = (row, printer) => sql`coalesce(to_json(${seen(row, printer)})::text, 'null')`
  return { kind: 'relational', plan: () => ({ kind: 'sql', build, columnsOnly: !mask }) }
}

const ordinaryPlanner = (column: ColumnModel): RowPlanner => ({
  kind: 'relational',
  plan: (field) => columnOutput(column, field),
})

function transformedPlanner(seen: TransformedColumn): RowPlanner {
  const { name } = seen.column
  if (isReadByFunction(seen)) {
    const resolve = (rows: readonly NeededRow[]) => rows.map((row) => readValue(seen, row[name]))
    return { kind: 'resolved', partial: true, needs: [name], resolve }
  }
  const plan = (field: FieldSelection) => {
    const path = field.argument('path')
    return transformedOutput(seen, path ? readPathArgument(path) : null)
  }
  return { kind: 'relational', plan }
}

const isJson = ({ type }: ColumnModel): boolean => type.name === 'json' || type.name === 'jsonb'

function columnOutput(column: ColumnModel, field: FieldSelection): Output {
  const path = field.argument('path')
  const output = { kind: 'column', column: column.name, type: column.type } as const
  return path ? { ...output, path: readPathArgument(path) } : output
}

/** The plan of a row's object: every selected member asked for its part. */
export function planRow(field: FieldSelection, context: PlanContext, table: TableModel): Output {
  return planMembers(field.fields(), context, table)
}

/** The same for members that were collected already. */
export function planMembers(members: readonly FieldSelection[], context: PlanContext, table: TableModel): Output {
  const entries = members.map((member) => ({ key: member.responseName, value: planMember(member, context, table) }))
  return { kind: 'object', entries }
}

function planMember(member: FieldSelection, context: PlanContext, table: TableModel): Output {
  if (member.definition === null) return { kind: 'json', text: JSON.stringify(member.parentType) }
  const planner = member.definition.extensions.row
  if (!planner) throw new Error(`the field "${member.name}" of "${member.parentType}" has no planner`)
  if (planner.kind === 'relational') return blaming(planner, () => planner.plan(member, context, table))
  const typeOf = (name: string) => {
    const column = table.columns.get(name)
    if (column) return column.type
    const field = `the field "${member.name}" of "${member.parentType}"`
    throw new Error(`${field} needs the column "${name}", which the table does not have`)
  }
  const output = planJoin(member, context, { planner, typeOf })
  const select = context.schema.access(table.name)?.select
  return select && output.kind === 'deferred'
    ? { ...output, needs: output.needs.map((each) => onlySeen(each, select)) }
    : output
}

/** A value that the role sees in some rows only is null in all others, whatever the field makes of it. */
function onlySeen(need: NeededColumn, { transformed, maskedFields }: SelectAccess): NeededColumn {
  const mask = need.value ? maskedFields.get(need.column) : transformed?.get(need.column)?.mask
  return mask ? { ...need, given: conditionBuilder(mask) } : need
}
