// `delete_T` and `delete_T_by_pk`.

import { type GraphQLFieldConfig, GraphQLNonNull } from 'graphql'
import type { PlanContext, SchemaScope } from '../../../../sdk/graphql.ts'
import { nameText } from '../../../../sdk/index.ts'
import type { TableModel } from '../../../../sdk/metadata.ts'
import { type Condition, type MutationAnswer, type MutationPlan, soleStep } from '../../../../sdk/sql.ts'
import { booleanExpressionType, planBoolean } from '../queries/boolean-expression.ts'
import { keyArguments, keyColumns, keyCondition } from '../queries/query-fields.ts'
import { rowType } from '../row-type.ts'
import { planResponse, planRowAnswer, responseType } from './mutation-response.ts'

type Field = GraphQLFieldConfig<unknown, unknown>

/** `delete_T`. */
export function deleteField(scope: SchemaScope, table: TableModel): Field {
  const where = new GraphQLNonNull(booleanExpressionType(scope, table))
  return {
    type: responseType(scope, table),
    description: `delete data from the table: "${nameText(table.name)}"`,
    args: { where: { type: where, description: 'filter the rows which have to be deleted' } },
    extensions: {
      root: {
        kind: 'mutation',
        plan: (field, context) => {
          const condition = planBoolean(field.arguments.get('where')!, context)
          return planDelete(condition, planResponse(field, context, table), context, table)
        },
      },
    },
  }
}

/** `delete_T_by_pk`. */
export function deleteByKeyField(scope: SchemaScope, table: TableModel): Field {
  const columns = keyColumns(scope, table)!
  return {
    type: rowType(scope, table),
    description: `delete single row from the table: "${nameText(table.name)}"`,
    args: keyArguments(scope, columns),
    extensions: {
      root: {
        kind: 'mutation',
        plan: (field, context) => {
          const condition = keyCondition(context.schema, columns, field.arguments)
          return planDelete(condition, planRowAnswer(field, context, table), context, table)
        },
      },
    },
  }
}

function planDelete(
  condition: Condition,
  answer: MutationAnswer,
  context: PlanContext,
  table: TableModel,
): MutationPlan {
  const change = context.schema.access(table.name)!.delete!.change(condition)
  return { table, steps: [soleStep(change)], answer }
}
