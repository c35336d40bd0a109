// Tracked functions as root fields: their rows are selected from like those of the table that they return, with the
// role's permission for that table.

import { type GraphQLFieldConfig, GraphQLNonNull } from 'graphql'
import type { SelectAccess } from '../../sdk/access.ts'
import type { Contribution, FieldMap, FieldSelection, PlanContext, SchemaScope } from '../../sdk/graphql.ts'
import { nameText } from '../../sdk/index.ts'
import type { TableModel } from '../../sdk/metadata.ts'
import type { Rows, SqlBuilder } from '../../sdk/sql.ts'
import {
  aggregateType,
  planAggregate,
  planRow,
  planRows,
  type ReadingRoot,
  rowList,
  selectArguments,
  showsRootField,
} from '../tables/graphql.ts'
import { callArguments, planCall } from './arguments.ts'
import type { FunctionCall } from './call.ts'
import { type FunctionModel, mayCall } from './metadata.ts'

export { callArguments, planCall }

type Field = GraphQLFieldConfig<unknown, unknown>

/** The rows that a function returns, under the role's permission for their table and the field's arguments. */
export function planFunctionRows(
  field: FieldSelection,
  context: PlanContext,
  { call, table }: { readonly call: FunctionCall; readonly table: TableModel },
): Rows {
  const called = planCall(call, field)
  const build: SqlBuilder = (row, printer) => {
    printer.follow(table.name)
    return called(row, printer)
  }
  return planRows(field, context, table, { from: { kind: 'sql', build } })
}

/** The tracked functions that the role may call, as far as their own permissions go. */
export function callableFunctions({ model, role }: SchemaScope): FunctionModel[] {
  const all = [...(model.slices.functions?.values() ?? [])]
  return all.filter((each) => mayCall(each, role))
}

/**
 * Whether a root field of a function is shown: as that of its table which gives the same rows, unless the function is granted
 * to roles by name.
 */
export const showsFunction = (
  { roles }: FunctionModel,
  select: SelectAccess,
  root: ReadingRoot,
  key: 'select' | 'select_aggregate',
): boolean => roles !== null || showsRootField(select, root, key)

/** Contribution: the root fields of every function whose rows the role may select. */
function functionFields(scope: SchemaScope, root: ReadingRoot): FieldMap {
  const fields = new Map<string, () => Field>()
  for (const model of callableFunctions(scope)) {
    const access = scope.access(model.table)
    if (!access?.select || access.table.graphqlName === null) continue
    const { table, select } = access
    const { rows, aggregate } = model.rootFields
    const isShown = (key: 'select' | 'select_aggregate') => showsFunction(model, select, root, key)
    if (isShown('select')) fields.set(rows, () => rowsField(scope, model, table))
    if (select.allowAggregations && isShown('select_aggregate'))
      fields.set(aggregate, () => aggregateField(scope, model, table))
  }
  return fields
}

const fieldArguments = (scope: SchemaScope, { call, graphqlName }: FunctionModel, table: TableModel) => ({
  ...callArguments(scope, call, `${graphqlName}_args`),
  ...selectArguments(scope, table),
})

function rowsField(scope: SchemaScope, model: FunctionModel, table: TableModel): Field {
  const { name, call } = model
  const generated = `execute function "${nameText(name)}" which returns "${nameText(table.name)}"`
  return {
    type: rowList(scope, table),
    description: (model.comment ?? generated) || null,
    args: fieldArguments(scope, model, table),
    extensions: {
      root: {
        kind: 'relational',
        plan: (field, context) => {
          const rows = planFunctionRows(field, context, { call, table })
          return { kind: 'many', select: { rows, output: planRow(field, context, table) } }
        },
      },
    },
  }
}

function aggregateField(scope: SchemaScope, model: FunctionModel, table: TableModel): Field {
  const { name, call } = model
  const what = `execute function "${nameText(name)}"`
  return {
    type: new GraphQLNonNull(aggregateType(scope, table)),
    description: `${what} and query aggregates on result of table type "${nameText(table.name)}"`,
    args: fieldArguments(scope, model, table),
    extensions: {
      root: {
        kind: 'relational',
        plan: (field, context) => {
          const rows = planFunctionRows(field, context, { call, table })
          return { kind: 'aggregate', select: { rows, output: planAggregate(field, context, table) } }
        },
      },
    },
  }
}

export const functionContribution: Contribution = {
  name: 'functions',
  schemas: ['standard'],
  query: (scope) => functionFields(scope, 'query'),
  subscription: (scope) => functionFields(scope, 'subscription'),
}
