import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { definePlugin } from '../../sdk/index.ts'
import { startLibrary } from '../support/library.ts'
import { startTrellis, type TestTrellis, type TrellisOptions } from '../support/trellis.ts'
import { eventually } from '../support/waiting.ts'
import { graphqlWsClient, openApollo, type Received, subscribeWith } from './clients.ts'

const schema = `
  create table event (id int primary key, happened int, kind text);
  insert into event select i, i / 10, case when i % 2 = 0 then 'even' else 'odd' end from generate_series(1, 95) as i;`

async function startEvents(t: TestContext, options: TrellisOptions = {}): Promise<TestTrellis> {
  const trellis = await startLibrary(t, options)
  await trellis.sql(schema)
  await trellis.op('track_table', { table: 'event' })
  return trellis
}

interface Batch {
  readonly data: { readonly event_stream: readonly { readonly id: number }[] }
}

const batches = ({ items }: Received): number[][] =>
  (items as Batch[]).map(({ data }) => data.event_stream.map(({ id }) => id))

const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => from + i)

const byId = 'subscription ($from: Int) { event_stream(batch_size: 10, cursor: {initial_value: {id: $from}}) { id } }'
const byTime =
  'subscription ($size: Int!) { event_stream(batch_size: $size, cursor: [{initial_value: {happened: 0}}]) { id } }'

test('a stream sends the rows after its cursor in batches, and later rows as they are written', async (t) => {
  const trellis = await startEvents(t)
  const received = subscribeWith(graphqlWsClient(t, trellis.url), byId, { from: 75 })
  await received.atLeast(2)
  assert.deepEqual(batches(received), [range(76, 85), range(86, 95)])
  await trellis.sql('insert into event values (97, 1), (96, 1), (3000, 1)')
  await received.atLeast(3)
  assert.deepEqual(batches(received)[2], [96, 97, 3000])
})

test('rows of a mutation through this server arrive before the interval ends', async (t) => {
  const trellis = await startEvents(t, { settings: { liveQueriesRefetchInterval: 3_600_000 } })
  const received = subscribeWith(graphqlWsClient(t, trellis.url), byId, { from: 90 })
  await received.atLeast(1)
  await trellis.graphql('mutation { insert_event_one(object: {id: 3001}) { id } }')
  await received.atLeast(2)
  assert.deepEqual(batches(received), [range(91, 95), [3001]])
})

test('an empty batch is sent only if it is the first one', async (t) => {
  const trellis = await startEvents(t)
  const received = subscribeWith(graphqlWsClient(t, trellis.url), byId, { from: 95 })
  await received.atLeast(1)
  assert.deepEqual(batches(received), [[]])
  await trellis.sql(`update event set kind = 'late' where id = 5`)
  await trellis.sql('insert into event values (96)')
  await received.atLeast(2)
  assert.deepEqual(batches(received), [[], [96]])
})

test('no row is lost if many have the same cursor value, with any batch size', async (t) => {
  const trellis = await startEvents(t)
  const client = graphqlWsClient(t, trellis.url)
  const all = [1, 3, 7, 100].map((size) => subscribeWith(client, byTime, { size }))
  for (const received of all) {
    await received.until(() => batches(received).flat().length >= 86)
    assert.deepEqual(batches(received).flat(), range(10, 95))
  }
})

test('a view has no key, so rows with the same value arrive in one batch', async (t) => {
  const trellis = await startEvents(t)
  await trellis.sql('create view moment as select happened, id as event_id from event')
  await trellis.op('track_table', { table: 'moment' })
  const query =
    'subscription { moment_stream(batch_size: 3, cursor: {initial_value: {happened: 7}}) { happened event_id } }'
  const received = subscribeWith(graphqlWsClient(t, trellis.url), query)
  await received.atLeast(2)
  const rows = (received.items as { data: { moment_stream: { event_id: number }[] } }[]).map(({ data }) =>
    data.moment_stream.map(({ event_id }) => event_id).sort((a, b) => a - b),
  )
  assert.deepEqual(rows, [range(80, 89), range(90, 95)])
})

test('a descending stream works, and a stream without an initial value starts at the beginning', async (t) => {
  const trellis = await startEvents(t)
  const client = graphqlWsClient(t, trellis.url)
  const down = `subscription { event_stream(batch_size: 2, cursor: {initial_value: {id: 4}, ordering: DESC}) { id } }`
  const received = subscribeWith(client, down)
  await received.atLeast(2)
  assert.deepEqual(batches(received), [[3, 2], [1]])
  const whole = subscribeWith(client, byId, { from: null })
  await whole.until(() => batches(whole).flat().length >= 95)
  assert.deepEqual(batches(whole).flat(), range(1, 95))
})

test('filters and permissions apply, and subscribers at the same position share a query', async (t) => {
  const trellis = await startEvents(t)
  const permission = { columns: ['id', 'happened'], filter: { kind: { _eq: 'X-Service-Kind' } }, limit: 20 }
  await trellis.op('create_select_permission', { table: 'event', role: 'editor', permission })
  const connect = (kind: string) =>
    graphqlWsClient(t, trellis.url, {
      connectionParams: { headers: { 'x-service-role': 'editor', 'x-service-kind': kind } },
    })
  const query = `subscription {
    event_stream(batch_size: 100, cursor: {initial_value: {happened: 0}}, where: {id: {_lte: 60}}) { id }
  }`
  for (const kind of ['odd', 'even']) {
    const received = subscribeWith(connect(kind), query)
    await received.until(() => batches(received).flat().length >= (kind === 'odd' ? 25 : 26))
    const expected = range(10, 60).filter((id) => id % 2 === (kind === 'odd' ? 1 : 0))
    assert.deepEqual(batches(received).flat(), expected)
    assert.ok(batches(received).every((batch) => batch.length <= 20))
  }
})

test('a stream continues at its position after a metadata change', async (t) => {
  const trellis = await startEvents(t)
  const received = subscribeWith(graphqlWsClient(t, trellis.url), byId, { from: 90 })
  await received.atLeast(1)
  await trellis.op('untrack_table', { table: 'publisher', cascade: true })
  await trellis.sql('insert into event values (96)')
  await received.atLeast(2)
  assert.deepEqual(batches(received), [range(91, 95), [96]])
  await trellis.op('untrack_table', { table: 'event' })
  await received.atLeast(3)
  assert.match(JSON.stringify(received.items[2]), /event_stream.* not found in type: 'subscription_root'/)
})

test('invalid cursors are refused', async (t) => {
  const trellis = await startEvents(t)
  const socket = await openApollo(t, trellis.url)
  const refusal = async (args: string) => {
    socket.send({ type: 'start', id: '1', payload: { query: `subscription { event_stream(${args}) { id } }` } })
    const { type, payload } = (await socket.next()) as { type: string; payload: { errors: [Record<string, unknown>] } }
    assert.equal(type, 'error', JSON.stringify(payload))
    assert.equal((await socket.next()).type, 'complete')
    const { message, extensions } = payload.errors[0] as { message: string; extensions: { code: string; path: string } }
    return [extensions.code, extensions.path, message]
  }
  const at = '$.selectionSet.event_stream.args'
  const cases: [string, string, string, string][] = [
    ['batch_size: 1, cursor: []', 'validation-failed', `${at}.cursor`, 'one streaming column field is expected'],
    [
      'batch_size: 1, cursor: {initial_value: {}}',
      'validation-failed',
      `${at}.cursor[0].initial_value`,
      'one streaming column field is expected',
    ],
    [
      'batch_size: 1, cursor: {initial_value: {id: 1, happened: 2}}',
      'validation-failed',
      `${at}.cursor[0].initial_value`,
      'multiple column cursors are not supported yet',
    ],
    [
      'batch_size: 1, cursor: [{initial_value: {id: 1}}, {initial_value: {id: 1}}]',
      'validation-failed',
      `${at}.cursor`,
      'multiple column cursors are not supported yet',
    ],
    [
      'batch_size: 0, cursor: {initial_value: {id: 1}}',
      'validation-failed',
      `${at}.batch_size`,
      'expected a positive batch size',
    ],
    [
      'batch_size: -1, cursor: {initial_value: {id: 1}}',
      'not-supported',
      `${at}.batch_size`,
      'unexpected negative value',
    ],
    [
      'cursor: {initial_value: {id: 1}}',
      'validation-failed',
      `${at}.batch_size`,
      'missing required field "batch_size"',
    ],
  ]
  for (const [args, ...expected] of cases) assert.deepEqual(await refusal(args), expected, args)
})

test('columns whose values have no order cannot be cursors', async (t) => {
  const trellis = await startLibrary(t)
  await trellis.sql(`
    create extension hstore;
    create table thing (id int primary key, pairs hstore, plan jsonpath, at point, moved interval)`)
  await trellis.op('track_table', 'thing')
  const { data } = await trellis.graphql<{ data: { __type: { inputFields: { name: string }[] } } }>(
    '{ __type(name: "thing_stream_cursor_value_input") { inputFields { name } } }',
  )
  const names = data.__type.inputFields.map(({ name }) => name)
  assert.deepEqual(names, ['id', 'moved', 'pairs'])
})

test('the name of a stream can be configured, and a permission may hide it', async (t) => {
  const trellis = await startEvents(t)
  await trellis.op(
    'set_table_custom_fields',
    { table: 'event', custom_root_fields: { select_stream: 'happenings' } },
    { version: 2 },
  )
  const received = subscribeWith(graphqlWsClient(t, trellis.url), byId.replace('event_stream', 'happenings'), {
    from: 94,
  })
  await received.atLeast(1)
  assert.deepEqual(received.items, [{ data: { happenings: [{ id: 95 }] } }])
  const permission = { columns: ['id'], filter: {}, subscription_root_fields: ['select'] }
  await trellis.op('create_select_permission', { table: 'event', role: 'editor', permission })
  const editor = { connectionParams: { headers: { 'x-service-role': 'editor' } } }
  const hidden = subscribeWith(graphqlWsClient(t, trellis.url, editor), byId.replace('event_stream', 'happenings'), {
    from: 1,
  })
  await hidden.atLeast(1)
  assert.match(JSON.stringify(hidden.items), /\\"happenings\\" not found in type: 'subscription_root'/)
})

test('a client that does not read pauses its stream, and loses no row', async (t) => {
  let statements = 0
  const plugin = definePlugin({
    name: 'count-statements',
    register: ({ around }) =>
      around({
        statement(work, run) {
          if (work.kind === 'query') statements++
          return run()
        },
      }),
  })
  const trellis = await startEvents(t, { plugins: [plugin] })
  await trellis.sql(`insert into event select i, i, repeat('x', 20000) from generate_series(1001, 3000) as i`)
  const { socket, send, messages, spoken } = await openApollo(t, trellis.url)
  const received = () => (spoken().slice(1) as unknown as { payload: Batch }[]).map(({ payload }) => payload)
  const ids = () => received().flatMap(({ data }) => data.event_stream.map(({ id }) => id))
  socket.pause()
  const query = 'subscription { event_stream(batch_size: 10, cursor: {initial_value: {id: 1000}}) { id kind } }'
  send({ type: 'start', id: '1', payload: { query } })
  await eventually(() => statements > 3)
  await new Promise((resolve) => setTimeout(resolve, 1500))
  assert.ok(statements < 150, `${statements} of the 200 batches were asked for`)
  socket.resume()
  await messages.until(() => ids().length >= 2000)
  assert.deepEqual(ids(), range(1001, 3000))
})

const writeNow = `insert into visit (id, at) select coalesce(max(id), 0) + 1, clock_timestamp() from visit`
const visits = { sql: `create table visit (id int primary key, at timestamptz not null); ${writeNow}` }
const visitsFrom = {
  'as the cursor': [
    'subscription ($at: timestamptz!) { visit_stream(batch_size: 5, cursor: {initial_value: {at: $at}}) { id } }',
    'subscription { visit_stream(batch_size: 5, cursor: {initial_value: {at: "now()"}}) { id } }',
  ],
  'as a condition': [
    'subscription ($at: timestamptz!) { visit_stream(batch_size: 5, cursor: {initial_value: {id: 0}}, where: {at: {_gt: $at}}) { id } }',
  ],
}

for (const [place, queries] of Object.entries(visitsFrom)) {
  test(`a stream from now on, ${place}, sends the rows that are written after its start`, async (t) => {
    const trellis = await startTrellis(t, visits)
    await trellis.op('track_table', { table: 'visit' })
    const received = queries.flatMap((query) => {
      const values = query.includes('$at') ? ['now', 'NOW()', ' now '] : [undefined]
      return values.map((at) => subscribeWith(graphqlWsClient(t, trellis.url), query, at === undefined ? {} : { at }))
    })
    const of = (items: Received) =>
      (items.items as { data: { visit_stream: { id: number }[] } }[]).flatMap(({ data }) =>
        data.visit_stream.map(({ id }) => id),
      )
    await Promise.all(received.map((each) => each.atLeast(1)))
    await trellis.sql(writeNow)
    for (const each of received) await eventually(() => String(of(each)) === '2')
    // A stream keeps its start, whatever happens to the metadata.
    await trellis.op('create_select_permission', {
      ...{ table: 'visit', role: 'reader' },
      permission: { columns: '*', filter: {} },
    })
    await trellis.sql(writeNow)
    for (const each of received) await eventually(() => String(of(each)) === '2,3')
  })
}

test('a stream that waits for its first row keeps its start while the metadata changes', async (t) => {
  const trellis = await startTrellis(t, { ...visits, settings: { liveQueriesRefetchInterval: 3_600_000 } })
  await trellis.op('track_table', { table: 'visit' })
  const query = visitsFrom['as the cursor'][0]!
  const received = subscribeWith(graphqlWsClient(t, trellis.url), query, { at: 'now' })
  await received.atLeast(1)
  await trellis.sql(writeNow)
  await trellis.op('create_select_permission', {
    ...{ table: 'visit', role: 'reader' },
    permission: { columns: '*', filter: {} },
  })
  assert.deepEqual(await received.atLeast(2), [{ data: { visit_stream: [] } }, { data: { visit_stream: [{ id: 2 }] } }])
})

test('a start value that is not a valid time ends its stream, and no other', async (t) => {
  const trellis = await startTrellis(t, visits)
  await trellis.op('track_table', { table: 'visit' })
  const query = visitsFrom['as the cursor'][0]!
  const socket = await openApollo(t, trellis.url)
  for (const [id, at] of [
    ['1', 'now'],
    ['2', 'snow'],
  ]) {
    socket.send({ type: 'start', id, payload: { query, variables: { at } } })
  }
  const messages = [await socket.next(), await socket.next(), await socket.next()]
  const of = (wanted: string) => messages.filter(({ id }) => id === wanted)
  assert.deepEqual(of('1'), [{ type: 'data', id: '1', payload: { data: { visit_stream: [] } } }])
  assert.equal(of('2').length, 2)
  assert.match(JSON.stringify(of('2')[0]), /invalid input syntax for type timestamp with time zone: ..snow../)
  await trellis.sql(writeNow)
  assert.deepEqual(await socket.next(), { type: 'data', id: '1', payload: { data: { visit_stream: [{ id: 2 }] } } })
})
