import assert from 'node:assert/strict'
import { createServer } from 'node:net'
import { test } from 'node:test'
import { definePlugin } from '../../sdk/index.ts'
import { startOther } from '../auth/other-server.ts'
import { recordingObserver } from '../http/server.ts'
import { startLibrary } from '../support/library.ts'
import { startTrellis, type TestTrellis } from '../support/trellis.ts'
import { eventually } from '../support/waiting.ts'

const apis = ['metadata', 'graphql', 'metrics']

/** Parses metrics: `name{label="value"}` to its number. */
function samplesOf(text: string): Map<string, number> {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  return new Map(lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ')))]))
}

async function samples(trellis: TestTrellis): Promise<Map<string, number>> {
  const { status, headers, text } = await trellis.request('/v1/metrics', { role: 'admin' })
  assert.deepEqual([status, headers.get('content-type')], [200, 'text/plain; version=0.0.4; charset=utf-8'])
  return samplesOf(text)
}

/** The samples with this prefix, minus those before. */
function changes(before: Map<string, number>, after: Map<string, number>, start: string): Record<string, number> {
  const changed = [...after].filter(([name, value]) => name.startsWith(start) && value !== before.get(name))
  return Object.fromEntries(changed.map(([name, value]) => [name.slice(start.length), value - (before.get(name) ?? 0)]))
}

test('by default nothing is measured and the endpoint does not answer', async (t) => {
  const trellis = await startTrellis(t)
  assert.equal((await trellis.request('/v1/metrics')).status, 404)
  assert.ok(trellis.engine.apis.known.includes('metrics'))
})

test('requests are counted by endpoint, role, status and code', async (t) => {
  const trellis = await startLibrary(t, { settings: { enabledApis: apis, maxBodySize: 4096 } })
  const permission = { columns: ['title'], filter: {} }
  await trellis.op('create_select_permission', { table: 'book', role: 'reader', permission })
  await trellis.op('add_inherited_role', { role_name: 'member', role_set: ['reader'] })
  const before = await samples(trellis)
  await trellis.graphql('{ book { title } }', undefined, { role: 'reader' })
  await trellis.graphql('{ book { title } }', undefined, { role: 'reader' })
  await trellis.graphql('{ nothing }', undefined, { role: 'reader' })
  await trellis.graphql('{ book { title } }', undefined, { role: 'member' })
  await trellis.graphql('{ nothing }', undefined, { role: 'made-up', path: '/v1alpha1/graphql' })
  await trellis.opError('nonsense', {})
  await trellis.request('/no/such/path?secret=1')
  await trellis.request('/v1/graphql', { body: 'x'.repeat(5000) })
  const after = await samples(trellis)
  assert.deepEqual(changes(before, after, 'service_http_requests_total'), {
    '{endpoint="/v1/metrics",role="none",status="200",code="ok"}': 1,
    '{endpoint="/v1/graphql",role="reader",status="200",code="ok"}': 2,
    '{endpoint="/v1/graphql",role="reader",status="200",code="validation-failed"}': 1,
    '{endpoint="/v1/graphql",role="member",status="200",code="ok"}': 1,
    '{endpoint="/v1alpha1/graphql",role="other",status="400",code="validation-failed"}': 1,
    '{endpoint="/v1/query",role="admin",status="400",code="parse-failed"}': 1,
    '{endpoint="none",role="none",status="404",code="none"}': 1,
    '{endpoint="/v1/graphql",role="none",status="413",code="none"}': 1,
  })
  const count = 'service_http_request_duration_seconds_count'
  assert.equal(changes(before, after, count)['{endpoint="/v1/graphql",role="reader"}'], 3)
  assert.ok(after.get('service_http_request_bytes_total')! > before.get('service_http_request_bytes_total')!)
  assert.ok(after.get('service_http_response_bytes_total')! > before.get('service_http_response_bytes_total')!)
})

test('operations are counted by kind and outcome, each of a batch separately', async (t) => {
  const trellis = await startLibrary(t, { settings: { enabledApis: apis } })
  const before = await samples(trellis)
  const publish = 'mutation publish { insert_publisher_one(object: { name: "Dune" }) { id } }'
  const queries = ['query titles { book { title } }', 'query titles { book { title } }', publish, publish, '{', '{ x }']
  await trellis.request('/v1/graphql', { body: queries.map((query) => ({ query })) })
  const after = await samples(trellis)
  assert.deepEqual(changes(before, after, 'service_graphql_requests_total'), {
    '{operation_type="query",response_status="success"}': 2,
    '{operation_type="mutation",response_status="success"}': 1,
    '{operation_type="mutation",response_status="failed"}': 1,
    '{operation_type="unknown",response_status="failed"}': 2,
  })
  assert.deepEqual(changes(before, after, 'service_graphql_execution_time_seconds_count'), {
    '{operation_type="query"}': 2,
    '{operation_type="mutation"}': 2,
    '{operation_type="unknown"}': 2,
  })
  assert.deepEqual(changes(before, after, 'service_plan_cache_requests_total'), {
    '{status="hit"}': 2,
    '{status="miss"}': 3,
  })
  const statements = changes(before, after, 'service_sql_duration_seconds_count')
  // The server runs statements of its own meanwhile.
  assert.ok(statements['{kind="query",outcome="ok"}']! >= 2)
  assert.ok(statements['{kind="transaction",outcome="ok"}']! >= 1)
  assert.equal(statements['{kind="transaction",outcome="error"}'], 1)
})

test('data of clients does not become a label', async (t) => {
  const trellis = await startLibrary(t, { settings: { enabledApis: apis } })
  for (let i = 0; i < 30; i++) {
    const options = { role: `role-${i}`, operationName: `name_${i}`, path: '/v1/graphql' }
    await trellis.graphql(`query name_${i} { alias_${i}: __typename }`, undefined, options)
    await trellis.request(`/path-${i}`)
  }
  const { text } = await trellis.request('/v1/metrics', { role: 'admin' })
  assert.doesNotMatch(text, /role-\d|name_\d|alias_|path-\d/)
  assert.match(text, /role="other",status="200",code="ok"\} 30\n/)
})

test('the state of metadata, connections and process is read on demand', async (t) => {
  const trellis = await startLibrary(t, { settings: { enabledApis: apis } })
  // At the start, statements of the server itself may wait until their connection is open.
  const first = await eventually(async () => {
    const read = await samples(trellis)
    return read.get('service_postgres_pool_waiting') === 0 && read
  })
  assert.equal(first.get('service_inconsistent_objects'), 0)
  assert.equal(first.get('service_metadata_resource_version'), trellis.engine.model.resourceVersion)
  assert.ok(first.get('service_http_connections')! >= 1)
  const pooled = ['active', 'idle'].map((state) => first.get(`service_postgres_connections{state="${state}"}`)!)
  assert.ok(pooled[0]! + pooled[1]! >= 1)
  assert.equal(first.get('service_postgres_pending_statements'), 0)
  for (const name of ['process_cpu_seconds_total', 'nodejs_eventloop_lag_p99_seconds', 'nodejs_heap_size_used_bytes']) {
    assert.equal(typeof first.get(name), 'number', name)
  }
  await trellis.sql('drop table book')
  await trellis.op('reload_metadata', {})
  const second = await samples(trellis)
  assert.ok(second.get('service_inconsistent_objects')! > 0)
})

test('a measure that cannot be read is omitted and hides no other', async (t) => {
  const observe = recordingObserver()
  const measure = { help: 'h', kind: 'gauge' } as const
  let isBroken = true
  const plugin = definePlugin({
    name: 'measuring',
    register({ measures, database }) {
      measures.add(
        { ...measure, name: 'throwing', read: () => (isBroken ? assert.fail('broken') : [{ value: 3 }]) },
        { ...measure, name: 'unknown_label', read: () => [{ value: 1, labels: { place: 'x' } }] },
        { ...measure, name: 'falling_total', kind: 'counter', read: () => [{ value: -1 }] },
        { ...measure, name: 'unreachable', read: () => database.rows<{ value: number }>('select nothing as value') },
        { ...measure, name: 'good', labels: ['place'], read: () => [{ value: 7, labels: { place: 'x' } }] },
      )
    },
  })
  const trellis = await startTrellis(t, { settings: { enabledApis: apis }, plugins: [plugin], observe })
  const read = await samples(trellis)
  isBroken = false
  assert.equal((await samples(trellis)).get('service_throwing'), 3)
  assert.equal(read.get('service_good{place="x"}'), 7)
  const names = ['throwing', 'unknown_label', 'falling_total', 'unreachable']
  assert.deepEqual(
    [...read.keys()].filter((key) => names.some((name) => key.startsWith(`service_${name}`))),
    [],
  )
  const told = observe.entries.filter(({ type, level }) => type === 'unstructured' && level === 'error')
  assert.deepEqual(told.map(({ detail }) => /^the measure "(\w+)" cannot be read: /.exec(String(detail))?.[1]).sort(), [
    'falling_total',
    'falling_total',
    'throwing',
    'unknown_label',
    'unknown_label',
  ])
})

test('a measure that hangs is omitted after a timeout, logged once, and read once', async (t) => {
  const observe = recordingObserver()
  const waiting = Promise.withResolvers<readonly { value: number }[]>()
  let reads = 0
  const read = () => {
    reads += 1
    return waiting.promise
  }
  const plugin = definePlugin({
    name: 'measuring',
    register: ({ measures }) => measures.add({ help: 'h', kind: 'gauge', name: 'slow', read }),
  })
  const trellis = await startTrellis(t, { settings: { enabledApis: apis }, plugins: [plugin], observe })
  for (let i = 0; i < 3; i++) {
    const found = await samples(trellis)
    assert.deepEqual([found.has('service_slow'), found.has('service_metadata_resource_version')], [false, true])
  }
  assert.equal(reads, 1)
  const told = observe.entries.flatMap(({ detail }) => (/measure/.test(String(detail)) ? [detail] : []))
  assert.deepEqual(told, ['the measure "slow" cannot be read: it takes more than 4 seconds'])
  waiting.resolve([{ value: 5 }])
  await waiting.promise
  assert.equal((await samples(trellis)).get('service_slow'), 5)
})

test('an invalid metric name ends the start and names the plugin', async (t) => {
  for (const given of [{ name: 'guests-kept' }, { name: 'guests', labels: ['the place'] }]) {
    const plugin = definePlugin({
      name: 'measuring',
      register: ({ measures }) => measures.add({ help: 'h', kind: 'gauge', read: () => [], ...given }),
    })
    await assert.rejects(
      startTrellis(t, { plugins: [plugin] }),
      /plugin "measuring" failed to start: the measure "guests/,
    )
  }
})

test('with a secret only its holders may read metrics', async (t) => {
  const settings = { enabledApis: apis, metricsSecret: '["watch", "wächter"]', adminSecret: 'sesame' }
  const trellis = await startTrellis(t, { settings })
  const status = async (headers: Record<string, string>) => (await trellis.request('/v1/metrics', { headers })).status
  assert.equal(await status({ authorization: 'Bearer watch' }), 200)
  assert.equal(await status({ authorization: `bearer ${Buffer.from('wächter').toString('latin1')}` }), 200)
  assert.equal(await status({ 'x-service-admin-secret': 'sesame' }), 401)
  for (const authorization of ['Bearer wrong', 'Basic watch', 'watch', 'Bearer', 'Bearer watch sesame']) {
    const answer = await trellis.request('/v1/metrics', { headers: { authorization } })
    assert.deepEqual([answer.status, answer.headers.get('www-authenticate')], [401, 'Bearer'])
    const error = 'metrics require the secret as a bearer token'
    assert.deepEqual(answer.body, { path: '$', error, code: 'access-denied' })
  }
})

test('without a secret administrators may read metrics', async (t) => {
  const trellis = await startTrellis(t, { settings: { enabledApis: apis, adminSecret: 'sesame' } })
  assert.equal((await trellis.request('/v1/metrics')).status, 401)
  const headers = { 'x-service-admin-secret': 'sesame' }
  assert.equal((await trellis.request('/v1/metrics', { headers })).status, 200)
  const refused = await trellis.request('/v1/metrics', { headers, role: 'reader' })
  assert.deepEqual(
    [refused.status, refused.body],
    [400, { path: '$', error: 'You have to be an admin to access this endpoint', code: 'access-denied' }],
  )
})

test('a separate port serves metrics and nothing else', async (t) => {
  const observe = recordingObserver()
  const trellis = await startTrellis(t, { observe, settings: { metricsPort: 0, adminSecret: 'sesame' } })
  assert.equal((await trellis.request('/v1/metrics')).status, 404)
  const entry = observe.entries.find(({ detail }) => JSON.stringify(detail).includes('serving metrics'))
  const { port } = (entry!.detail as { info: { port: number } }).info
  for (const path of ['/metrics', '/v1/metrics']) {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`)
    assert.equal(answer.status, 200)
    assert.match(await answer.text(), /^service_metadata_resource_version \d+$/m)
  }
  for (const path of ['/', '/v1/version', '/v1/graphql']) {
    assert.equal((await fetch(`http://127.0.0.1:${port}${path}`)).status, 404)
  }
  await trellis.engine.close()
  await assert.rejects(fetch(`http://127.0.0.1:${port}/metrics`))
})

test('a port in use ends the start and names the option', async (t) => {
  const other = createServer()
  await new Promise<void>((done) => other.listen(0, '127.0.0.1', done))
  t.after(() => other.close())
  const { port } = other.address() as { port: number }
  await assert.rejects(startTrellis(t, { settings: { metricsPort: port } }), {
    message: `port ${port} is in use: stop the program that uses it, or choose another port with --metrics-port`,
  })
})

test('requests to other servers are counted, and names follow the dialect', async (t) => {
  const hook = await startOther(t, () => ({ body: { 'x-hasura-role': 'reader' } }))
  const settings = { dialect: 'hasura', enabledApis: apis, adminSecret: 'sesame', authHook: hook.url } as const
  const trellis = await startTrellis(t, { settings })
  await trellis.graphql('{ __typename }')
  await hook.stop()
  await trellis.graphql('{ __typename }')
  const { text } = await trellis.request('/v1/metrics', { headers: { 'x-hasura-admin-secret': 'sesame' } })
  const found = samplesOf(text)
  assert.equal(found.get('hasura_outgoing_request_duration_seconds_count{outcome="2xx"}'), 1)
  assert.equal(found.get('hasura_outgoing_request_duration_seconds_count{outcome="failed"}'), 1)
  assert.equal(
    found.get('hasura_http_requests_total{endpoint="/v1/graphql",role="none",status="200",code="unexpected"}'),
    1,
  )
})
