import assert from 'node:assert/strict'
import test from 'node:test'
import {
  buildClientSchema,
  getIntrospectionQuery,
  type IntrospectionQuery,
  printSchema,
  printType,
  validateSchema,
} from 'graphql'
import { startLibrary } from '../support/library.ts'
import { startTrellis } from '../support/trellis.ts'

async function schemaOf(trellis: Awaited<ReturnType<typeof startLibrary>>, role: string) {
  const answer = await trellis.graphql<{ data: IntrospectionQuery }>(getIntrospectionQuery(), undefined, { role })
  return buildClientSchema(answer.data)
}

const squeezed = (text: string) =>
  text
    .replace(/"""[\s\S]*?"""/g, '')
    .replace(/\s+/g, ' ')
    .trim()

test("the administrator's schema is that of the interface", async (t) => {
  const trellis = await startLibrary(t)
  const schema = await schemaOf(trellis, 'admin')
  const type = (name: string) => squeezed(printType(schema.getType(name)!))
  assert.equal(
    type('book'),
    'type book { id: Int! pages: Int price: numeric publisher: publisher! publisher_id: Int! released_on: date title: String! }',
  )
  assert.equal(
    type('publisher'),
    'type publisher { books( distinct_on: [book_select_column!] limit: Int offset: Int order_by: [book_order_by!] where: book_bool_exp ): [book!]! ' +
      'books_aggregate( distinct_on: [book_select_column!] limit: Int offset: Int order_by: [book_order_by!] where: book_bool_exp ): book_aggregate! ' +
      'id: Int! info( path: String ): jsonb name: String! }',
  )
  assert.equal(
    type('book_aggregate_fields'),
    'type book_aggregate_fields { avg: book_avg_fields count(columns: [book_select_column!], distinct: Boolean): Int! ' +
      'max: book_max_fields min: book_min_fields stddev: book_stddev_fields stddev_pop: book_stddev_pop_fields ' +
      'stddev_samp: book_stddev_samp_fields sum: book_sum_fields var_pop: book_var_pop_fields ' +
      'var_samp: book_var_samp_fields variance: book_variance_fields }',
  )
  assert.equal(
    type('book_avg_fields'),
    'type book_avg_fields { id: Float pages: Float price: Float publisher_id: Float }',
  )
  assert.equal(type('book_sum_fields'), 'type book_sum_fields { id: Int pages: Int price: numeric publisher_id: Int }')
  assert.equal(
    type('book_max_fields'),
    'type book_max_fields { id: Int pages: Int price: numeric publisher_id: Int released_on: date title: String }',
  )
  assert.equal(
    type('book_bool_exp'),
    'input book_bool_exp { _and: [book_bool_exp!] _not: book_bool_exp _or: [book_bool_exp!] id: Int_comparison_exp ' +
      'pages: Int_comparison_exp price: numeric_comparison_exp publisher: publisher_bool_exp ' +
      'publisher_id: Int_comparison_exp released_on: date_comparison_exp title: String_comparison_exp }',
  )
  assert.equal(
    type('String_comparison_exp'),
    'input String_comparison_exp { _eq: String _gt: String _gte: String _ilike: String _in: [String!] _iregex: String ' +
      '_is_null: Boolean _like: String _lt: String _lte: String _neq: String _nilike: String _nin: [String!] ' +
      '_niregex: String _nlike: String _nregex: String _nsimilar: String _regex: String _similar: String }',
  )
  assert.equal(
    type('jsonb_comparison_exp'),
    'input jsonb_comparison_exp { _cast: jsonb_cast_exp _contained_in: jsonb _contains: jsonb _eq: jsonb _gt: jsonb _gte: jsonb ' +
      '_has_key: String _has_keys_all: [String!] _has_keys_any: [String!] _in: [jsonb!] _is_null: Boolean _jsonb_path_exists: String _jsonb_path_match: String _lt: jsonb ' +
      '_lte: jsonb _neq: jsonb _nin: [jsonb!] }',
  )
  assert.equal(
    type('publisher_order_by'),
    'input publisher_order_by { books_aggregate: book_aggregate_order_by id: order_by info: order_by name: order_by }',
  )
  assert.equal(type('book_select_column'), 'enum book_select_column { id pages price publisher_id released_on title }')
})

test('a role sees only the fields that it may use', async (t) => {
  const trellis = await startLibrary(t)
  await trellis.op('bulk', [
    {
      type: 'create_select_permission',
      args: { table: 'book', role: 'reader', permission: { columns: ['id', 'title'], filter: {}, limit: 20 } },
    },
    {
      type: 'create_insert_permission',
      args: {
        table: 'book',
        role: 'reader',
        permission: { check: {}, columns: ['title', 'publisher_id'], set: { price: 0 } },
      },
    },
  ])
  const schema = await schemaOf(trellis, 'reader')
  const type = (name: string) => squeezed(printType(schema.getType(name)!))
  assert.deepEqual(Object.keys(schema.getQueryType()!.getFields()), ['book', 'book_by_pk'])
  assert.deepEqual(Object.keys(schema.getMutationType()!.getFields()), ['insert_book', 'insert_book_one'])
  assert.equal(type('book'), 'type book { id: Int! title: String! }')
  assert.equal(type('book_insert_input'), 'input book_insert_input { publisher_id: Int title: String }')
  assert.equal(
    type('mutation_root'),
    'type mutation_root { insert_book( objects: [book_insert_input!]! ): book_mutation_response ' +
      'insert_book_one( object: book_insert_input! ): book }',
  )
  assert.ok(!printSchema(schema).includes('publisher_bool_exp'))
  assert.ok(!printSchema(schema).includes('aggregate'))
})

test('a role without permissions can introspect a schema, which says that it has no permissions', async (t) => {
  const trellis = await startLibrary(t)
  const schema = await schemaOf(trellis, 'nobody')
  assert.deepEqual(Object.keys(schema.getQueryType()!.getFields()), ['no_queries_available'])
  assert.equal(schema.getMutationType() ?? null, null)
  assert.deepEqual(Object.keys(schema.getSubscriptionType()!.getFields()), ['no_queries_available'])
  assert.deepEqual(validateSchema(schema), [])
  assert.deepEqual(await trellis.graphql('{ no_queries_available __typename }', undefined, { role: 'nobody' }), {
    data: { no_queries_available: '', __typename: 'query_root' },
  })
})

test('__type and __schema work next to other fields, and __typename anywhere', async (t) => {
  const trellis = await startLibrary(t)
  const answer = await trellis.graphql(
    `query ($name: String!) {
       a: book_by_pk(id: 1) { __typename title publisher { __typename } }
       known: __type(name: $name) { kind name }
       unknown: __type(name: "nothing") { name }
       b: book_aggregate { __typename aggregate { __typename max { __typename } } }
       __schema { queryType { name } directives { name } }
     }`,
    { name: 'book' },
  )
  assert.deepEqual(answer, {
    data: {
      a: { __typename: 'book', title: 'Dawn', publisher: { __typename: 'publisher' } },
      known: { kind: 'OBJECT', name: 'book' },
      unknown: null,
      b: {
        __typename: 'book_aggregate',
        aggregate: { __typename: 'book_aggregate_fields', max: { __typename: 'book_max_fields' } },
      },
      __schema: { queryType: { name: 'query_root' }, directives: [{ name: 'include' }, { name: 'skip' }] },
    },
  })
})

test('an introspection that repeats a schema many times is refused for every role and transport', async (t) => {
  const trellis = await startLibrary(t, { settings: { maxRequestCost: 1_000_000 } })
  const times = (count: number, part: (i: number) => string) =>
    Array.from({ length: count }, (_, i) => part(i)).join(' ')
  const message = 'the introspection is too large'
  for (const query of [
    `{ __schema { types { fields { ${times(20_000, (i) => `a${i}: name`)} } } } }`,
    `{ __schema { types { ${times(900, (i) => `a${i}: fields { name type { name } args { name } }`)} } } }`,
    `{ ${times(2000, (i) => `a${i}: __schema { types { name fields { name type { name } } } }`)} }`,
    `{ __type(name: "book_bool_exp") { ${times(700, (i) => `a${i}: inputFields { ${times(40, (j) => `b${j}: name`)} }`)} } }`,
  ]) {
    const { errors } = await trellis.graphql<{ errors: [{ message: string }] }>(query, undefined, { role: 'admin' })
    assert.equal(errors[0].message, message, query.slice(0, 100))
  }
})

test('each type can be introspected by its name', async (t) => {
  const trellis = await startLibrary(t)
  const query = `{ ${['book', 'publisher', 'query_root', 'book_bool_exp']
    .map((name) => `${name}: __type(name: "${name}") { ...F }`)
    .join(' ')} } fragment F on __Type { name fields { name args { name type { name } } type { name ofType { name } } }
    inputFields { name type { name } } }`
  const { data } = await trellis.graphql<{ data: Record<string, { name: string }> }>(query)
  for (const [name, type] of Object.entries(data)) assert.equal(type.name, name)
})

test('introspecting missing types costs nothing, however often', async (t) => {
  const sql = 'create view nothing as select 1 as one group by 1'
  const trellis = await startTrellis(t, { sql, settings: { maxRequestCost: 1_000_000_000 } })
  await trellis.op('track_table', 'nothing')
  const fields = Array.from({ length: 6500 }, (_, i) => `a${i}: fields { name args { name type { name } } }`)
  const query = `{ __schema { mutationType { ${fields.join(' ')} } } }`
  const answer = await trellis.graphql(query)
  assert.deepEqual(answer, { data: { __schema: { mutationType: null } } })
})
