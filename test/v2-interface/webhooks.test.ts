// Webhooks of actions, event triggers and cron triggers as version 2 calls them and reads their answers.

import assert from 'node:assert/strict'
import { before, type TestContext, test } from 'node:test'
import { type Refused, type Shop, startShop } from '../actions/shop.ts'
import type { OtherAnswer } from '../auth/other-server.ts'
import { openApollo } from '../subscriptions/clients.ts'
import { eventually } from '../support/waiting.ts'

let shop: Shop
let answer: OtherAnswer | Promise<OtherAnswer> = {}

before(async (t) => {
  const settings = { graphqlInterface: '2', stringifyNumericTypes: true } as const
  shop = await startShop(t as TestContext, () => answer, { settings })
  await shop.sql(
    'create table reading (id bigint primary key, amount numeric, share float8, small int, list int8[], sensor text)',
  )
  await shop.op('track_table', 'reading')
  await shop.action('order', { arguments: [{ name: 'id', type: 'Int' }] })
  await shop.action('orders', { output_type: '[Order!]!' })
})

const refusalOf = async (action: string) => {
  const { errors } = (await shop.graphql(`mutation { ${action} { id } }`)) as unknown as Refused
  return errors[0]!
}

test('fields of an answer that its type lacks are ignored', async () => {
  answer = { body: { id: 1, extra: true, lines: [{ book_id: 2, extra: {} }] } }
  const result = await shop.graphql('mutation { order { id lines { book_id } } }')
  assert.deepEqual(result, { data: { order: { id: 1, lines: [{ book_id: 2 }] } } })
  answer = { body: [{ id: 1, extra: true }, { id: 2 }] }
  assert.deepEqual(await shop.graphql('mutation { orders { id } }'), { data: { orders: [{ id: 1 }, { id: 2 }] } })
})

test('null or a scalar where an object is expected', async () => {
  for (const [action, body, shown] of [
    ['orders', 'null', 'null'],
    ['orders', '[null]', 'null'],
    ['order', '"text"', 'scalar String'],
    ['orders', 'true', 'scalar Boolean'],
    ['order', '1', 'scalar Number'],
  ] as const) {
    answer = { body }
    const { message, extensions } = await refusalOf(action)
    assert.deepEqual([message, extensions['code']], [`got ${shown} for the action webhook response`, 'unexpected'])
  }
})

test('an error shows that the request was not transformed', async () => {
  answer = { status: 500, body: {} }
  const { extensions } = await refusalOf('order')
  const { request } = extensions['internal'] as { request: Record<string, unknown> }
  assert.deepEqual(Object.keys(request).sort(), ['body', 'headers', 'transformed_request', 'url'])
  assert.equal(request['transformed_request'], null)
})

test('extensions of a refusal are those of the error, without path and code', async () => {
  answer = { status: 400, body: { message: 'sold out', code: 'ignored', extensions: { code: 'sold-out', left: 0 } } }
  const errors = [{ message: 'sold out', extensions: { code: 'sold-out', left: 0 } }]
  assert.deepEqual(await shop.graphql('mutation { order { id } }'), { errors })
  answer = { status: 400, body: { message: 'no', extensions: {} } }
  assert.deepEqual(await shop.graphql('mutation { order { id } }'), { errors: [{ message: 'no', extensions: {} }] })
})

test('the error of an action over a WebSocket is a result without data', async (t) => {
  const client = await openApollo(t, shop.url)
  const run = async (query: string) => {
    client.send({ type: 'start', id: '1', payload: { query } })
    const [result, end] = [await client.next(), await client.next()]
    assert.equal(end.type, 'complete')
    return result
  }
  answer = { status: 400, body: { message: 'sold out', code: 'sold-out' } }
  assert.deepEqual(await run('mutation { order { id } }'), {
    type: 'data',
    id: '1',
    payload: { data: null, errors: [{ message: 'sold out', extensions: { path: '$', code: 'sold-out' } }] },
  })
  assert.equal((await run('mutation { order { nothing } }')).type, 'error')
})

test('an asynchronous action cannot have a relationship beside a field of an object type', async () => {
  const { status, body } = await shop.opError('create_action', {
    name: 'later',
    definition: { handler: shop.hook.url, output_type: '[Order!]', kind: 'asynchronous' },
  })
  const { internal: _, ...refusal } = body as Record<string, unknown>
  assert.deepEqual(
    [status, refusal],
    [
      400,
      {
        path: '$.args',
        error:
          'Inconsistent object: in action "later"; Async action relations cannot be used with object fields : "lines"',
        code: 'invalid-configuration',
      },
    ],
  )
  await shop.action('later', { kind: 'asynchronous', output_type: 'Int' })
})

test('get_cron_triggers shows the headers and retry settings of every trigger', async () => {
  const tick = { name: 'tick', webhook: `${shop.hook.url}/tick`, schedule: '0 0 1 1 *', include_in_metadata: true }
  await shop.op('create_cron_trigger', { ...tick, headers: [{ name: ' X-Kind\t', value: 'yearly' }] })
  const tock = { name: 'tock', webhook: `${shop.hook.url}/tock`, schedule: '0 0 1 1 *', include_in_metadata: false }
  await shop.op('create_cron_trigger', tock)
  const { cron_triggers } = await shop.op<{ cron_triggers: unknown[] }>('get_cron_triggers', {})
  const retry_conf = { num_retries: 0, retry_interval_seconds: 10, timeout_seconds: 60, tolerance_seconds: 21_600 }
  assert.deepEqual(cron_triggers, [
    { ...tick, headers: [{ name: 'X-Kind', value: 'yearly' }], retry_conf },
    { ...tock, headers: [], retry_conf },
  ])
})

const sentTo = (path: string) => shop.hook.received.filter((each) => each.path === path)

test('with numbers as texts, events have wide numbers as texts', async () => {
  answer = { body: {} }
  const read = {
    name: 'read',
    table: 'reading',
    insert: { columns: '*' },
    update: { columns: ['amount'] },
    webhook: `${shop.hook.url}/read`,
    headers: [{ name: ' X-Kind ', value: 'reading' }],
  }
  await shop.op('create_event_trigger', read)
  await shop.sql(`insert into reading values (90071992547409931, 1.50, 0.1, 4, '{1}', 'a')`)
  await shop.sql('update reading set amount = 123456789012345678901234567890.12')
  const sent = await eventually(() => sentTo('/read').length === 2 && sentTo('/read'))
  const dataOf = (op: string) =>
    sent.map(({ body }) => JSON.parse(body).event).find((event) => event.op === op)?.data as unknown
  const inserted = { id: '90071992547409931', amount: '1.50', share: '0.1', small: 4, list: [1], sensor: 'a' }
  assert.deepEqual(dataOf('INSERT'), { old: null, new: inserted })
  const amount = '123456789012345678901234567890.12'
  assert.deepEqual(dataOf('UPDATE'), { old: inserted, new: { ...inserted, amount } })
  assert.equal(sent[0]?.headers['x-kind'], 'reading')
})

test('the trace of an event has hexadecimal ids, and continues that of the client', async () => {
  const traceparent = `00-${'a'.repeat(31)}b-${'c'.repeat(16)}-01`
  const insert = 'mutation { insert_reading_one(object: {id: "50", amount: "1"}) { id } }'
  await shop.graphql(insert, {}, { role: 'admin', headers: { traceparent } })
  const call = await eventually(() => sentTo('/read').find(({ body }) => JSON.parse(body).event.data.new.id === '50'))
  const { trace_id, span_id, sampling_state } = JSON.parse(call.body).event.trace_context
  assert.deepEqual([trace_id, sampling_state], [`${'a'.repeat(31)}b`, '1'])
  assert.match(span_id, /^[0-9a-f]{16}$/)
  assert.equal(call.headers['x-b3-traceid'], trace_id)
})

test('a trigger whose name is taken is refused', async () => {
  const { body } = await shop.request('/v1/metadata', {
    body: {
      type: 'pg_create_event_trigger',
      args: { name: 'read', table: 'reading', webhook: 'http://127.0.0.1:1', insert: { columns: '*' } },
    },
  })
  const error = 'Event trigger with name "read" already exists'
  assert.deepEqual(body, { path: '$.args', error, code: 'already-exists' })
})

test('a trigger that does not exist cannot be deleted', async () => {
  const args = { type: 'pg_delete_event_trigger', args: { name: 'nobody' } }
  const { status, body } = await shop.request('/v1/metadata', { body: args })
  const error = 'event trigger with name "nobody" does not exist'
  assert.deepEqual([status, body], [400, { path: '$.args', error, code: 'not-exists' }])
})

test('events of a trigger that clear_metadata removes are archived, also those in flight', async () => {
  const { promise, resolve } = Promise.withResolvers<OtherAnswer>()
  answer = promise
  await shop.sql(`insert into reading select g from generate_series(1, 20) g`)
  await eventually(() => sentTo('/read').length > 2)
  await shop.op('clear_metadata', {})
  const open = () => shop.sql(`select from trellis.event_log where not archived and not delivered`)
  assert.deepEqual(await open(), [])
  resolve({ status: 500 })
  await eventually(async () => (await shop.sql('select from trellis.event_log where locked is not null')).length === 0)
  assert.deepEqual(await open(), [])
})
