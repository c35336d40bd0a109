// Computed fields as members of rows: scalars for roles whose permission lists them, rows of a table
// for roles that may select from it.

import { type GraphQLFieldConfig, GraphQLList, GraphQLNonNull, GraphQLString } from 'graphql'
import { onlyWhere } from '../../sdk/access.ts'
import {
  type Contribution,
  type FieldMap,
  type FieldSelection,
  type PlanContext,
  type SchemaScope,
  valueType,
} from '../../sdk/graphql.ts'
import { graphqlBaseName, isGraphQLName, nameKey, nameText, type QualifiedName, sameName } from '../../sdk/index.ts'
import type { PgType, TableModel } from '../../sdk/metadata.ts'
import { allOf, type Condition, columnJson, type Output, type Sql, type SqlBuilder, sql } from '../../sdk/sql.ts'
import { callArguments, planCall, planFunctionRows } from '../functions/graphql.ts'
import { type FunctionCall, isRow, requestArguments } from '../functions/index.ts'
import { planRow, readPathArgument, rowType, selectArguments } from '../tables/graphql.ts'
import { computedBooleanFields, computedOrderFields } from './graphql-conditions.ts'
import type { ComputedFieldModel } from './metadata.ts'

type Field = GraphQLFieldConfig<unknown, unknown>

/** Contribution: the computed fields that the role may use. */
export function computedRowFields(scope: SchemaScope, table: TableModel): FieldMap {
  const select = scope.access(table.name)?.select
  const fields = new Map<string, () => Field>()
  for (const field of table.fields.values()) {
    if (field.kind !== 'computed_field') continue
    const { name, returns } = field
    if (returns.kind === 'scalar') {
      const mask = select?.maskedFields.get(name)
      const isShown = mask !== undefined || select?.computedFields.has(name)
      if (isShown) fields.set(name, () => scalarField(scope, table, { field, type: returns.type, mask }))
      continue
    }
    if (select && !select.reaches(returns.table)) continue
    const access = scope.access(returns.table)
    if (!access?.select || access.table.graphqlName === null) continue
    fields.set(name, () => rowsField(scope, table, field, access.table))
  }
  return fields
}

function describe({ call, comment }: ComputedFieldModel): string {
  const generated = `A computed field, executes function "${nameText(call.function)}"`
  return comment === null ? generated : `${comment}\n\n\n${generated}\n`
}

interface Scalar {
  readonly field: ComputedFieldModel
  readonly type: PgType
  /** The rows in which the role sees the value; absent: all. */
  readonly mask: Condition | undefined
}

function scalarField(scope: SchemaScope, table: TableModel, scalar: Scalar): Field {
  const { field, type } = scalar
  const isJson = type.name === 'json' || type.name === 'jsonb'
  return {
    type: valueType(scope, type)!,
    description: describe(field),
    args: {
      ...callArguments(scope, field.call, argumentsName(scope, table, field)),
      ...(isJson && { path: { type: GraphQLString, description: 'JSON select path' } }),
    },
    extensions: {
      row: { kind: 'relational', plan: (selection, context) => planScalar(selection, context, scalar) },
    },
  }
}

function planScalar(
  selection: FieldSelection,
  { schema }: PlanContext,
  { field: { call, returnsSet }, type, mask }: Scalar,
): Output {
  const called = planCall(call, selection)
  const sole: SqlBuilder = returnsSet ? (row, printer) => sql`(select ${called(row, printer)} limit 1)` : called
  const value = mask ? onlyWhere(mask, sole) : sole
  const path = selection.argument('path')
  const column = { type, path: path ? readPathArgument(path) : null }
  const options = { stringifyNumbers: schema.settings.stringifyNumericTypes, serverVersion: schema.serverVersion }
  const build: SqlBuilder = (row, printer) => {
    const call = value(row, printer)
    // The text of numerics is made of several mentions of the value, and each would be a call.
    const isMentionedOnce = type.name !== 'numeric' || options.stringifyNumbers
    return isMentionedOnce ? columnJson(call, column, options) : numberJson(call)
  }
  return { kind: 'sql', build }
}

const numberJson = (value: Sql): Sql => sql`coalesce(to_json(${value})::text, 'null')`

function rowsField(scope: SchemaScope, table: TableModel, field: ComputedFieldModel, returned: TableModel): Field {
  const { call, returnsSet } = field
  return {
    type: new GraphQLList(new GraphQLNonNull(rowType(scope, returned))),
    description: describe(field),
    args: {
      ...callArguments(scope, call, argumentsName(scope, table, field)),
      ...selectArguments(scope, returned),
    },
    extensions: {
      row: {
        kind: 'relational',
        plan: (selection, context) => {
          const rows = planFunctionRows(selection, context, { call, table: returned })
          const where = returnsSet ? rows.where : allOf([isRow, rows.where])
          return { kind: 'many', select: { rows: { ...rows, where }, output: planRow(selection, context, returned) } }
        },
      },
    },
  }
}

/** The name of the input type: the function's, unless another field calls it with other arguments. */
function argumentsName(scope: SchemaScope, table: TableModel, field: ComputedFieldModel): string {
  const { call, name } = field
  const base = graphqlBaseName(call.function)
  const isShared = isGraphQLName(base) && !isTracked(scope, base) && callsAlike(scope, call)
  return isShared ? `${base}_args` : ownArgumentsName(scope, `${table.graphqlName}_${name}`)
}

/** Functions of computed fields are often named after table and field, and may be tracked under that name. */
const ownArgumentsName = (scope: SchemaScope, field: string): string =>
  isTracked(scope, field) ? `${field}_field_args` : `${field}_args`

/** Whether a tracked function has a GraphQL name, and the types that are named after it. */
const isTracked = ({ model }: SchemaScope, name: string): boolean =>
  [...(model.slices.functions?.values() ?? [])].some(({ graphqlName }) => graphqlName === name)

/** Whether requests give the same arguments wherever a computed field calls the function. */
function callsAlike(scope: SchemaScope, call: FunctionCall): boolean {
  const given = argumentsText(call)
  return rowTypes(call).every((name) => {
    const fields = scope.model.tables.get(nameKey(name))?.fields.values() ?? []
    return [...fields].every((field) => {
      const isOther = field.kind !== 'computed_field' || !sameName(field.call.function, call.function)
      return isOther || argumentsText(field.call) === given
    })
  })
}

/** The tables that may have computed fields by the function. */
const rowTypes = (call: FunctionCall): QualifiedName[] =>
  call.arguments.map(({ declaredType }) => declaredType).filter(({ kind }) => kind === 'c')

const argumentsText = (call: FunctionCall): string => JSON.stringify(requestArguments(call).map(({ field }) => field))

export const computedFieldContribution: Contribution = {
  name: 'computed-fields',
  rowFields: computedRowFields,
  booleanFields: computedBooleanFields,
  orderFields: computedOrderFields,
}
