// Tables with a column `search` of type tsvector can be searched; each row has its rank.

import {
  type Condition,
  definePlugin,
  type FieldMap,
  type FieldSelection,
  fieldMap,
  graphql,
  id,
  type Output,
  operandSql,
  type PlanContext,
  type RootFields,
  type RootOutput,
  type SchemaScope,
  type Sql,
  type SqlBuilder,
  sql,
  stringCodec,
  type TableModel,
  tableObject,
} from 'trellis'
import { fieldsOfTables, planRow, rowType } from 'trellis/tables'

const { GraphQLFloat, GraphQLList, GraphQLNonNull, GraphQLString } = graphql

/** `article_hit`: the rank of a row, and the row. */
const hitType = tableObject({
  name: (table) => `${table.graphqlName}_hit`,
  fields: (table, scope) => ({
    rank: { type: new GraphQLNonNull(GraphQLFloat) },
    row: { type: new GraphQLNonNull(rowType(scope, table)) },
  }),
})

function planHits(field: FieldSelection, context: PlanContext, table: TableModel): RootOutput {
  const words = field.argument('query')!.param(stringCodec, 'text')
  const query = (row: Sql) => sql`websearch_to_tsquery('english', ${operandSql(words, row)})`
  const rank: SqlBuilder = (row) => sql`ts_rank(${row}.${id('search')}, ${query(row)})`
  const found: Condition = { kind: 'sql', build: (row) => sql`${row}.${id('search')} @@ ${query(row)}` }
  const rows = context.schema.access(table.name)!.select!.rows({
    where: found,
    orderBy: [{ target: { kind: 'sql', build: rank }, direction: 'desc', nulls: 'last' }],
    limit: 10,
  })
  const outputOf = (member: FieldSelection): Output => {
    if (member.name === 'row') return planRow(member, context, table)
    if (member.name === 'rank') return { kind: 'sql', build: (row, printer) => sql`${rank(row, printer)}::text` }
    return { kind: 'json', text: JSON.stringify(member.parentType) }
  }
  const entries = field.fields().map((member) => ({ key: member.responseName, value: outputOf(member) }))
  return { kind: 'many', select: { rows, output: { kind: 'object', entries } } }
}

const fields = (scope: SchemaScope): RootFields => {
  const fieldsOf = (table: TableModel): FieldMap => {
    const isShown = scope.access(table.name)?.select?.columns.has('search')
    const find = () => ({
      type: new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(hitType(scope, table)))),
      args: { query: { type: new GraphQLNonNull(GraphQLString) } },
      extensions: {
        root: {
          kind: 'relational' as const,
          plan: (field: FieldSelection, context: PlanContext) => planHits(field, context, table),
        },
      },
    })
    return fieldMap(isShown ? { [`find_${table.graphqlName}`]: find } : {})
  }
  return fieldsOfTables(scope, fieldsOf, (name) => [name.replace(/^find_/, '')])
}

export default definePlugin({
  name: 'hits',
  dependencies: ['tables', 'graphql'],
  register(engine) {
    engine.metadata.typeNames({ tables: ['*_hit'] })
    engine.graphql.contribute({ name: 'hits', schemas: ['standard'], query: fields, subscription: fields })
  },
})
