// Tracked functions as root fields: their rows are selected from like those of the table that they return, with the
// role's permission for that table.

import { type GraphQLFieldConfig, GraphQLNonNull } from 'graphql'
import type { Rows } from '../../core/compiler/plan.ts'
import type { Contribution, FieldMap, SchemaScope } from '../../core/graphql/contribution.ts'
import type { PlanContext } from '../../core/graphql/plan-context.ts'
import type { FieldSelection } from '../../core/graphql/selection.ts'
import type { TableModel } from '../../core/metadata/model.ts'
import { nameText } from '../../core/names.ts'
import { aggregateType, planAggregate, planRow, planRows, rowList, selectArguments } from '../tables/graphql.ts'
import { callArguments, planCall } from './arguments.ts'
import type { FunctionCall } from './call.ts'
import type { FunctionModel } from './metadata.ts'

export { callArguments, planCall }

type Field = GraphQLFieldConfig<unknown, unknown>

/** The rows that a function returns, under the role's permission for their table and the field's arguments. */
export function planFunctionRows(
  field: FieldSelection,
  context: PlanContext,
  { call, table }: { readonly call: FunctionCall; readonly table: TableModel },
): Rows {
  const rows = planRows(field, context, table, { from: { kind: 'sql', build: planCall(call, field) } })
  return { ...rows, orderedByKey: false }
}

/** Contribution: the root fields of every function whose rows the role may select. */
export function functionFields(scope: SchemaScope): FieldMap {
  const fields = new Map<string, () => Field>()
  for (const model of scope.model.slices.functions?.values() ?? []) {
    const access = scope.access(model.table)
    if (!access?.select || access.table.graphqlName === null) continue
    const { table, select } = access
    fields.set(model.graphqlName, () => rowsField(scope, model, table))
    if (select.allowAggregations) {
      fields.set(`${model.graphqlName}_aggregate`, () => aggregateField(scope, model, table))
    }
  }
  return fields
}

const fieldArguments = (scope: SchemaScope, { call, graphqlName }: FunctionModel, table: TableModel) => ({
  ...callArguments(scope, call, `${graphqlName}_args`),
  ...selectArguments(scope, table),
})

function rowsField(scope: SchemaScope, model: FunctionModel, table: TableModel): Field {
  const { name, call } = model
  return {
    type: rowList(scope, table),
    description: `execute function "${nameText(name)}" which returns "${nameText(table.name)}"`,
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
  query: functionFields,
  subscription: functionFields,
}
