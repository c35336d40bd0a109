import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { startTrellis, type TestTrellis, type TrellisOptions } from '../support/trellis.ts'

const sql = `create table person (id int primary key, name text); insert into person values (1, 'Ann'), (2, 'Bob')`

async function start(t: TestContext, options: TrellisOptions = {}): Promise<TestTrellis> {
  const trellis = await startTrellis(t, { settings: { enableAllowlist: true }, sql, ...options })
  await trellis.op('track_table', 'person')
  const permission = { columns: '*', filter: {} }
  await trellis.op('create_select_permission', { table: 'person', role: 'guest', permission })
  return trellis
}

const allow = (trellis: TestTrellis, name: string, ...queries: readonly string[]) => {
  const definition = { queries: queries.map((query, i) => ({ name: `q${i}`, query })) }
  return trellis.op('bulk', [
    { type: 'create_query_collection', args: { name, definition } },
    { type: 'add_collection_to_allowlist', args: { collection: name } },
  ])
}

const guest = { role: 'guest' }
const refusal = {
  errors: [{ extensions: { path: '$', code: 'validation-failed' }, message: 'query is not allowed' }],
}

const isAllowed = async (trellis: TestTrellis, query: string): Promise<boolean> => {
  const answer = await trellis.graphql<{ data?: unknown; errors?: { message: string }[] }>(query, undefined, guest)
  if (answer.errors?.[0]?.message === 'query is not allowed') {
    assert.deepEqual(answer, refusal)
    return false
  }
  assert.ok(answer.data, JSON.stringify(answer))
  return true
}

const stored = `query people($limit: Int = 2) { # a comment
  all: person(limit: $limit, where: {name: {_neq: "x"}}) { id ...rest __typename }
}
fragment rest on person { name }`

const same = [
  stored,
  'query people($limit:Int=2){all:person(limit:$limit where:{name:{_neq:"x"}}){id ...rest}} fragment rest on person{name}',
  'query people($limit: Int = 2) { __typename all: person(limit: $limit, where: {name: {_neq: """x"""}}) { t: __typename, id, ...rest } } fragment rest on person { name, __typename }',
]

const others = [
  '{ person { id } }',
  stored.replace('people', 'folk'),
  stored.replace('all:', 'every:'),
  stored.replace('= 2', '= 3'),
  stored.replace('Int', 'Int!'),
  stored.replace('"x"', '"y"'),
  stored.replace('id ...rest', '...rest id'),
  stored.replace('id ...rest', 'id name'),
  stored.replace('{ name }', '{ name id }'),
  stored.replace('rest', 'more').replace('rest', 'more'),
  `${stored} query other { person { id } }`,
  stored.replace('id ...rest', 'id @include(if: true) ...rest'),
]

test('roles may run the documents of the allow-list and no others', async (t) => {
  const trellis = await start(t)
  assert.equal(await isAllowed(trellis, stored), false)
  await allow(trellis, 'app', '{ person { name } }', stored)
  for (const query of same) assert.equal(await isAllowed(trellis, query), true, query)
  for (const query of others.filter((query) => query !== others[0])) {
    assert.equal(await isAllowed(trellis, query), false, query)
  }
  assert.deepEqual(await trellis.graphql(stored, { limit: 1 }, guest), {
    data: { all: [{ id: 1, name: 'Ann', __typename: 'person' }] },
  })
})

test('a scope says which roles may run a collection, and can be changed', async (t) => {
  const trellis = await start(t)
  const definition = { queries: [{ name: 'q', query: stored }] }
  await trellis.op('create_query_collection', { name: 'app', definition })
  const refusal = await trellis.opError('update_scope_of_collection_in_allowlist', {
    collection: 'app',
    scope: { global: true },
  })
  const error = 'collection "app" does not exist in the allowlist'
  assert.deepEqual(refusal, { status: 400, body: { path: '$.args.collection', error, code: 'not-found' } })
  await trellis.op('add_collection_to_allowlist', { collection: 'app', scope: { global: false, roles: ['clerk'] } })
  assert.equal(await isAllowed(trellis, stored), false)
  await trellis.op('update_scope_of_collection_in_allowlist', {
    collection: 'app',
    scope: { global: false, roles: ['clerk', 'guest'] },
  })
  assert.equal(await isAllowed(trellis, stored), true)
  const { allowlist } = await trellis.op<{ allowlist: unknown }>('export_metadata', {})
  assert.deepEqual(allowlist, [{ collection: 'app', scope: { global: false, roles: ['clerk', 'guest'] } }])
})

test('a document of several collections may be run by the roles of each', async (t) => {
  const trellis = await start(t)
  for (const [name, role] of [
    ['app', 'guest'],
    ['site', 'clerk'],
  ]) {
    const definition = { queries: [{ name: 'q', query: stored }] }
    await trellis.op('create_query_collection', { name, definition })
    await trellis.op('add_collection_to_allowlist', { collection: name, scope: { global: false, roles: [role] } })
  }
  assert.equal(await isAllowed(trellis, stored), true)
  const scope = { global: false, roles: ['nobody'] }
  await trellis.op('update_scope_of_collection_in_allowlist', { collection: 'app', scope })
  assert.equal(await isAllowed(trellis, stored), false)
  await trellis.op('update_scope_of_collection_in_allowlist', { collection: 'app', scope: { global: true } })
  assert.equal(await isAllowed(trellis, stored), true)
})

test('administrators may run anything', async (t) => {
  const trellis = await start(t)
  assert.deepEqual(await trellis.graphql('{ person { id } }'), { data: { person: [{ id: 1 }, { id: 2 }] } })
})

test('a change of the collections counts at once, for documents that ran before as well', async (t) => {
  const trellis = await start(t)
  const query = '{ person { id } }'
  await allow(trellis, 'app', query)
  await trellis.op('create_query_collection', { name: 'more', definition: { queries: [] } })
  await trellis.op('add_collection_to_allowlist', { collection: 'more' })
  assert.equal(await isAllowed(trellis, query), true)
  await trellis.op('drop_query_from_collection', { collection_name: 'app', query_name: 'q0' })
  assert.equal(await isAllowed(trellis, query), false)
  await trellis.op('add_query_to_collection', { collection_name: 'more', query_name: 'a', query })
  assert.equal(await isAllowed(trellis, query), true)
  await trellis.op('drop_collection_from_allowlist', { collection: 'more' })
  assert.equal(await isAllowed(trellis, query), false)
  const restarted = await startTrellis(t, { database: trellis.database, settings: { enableAllowlist: true } })
  assert.equal(await isAllowed(restarted, query), false)
  await trellis.op('add_collection_to_allowlist', { collection: 'more' })
  assert.equal(await isAllowed(trellis, query), true)
  await trellis.op('drop_query_collection', { collection: 'more', cascade: true })
  assert.equal(await isAllowed(trellis, query), false)
})

test('the check comes after parsing and before the operation is chosen', async (t) => {
  const trellis = await start(t)
  const answer = async (query: string, operationName?: string) => {
    const options = operationName === undefined ? guest : { ...guest, operationName }
    const { errors } = await trellis.graphql<{ errors: { message: string }[] }>(query, undefined, options)
    return errors[0]!.message
  }
  assert.equal(await answer('{'), 'not a valid graphql query')
  assert.equal(await answer('query a { x } query b { x }'), 'query is not allowed')
  assert.equal(await answer('{ nowhere }', 'x'), 'query is not allowed')
  await allow(trellis, 'app', '{ nowhere }')
  assert.equal(await answer('{ nowhere }'), `field "nowhere" not found in type: 'query_root'`)
})

test('each request of a batch is checked, and the reason is shown in development mode', async (t) => {
  const trellis = await start(t, { settings: { enableAllowlist: true, devMode: true } })
  await allow(trellis, 'app', '{ person { id } }')
  const batch = [{ query: '{ person { name } }' }, { query: '{ person { id } }' }]
  const { body } = await trellis.request('/v1alpha1/graphql', { ...guest, body: batch })
  const internal = { message: 'query is not in any of the allowlists' }
  const message = 'query is not allowed'
  assert.deepEqual(body, [
    { errors: [{ extensions: { path: '$', code: 'validation-failed', internal }, message }] },
    { data: { person: [{ id: 1 }, { id: 2 }] } },
  ])
  const { status } = await trellis.request('/v1alpha1/graphql', { ...guest, body: batch[0] })
  assert.equal(status, 400)
})

test('without the option every document may run, and the configuration report shows the option', async (t) => {
  const trellis = await start(t, { settings: {} })
  await allow(trellis, 'app', '{ person { name } }')
  assert.equal(await isAllowed(trellis, '{ person { id } }'), true)
  const enabled = await start(t)
  for (const [server, expected] of [
    [trellis, false],
    [enabled, true],
  ] as const) {
    const { body } = await server.request<Record<string, unknown>>('/v1alpha1/config', { role: 'admin' })
    assert.equal(body.is_allow_list_enabled, expected)
  }
})
