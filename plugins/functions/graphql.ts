// Tracked functions as root fields: their rows are selected from like those of the table that they return, with the
// role's permission for that table.

import { type GraphQLFieldConfig, GraphQLNonNull } from 'graphql'
import type { SelectAccess } from '../../sdk/access.ts'
import type { Contribution, FieldMap, FieldSelection, PlanContext, SchemaScope } from '../../sdk/graphql.ts'
import { nameText } from '../../sdk/index.ts'
import type { TableModel } from '../../sdk/metadata.ts'
import { allOf, type From, type RootOutput, type Rows, returnedRows, type SqlBuilder } from '../../sdk/sql.ts'
import {
  aggregateType,
  planAggregate,
  planRow,
  planRows,
  type ReadingRoot,
  rowList,
  rowType,
  selectArguments,
  showsRootField,
} from '../tables/graphql.ts'
import { callArguments, planCall } from './arguments.ts'
import { type FunctionCall, isRow } from './call.ts'
import { type FunctionModel, mayCall } from './metadata.ts'

export { callArguments, planCall }

type Field = GraphQLFieldConfig<unknown, unknown>

/** A function, and the table whose rows it returns. */
interface Called {
  readonly call: FunctionCall
  readonly table: TableModel
}

/** The rows that a function returns, under the role's permission for their table and the field's arguments. */
export const planFunctionRows = (field: FieldSelection, context: PlanContext, called: Called): Rows =>
  planRows(field, context, called.table, { from: calledRows(field, called) })

/** The call as a source of rows. */
function calledRows(field: FieldSelection, { call, table }: Called): Extract<From, { kind: 'sql' }> {
  const called = planCall(call, field)
  const build: SqlBuilder = (row, printer) => {
    printer.follow(table.name)
    return called(row, printer)
  }
  return { kind: 'sql', build }
}

/** The functions of a root type that the role may call, as far as their own permissions go. */
export function callableFunctions(scope: SchemaScope, root: FunctionModel['root']): FunctionModel[] {
  const all = [...(scope.model.slices.functions?.values() ?? [])]
  return all.filter((each) => each.root === root && mayCall(each, scope))
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

/** Contribution: the query fields of every function that returns a set of rows which the role may select. */
function functionFields(scope: SchemaScope, root: ReadingRoot): FieldMap {
  const fields = new Map<string, () => Field>()
  for (const model of callableFunctions(scope, 'query')) {
    const access = scope.access(model.table)
    if (!model.returnsSet || !access?.select || access.table.graphqlName === null) continue
    const { table, select } = access
    const { rows, aggregate } = model.rootFields
    const isShown = (key: 'select' | 'select_aggregate') => showsFunction(model, select, root, key)
    if (isShown('select')) fields.set(rows, () => rowsField(scope, model, table))
    if (aggregate !== null && select.allowAggregations && isShown('select_aggregate'))
      fields.set(aggregate, () => aggregateField(scope, model, table))
  }
  return fields
}

const fieldArguments = (scope: SchemaScope, { call, graphqlName }: FunctionModel, table: TableModel) => ({
  ...callArguments(scope, call, `${graphqlName}_args`),
  ...selectArguments(scope, table),
})

const describe = ({ name, comment, table }: FunctionModel): string | null =>
  (comment ?? `execute function "${nameText(name)}" which returns "${nameText(table)}"`) || null

function rowsField(scope: SchemaScope, model: FunctionModel, table: TableModel): Field {
  const { call } = model
  return {
    type: rowList(scope, table),
    description: describe(model),
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
  isOfSource: true,
  schemas: ['standard'],
  query: (scope) => functionFields(scope, 'query'),
  subscription: (scope) => functionFields(scope, 'subscription'),
}

/** The field of a function that returns one row: an object, or null. */
function rowField(scope: SchemaScope, model: FunctionModel, table: TableModel): Field {
  const called = { call: model.call, table }
  return {
    type: rowType(scope, table),
    description: describe(model),
    args: callArguments(scope, model.call, `${model.graphqlName}_args`),
    extensions: {
      root: {
        kind: 'relational',
        plan: (field, context) => rowOutput(field, context, { table, from: calledRows(field, called) }),
      },
    },
  }
}

interface RowsOf {
  readonly table: TableModel
  readonly from: From
}

function rowOutput(field: FieldSelection, context: PlanContext, { table, from }: RowsOf): RootOutput {
  const rows = planRows(field, context, table, { from })
  const where = allOf([isRow, rows.where])
  return { kind: 'one', select: { rows: { ...rows, where }, output: planRow(field, context, table) }, unique: true }
}

function listOutput(field: FieldSelection, context: PlanContext, { table, from }: RowsOf): RootOutput {
  const rows = planRows(field, context, table, { from })
  return { kind: 'many', select: { rows, output: planRow(field, context, table) } }
}

/** The field of a function that changes the database. It runs in its place in the operation's transaction. */
function changeField(scope: SchemaScope, model: FunctionModel, table: TableModel): Field {
  const { call, returnsSet } = model
  const planOutput = returnsSet ? listOutput : rowOutput
  return {
    type: returnsSet ? rowList(scope, table) : rowType(scope, table),
    description: describe(model),
    args: returnsSet ? fieldArguments(scope, model, table) : callArguments(scope, call, `${model.graphqlName}_args`),
    extensions: {
      root: {
        kind: 'mutation',
        plan: (field, context) => ({
          table: table.name,
          call: calledRows(field, { call, table }).build,
          output: planOutput(field, context, { table, from: returnedRows(table.name) }),
          path: field.path,
        }),
      },
    },
  }
}

function changeFields(scope: SchemaScope): FieldMap {
  const fields = new Map<string, () => Field>()
  for (const model of callableFunctions(scope, 'mutation')) {
    const access = scope.access(model.table)
    if (!access?.select || access.table.graphqlName === null) continue
    fields.set(model.rootFields.rows, () => changeField(scope, model, access.table))
  }
  return fields
}

function singleRowFields(scope: SchemaScope, root: ReadingRoot): FieldMap {
  const fields = new Map<string, () => Field>()
  for (const model of callableFunctions(scope, 'query')) {
    const access = scope.access(model.table)
    if (model.returnsSet || !access?.select || access.table.graphqlName === null) continue
    if (!showsFunction(model, access.select, root, 'select')) continue
    fields.set(model.rootFields.rows, () => rowField(scope, model, access.table))
  }
  return fields
}

/** Functions that return one row, and those that change the database: their fields are the same for Relay. */
export const rowContribution: Contribution = {
  name: 'function rows',
  isOfSource: true,
  query: (scope) => singleRowFields(scope, 'query'),
  subscription: (scope) => singleRowFields(scope, 'subscription'),
  mutation: changeFields,
}
