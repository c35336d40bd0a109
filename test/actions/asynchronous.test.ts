import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { OtherAnswer } from '../auth/other-server.ts'
import { graphqlWsClient, subscribeWith } from '../subscriptions/clients.ts'
import { atEnd } from '../support/cleanup.ts'
import { startTrellis } from '../support/trellis.ts'
import { type Answering, type Refused, type Shop, startShop, until } from './shop.ts'

const quick = { settings: { asyncActionsFetchInterval: 50 } } as const

async function startAsync(t: TestContext, answer: Answering, options: object = quick): Promise<Shop> {
  const shop = await startShop(t, answer, options)
  await shop.action('order', { kind: 'asynchronous', arguments: [{ name: 'what', type: 'Anything' }] })
  return shop
}

const place = async (shop: Shop, options: object = {}, what: unknown = { a: 1 }): Promise<string> => {
  const { data } = await shop.graphql<{ data: { order: string } }>(
    'mutation ($what: Anything) { order(what: $what) }',
    { what },
    options,
  )
  assert.match(data.order, /^[0-9a-f-]{36}$/)
  return data.order
}

interface Status {
  readonly id: string
  readonly created_at: string
  readonly errors: Readonly<Record<string, unknown>> | null
  readonly output: unknown
}

const statusOf = async (shop: Shop, id: string, options: object = {}, output = '{ id }'): Promise<Status | null> => {
  const query = `query ($id: uuid!) { order(id: $id) { id created_at errors output ${output} } }`
  const { data } = await shop.graphql<{ data: { order: Status | null } }>(query, { id }, options)
  return data.order
}

const ended = (shop: Shop, id: string, options: object = {}, output?: string): Promise<Status | null> =>
  until(
    () => statusOf(shop, id, options, output),
    (status) => status !== null && (status.output !== null || status.errors !== null),
  )

test('an asynchronous call returns an id, runs later, and its result is queried by the id, with rows', async (t) => {
  const body = {
    id: 5,
    book_id: 1,
    publisher_id: 1,
    note: { n: 12345678901234 },
    lines: [{ book_id: 3, wrapping: 'FOIL' }, { book_id: 99 }, { book_id: 1 }],
  }
  const go = Promise.withResolvers<void>()
  const shop = await startAsync(t, () => go.promise.then(() => ({ body })))
  const id = await place(shop)
  const waiting = await statusOf(shop, id)
  assert.deepEqual({ ...waiting, created_at: '' }, { id, created_at: '', errors: null, output: null })
  go.resolve()
  const output = `{ __typename id note missing: tags book { title publisher { name } }
    books(order_by: {id: desc}, where: {pages: {_gt: 1}}) { id } books_aggregate { aggregate { count } }
    lines { wrapping book { title } } }`
  const done = await ended(shop, id, {}, output)
  assert.deepEqual(done?.output, {
    __typename: 'Order',
    id: 5,
    note: { n: 12345678901234 },
    missing: null,
    book: { title: 'Dawn', publisher: { name: 'Ark' } },
    books: [{ id: 2 }, { id: 1 }],
    books_aggregate: { aggregate: { count: 2 } },
    lines: [
      { wrapping: 'FOIL', book: { title: 'Fog' } },
      { wrapping: null, book: null },
      { wrapping: null, book: { title: 'Dawn' } },
    ],
  })
  assert.deepEqual(shop.bodies(), [
    { action: { name: 'order' }, input: { what: { a: 1 } }, session_variables: { 'x-service-role': 'admin' } },
  ])
  assert.equal(shop.hook.received[0]!.headers['x-request-id'], id)
})

test('results may be lists and scalars', async (t) => {
  const bodies: Record<string, unknown> = { '/orders': [{ id: 2, book_id: 2 }, { id: 1 }], '/count': 7 }
  const shop = await startShop(t, ({ path }) => ({ body: bodies[path] }), quick)
  await shop.action('orders', { kind: 'asynchronous', output_type: '[Order!]!' })
  await shop.action('count', { kind: 'asynchronous', output_type: 'Int!' })
  const { data } = await shop.graphql<{ data: Record<'orders' | 'count', string> }>('mutation { orders count }')
  const query = `{ orders(id: "${data.orders}") { output { id book { title } } } count(id: "${data.count}") { output } }`
  type Both = { data: { orders: { output: unknown }; count: { output: unknown } } }
  const both = await until(
    () => shop.graphql<Both>(query),
    ({ data: { orders, count } }) => orders.output !== null && count.output !== null,
  )
  assert.deepEqual(both.data, {
    orders: {
      output: [
        { id: 2, book: { title: 'Ebb' } },
        { id: 1, book: null },
      ],
    },
    count: { output: 7 },
  })
})

test('results may be lists of lists that contain nulls', async (t) => {
  const places = [
    { id: 1, rows: [[1, null], null, []], kin: [[{ id: 2, rows: null }, null], null] },
    { id: 3, rows: null, kin: [[{ id: 4, rows: [null] }]] },
    { id: 5, kin: null },
    null,
  ]
  const shop = await startShop(t, () => ({ body: places }), quick)
  const fields = [
    { name: 'id', type: 'Int!' },
    { name: 'rows', type: '[[Int]]' },
    { name: 'kin', type: '[[Place]]' },
  ]
  const book = { name: 'books', type: 'array', remote_table: 'book', field_mapping: { id: 'publisher_id' } }
  await shop.op('set_custom_types', { objects: [{ name: 'Place', fields, relationships: [book] }] })
  await shop.action('now', { type: 'query', output_type: '[Place]' })
  await shop.action('later', { kind: 'asynchronous', output_type: '[Place]' })
  const output = '{ __typename id rows books { title } kin { id rows books_aggregate { aggregate { count } } } }'
  const { data } = await shop.graphql<{ data: { later: string } }>('mutation { later }')
  type Later = { data: { later: { errors: unknown; output: unknown } } }
  const later = await until(
    () => shop.graphql<Later>(`{ later(id: "${data.later}") { errors output ${output} } }`),
    (answer) => !answer.data || answer.data.later.output !== null || answer.data.later.errors !== null,
  )
  const now = await shop.graphql<{ data: { now: unknown } }>(`{ now ${output} }`)
  assert.deepEqual(later, { data: { later: { errors: null, output: now.data.now } } })
})

test('failures appear in the errors of the call, with internal details for administrators', async (t) => {
  let answer: OtherAnswer = { status: 422, body: { message: 'no', code: 'bad', extensions: { why: 'x' } } }
  const shop = await startAsync(t, () => answer)
  await shop.op('create_action_permission', { action: 'order', role: 'editor' })
  const as = { role: 'editor' }
  const refused = await ended(shop, await place(shop))
  assert.deepEqual(refused?.errors, { path: '$', error: 'no', code: 'bad', extensions: { why: 'x' } })
  answer = { status: 500, body: { secret: 1 } }
  const own = await place(shop, as)
  const { internal, ...error } = (await ended(shop, own))!.errors!
  assert.deepEqual(error, { path: '$', error: 'internal error', code: 'unexpected' })
  assert.equal((internal as { error: string }).error, 'expecting 2xx or 4xx status code, but found 500')
  assert.deepEqual((await statusOf(shop, own, as))?.errors, error)
  answer = { body: '{"id":1,"note":"\\u0000"}' }
  const odd = await ended(shop, await place(shop))
  assert.equal(odd?.errors?.['code'], 'data-exception')
})

test('an error is stored without the characters that PostgreSQL cannot store', async (t) => {
  let answer: OtherAnswer = { status: 422, body: String.raw`{"message":"no\u0000way\ud800","code":"bad"}` }
  const shop = await startAsync(t, () => answer)
  const refused = await ended(shop, await place(shop))
  assert.deepEqual(refused?.errors, { path: '$', error: 'no\ufffdway\ufffd', code: 'bad' })
  answer = { status: 502, body: '\0\x01 no text' }
  const broken = await ended(shop, await place(shop))
  assert.equal(broken?.errors?.['error'], 'internal error')
  answer = { status: 500, body: String.raw`{"a\u0000b":"\\u0000"}` }
  const odd = await ended(shop, await place(shop))
  const { response } = odd!.errors!['internal'] as { response: { body: unknown } }
  assert.deepEqual(response.body, { 'a\ufffdb': String.raw`\u0000` })
})

test('an error that PostgreSQL cannot store still ends the call', async (t) => {
  const body = '{"message":"no way","code":"bad","extensions":{"n":1e200000}}'
  const shop = await startAsync(t, () => ({ status: 422, body }))
  const done = await ended(shop, await place(shop))
  assert.equal(done?.errors?.['code'], 'data-exception')
  assert.equal(shop.hook.received.length, 1)
})

test('a call is visible to the session that made it, and to administrators', async (t) => {
  const shop = await startAsync(t, () => ({ body: { id: 1 } }))
  await shop.op('create_action_permission', { action: 'order', role: 'editor' })
  const as = (user: string) => ({ role: 'editor', headers: { 'x-service-user-id': user } })
  const id = await place(shop, as('1'))
  assert.deepEqual((await ended(shop, id))?.output, { id: 1 })
  assert.deepEqual((await statusOf(shop, id, as('1')))?.output, { id: 1 })
  assert.equal(await statusOf(shop, id, as('2')), null)
  const more = { ...as('1'), headers: { 'x-service-user-id': '1', 'x-service-org': '9' } }
  assert.equal(await statusOf(shop, id, more), null)
  assert.equal(await statusOf(shop, '00000000-0000-0000-0000-000000000000'), null)
  const { errors } = await shop.graphql<Refused>('{ order(id: "x") { id } }')
  assert.deepEqual(
    [errors[0]!.extensions['code'], errors[0]!.message],
    ['data-exception', 'invalid input syntax for type uuid: "x"'],
  )
})

test('a call is recorded in the transaction of its mutation', async (t) => {
  const shop = await startAsync(t, () => ({ body: { id: 1 } }), { settings: { asyncActionsFetchInterval: 0 } })
  const refused = await shop.graphql<Refused>(
    `mutation { a: order delete_book(where: {id: {_eq: 1}}) { affected_rows }
      insert_book_one(object: {title: "x", publisher_id: 99}) { id } }`,
  )
  assert.equal(refused.errors[0]!.extensions['code'], 'constraint-violation')
  const count = async () => (await shop.sql('select 1 from trellis.hdb_action_log')).length
  assert.equal(await count(), 0)
  const { data } = await shop.graphql<{ data: Record<string, unknown> }>(
    'mutation { a: order delete_book(where: {id: {_eq: 1}}) { affected_rows } b: order }',
  )
  assert.deepEqual(Object.keys(data), ['a', 'delete_book', 'b'])
  assert.notEqual(data['a'], data['b'])
  assert.equal(await count(), 2)
})

test('several instances run each of many calls once', async (t) => {
  const shop = await startAsync(t, () => ({ body: { id: 1 } }), {
    settings: { asyncActionsFetchInterval: 20, asyncActionsFetchBatchSize: 3 },
  })
  const settings = { asyncActionsFetchInterval: 20, asyncActionsFetchBatchSize: 3 }
  await Promise.all([1, 2].map(() => startTrellis(t, { database: shop.database, settings })))
  const ids: string[] = []
  for (let i = 0; i < 60; i++) ids.push(await place(shop))
  const waiting = `select 1 from trellis.hdb_action_log where status <> 'completed'`
  await until(
    () => shop.sql(waiting),
    (rows) => rows.length === 0,
  )
  const seen = shop.hook.received.map(({ headers }) => headers['x-request-id'])
  assert.deepEqual([...seen].sort(), [...ids].sort())
})

test('a call of a dead instance is run by another', async (t) => {
  const shop = await startAsync(t, () => ({ body: { id: 1 } }))
  await shop.sql(`insert into trellis.hdb_action_log
    (id, action_name, input_payload, request_headers, session_variables, status, lease, leased_until) values
    ('00000000-0000-0000-0000-000000000001', 'order', '{}', '{}', '{"x-service-role": "admin"}', 'processing',
      '00000000-0000-0000-0000-00000000000a', now() - interval '1 second'),
    ('00000000-0000-0000-0000-000000000002', 'order', '{}', '{}', '{"x-service-role": "admin"}', 'processing',
      '00000000-0000-0000-0000-00000000000a', now() + interval '1 hour')`)
  assert.deepEqual((await ended(shop, '00000000-0000-0000-0000-000000000001'))?.output, { id: 1 })
  assert.equal((await statusOf(shop, '00000000-0000-0000-0000-000000000002'))?.output, null)
  assert.equal(shop.hook.received.length, 1)
})

test('a stopping server releases its calls, and the next one runs them', async (t) => {
  let isSlow = true
  const answer: Answering = () => (isSlow ? null : { body: { id: 3 } })
  const shop = await startAsync(t, answer)
  const id = await place(shop)
  await until(
    async () => shop.hook.received.length,
    (n) => n === 1,
  )
  await shop.engine.close()
  const [row] = await shop.sql('select status, lease from trellis.hdb_action_log')
  assert.deepEqual(row, { status: 'created', lease: null })
  isSlow = false
  const next = await startTrellis(t, { database: shop.database, ...quick })
  assert.deepEqual((await ended({ ...shop, ...next }, id))?.output, { id: 3 })
})

test('a handler that hangs delays no other call, and its call times out', async (t) => {
  const shop = await startShop(t, ({ path }) => (path === '/hangs' ? null : { body: { id: 1 } }), {
    settings: { asyncActionsFetchInterval: 50, asyncActionsFetchBatchSize: 1 },
  })
  await shop.action('hangs', { kind: 'asynchronous', timeout: 2 })
  await shop.action('order', { kind: 'asynchronous', arguments: [{ name: 'what', type: 'Anything' }] })
  const { data } = await shop.graphql<{ data: { hangs: string } }>('mutation { hangs }')
  assert.deepEqual((await ended(shop, await place(shop)))?.output, { id: 1 })
  const query = `{ hangs(id: "${data.hangs}") { errors output { id } } }`
  const { data: done } = await until(
    () => shop.graphql<{ data: { hangs: { errors: { error: string } | null } } }>(query),
    (answer) => answer.data.hangs.errors !== null,
  )
  assert.equal(done.hangs.errors?.error, 'http exception when calling webhook')
})

test('a call stores the headers that it forwards, and no others', async (t) => {
  const shop = await startAsync(t, () => ({ body: { id: 1 } }))
  const headers = { authorization: 'Bearer x', 'x-custom': 'c' }
  await ended(shop, await place(shop, { headers }))
  assert.deepEqual((await shop.sql('select request_headers from trellis.hdb_action_log'))[0], { request_headers: {} })
  await shop.op('update_action', {
    name: 'order',
    definition: {
      handler: shop.hook.url,
      output_type: 'Order',
      kind: 'asynchronous',
      arguments: [{ name: 'what', type: 'Anything' }],
      forward_client_headers: true,
    },
  })
  await ended(shop, await place(shop, { headers }))
  const { authorization, 'x-custom': custom } = shop.hook.received.at(-1)!.headers
  assert.deepEqual({ authorization, 'x-custom': custom }, headers)
})

test('results that no longer fit the types of the action', async (t) => {
  const shop = await startAsync(t, () => ({ body: { id: 1, lines: [{ book_id: 1 }] } }))
  const id = await place(shop)
  await ended(shop, id)
  await shop.op('update_action', {
    name: 'order',
    definition: { handler: shop.hook.url, output_type: '[Order!]!', kind: 'asynchronous' },
  })
  assert.equal((await statusOf(shop, id))?.output, null)
})

test('dropping an action deletes its calls, unless the request keeps them', async (t) => {
  const shop = await startAsync(t, () => ({ body: { id: 1 } }))
  await ended(shop, await place(shop))
  const count = async () => (await shop.sql('select 1 from trellis.hdb_action_log')).length
  await shop.op('drop_action', { name: 'order', clear_data: false })
  assert.equal(await count(), 1)
  await shop.action('order', { kind: 'asynchronous' })
  await shop.op('drop_action', { name: 'order' })
  assert.equal(await count(), 0)
})

test('old results are deleted', async (t) => {
  const database = (await startAsync(t, () => ({ body: { id: 1 } }))).database
  await database.sql(`insert into trellis.hdb_action_log
    (id, action_name, input_payload, request_headers, session_variables, status, response_received_at) values
    (gen_random_uuid(), 'old', '{}', '{}', '{}', 'completed', now() - interval '3 hours'),
    (gen_random_uuid(), 'failed', '{}', '{}', '{}', 'error', now() - interval '3 hours'),
    (gen_random_uuid(), 'young', '{}', '{}', '{}', 'completed', now() - interval '1 hour'),
    (gen_random_uuid(), 'waiting', '{}', '{}', '{}', 'created', null)`)
  const next = await startTrellis(t, { database, settings: { asyncActionLogTtl: 2 } })
  atEnd(t, () => next.engine.close())
  const names = () => database.sql('select action_name from trellis.hdb_action_log order by 1')
  await until(names, (rows) => rows.length === 2)
  assert.deepEqual(await names(), [{ action_name: 'waiting' }, { action_name: 'young' }])
})

test('a stopping server ends the deletion of old results', async (t) => {
  const { database } = await startAsync(t, () => ({ body: { id: 1 } }))
  await database.sql(`insert into trellis.hdb_action_log
      (id, action_name, input_payload, request_headers, session_variables, status, response_received_at)
      select gen_random_uuid(), 'old', '{}', '{}', '{}', 'completed', now() - interval '3 hours'
      from generate_series(1, 5000);
    create function trellis.slow() returns trigger language plpgsql as 'begin perform pg_sleep(0.2); return null; end';
    create trigger slow after delete on trellis.hdb_action_log for each statement execute function trellis.slow()`)
  const count = async () => (await database.sql('select from trellis.hdb_action_log')).length
  const next = await startTrellis(t, { database, settings: { asyncActionLogTtl: 2, gracefulShutdownTimeout: 5 } })
  await until(count, (rows) => rows < 5000)
  await next.engine.close()
  assert.notEqual(await count(), 0)
})

test('the session that made a call can subscribe to its result', async (t) => {
  let answered = () => {}
  const mayAnswer = new Promise<void>((resolve) => {
    answered = resolve
  })
  const shop = await startAsync(
    t,
    async () => {
      await mayAnswer
      return { body: { id: 4, book_id: 2 } }
    },
    { settings: { ...quick.settings, liveQueriesRefetchInterval: 50 } },
  )
  await shop.op('create_action_permission', { action: 'order', role: 'editor' })
  await shop.op('create_select_permission', {
    table: 'book',
    role: 'editor',
    permission: { columns: ['title'], filter: {} },
  })
  const headers = { 'x-service-role': 'editor', 'x-service-user-id': '1' }
  const id = await place(shop, { role: 'editor', headers })
  const query = 'subscription ($id: uuid!) { order(id: $id) { errors output { id book { title } } } }'
  const follow = (user: string) => {
    const connectionParams = { headers: { ...headers, 'x-service-user-id': user } }
    return subscribeWith(graphqlWsClient(t, shop.url, { connectionParams }), query, { id })
  }
  const [own, other] = [follow('1'), follow('2')]
  assert.deepEqual(await own.atLeast(1), [{ data: { order: { errors: null, output: null } } }])
  assert.deepEqual(await other.atLeast(1), [{ data: { order: null } }])
  answered()
  const output = { id: 4, book: { title: 'Ebb' } }
  assert.deepEqual((await own.atLeast(2))[1], { data: { order: { errors: null, output } } })
  assert.equal(other.items.length, 1)
})

test('tools of dialect hasura read the log', async (t) => {
  const shop = await startAsync(t, () => ({ body: { id: 1 } }), {
    settings: { dialect: 'hasura', asyncActionsFetchInterval: 50 },
  })
  const id = await place(shop)
  await ended(shop, id)
  const columns = ['id', 'action_name', 'input_payload', 'response_payload', 'errors', 'status']
  const table = { schema: 'hdb_catalog', name: 'hdb_action_log' }
  assert.deepEqual(await shop.op('select', { table, columns, where: {} }), [
    {
      id,
      action_name: 'order',
      input_payload: { what: { a: 1 } },
      response_payload: { id: 1 },
      errors: null,
      status: 'completed',
    },
  ])
})
