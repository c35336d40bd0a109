import assert from 'node:assert/strict'
import { test } from 'node:test'
import { definePlugin, graphql } from '../../sdk/index.ts'
import { startLibrary } from '../support/library.ts'
import { startTrellis, type TestTrellis } from '../support/trellis.ts'

interface Explained {
  readonly field?: string
  readonly sql: string | null
  readonly plan: readonly string[] | null
}

async function explained<Body = Explained[]>(trellis: TestTrellis, body: unknown): Promise<Body> {
  const answer = await trellis.request<Body>('/v1/graphql/explain', { body })
  assert.equal(answer.status, 200, answer.text)
  return answer.body
}

async function refused(trellis: TestTrellis, body: unknown, path = '/v1/graphql/explain') {
  const answer = await trellis.request<{ path: string; error: string; code: string }>(path, { body })
  return [answer.status, answer.body.code, answer.body.path, answer.body.error]
}

const permission = { columns: ['id', 'title'], filter: { publisher_id: { _eq: 'X-Service-Org' } } }

async function startGuarded(t: Parameters<typeof startLibrary>[0]): Promise<TestTrellis> {
  const trellis = await startLibrary(t)
  await trellis.op('create_select_permission', { table: 'book', role: 'editor', permission })
  return trellis
}

test('each root field of a query has its statement and the plan of it', async (t) => {
  const trellis = await startLibrary(t)
  const query = `query ($id: Int!) { first: book_by_pk(id: $id) { title } __typename
    all: publisher { books_aggregate { aggregate { count } } } __schema { queryType { name } } }`
  const fields = await explained(trellis, { query: { query, variables: { id: 2 } } })
  assert.deepEqual(
    fields.map(({ field }) => field),
    ['first', '__typename', 'all', '__schema'],
  )
  assert.deepEqual(fields[1], { field: '__typename', sql: null, plan: null })
  assert.deepEqual(fields[3], { field: '__schema', sql: null, plan: null })
  assert.match(fields[0]!.sql!, /where "t0"\."id" = '2'::integer$/)
  assert.match(fields[0]!.plan!.join('\n'), /^Index Scan using book_pkey on book t0 .*\n {2}Index Cond: \(id = 2\)$/)
  assert.match(fields[2]!.plan!.join('\n'), /Aggregate.*\n.*->/)
})

test('the statement shown gives the answer', async (t) => {
  const trellis = await startLibrary(t)
  const title = `it's "$1" \\ 'here'`
  const query = 'query ($t: String, $n: [Int!]) { book(where: {_or: [{title: {_eq: $t}}, {id: {_in: $n}}]}) { title } }'
  await trellis.sql('insert into book (title, publisher_id) values ($1, 1)', [title])
  const [field] = await explained(trellis, { query: { query, variables: { t: title, n: [3] } } })
  const [row] = await trellis.sql(field!.sql!)
  assert.deepEqual(JSON.parse(String(row!.j)), { data: { book: [{ title: 'Fog' }, { title }] } })
})

test('plans may be trees, with the times of a run that changes nothing', async (t) => {
  const trellis = await startLibrary(t)
  interface Tree {
    readonly Plan: { readonly 'Node Type': string; readonly 'Actual Rows'?: number }
    readonly 'Execution Time'?: number
  }
  const treeOf = async (options: object) => {
    const body = { query: '{ book(where: {id: {_eq: 2}}) { id } }', ...options }
    const [field] = await explained<{ plan: Tree }[]>(trellis, body)
    return field!.plan
  }
  const planned = await treeOf({ format: 'json' })
  assert.deepEqual([typeof planned.Plan['Node Type'], planned['Execution Time']], ['string', undefined])
  const run = await treeOf({ format: 'json', analyze: true })
  assert.deepEqual([run.Plan['Actual Rows'], typeof run['Execution Time']], [1, 'number'])
  const [field] = await explained(trellis, { query: '{ book { id } }', analyze: true })
  assert.match(field!.plan!.at(-1)!, /^Execution Time: /)
  const live = await explained<Explained>(trellis, { query: 'subscription { book { id } }', analyze: true })
  assert.match(live.plan!.at(-1)!, /^Execution Time: /)

  await trellis.sql(`create function renamed() returns setof book language sql volatile as
    $$ update book set title = title || '!' returning * $$`)
  const configuration = { exposed_as: 'query' }
  await trellis.op('track_function', { function: 'renamed', configuration }, { version: 2 })
  const query = '{ renamed { id } }'
  assert.equal((await explained(trellis, { query })).length, 1)
  assert.deepEqual(await refused(trellis, { query, analyze: true }), [
    ...[400, 'not-supported', '$'],
    'a function that the request calls writes, so the request can only be explained without analyze',
  ])
  const [, , path] = await refused(trellis, { query, format: 'xml' })
  assert.equal(path, '$.format')
})

test('the query may be its text alone, at either path', async (t) => {
  const trellis = await startLibrary(t)
  const body = { query: '{ book { id } }' }
  const first = await explained(trellis, body)
  const { body: second } = await trellis.request('/v1alpha1/graphql/explain', { body })
  assert.deepEqual(second, first)
  assert.deepEqual(
    await explained(trellis, {
      query: { query: 'query A { __typename } query B { book { id } }', operationName: 'B' },
    }),
    first,
  )
})

test('the plan is for the given role and session variables', async (t) => {
  const trellis = await startGuarded(t)
  const query = '{ book { title } }'
  const [field] = await explained(trellis, {
    query,
    user: { 'X-Service-Role': 'editor', 'X-Service-Org': '2', other: 'x' },
  })
  assert.match(field!.sql!, /"publisher_id" = '2'::integer/)
  assert.match(field!.plan!.join('\n'), /Filter: \(publisher_id = 2\)/)
  const missing = 'missing required session variable for role "editor" : x-service-org'
  assert.deepEqual(await refused(trellis, { query, user: { 'x-service-role': 'editor' } }), [
    400,
    'unexpected-payload',
    '$',
    missing,
  ])
  const hidden = { query: '{ book { price } }', user: { 'x-service-role': 'editor', 'x-service-org': '2' } }
  const path = '$.selectionSet.book.selectionSet.price'
  assert.deepEqual(await refused(trellis, hidden), [
    400,
    'validation-failed',
    path,
    `field "price" not found in type: 'book'`,
  ])
  const [admin] = await explained(trellis, { query, user: { 'x-service-org': '2' } })
  assert.doesNotMatch(admin!.sql!, /publisher_id/)
})

test('a subscription of a role without read permissions has no plan', async (t) => {
  const trellis = await startLibrary(t)
  const query = 'subscription { no_queries_available }'
  const body = { query: { query }, user: { 'x-service-role': 'nobody' } }
  assert.deepEqual(await explained(trellis, body), { sql: null, plan: null })
})

test('a subscription has one statement for all its subscribers', async (t) => {
  const trellis = await startLibrary(t)
  const query = 'subscription ($id: Int!) { book(where: {id: {_gt: $id}, title: {_neq: "$1"}}) { title } }'
  const answer = await explained<Explained>(trellis, { query: { query, variables: { id: 1 } } })
  assert.deepEqual(Object.keys(answer), ['sql', 'plan'])
  assert.match(answer.plan!.join('\n'), /Function Scan on subscribers/)
  const id = '00000000-0000-0000-0000-00000000000'
  const given = [
    [`${id}1`, `${id}2`],
    ['["1", "$1"]', '["2", "Fog"]'],
  ]
  const rows = await trellis.sql(answer.sql!, given)
  assert.deepEqual(
    rows.map((row) => [row.id, JSON.parse(String(row.j)).data.book.length]),
    [
      [`${id}1`, 2],
      [`${id}2`, 0],
    ],
  )
})

test('the schema of Relay is used when asked for', async (t) => {
  const trellis = await startLibrary(t)
  const [field] = await explained(trellis, {
    query: '{ book_connection(first: 1) { edges { cursor } } }',
    is_relay: true,
  })
  assert.equal(field!.field, 'book_connection')
  assert.match(field!.plan!.join('\n'), /Index.* Scan using book_pkey/)
  const query = 'query ($c: String) { book_connection(after: $c, first: 1) { edges { node { title } } } }'
  const variables = { c: Buffer.from('{"id" : 2}').toString('base64') }
  const [after] = await explained(trellis, { query: { query, variables }, is_relay: true })
  assert.match(after!.plan!.join('\n'), /Index Cond: \(id > 2\)/)
})

test('the plan is not executed, and functions that planning calls cannot write', async (t) => {
  const trellis = await startLibrary(t)
  await trellis.sql(`create table log (at int); create function noisy(most int) returns setof book language plpgsql immutable
    as $$ begin insert into log values (most); return query select * from book; end $$`)
  await trellis.op('track_function', 'noisy')
  await explained(trellis, { query: '{ noisy(args: {most: 1}) { id } }' })
  assert.deepEqual(await trellis.sql('select * from log'), [])
})

test('only queries of the database can be explained', async (t) => {
  const resolved = definePlugin({
    name: 'clock',
    dependencies: ['tables'],
    register(engine) {
      const field = {
        type: graphql.GraphQLString,
        extensions: { root: { kind: 'resolved', resolve: () => 'now' } },
      } as const
      const row = { kind: 'resolved', needs: [], resolve: (rows: readonly unknown[]) => rows.map(() => 'x') } as const
      engine.graphql.contribute({
        name: 'clock',
        query: () => new Map([['now', () => field]]),
        rowFields: () => new Map([['mood', () => ({ type: graphql.GraphQLString, extensions: { row } })]]),
      })
    },
  })
  const trellis = await startLibrary(t, { plugins: [resolved] })
  const mutation = { query: 'mutation { delete_book(where: {}) { affected_rows } }' }
  assert.deepEqual(await refused(trellis, mutation), [400, 'invalid-params', '$', 'only queries can be explained'])
  const now = { query: '{ book { id } now }' }
  assert.deepEqual(await refused(trellis, now), [400, 'invalid-params', '$', 'only database queries can be explained'])
  const message = 'Remote relationships are not allowed in explain query'
  assert.deepEqual(await refused(trellis, { query: '{ book { mood } }' }), [400, 'not-supported', '$', message])
})

test('bad requests are refused, flat and with their status', async (t) => {
  const trellis = await startLibrary(t)
  const refusals: [body: unknown, ...refusal: unknown[]][] = [
    [{}, 400, 'parse-failed', '$', "the key 'query' was not present"],
    [{ query: 5 }, 400, 'parse-failed', '$.query', 'parsing Object failed, expected Object, but encountered Number'],
    [{ query: {} }, 400, 'parse-failed', '$.query', "the key 'query' was not present"],
    [{ query: '{' }, 400, 'validation-failed', '$.query', 'not a valid graphql query'],
    [{ query: '{ x }' }, 400, 'validation-failed', '$.selectionSet.x', `field "x" not found in type: 'query_root'`],
    [
      { query: { query: '{ __typename }', variables: { a: 1 } } },
      400,
      'validation-failed',
      '$',
      'unexpected variables in variableValues: a',
    ],
    [
      { query: '{ __typename }', user: { 'x-service-role': 1 } },
      400,
      'parse-failed',
      '$.user.x-service-role',
      'parsing Text failed, expected String, but encountered Number',
    ],
  ]
  for (const [body, ...refusal] of refusals) {
    const answer = await refused(trellis, body)
    assert.deepEqual(answer, refusal, JSON.stringify(body))
  }
  const text = await refused(trellis, '{')
  assert.deepEqual(text.slice(0, 2), [400, 'invalid-json'])
})

test('only administrators may ask, and only while the metadata API is open', async (t) => {
  const trellis = await startLibrary(t)
  const { status, body } = await trellis.request('/v1/graphql/explain', {
    role: 'editor',
    body: { query: '{ book { id } }' },
  })
  const error = 'You have to be an admin to access this endpoint'
  assert.deepEqual([status, body], [400, { path: '$', error, code: 'access-denied' }])
  const closed = await startTrellis(t, { settings: { enabledApis: ['graphql'] } })
  for (const path of ['/v1/graphql/explain', '/v1alpha1/graphql/explain']) {
    assert.equal((await closed.request(path, { body: { query: '{ __typename }' } })).status, 404)
  }
})
