// `update_T_many`: several updates of one table, in order and in one transaction.

import { type GraphQLFieldConfig, GraphQLList, GraphQLNonNull } from 'graphql'
import { rootCost } from '../../../../sdk/access.ts'
import {
  type Contribution,
  type FieldMap,
  type PlanContext,
  type SchemaScope,
  tableInput,
  type Value,
} from '../../../../sdk/graphql.ts'
import { nameText } from '../../../../sdk/index.ts'
import { basesWithin, customRootField, nameAround, rootFieldIndex, type TableModel } from '../../../../sdk/metadata.ts'
import type { MutationAnswer, MutationList, MutationPlan } from '../../../../sdk/sql.ts'
import { booleanExpressionType, planBoolean } from '../queries/boolean-expression.ts'
import { fieldsOfTables } from '../root-fields.ts'
import { planResponse, responseType } from './mutation-response.ts'
import { operatorArguments, planUpdate } from './update.ts'
import { updatableColumns } from './written-columns.ts'

type Field = GraphQLFieldConfig<unknown, unknown>

const around = ['update_', '_many'] as const

/** A field for every table that the role may update. Fields of the same name that others provide stay. */
export const updateManyContribution: Contribution = {
  name: 'lists of updates',
  isOfSource: true,
  yields: true,
  mutation: (scope) =>
    fieldsOfTables(
      scope,
      (table) => fieldsOf(scope, table),
      (name) => basesWithin(name, around),
    ),
}

function fieldsOf(scope: SchemaScope, table: TableModel): FieldMap {
  const fields = new Map<string, () => Field>()
  if (!scope.access(table.name)?.update || updatableColumns(scope, table).size === 0) return fields
  // A table whose rows have the type of that name keeps it.
  if (rootFieldIndex(scope.model.tables).has(updatesName(table))) return fields
  const custom = customRootField(table.configuration, 'update_many')
  const generated = nameAround(table.graphqlName!, around, table.isCamel)
  const name = scope.kind === 'standard' ? (custom.name ?? generated) : generated
  const { comment } = custom
  fields.set(name, () => ({
    ...updateManyField(scope, table),
    ...(comment !== undefined && { description: comment || null }),
  }))
  return fields
}

/** Whether descriptions are those of version 2, which generators of code copy. */
const isLater = ({ settings }: SchemaScope): boolean => settings.graphqlInterface === '2'

const updatesName = ({ graphqlName }: TableModel): string => `${graphqlName}_updates`

/** `T_updates`: the condition and the operators of one update. */
const updatesType = tableInput({
  name: updatesName,
  description: ({ name }, scope) => (isLater(scope) ? null : `one of several updates of the table "${nameText(name)}"`),
  fields: (table, scope) => ({
    ...operatorArguments(scope, table),
    where: {
      type: new GraphQLNonNull(booleanExpressionType(scope, table)),
      description: 'filter the rows which have to be updated',
    },
  }),
})

function updateManyField(scope: SchemaScope, table: TableModel): Field {
  const updates = new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(updatesType(scope, table))))
  return {
    type: new GraphQLList(responseType(scope, table)),
    description: isLater(scope)
      ? `update multiples rows of table: "${nameText(table.name)}"`
      : `run several updates of the table: "${nameText(table.name)}"`,
    args: { updates: { type: updates, description: 'updates to execute, in order' } },
    extensions: {
      root: {
        kind: 'mutation',
        plan: (field, context): MutationList => {
          const answer = planResponse(field, context, table)
          const items = field.arguments.get('updates')!.items(rootCost)
          return { list: items.map((item) => planItem(item, context, table, answer)), key: keyOf(table) }
        },
      },
    },
  }
}

/** The columns of the primary key. A collation may call different texts equal, which only the column knows. */
function keyOf({ primaryKey, catalog }: TableModel): readonly string[] | null {
  const isCollated = (column: string) => catalog.columns.some(({ name, collation }) => name === column && collation)
  return primaryKey && !primaryKey.isPeriod && !primaryKey.columns.some(isCollated) ? primaryKey.columns : null
}

function planItem(item: Value, context: PlanContext, table: TableModel, answer: MutationAnswer): MutationPlan {
  const members = item.members()
  const condition = planBoolean(members.get('where')!, context)
  const given = {
    path: item.path,
    argument(name: string) {
      const value = members.get(name)
      return value?.isNull ? undefined : value
    },
  }
  return planUpdate(given, context, table, { condition, answer })
}
