// `insert_T` and `insert_T_one`.

import { type GraphQLFieldConfig, type GraphQLFieldConfigArgumentMap, GraphQLList, GraphQLNonNull } from 'graphql'
import type { FieldSelection, PlanContext, SchemaScope } from '../../../../sdk/graphql.ts'
import { below, nameText } from '../../../../sdk/index.ts'
import type { TableModel } from '../../../../sdk/metadata.ts'
import type { MutationPlan } from '../../../../sdk/sql.ts'
import { rowType } from '../row-type.ts'
import { insertInputType } from './insert-input.ts'
import { type InsertTarget, planInsert, planInsertOne } from './insert-plan.ts'
import { planResponse, planRowAnswer, responseType } from './mutation-response.ts'
import { onConflictType, planOnConflict } from './on-conflict.ts'

type Field = GraphQLFieldConfig<unknown, unknown>

/** `insert_T`. */
export function insertField(scope: SchemaScope, table: TableModel): Field {
  const objects = new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(insertInputType(scope, table))))
  return {
    type: responseType(scope, table),
    description: `insert data into the table: "${nameText(table.name)}"`,
    args: {
      objects: { type: objects, description: 'the rows to be inserted' },
      ...conflictArgument(scope, table),
    },
    extensions: {
      root: {
        kind: 'mutation',
        plan: (field, context): MutationPlan => {
          const steps = planInsert(field.arguments.get('objects')!, target(field, 'objects', context, table), context)
          return { table, steps, answer: planResponse(field, context, table) }
        },
      },
    },
  }
}

/** `insert_T_one`. */
export function insertOneField(scope: SchemaScope, table: TableModel): Field {
  return {
    type: rowType(scope, table),
    description: `insert a single row into the table: "${nameText(table.name)}"`,
    args: {
      object: { type: new GraphQLNonNull(insertInputType(scope, table)), description: 'the row to be inserted' },
      ...conflictArgument(scope, table),
    },
    extensions: {
      root: {
        kind: 'mutation',
        plan: (field, context): MutationPlan => {
          const steps = planInsertOne(field.arguments.get('object')!, target(field, 'object', context, table), context)
          return { table, steps, answer: planRowAnswer(field, context, table) }
        },
      },
    },
  }
}

function conflictArgument(scope: SchemaScope, table: TableModel): GraphQLFieldConfigArgumentMap {
  const type = onConflictType(scope, table)
  const description = scope.settings.graphqlInterface === '2' ? 'upsert condition' : 'on conflict condition'
  return type ? { on_conflict: { type, description } } : {}
}

function target(field: FieldSelection, argument: string, context: PlanContext, table: TableModel): InsertTarget {
  const conflict = field.argument('on_conflict')
  return {
    table,
    onConflict: conflict ? planOnConflict(conflict, context, table) : null,
    path: below(field.argumentsPath, argument),
  }
}
