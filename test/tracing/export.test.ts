import assert from 'node:assert/strict'
import { type AddressInfo, createServer } from 'node:net'
import { test } from 'node:test'
import { startOther } from '../auth/other-server.ts'
import { recordingObserver } from '../http/server.ts'
import { startTrellis, type TrellisOptions } from '../support/trellis.ts'
import { type Collector, type ReceivedSpan, setVariables, startCollector } from './collector.ts'

const trace = '4bf92f3577b34da6a3ce929d0e0e4736'
const parent = '00f067aa0ba902b7'
const from = (flags: string) => ({ headers: { traceparent: `00-${trace}-${parent}-${flags}` } })

const sql = `
  create table person (id serial primary key, name text unique);
  insert into person (name) values ('Ann');
  create table seen (context json);
  create function note() returns trigger language plpgsql as $$
    begin
      insert into seen values (current_setting('service.tracecontext')::json);
      return new;
    end $$;
  create trigger notes after insert on person for each row execute function note();
`

/** An engine that records spans, with its collector. */
async function start(t: test.TestContext, variables: Record<string, string> = {}, options: TrellisOptions = {}) {
  const collector = await startCollector(t)
  setVariables(t, {
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_BSP_SCHEDULE_DELAY: '10',
    ...variables,
  })
  const trellis = await startTrellis(t, { sql, ...options })
  await trellis.op('track_table', 'person', { headers: { 'x-service-admin-secret': 'sesame' } })
  return { trellis, collector }
}

/** The spans of a trace, once its request span has arrived. */
async function spansOf({ span, spans }: Collector, name: string): Promise<ReceivedSpan[]> {
  const root = await span(name, ({ traceId }) => traceId === trace)
  return spans.filter(({ traceId }) => traceId === root.traceId)
}

/** Names of spans with the names of their parents. A span below the client's span has no parent name. */
const tree = (spans: readonly ReceivedSpan[]) =>
  spans
    .map(({ name, parentSpanId }) =>
      [spans.find(({ spanId }) => spanId === parentSpanId)?.name ?? null, name].join(' > '),
    )
    .sort()

test('a query records a request, an operation, its planning and its statement', async (t) => {
  const { trellis, collector } = await start(t, { OTEL_SERVICE_NAME: 'shop', OTEL_RESOURCE_ATTRIBUTES: 'team=web' })
  await trellis.graphql('query people { person { name } }', undefined, from('01'))
  const spans = await spansOf(collector, 'POST /v1/graphql')
  assert.deepEqual(tree(spans), [
    ' > POST /v1/graphql',
    'GraphQL > GraphQL planning',
    'GraphQL > SQL',
    'POST /v1/graphql > GraphQL',
  ])
  const [request, operation, planning, statement] = ['POST /v1/graphql', 'GraphQL', 'GraphQL planning', 'SQL'].map(
    (name) => spans.find((span) => span.name === name)!,
  )
  assert.equal(request!.parentSpanId, parent)
  assert.deepEqual(
    spans.map(({ status }) => status),
    [0, 0, 0, 0],
  )
  assert.deepEqual(
    [request, operation, planning, statement].map((span) => span!.kind),
    [2, 1, 1, 3],
  )
  const { 'trellis.request_id': id, ...attributes } = request!.attributes
  assert.match(String(id), /^[0-9a-f-]{36}$/)
  assert.deepEqual(attributes, {
    'http.request.method': 'POST',
    'http.route': '/v1/graphql',
    'http.response.status_code': 200,
    'trellis.role': 'admin',
  })
  assert.deepEqual(operation!.attributes, {
    'trellis.role': 'admin',
    'graphql.operation.type': 'query',
    'graphql.operation.name': 'people',
  })
  assert.deepEqual(planning!.attributes, { 'trellis.plan.cached': false })
  const { 'trellis.statement.digest': digest, ...rest } = statement!.attributes
  assert.match(String(digest), /^t[\w-]+$/)
  assert.deepEqual(rest, { 'db.system.name': 'postgresql', 'trellis.statement.kind': 'query' })
  assert.deepEqual(
    [collector.resource['service.name'], collector.resource['team'], typeof collector.resource['service.version']],
    ['shop', 'web', 'string'],
  )
  assert.ok(collector.requests.every(({ path }) => path === '/v1/traces'))
})

test('a span records that its request was sent twice', async (t) => {
  let requests = 0
  const body = JSON.stringify({ 'x-service-role': 'admin' })
  const hook = createServer((socket) => {
    socket.on('error', () => {})
    socket.on('data', () => {
      // The second request of a connection is lost.
      if (++requests === 2) socket.resetAndDestroy()
      else socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`)
    })
  })
  await new Promise<void>((done) => hook.listen(0, '127.0.0.1', done))
  t.after(() => hook.close())
  const { port } = hook.address() as AddressInfo
  const settings = { adminSecret: 'sesame', authHook: `http://127.0.0.1:${port}` }
  const { trellis, collector } = await start(t, {}, { settings })
  await trellis.graphql('{ person { name } }')
  await trellis.graphql('{ person { name } }', undefined, from('01'))
  const spans = await spansOf(collector, 'POST /v1/graphql')
  assert.equal(requests, 3)
  assert.equal(spans.find(({ name }) => name === 'GET')?.attributes['http.request.resend_count'], 1)
})

test('webhooks and triggers receive the recorded spans', async (t) => {
  const hook = await startOther(t, () => ({ body: { 'x-service-role': 'admin' } }))
  const settings = { adminSecret: 'sesame', authHook: `${hook.url}/secret-path?token=hush` }
  const { trellis, collector } = await start(t, {}, { settings })
  const given = { headers: { ...from('01').headers, tracestate: 'vendor=x' } }
  await trellis.graphql('mutation { insert_person_one(object: { name: "Bob" }) { id } }', undefined, given)
  const spans = await spansOf(collector, 'POST /v1/graphql')
  assert.deepEqual(tree(spans), [
    ' > POST /v1/graphql',
    'GraphQL > GraphQL planning',
    'GraphQL > SQL',
    'POST /v1/graphql > GET',
    'POST /v1/graphql > GraphQL',
  ])
  const { headers } = hook.received.at(-1)!
  const call = spans.find(({ name }) => name === 'GET')!
  const { port } = new URL(hook.url)
  assert.deepEqual(call.attributes, {
    'http.request.method': 'GET',
    'server.address': '127.0.0.1',
    'server.port': Number(port),
    'url.scheme': 'http',
    'http.response.status_code': 200,
  })
  assert.equal(headers.traceparent, `00-${trace}-${call.spanId}-01`)
  assert.equal(headers.tracestate, 'vendor=x')
  assert.deepEqual(
    [headers['x-b3-traceid'], headers['x-b3-spanid'], headers['x-b3-parentspanid'], headers['x-b3-sampled']],
    [trace, call.spanId, call.parentSpanId, '1'],
  )
  const [{ context } = { context: '' }] = await trellis.sql<{ context: string }>('select context::text from seen')
  const operation = spans.find(({ name }) => name === 'GraphQL')!
  assert.equal(JSON.parse(context).traceparent, `00-${trace}-${operation.spanId}-01`)
})

test('errors are recorded by code', async (t) => {
  const { trellis, collector } = await start(t)
  const insert = 'mutation { insert_person_one(object: { name: "Ann" }) { id } }'
  await trellis.graphql(insert, undefined, { ...from('01'), path: '/v1alpha1/graphql' })
  const spans = await spansOf(collector, 'POST /v1alpha1/graphql')
  const told = Object.fromEntries(
    spans.map(({ name, status, attributes }) => [name, [status, attributes['error.type']]]),
  )
  assert.deepEqual(told, {
    SQL: [2, 'constraint-violation'],
    'GraphQL planning': [0, undefined],
    GraphQL: [2, 'constraint-violation'],
    'POST /v1alpha1/graphql': [0, 'constraint-violation'],
  })
})

test('metadata requests are traced, probes are not', async (t) => {
  const { trellis, collector } = await start(t)
  for (const path of ['/healthz', '/v1/version', '/nowhere']) await trellis.request(path, from('01'))
  await trellis.op('count', { table: 'person' }, from('01'))
  const spans = await spansOf(collector, 'POST /v1/query')
  assert.deepEqual(tree(spans), [' > POST /v1/query', 'POST /v1/query > metadata', 'metadata > SQL', 'metadata > SQL'])
  assert.equal(spans.find(({ name }) => name === 'metadata')?.attributes['trellis.metadata.type'], 'count')
})

test('concurrent requests do not mix', async (t) => {
  const { trellis, collector } = await start(t)
  const traces = Array.from({ length: 20 }, (_, i) => (i + 1).toString(16).padStart(32, 'a'))
  await Promise.all(
    traces.map((each) => {
      const headers = { traceparent: `00-${each}-${parent}-01` }
      return trellis.graphql('{ person { id } }', undefined, { headers })
    }),
  )
  for (const each of traces) {
    await collector.span('POST /v1/graphql', ({ traceId }) => traceId === each)
    const spans = collector.spans.filter(({ traceId }) => traceId === each)
    assert.deepEqual(tree(spans).at(-1), 'POST /v1/graphql > GraphQL')
    assert.equal(spans.length, 4)
  }
})

test('exported spans contain no data of clients', async (t) => {
  const hook = await startOther(t, () => ({ body: { 'x-service-role': 'admin', 'x-service-user-id': 'SECRET-6' } }))
  const settings = { adminSecret: 'SECRET-1', authHook: `${hook.url}/SECRET-2?key=SECRET-3` }
  const collector = await startCollector(t)
  setVariables(t, {
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_BSP_SCHEDULE_DELAY: '10',
  })
  const trellis = await startTrellis(t, { sql, settings })
  const admin = { headers: { 'x-service-admin-secret': 'SECRET-1' } }
  await trellis.op('track_table', 'person', admin)
  await trellis.op('run_sql', { sql: `select 'SECRET-4'` }, admin)
  const client = { headers: { authorization: 'Bearer SECRET-5', cookie: 'SECRET-7' } }
  const query = 'query($n: String) { person(where: { name: { _in: ["SECRET-8", $n] } }) { id } }'
  await trellis.graphql(query, { n: 'SECRET-9' }, client)
  await trellis.graphql('mutation { insert_person_one(object: { id: 1, name: "SECRET-10" }) { id } }', {}, client)
  await trellis.request('/v1/query?SECRET-11', { body: 'SECRET-12', ...client })
  await trellis.engine.close()
  assert.ok(collector.spans.length > 15)
  for (const { body } of collector.requests) assert.ok(!body.includes('SECRET'), String(body))
})

test("the client's decision not to record is respected", async (t) => {
  const { trellis, collector } = await start(t)
  await trellis.graphql('{ person { id } }', undefined, from('00'))
  await trellis.engine.close()
  assert.deepEqual(
    collector.spans.filter(({ traceId }) => traceId === trace),
    [],
  )
})

test('the sampled share of new traces can be configured', async (t) => {
  const { trellis, collector } = await start(t, { OTEL_TRACES_SAMPLER: 'parentbased_always_off' })
  await trellis.graphql('{ person { id } }')
  await trellis.graphql('{ person { id } }', undefined, from('01'))
  await spansOf(collector, 'POST /v1/graphql')
  assert.deepEqual(new Set(collector.spans.map(({ traceId }) => traceId)), new Set([trace]))
})

test('by default spans are sent as protobuf with the configured headers', async (t) => {
  const { trellis, collector } = await start(t, {
    OTEL_EXPORTER_OTLP_PROTOCOL: '',
    OTEL_EXPORTER_OTLP_HEADERS: 'x-key=k1',
  })
  await trellis.graphql('query shown { person { id } }', undefined, from('01'))
  await trellis.engine.close()
  assert.ok(collector.requests.length > 0)
  for (const { path, headers } of collector.requests) {
    assert.deepEqual([path, headers['content-type'], headers['x-key']], ['/v1/traces', 'application/x-protobuf', 'k1'])
  }
  const all = Buffer.concat(collector.requests.map(({ body }) => body))
  for (const part of ['POST /v1/graphql', 'shown', Buffer.from(trace, 'hex')]) assert.ok(all.includes(part))
})

for (const [when, delay] of [
  ['while requests are served', '10'],
  ['when the server stops', '60000'],
] as const) {
  test(`a collector that does not answer ${when} causes only a log line`, async (t) => {
    const observe = recordingObserver()
    const complaints = () =>
      observe.entries.filter(({ type, detail }) => type === 'unstructured' && String(detail).startsWith('tracing: '))
    const gone = await startOther(t, () => ({}))
    await gone.stop()
    const variables = {
      ...{ OTEL_EXPORTER_OTLP_ENDPOINT: gone.url, OTEL_EXPORTER_OTLP_TIMEOUT: '200' },
      OTEL_BSP_SCHEDULE_DELAY: delay,
    }
    const { trellis } = await start(t, variables, { observe })
    const ask = () => trellis.graphql('{ __typename }')
    if (delay === '10')
      while (complaints().length === 0) assert.deepEqual(await ask(), { data: { __typename: 'query_root' } })
    else {
      await ask()
      await trellis.engine.close()
      assert.match(String(complaints().at(-1)?.detail), /^tracing: spans are lost: /)
    }
  })
}

test('nothing is recorded if the variables disable it', async (t) => {
  for (const variables of [{ OTEL_SDK_DISABLED: 'true' }, { OTEL_TRACES_EXPORTER: 'none' }]) {
    await t.test(Object.keys(variables)[0]!, async (t) => {
      const { trellis, collector } = await start(t, variables as unknown as Record<string, string>)
      await trellis.graphql('{ person { id } }', undefined, from('01'))
      await trellis.engine.close()
      assert.equal(collector.requests.length, 0)
    })
  }
})

test('invalid variables end the start', async (t) => {
  for (const [name, value, reason] of [
    ['OTEL_TRACES_EXPORTER', 'zipkin', 'Only expecting otlp / none'],
    ['OTEL_EXPORTER_OTLP_PROTOCOL', 'grpc', 'Only expecting http/protobuf / http/json'],
    ['OTEL_BSP_MAX_QUEUE_SIZE', '-1', 'Only expecting a whole number above 0'],
  ] as const) {
    await t.test(name, async (t) => {
      await assert.rejects(start(t, { [name]: value }), { message: `${name}: ${reason}` })
    })
  }
  await t.test('OTEL_TRACES_SAMPLER_ARG', async (t) => {
    const variables = { OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '2' }
    const message = 'OTEL_TRACES_SAMPLER_ARG: Only expecting a number from 0 to 1'
    await assert.rejects(start(t, variables), { message })
  })
})

test('the metadata name the collector', async (t) => {
  const first = await startCollector(t)
  const second = await startCollector(t)
  setVariables(t, { OTEL_BSP_SCHEDULE_DELAY: '10', TRACING_KEY: 'k2' })
  const trellis = await startTrellis(t, { sql })
  await trellis.op('track_table', 'person')
  const configure = (url: string) =>
    trellis.op('set_opentelemetry_config', {
      status: 'enabled',
      data_types: ['traces'],
      exporter_otlp: {
        otlp_traces_endpoint: `${url}/v1/traces`,
        protocol: 'http/json',
        headers: [{ name: 'X-Key', value_from_env: 'TRACING_KEY' }],
        resource_attributes: [{ name: 'team', value: 'web' }],
      },
      batch_span_processor: { max_export_batch_size: 3 },
    })
  const ask = () => trellis.graphql('query people { person { name } }', undefined, from('01'))
  await configure(first.url)
  await ask()
  const spans = await spansOf(first, 'POST /v1/graphql')
  assert.deepEqual(tree(spans), [
    ' > POST /v1/graphql',
    'GraphQL > GraphQL planning',
    'GraphQL > SQL',
    'POST /v1/graphql > GraphQL',
  ])
  assert.deepEqual([first.resource['team'], first.resource['service.name']], ['web', 'trellis'])
  assert.ok(first.requests.every(({ headers }) => headers['x-key'] === 'k2'))

  await configure(second.url)
  const before = first.spans.length
  await ask()
  await second.span('POST /v1/graphql', ({ traceId }) => traceId === trace)
  assert.ok(first.spans.slice(before).every(({ traceId }) => traceId !== trace))

  await trellis.op('set_opentelemetry_status', 'disabled')
  const done = second.spans.length
  await ask()
  await trellis.op('set_opentelemetry_status', 'enabled')
  await ask()
  const isRequest = ({ name, traceId }: ReceivedSpan) => name === 'POST /v1/graphql' && traceId === trace
  await second.span('POST /v1/graphql', (span) => isRequest(span) && second.spans.indexOf(span) >= done)
  assert.equal(second.spans.filter(isRequest).length, 2)
  assert.ok([...first.spans, ...second.spans].every(({ attributes }) => attributes['server.port'] === undefined))
})
