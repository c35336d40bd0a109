// `T_mutation_response`, and the answers of mutations.

import { type GraphQLFieldConfigMap, GraphQLInt, GraphQLNonNull } from 'graphql'
import { type FieldSelection, type PlanContext, tableObject } from '../../../../sdk/graphql.ts'
import { nameText } from '../../../../sdk/index.ts'
import type { TableModel } from '../../../../sdk/metadata.ts'
import type { MutationAnswer, ResponseValue } from '../../../../sdk/sql.ts'
import { rowList } from '../queries/query-fields.ts'
import { planRow } from '../row-type.ts'

/** `T_mutation_response`; `returning` is there for roles that may select. */
export const responseType = tableObject({
  name: (table) => `${table.graphqlName}_mutation_response`,
  description: ({ name }) => `response of any mutation on the table "${nameText(name)}"`,
  fields: (table, scope) => {
    const fields: GraphQLFieldConfigMap<unknown, unknown> = {
      affected_rows: {
        type: new GraphQLNonNull(GraphQLInt),
        description: 'number of rows affected by the mutation',
      },
    }
    if (scope.access(table.name)?.select) {
      fields.returning = {
        type: rowList(scope, table),
        description: 'data from the rows affected by the mutation',
      }
    }
    return fields
  },
})

/** The answer of a field whose type is `T_mutation_response`. */
export function planResponse(field: FieldSelection, context: PlanContext, table: TableModel): MutationAnswer {
  const entries = field.fields().map((member) => {
    return { key: member.responseName, value: planMember(member, context, table) }
  })
  return { kind: 'response', entries }
}

function planMember(member: FieldSelection, context: PlanContext, table: TableModel): ResponseValue {
  if (member.definition === null) return { kind: 'json', text: JSON.stringify(member.parentType) }
  if (member.name === 'affected_rows') return { kind: 'affected' }
  return { kind: 'returning', output: planRow(member, context, table) }
}

/** The answer of a field whose type is `T`. */
export const planRowAnswer = (field: FieldSelection, context: PlanContext, table: TableModel): MutationAnswer => ({
  kind: 'row',
  output: planRow(field, context, table),
})
