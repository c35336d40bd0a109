import assert from 'node:assert/strict'
import { createServer } from 'node:net'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { startOther } from '../auth/other-server.ts'
import { recordingObserver } from '../http/server.ts'
import { clientOf } from '../support/client.ts'
import { testDatabase } from '../support/database.ts'
import { spawnTrellis, type TrellisProcess } from '../support/process.ts'
import { eventually } from '../support/waiting.ts'
import { type SentEvent, type Shop, startShop } from './shop.ts'

interface Invocation extends Record<string, unknown> {
  readonly status: number
  readonly request: { readonly payload: { readonly id: string }; readonly headers: unknown; readonly version: string }
  readonly response: { readonly type: string; readonly data: Record<string, unknown>; readonly version: string }
}

const invocations = ({ sql }: Pick<Shop, 'sql'>) =>
  sql<Invocation>('select status, request, response from trellis.event_invocation_logs order by created_at, id')

const states = ({ sql }: Pick<Shop, 'sql'>) =>
  sql(
    `select delivered, error, tries, locked is not null as locked, next_retry_at is not null as waits from trellis.event_log`,
  )

const settled = (shop: Shop) =>
  eventually(async () => {
    const found = await states(shop)
    return found.length > 0 && found.every(({ delivered, error }) => delivered || error) && found
  })

const insertOne = (shop: Shop) => shop.sql(`insert into orders (id) values (1)`)

const delivered = { delivered: true, error: false, locked: false, waits: false }
const failed = { delivered: false, error: true, locked: false, waits: false }

test('a failing webhook is called again as often as configured, and each attempt is logged', async (t) => {
  const shop = await startShop(t, { answer: () => ({ status: shop.hook.received.length < 3 ? 500 : 200, body: 'hm' }) })
  await shop.trigger({ retry_conf: { num_retries: 2, interval_sec: 1 } })
  const started = Date.now()
  await insertOne(shop)
  assert.deepEqual(await settled(shop), [{ ...delivered, tries: 3 }])
  assert.ok(Date.now() - started >= 1900, 'it waited between attempts')
  const events = await shop.events(3)
  assert.deepEqual(
    events.map(({ id, delivery_info }) => [id === events[0]?.id, delivery_info]),
    [0, 1, 2].map((n) => [true, { current_retry: n, max_retries: 2 }]),
  )
  const logged = await invocations(shop)
  assert.deepEqual(
    logged.map(({ status }) => status),
    [500, 500, 200],
  )
  const { request, response } = logged[0]!
  assert.deepEqual([request.payload.id, request.version], [events[0]?.id, '2'])
  assert.deepEqual([response.type, response.version], ['webhook_response', '2'])
  assert.deepEqual([response.data['body'], response.data['status']], ['hm', 500])
  await tellsTimeline(shop, events[0]!)
})

interface Timeline {
  readonly request: Readonly<Record<string, unknown>> | null
  readonly events: readonly {
    readonly op: string
    readonly data: unknown
    readonly state: string
    readonly attempts: readonly { readonly status: number }[]
  }[]
}

/** The timeline of that event, which SQL made, and those of requests. */
async function tellsTimeline(shop: Shop, { id }: SentEvent): Promise<void> {
  const timeline = (args: object) => shop.op<Timeline>('get_event_timeline', args)
  const bySql = await timeline({ event_id: id })
  assert.equal(bySql.request, null)
  assert.deepEqual(
    bySql.events.map(({ state, attempts }) => [state, attempts.map(({ status }) => status)]),
    [['delivered', [500, 500, 200]]],
  )
  const requestId = `mutation ${'x'.repeat(300)}`
  const as = (more: object = {}) => ({ headers: { 'x-request-id': requestId, ...more } })
  const traced = { traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01' }
  // Two triggers that do the same share a function in the database.
  await shop.trigger({ name: 'again' })
  const mutation = 'mutation { update_orders_by_pk(pk_columns: {id: 1}, _set: {total: 12345678901234567890.5}) { id } }'
  await shop.graphql(mutation, {}, as(traced))
  await shop.op('run_sql', { sql: 'delete from orders' }, as())
  await shop.op('invoke_event_trigger', { name: 'again', payload: { by: 'hand' } }, as())
  await shop.events(8)
  const { request, events } = await eventually(async () => {
    const found = await timeline({ request_id: requestId })
    return found.events.every(({ attempts }) => attempts.length > 0) && found
  })
  assert.deepEqual(
    events.map(({ op }) => op),
    ['UPDATE', 'UPDATE', 'DELETE', 'DELETE', 'MANUAL'],
  )
  assert.deepEqual([request?.['role'], String(request?.['id']).length], ['admin', 200])
  assert.match(JSON.stringify(request), /"traceparent":"00-4bf92f3577b34da6/)
  const [update] = await shop.sql<{ payload: string }>(
    `select payload::text as payload from trellis.event_log where payload ->> 'op' = 'UPDATE' limit 1`,
  )
  assert.ok(!update!.payload.includes('xxx'), 'the payload is as before')
  const { text } = await shop.request('/v1/query', {
    body: { type: 'get_event_timeline', args: { request_id: requestId } },
  })
  assert.ok(text.includes('12345678901234567890.5'), 'numbers have all digits')
}

test('after the last retry the event is an error, which can be redelivered', async (t) => {
  let status = 500
  const shop = await startShop(t, { answer: () => ({ status }) })
  await shop.trigger({ retry_conf: { num_retries: 1, interval_sec: 0 } })
  await insertOne(shop)
  assert.deepEqual(await settled(shop), [{ ...failed, tries: 2 }])
  status = 200
  const { id } = (await shop.events(2))[0]!
  assert.deepEqual(await shop.op('redeliver_event', { event_id: id }), { message: 'success' })
  assert.deepEqual((await shop.events(3))[2]?.delivery_info, { current_retry: 0, max_retries: 1 })
  await eventually(async () => (await states(shop))[0]?.['delivered'])
  assert.deepEqual(await states(shop), [{ ...delivered, tries: 1 }])
})

test('Retry-After sets the time of the next attempt, and grants a retry that is not configured', async (t) => {
  const shop = await startShop(t, {
    answer: () => (shop.hook.received.length === 1 ? { status: 429, headers: { 'Retry-After': '2' } } : {}),
  })
  await shop.trigger()
  const started = Date.now()
  await insertOne(shop)
  assert.deepEqual(await settled(shop), [{ ...delivered, tries: 2 }])
  assert.ok(Date.now() - started >= 1900, 'it waited')
  assert.deepEqual(
    (await invocations(shop)).map(({ status }) => status),
    [429, 200],
  )
})

test('Retry-After may be a date', async (t) => {
  // Whole seconds: two at least.
  const later = () => new Date(Date.now() + 3000).toUTCString()
  const shop = await startShop(t, {
    answer: () => (shop.hook.received.length === 1 ? { status: 503, headers: { 'Retry-After': later() } } : {}),
  })
  await shop.trigger()
  const started = Date.now()
  await insertOne(shop)
  assert.deepEqual(await settled(shop), [{ ...delivered, tries: 2 }])
  assert.ok(Date.now() - started >= 1900, 'it waited')
})

test('a webhook that hangs, is down, breaks off or redirects is a failure with a reason', async (t) => {
  process.env['TEST_NONSENSE'] = 'nonsense'
  t.after(() => delete process.env['TEST_NONSENSE'])
  const shop = await startShop(t, { answer: () => null })
  const broken = createServer((socket) => socket.on('data', () => socket.destroy()))
  await new Promise<void>((done) => broken.listen(0, '127.0.0.1', done))
  t.after(() => broken.close())
  const { port } = broken.address() as { port: number }
  const redirect = await startOther(t, () => ({ status: 302, headers: { location: shop.hook.url } }))
  const insert = { columns: '*' }
  const hooks = [
    { name: 'hangs', webhook: shop.hook.url, retry_conf: { timeout_sec: 1 } },
    { name: 'breaks', webhook: `http://127.0.0.1:${port}` },
    { name: 'unknown', webhook: 'http://no-such-host.invalid/x' },
    { name: 'nonsense', webhook: '{{TEST_NONSENSE}}' },
    { name: 'redirects', webhook: redirect.url },
    { name: 'untrusted', webhook: redirect.url.replace('http:', 'https:') },
  ]
  for (const each of hooks) await shop.op('create_event_trigger', { table: 'orders', insert, ...each })
  await insertOne(shop)
  assert.equal((await settled(shop)).filter(({ error }) => error).length, 6)
  const rows = await shop.sql<Invocation & { trigger_name: string }>(
    'select e.trigger_name, status, response from trellis.event_invocation_logs i join trellis.event_log e on e.id = event_id',
  )
  const found = Object.fromEntries(rows.map((row) => [row.trigger_name, [row.status, row.response.data['message']]]))
  assert.deepEqual(found['hangs'], [1000, 'no answer within 1 s'])
  assert.equal(found['breaks']?.[0], 1000)
  assert.match(String(found['unknown']?.[1]), /no-such-host/)
  assert.deepEqual(found['nonsense'], [1000, 'Only expecting a URL such as https://host/path'])
  assert.equal(found['redirects']?.[0], 302)
  assert.equal(found['untrusted']?.[0], 1000)
  assert.match(String(found['untrusted']?.[1]), /SSL|TLS/i)
})

test('events whose environment variable is missing wait until it is set again', async (t) => {
  process.env['TEST_EVENTS_URL'] = 'http://127.0.0.1:1'
  const shop = await startShop(t)
  await shop.trigger({ webhook: undefined, webhook_from_env: 'TEST_EVENTS_URL' })
  await shop.engine.close()
  delete process.env['TEST_EVENTS_URL']
  const without = await startShop(t, { database: shop.database })
  const [broken] = await without.op<{ type: string; reason: string }[]>('get_inconsistent_metadata', {})
  assert.deepEqual(
    [broken?.type, broken?.reason],
    ['event_trigger', `in table "orders": in event trigger "order": environment variable 'TEST_EVENTS_URL' not set`],
  )
  await insertOne(shop)
  await without.engine.close()
  assert.deepEqual(await shop.sql('select delivered, error, tries, locked, archived from trellis.event_log'), [
    { delivered: false, error: false, tries: 0, locked: null, archived: false },
  ])
  process.env['TEST_EVENTS_URL'] = shop.hook.url
  await startShop(t, { database: shop.database })
  assert.equal((await shop.events(1))[0]?.delivery_info.current_retry, 0)
})

test('an instance that does not poll records events and leaves their delivery to others', async (t) => {
  const shop = await startShop(t, { settings: { eventsFetchInterval: 0 } })
  await shop.trigger({})
  await shop.sql('insert into orders (id) values (1)')
  // By then an instance that delivers would have been notified.
  await sleep(1000)
  assert.equal(shop.hook.received.length, 0)
  await startShop(t, { database: shop.database })
  await shop.events(1)
})

test('an instance without the variable leaves events to those that have it', async (t) => {
  process.env['TEST_EVENTS_URL'] = 'http://127.0.0.1:1'
  const shop = await startShop(t, { settings: { eventsFetchBatchSize: 0 } })
  await shop.trigger({ webhook: undefined, webhook_from_env: 'TEST_EVENTS_URL' })
  await shop.trigger({ name: 'other' })
  delete process.env['TEST_EVENTS_URL']
  await shop.sql(`insert into orders (id) select generate_series(1, 5);
    update trellis.event_log set created_at = now() - interval '1 hour'`)
  await startShop(t, { database: shop.database })
  await shop.events(5)
  const left = `select from trellis.event_log where trigger_name = 'order' and locked is null and next_retry_at is null`
  assert.equal((await shop.sql(left)).length, 5)
})

test('long answers are cut, binary ones are stored as Base64, and secrets are masked', async (t) => {
  const bodies = ['x'.repeat(10_000_000), 'a\u0000b']
  const shop = await startShop(t, {
    answer: () => ({ body: bodies[shop.hook.received.length - 1], headers: { 'Set-Cookie': 'a=b' } }),
  })
  process.env['TEST_EVENTS_SECRET'] = 'hush'
  const headers = [
    { name: 'X-Key', value_from_env: 'PATH' },
    { name: 'Authorization', value: 'Bearer hush' },
    { name: 'X-Plain', value: 'pläin' },
    { name: 'X-Author', value: 'Ann' },
    { name: 'X-Auth', value: 'hush' },
    { name: 'Private-Key', value: 'hush' },
  ]
  await shop.trigger({ headers })
  await shop.sql(`insert into orders (id) values (1)`)
  await settled(shop)
  await shop.sql(`insert into orders (id) values (2)`)
  await shop.events(2)
  assert.equal((await settled(shop)).length, 2)
  const [long, odd] = await invocations(shop)
  assert.ok(String(long?.response.data['body']).length < 20_000)
  assert.equal(odd?.response.data['body'], 'a\0b')
  const shown = long?.response.data['headers'] as { name: string; value: string }[]
  assert.deepEqual(
    shown.find(({ name }) => name === 'set-cookie'),
    { name: 'set-cookie', value: '<redacted>' },
  )
  assert.deepEqual((long!.request.headers as unknown[]).slice(2), [
    { name: 'X-Key', value_from_env: 'PATH' },
    { name: 'Authorization', value: '<redacted>' },
    { name: 'X-Plain', value: 'pläin' },
    { name: 'X-Author', value: 'Ann' },
    { name: 'X-Auth', value: '<redacted>' },
    { name: 'Private-Key', value: '<redacted>' },
  ])
  assert.equal(shop.hook.received[0]?.headers['authorization'], 'Bearer hush')
})

test('two instances deliver each event once', async (t) => {
  const shop = await startShop(t)
  await shop.trigger()
  const second = await startShop(t, { database: shop.database })
  await shop.sql('insert into orders (id) select generate_series(1, 300)')
  const events = await shop.events(300)
  await settled(shop)
  assert.equal(new Set(events.map(({ id }) => id)).size, 300)
  assert.equal(shop.hook.received.length, 300)
  await second.engine.close()
})

test('a stopping instance releases its events at once; deliveries in flight may end', async (t) => {
  let release = () => {}
  const answered = new Promise<void>((done) => {
    release = done
  })
  const shop = await startShop(t, { answer: () => null })
  await shop.trigger()
  await insertOne(shop)
  await shop.events(1)
  await shop.engine.close()
  release()
  await answered
  assert.deepEqual(await states(shop), [{ delivered: false, error: false, tries: 0, locked: false, waits: false }])
})

test('an instance without notifications polls by itself', async (t) => {
  const shop = await startShop(t)
  await shop.trigger()
  await insertOne(shop)
  await shop.events(1)
  await shop.sql(`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and query like '%LISTEN "trellis_delivery"%' and pid <> pg_backend_pid()`)
  await shop.sql('insert into orders (id) values (2)')
  await shop.events(2)
})

const spawned = (t: TestContext, url: string) =>
  spawnTrellis(t, ['serve', '--database-url', url, '--server-port', '0', '--server-host', '127.0.0.1'])

async function killed(server: TrellisProcess): Promise<void> {
  server.kill('SIGKILL')
  await server.ended
}

test('a killed server loses nothing: another delivers when the lease has expired', async (t) => {
  const database = await testDatabase(t, { sql: 'create table orders (id int primary key)' })
  let hangs = true
  const hook = await startOther(t, () => (hangs ? null : {}))
  const first = spawned(t, database.url)
  const { op } = clientOf(await first.ready())
  await op('track_table', 'orders')
  const insert = { columns: '*' }
  await op('create_event_trigger', { name: 'order', table: 'orders', insert, webhook: hook.url })
  await database.sql('insert into orders select generate_series(1, 20)')
  await eventually(() => hook.received.length === 20)
  await killed(first)
  // However long the next one takes to start; a lease that ends later than that is from before the clock was set back.
  await database.sql(`update trellis.event_log set locked = now() + interval '55 seconds'`)
  hangs = false
  const second = spawned(t, database.url)
  await second.ready()
  await database.sql('insert into orders select generate_series(21, 25)')
  await eventually(() => hook.received.length === 25)
  // The leases of the killed server last until they expire.
  const leased = () => database.sql('select from trellis.event_log where locked > now()')
  await eventually(async () => (await database.sql('select from trellis.event_log where delivered')).length === 5)
  assert.equal((await leased()).length, 20)
  await database.sql(`update trellis.event_log set locked = now() where locked > now()`)
  await eventually(async () => (await database.sql('select from trellis.event_log where not delivered')).length === 0)
  const sent = hook.received.map(({ body }) => JSON.parse(body).event.data.new.id as number)
  assert.equal(new Set(sent).size, 25)
  assert.equal(sent.length, 45)
})

test('long requests are cut in the log, and the cut text is valid', async (t) => {
  const shop = await startShop(t)
  await shop.trigger()
  // Surrogate pairs, cut so that one half or the other is the last character.
  for (const id of [1, 22]) await shop.sql(`insert into orders (id, state) values (${id}, repeat('\u{1f98a}', 200000))`)
  const read = `select right(request ->> 'payload', 2) as end from trellis.event_invocation_logs order by 1`
  const ends = await eventually(async () => {
    const rows = await shop.sql(read)
    return rows.length === 2 && rows.map(({ end }) => end)
  })
  assert.deepEqual(ends.sort(), ['\u{1f98a}…', '\ufffd…'])
})

test('the delivery of a row nested as deep as PostgreSQL reads is recorded', async (t) => {
  const shop = await startShop(t, { sql: 'create table probe (nested json)' })
  const nested = (depth: number) =>
    `(repeat('[', n) || repeat(']', n))::json from generate_series(${depth}, ${depth}) n`
  let [least, most] = [100, 1_000_000]
  while (most - least > 1) {
    const depth = (least + most) >> 1
    const isRead = await shop.sql(`insert into probe select ${nested(depth)}`).then(
      () => true,
      () => false,
    )
    if (isRead) least = depth
    else most = depth
  }
  await shop.trigger()
  // The log of attempts has a few levels more around it.
  await shop.sql(`insert into orders (id, details) select 1, ${nested(least)}`)
  await shop.sql('insert into orders (id) values (2)')
  await shop.events(2)
  const delivered = 'select from trellis.event_log where delivered and tries = 1'
  await eventually(async () => (await shop.sql(delivered)).length === 2)
  assert.equal((await shop.sql('select from trellis.event_invocation_logs')).length, 2)
})

test('an error of the database during a delivery is logged', async (t) => {
  const observe = recordingObserver()
  const shop = await startShop(t, { observe })
  await shop.trigger()
  await shop.sql('alter table trellis.event_log rename column locked_by to taken_by')
  const refusals = () =>
    observe.entries
      .filter(({ type, level }) => type === 'event-trigger' && level === 'error')
      .map(({ detail }) => detail)
  const [refusal] = await eventually(() => refusals().length > 0 && refusals())
  assert.match(JSON.stringify(refusal), /database query error: column .*locked_by.* does not exist/)
  await shop.sql('alter table trellis.event_log rename column taken_by to locked_by')
})

test('the log says once that an instance has a backlog, and once that it is over', async (t) => {
  const observe = recordingObserver()
  const settings = { eventsFetchBatchSize: 10, eventsHttpPoolSize: 5 }
  const shop = await startShop(t, { observe, settings, answer: () => sleep(5, {}) })
  const told = () =>
    observe.entries.flatMap(({ type, level, detail }) => (type === 'unstructured' ? [{ level, detail }] : []))
  await shop.trigger()
  await shop.sql('insert into orders (id) select generate_series(1, 20)')
  await shop.events(20)
  assert.deepEqual(told(), [])
  await shop.sql('insert into orders (id) select generate_series(101, 200)')
  const detail = 'It looks like the events processor is keeping up again.'
  await eventually(() => told().some((line) => line.detail === detail))
  assert.deepEqual(told(), [
    {
      level: 'warn',
      detail:
        "Events processor may not be keeping up with events generated in postgres, or we're working on a backlog of events. " +
        'Consider increasing SERVICE_GRAPHQL_EVENTS_HTTP_POOL_SIZE',
    },
    { level: 'warn', detail },
  ])
})
