// Full-text search. Tables with a column `search` of type tsvector get a root field that ranks the rows that it finds:
// `search_article(query: "grow trellis", limit: 10) { id title }`, and such columns the operator `_matches`, in GraphQL
// and in permissions. `npm start -- --plugin ./examples/search.ts`; `--search-language simple` chooses how words are
// read.

import {
  allOf,
  type ComparisonOperator,
  definePlugin,
  type FieldMap,
  type FieldSelection,
  fieldMap,
  graphql,
  id,
  literal,
  operandSql,
  option,
  type PlanContext,
  type RootFields,
  type RootOutput,
  type SchemaScope,
  type Sql,
  type SqlBuilder,
  sql,
  stringCodec,
  type TableModel,
} from 'trellis'
import { booleanExpressionType, fieldsOfTables, planBoolean, planRow, readLimit, rowList } from 'trellis/tables'

const column = 'search'

/** The text of a search box, as PostgreSQL reads it: no input makes it fail. */
const tsquery = (language: string, query: Sql) => sql`websearch_to_tsquery(${literal(language)}::regconfig, ${query})`

const matches = (language: string): ComparisonOperator => ({
  name: '_matches',
  description: 'does the column hold the words?',
  types: ['tsvector'],
  operand: 'text',
  sql: (value, [query]) => sql`${value} @@ ${tsquery(language, query!)}`,
})

const { GraphQLInt, GraphQLNonNull, GraphQLString } = graphql

/** A field for each table that can be searched by the role. */
function searchFields(scope: SchemaScope, language: string): RootFields {
  const fieldsOf = (table: TableModel): FieldMap => {
    const readable = scope.access(table.name)?.select?.columns.has(column)
    const isShown = readable && table.columns.get(column)?.type.name === 'tsvector'
    return fieldMap(isShown ? { [`search_${table.graphqlName}`]: () => searchField(scope, table, language) } : {})
  }
  return fieldsOfTables(scope, fieldsOf, (name) => [name.replace(/^search_/, '')])
}

const searchField = (scope: SchemaScope, table: TableModel, language: string) => ({
  type: rowList(scope, table),
  description: `what is found in "${table.name.name}", the best first`,
  args: {
    query: { type: new GraphQLNonNull(GraphQLString) },
    where: { type: booleanExpressionType(scope, table) },
    limit: { type: GraphQLInt },
  },
  extensions: {
    root: {
      kind: 'relational' as const,
      plan: (field: FieldSelection, context: PlanContext) => planSearch(field, context, { table, language }),
    },
  },
})

function planSearch(
  field: FieldSelection,
  context: PlanContext,
  { table, language }: { readonly table: TableModel; readonly language: string },
): RootOutput {
  const words = field.argument('query')!.param(stringCodec, 'text')
  const query = (row: Sql) => tsquery(language, operandSql(words, row))
  const found: SqlBuilder = (row) => sql`${row}.${id(column)} @@ ${query(row)}`
  const rank: SqlBuilder = (row) => sql`ts_rank(${row}.${id(column)}, ${query(row)})`
  const where = field.argument('where')
  const rows = context.schema.access(table.name)!.select!.rows({
    where: allOf([{ kind: 'sql', build: found }, ...(where ? [planBoolean(where, context)] : [])]),
    orderBy: [{ target: { kind: 'sql', build: rank }, direction: 'desc', nulls: 'last' }],
    limit: readLimit(field.argument('limit')),
  })
  return { kind: 'many', select: { rows, output: planRow(field, context, table) } }
}

export default definePlugin({
  name: 'search',
  dependencies: ['tables', 'graphql'],
  options: {
    searchLanguage: option.textWithDefault('english', {
      flag: 'search-language',
      variable: 'SEARCH_LANGUAGE',
      description: 'configuration of PostgreSQL by which search reads words',
    }),
  },
  register(engine) {
    const { searchLanguage: language } = engine.options
    engine.comparisons.add(matches(language))
    const fields = (scope: SchemaScope) => searchFields(scope, language)
    engine.graphql.contribute({ name: 'search', schemas: ['standard'], query: fields, subscription: fields })
  },
})
