import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startLibrary } from '../support/library.ts'

const open = { enabledApis: ['metadata', 'graphql', 'developer'] }

interface Leaf {
  readonly type: string
  readonly val: number
}

/** All leaves by their path. */
function leavesOf(value: object, path = ''): Map<string, Leaf> {
  const leaves = new Map<string, Leaf>()
  for (const [key, member] of Object.entries(value)) {
    const place = path === '' ? key : `${path}.${key}`
    if (typeof member.type === 'string') leaves.set(place, member)
    else for (const [name, leaf] of leavesOf(member, place)) leaves.set(name, leaf)
  }
  return leaves
}

test('the endpoints are closed unless their API is opened', async (t) => {
  const { request } = await startLibrary(t)
  for (const path of ['/dev/ekg', '/dev/plan_cache']) {
    const { status, body } = await request(path)
    assert.deepEqual([status, body], [404, { path: '$', error: 'resource does not exist', code: 'not-found' }])
  }
})

test('the list of the last requests has none of their values', async (t) => {
  interface Recent {
    readonly requests: readonly Readonly<Record<string, unknown>>[]
  }
  const trellis = await startLibrary(t, { settings: open })
  const recent = async (args: object) => (await trellis.op<Recent>('get_recent_requests', args)).requests
  const before = (await recent({})).length
  await trellis.graphql('query ($t: String) { book(where: {title: {_eq: $t}}) { id } }', { t: 'sensitive' })
  await trellis.graphql('{ nothing }', {}, { role: 'reader' })
  const seen = await recent({})
  // The requests of the list itself are in the next list.
  assert.equal(seen.length, before + 3)
  const [failed, found] = seen
  const { request_id, at, seconds, ...rest } = failed!
  assert.deepEqual(rest, {
    ...{ method: 'POST', endpoint: '/v1/graphql', role: 'reader', status: 200, code: 'validation-failed' },
    operation_name: null,
  })
  assert.deepEqual(
    [typeof request_id, typeof seconds, Number.isNaN(Date.parse(String(at)))],
    ['string', 'number', false],
  )
  assert.deepEqual([found!['role'], found!['code']], ['admin', null])
  assert.equal(JSON.stringify(seen).includes('sensitive'), false)
  assert.deepEqual(
    (await recent({ errors: true, role: 'reader', limit: 5 })).map(({ request_id }) => request_id),
    [request_id],
  )
  assert.deepEqual(await recent({ request_id: found!['request_id'] }), [found])
  // Of a long id, the beginning is kept.
  const long = 'x'.repeat(10_000)
  await trellis.request('/v1/version', { headers: { 'x-request-id': long } })
  assert.equal((await recent({ request_id: long }))[0]!['request_id'], long.slice(0, 100))
  assert.deepEqual(await recent({ slower_than: 1000 }), [])
})

test('the list of the last operations outlives a change of the metadata, and has each once', async (t) => {
  interface Recent {
    readonly operations: readonly (Readonly<Record<string, unknown>> & { readonly role: string })[]
  }
  const { op, graphql } = await startLibrary(t, { settings: open })
  const recent = async (args: object) => (await op<Recent>('get_recent_operations', args)).operations
  const query = 'query books($t: String) { book(where: {title: {_eq: $t}}) { id } }'
  await graphql(query, { t: 'sensitive' })
  await graphql(query, { t: 'private' })
  await graphql('{ nothing }', {}, { role: 'reader' })
  await graphql('{ broken', {}, { role: 'reader' })
  const { requests } = await op<{ requests: readonly { readonly operation_name: string | null }[] }>(
    'get_recent_requests',
    { limit: 4 },
  )
  assert.deepEqual(
    requests.map(({ operation_name: name }) => name),
    [null, null, 'books', 'books'],
  )
  await op('set_api_limits', { disabled: false, depth_limit: { global: 9 } })
  const all = await recent({})
  const plain = all.map(({ last_at: at, ...rest }) => ({ ...rest, isDated: !Number.isNaN(Date.parse(String(at))) }))
  const common = { operation_name: null, type: 'query', isDated: true }
  assert.deepEqual(plain, [
    { ...common, role: 'reader', query: '{ nothing }', count: 1, failed: 1 },
    { ...common, role: 'admin', query, count: 2, failed: 0 },
  ])
  assert.deepEqual(await recent({ role: 'admin', limit: 1 }), all.slice(1))
})

test('the endpoints are for administrators', async (t) => {
  const { request } = await startLibrary(t, { settings: open })
  for (const path of ['/dev/ekg', '/dev/plan_cache']) {
    const { status, body } = await request(path, { role: 'reader' })
    const error = 'You have to be an admin to access this endpoint'
    assert.deepEqual([status, body], [400, { path: '$', error, code: 'access-denied' }])
  }
})

test('numbers of the process, the connections and the caches are counters and gauges', async (t) => {
  const { graphql, request } = await startLibrary(t, { settings: open })
  for (let i = 0; i < 3; i++) await graphql('{ book { id } }')
  const { status, body } = await request<object>('/dev/ekg')
  assert.equal(status, 200)
  const leaves = leavesOf(body)
  for (const [path, { type, val }] of leaves) {
    assert.ok((type === 'c' || type === 'g') && Number.isInteger(val) && val >= 0, path)
  }
  const value = (path: string) => leaves.get(path)?.val
  assert.ok(Math.abs(value('ekg.server_timestamp_ms')! - Date.now()) < 60_000)
  assert.ok(value('process.memory.rss')! > 1_000_000)
  assert.ok(value('database.pooled')! >= 1)
  assert.equal(value('graphql.plans.reused'), 2)
  assert.equal(value('graphql.cached_operations'), 1)
  assert.equal(value('metadata.tables'), 2)
  assert.equal(value('metadata.inconsistent_objects'), 0)
  assert.equal(value('plugins.subscribers'), 0)
})

test('cached plans are listed with role, text and SQL, and are dropped with their metadata', async (t) => {
  const { graphql, op, request } = await startLibrary(t, { settings: open })
  const permission = { columns: ['id'], filter: {} }
  await op('create_select_permission', { table: 'book', role: 'reader', permission })
  const one = 'query one($i: Int!) { book(where: {id: {_eq: $i}}) { id } }'
  for (const i of [1, 2]) await graphql(one, { i }, { role: 'reader', operationName: 'one' })
  await graphql('mutation { delete_book(where: {id: {_eq: 0}}) { affected_rows } }')
  interface Cached {
    readonly role: string
    readonly query: string
    readonly operation_name: string | null
    readonly plans: readonly { readonly sql: readonly string[] }[]
  }
  const cached = async () => (await request<Cached[]>('/dev/plan_cache')).body
  const found = await cached()
  const reader = found.find(({ role }) => role === 'reader')
  const { plans, ...rest } = reader!
  assert.deepEqual(rest, { role: 'reader', schema: 'standard', backend_only: false, query: one, operation_name: 'one' })
  assert.equal(plans.length, 1)
  assert.match(plans[0]!.sql[0]!, /^select .*"book"/)
  assert.deepEqual(found.find(({ query }) => query.startsWith('mutation'))?.plans, [{ sql: [] }])
  await op('drop_select_permission', { table: 'book', role: 'reader' })
  await graphql('{ __typename }')
  assert.deepEqual(
    (await cached()).map(({ query }) => query),
    ['{ __typename }'],
  )
})
