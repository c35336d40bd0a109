import assert from 'node:assert/strict'
import { test } from 'node:test'
import { definePlugin } from '../../sdk/index.ts'
import { type Refused, startShop } from './shop.ts'

const order = { id: 1, book_id: 1, publisher_id: 1, tags: ['a', 'b'], note: 0 }

const orderText = JSON.stringify(order).replace('"note":0', '"note":{"deep":[1.0,12345678901234567890]}')

test('a webhook answers a mutation, and its objects lead to related rows', async (t) => {
  const shop = await startShop(t, () => ({ body: orderText, headers: { 'set-cookie': 'cart=1', 'x-other': '1' } }))
  await shop.action('order', {
    arguments: [
      { name: 'lines', type: '[LineInput!]!' },
      { name: 'when', type: 'timestamptz', description: 'of delivery' },
      { name: 'more', type: 'Anything' },
    ],
  })
  const query = `mutation ($lines: [LineInput!]!) {
    o: order(lines: $lines, when: "2020-01-02T03:04:05Z", more: {a: [1, "x"]}) {
      __typename id tags note
      book { title publisher { name } }
      books(where: {id: {_gt: 1}}) { title }
      books_aggregate { aggregate { count } }
    }
  }`
  const lines = [{ book_id: 1, wrapping: 'FOIL' }]
  const answer = await shop.request('/v1/graphql', {
    body: { query, variables: { lines } },
    headers: { 'x-service-user-id': '7', authorization: 'Bearer x' },
  })
  assert.equal(answer.status, 200)
  assert.equal(
    answer.text,
    '{"data":{"o":{"__typename":"Order","id":1,"tags":["a","b"],"note":{"deep":[1.0,12345678901234567890]},' +
      '"book":{"title":"Dawn","publisher":{"name":"Ark"}},"books":[{"title":"Ebb"}],' +
      '"books_aggregate":{"aggregate":{"count":2}}}}}',
  )
  assert.deepEqual(answer.headers.getSetCookie(), ['cart=1'])
  assert.equal(answer.headers.get('x-other'), null)
  const [received] = shop.hook.received
  assert.deepEqual(JSON.parse(received!.body), {
    action: { name: 'order' },
    input: { lines, when: '2020-01-02T03:04:05Z', more: { a: [1, 'x'] } },
    session_variables: { 'x-service-role': 'admin', 'x-service-user-id': '7' },
    request_query: query,
  })
  assert.equal(received!.method, 'POST')
  assert.equal(received!.headers['content-type'], 'application/json')
  assert.equal(received!.headers['content-length'], String(Buffer.byteLength(received!.body)))
  assert.equal(received!.headers.authorization, undefined)
})

test('a list of objects is related to rows with one statement', async (t) => {
  const list = Array.from({ length: 50 }, (_, i) => ({ id: i, book_id: (i % 3) + 1 }))
  let statements = 0
  const counting = definePlugin({
    name: 'counting',
    register: (engine) =>
      engine.around({
        statement(work, run) {
          if (work.kind === 'query') statements++
          return run()
        },
      }),
  })
  const shop = await startShop(t, () => ({ body: list }), { plugins: [counting] })
  await shop.action('orders', { type: 'query', output_type: '[Order!]!' })
  statements = 0
  const { data } = await shop.graphql<{ data: { orders: { book: { title: string } }[] } }>(
    '{ orders { id book { title } } }',
  )
  assert.equal(data.orders.length, 50)
  assert.deepEqual(
    data.orders.slice(0, 3).map(({ book }) => book.title),
    ['Dawn', 'Ebb', 'Fog'],
  )
  assert.equal(statements, 1)
})

test('nested objects have enums and related rows', async (t) => {
  const lines = [{ book_id: 3, wrapping: 'PAPER' }, { book_id: 9 }]
  const shop = await startShop(t, () => ({ body: { id: 1, lines } }))
  await shop.action('look', { type: 'query' })
  assert.deepEqual(await shop.graphql('{ look { lines { wrapping book { title } } note } }'), {
    data: {
      look: {
        lines: [
          { wrapping: 'PAPER', book: { title: 'Fog' } },
          { wrapping: null, book: null },
        ],
        note: null,
      },
    },
  })
})

test('results may also be scalars and lists of scalars', async (t) => {
  const bodies: Record<string, unknown> = { '/count': 3, '/names': ['a', null], '/kind': '"FOIL"', '/any': { a: 1 } }
  const shop = await startShop(t, ({ path }) => ({ body: bodies[path] }))
  await shop.action('count', { type: 'query', output_type: 'Int!' })
  await shop.action('names', { type: 'query', output_type: '[String]' })
  await shop.action('kind', { type: 'query', output_type: 'Wrapping' })
  await shop.action('any', { type: 'query', output_type: 'Anything' })
  assert.deepEqual(await shop.graphql('{ count names kind any }'), {
    data: { count: 3, names: ['a', null], kind: 'FOIL', any: { a: 1 } },
  })
})

test('roles see and call only permitted actions, with their own permissions for rows', async (t) => {
  const shop = await startShop(t, () => ({ body: order }))
  await shop.action('look', { type: 'query' }, 'Looks')
  await shop.action('hide', { type: 'query' })
  await shop.op('create_action_permission', { action: 'look', role: 'editor' })
  const permission = { columns: ['title'], filter: { price: { _gt: 100 } } }
  const as = { role: 'editor' }
  const type = '{ __type(name: "Order") { fields { name } } }'
  type Fields = { data: { __type: { fields: { name: string }[] } } }
  const fields = async (options?: object) =>
    (await shop.graphql<Fields>(type, {}, options)).data.__type.fields.map(({ name }) => name)
  const own = ['book_id', 'id', 'lines', 'note', 'publisher_id', 'tags']
  assert.deepEqual((await fields(as)).sort(), own)
  await shop.op('create_select_permission', { table: 'book', role: 'editor', permission })
  assert.deepEqual((await fields(as)).sort(), [...own, 'book', 'books'].sort())
  assert.deepEqual(await shop.graphql('{ look { id book { title } books { title } } }', {}, as), {
    data: { look: { id: 1, book: null, books: [] } },
  })
  const roots = '{ __schema { queryType { fields { name description } } } }'
  type Roots = { data: { __schema: { queryType: { fields: { name: string; description: string }[] } } } }
  const all = (await shop.graphql<Roots>(roots)).data.__schema.queryType.fields
  assert.deepEqual(
    all.filter(({ name }) => ['look', 'hide'].includes(name)).map(({ name, description }) => [name, description]),
    [
      ['hide', 'perform the action: "hide"'],
      ['look', 'Looks'],
    ],
  )
  const { errors } = await shop.graphql<Refused>('{ hide { id } }', {}, as)
  assert.deepEqual(errors[0]!.extensions, { path: '$.selectionSet.hide', code: 'validation-failed' })
  assert.equal(errors[0]!.message, `field "hide" not found in type: 'query_root'`)
  await shop.op('drop_action_permission', { action: 'look', role: 'editor' })
  const refused = await shop.graphql<Refused>('{ look { id } }', {}, as)
  assert.equal(refused.errors[0]!.message, `field "look" not found in type: 'query_root'`)
})

test('arguments are validated against their types before anything is called', async (t) => {
  const shop = await startShop(t, () => ({ body: order }))
  await shop.action('order', { arguments: [{ name: 'line', type: 'LineInput!' }] })
  const refusal = async (line: string) => {
    const { errors } = await shop.graphql<Refused>(`mutation { order(line: ${line}) { id } }`)
    return [errors[0]!.extensions['path'], errors[0]!.extensions['code'], errors[0]!.message]
  }
  const at = '$.selectionSet.order.args.line'
  assert.deepEqual(await refusal('{count: 1}'), [
    `${at}.book_id`,
    'validation-failed',
    'missing required field "book_id"',
  ])
  assert.deepEqual(await refusal('{book_id: "1"}'), [
    `${at}.book_id`,
    'validation-failed',
    'expected a 32-bit integer for type "Int", but found a string',
  ])
  assert.deepEqual(await refusal('{book_id: 1, wrapping: WOOD}'), [
    `${at}.wrapping`,
    'validation-failed',
    'expected one of the values PAPER or FOIL for type "Wrapping", but found "WOOD"',
  ])
  assert.deepEqual(await refusal('{book_id: 1, no: 1}'), [
    `${at}.no`,
    'validation-failed',
    `field "no" not found in type: 'LineInput'`,
  ])
  assert.equal(shop.hook.received.length, 0)
})

test('omitted arguments are absent, including variables without a value', async (t) => {
  const shop = await startShop(t, () => ({ body: order }))
  const line = { name: 'line', type: 'LineInput!' }
  await shop.action('order', { arguments: [line, { name: 'note', type: 'String' }] })
  const query = `mutation ($count: Int, $wrapping: Wrapping, $note: String) {
    order(line: {book_id: 1, count: $count, wrapping: $wrapping}, note: $note) { id }
  }`
  await shop.graphql(query, { wrapping: null })
  await shop.graphql(query, { count: 2, note: 'soon' })
  assert.deepEqual(
    shop.bodies().map((body) => (body as { input: unknown }).input),
    [{ line: { book_id: 1, wrapping: null } }, { line: { book_id: 1, count: 2 }, note: 'soon' }],
  )
})

test('actions of a mutation run in order, before the database; a failure leaves the database unchanged', async (t) => {
  const shop = await startShop(t, ({ path }) =>
    path === '/bad' ? { status: 422, body: { message: 'no', code: 'bad-order' } } : { body: order },
  )
  await shop.action('good')
  await shop.action('bad')
  const refused = await shop.graphql<Refused>(
    'mutation { delete_book(where: {}) { affected_rows } good { id } bad { id } }',
  )
  assert.deepEqual(refused, { errors: [{ extensions: { path: '$', code: 'bad-order' }, message: 'no' }] })
  assert.deepEqual(
    shop.hook.received.map(({ path }) => path),
    ['/good', '/bad'],
  )
  assert.deepEqual(await shop.graphql('{ book_aggregate { aggregate { count } } }'), {
    data: { book_aggregate: { aggregate: { count: 3 } } },
  })
})

test("headers come from the action, the environment, and the client's forwarded headers", async (t) => {
  process.env['TEST_ACTION_KEY'] = 'k3y'
  const shop = await startShop(t, () => ({ body: order }))
  await shop.action('look', {
    type: 'query',
    forward_client_headers: true,
    headers: [
      { name: 'X-Key', value_from_env: 'TEST_ACTION_KEY' },
      { name: 'X-Team', value: 'ours' },
    ],
  })
  const client = {
    'x-team': 'theirs',
    authorization: 'Bearer t',
    'x-custom': 'c',
    cookie: 'a=1',
    accept: 'text/html',
    'accept-encoding': 'br',
    'accept-language': 'de',
    referer: 'http://there/x',
    'cache-control': 'no-cache',
    'user-agent': 'tester/1',
    'content-md5': 'x',
    dnt: '1',
    'x-service-user-id': '1',
  }
  const answer = await shop.request('/v1/graphql', { body: { query: '{ look { id } }' }, headers: client })
  const { host, connection: _, 'content-length': __, ...headers } = shop.hook.received[0]!.headers
  assert.equal(shop.hook.url.endsWith(String(host)), true)
  const { traceparent: ___, 'x-forwarded-host': forwarded, ...rest } = headers
  assert.equal(forwarded, new URL(shop.url).host)
  const others = Object.fromEntries(Object.entries(rest).filter(([name]) => !/^(x-b3|sec)-/.test(name)))
  assert.deepEqual(others, {
    'accept-encoding': 'gzip',
    'content-type': 'application/json',
    'user-agent': others['user-agent'],
    'x-key': 'k3y',
    'x-team': 'ours',
    'x-custom': 'c',
    authorization: 'Bearer t',
    cookie: 'a=1',
    'x-forwarded-user-agent': 'tester/1',
    'x-request-id': answer.headers.get('x-request-id'),
  })
  assert.match(String(others['user-agent']), /^trellis\//)
  await shop.op('update_action', {
    name: 'look',
    definition: {
      handler: shop.hook.url,
      output_type: 'Order',
      type: 'query',
      headers: [{ name: 'X-Key', value_from_env: 'TEST_ACTION_GONE' }],
    },
  })
  assert.deepEqual(await shop.graphql('{ look { id } }'), {
    errors: [
      { extensions: { path: '$', code: 'not-found' }, message: "environment variable 'TEST_ACTION_GONE' not set" },
    ],
  })
})

test('a handler may name variables of the environment', async (t) => {
  process.env['TEST_ACTION_PATH'] = 'over/there'
  const shop = await startShop(t, ({ path }) => ({ body: { id: path.length } }))
  await shop.action('look', {
    type: 'query',
    handler: `${shop.hook.url}/{{TEST_ACTION_PATH}}?a={{ TEST_ACTION_PATH }}`,
  })
  assert.deepEqual(await shop.graphql('{ look { id } }'), { data: { look: { id: 24 } } })
  assert.equal(shop.hook.received[0]!.path, '/over/there?a=over/there')
  const { actions } = await shop.op<{ actions: { definition: { handler: string } }[] }>('export_metadata', {})
  assert.match(actions[0]!.definition.handler, /\{\{TEST_ACTION_PATH\}\}/)
})

test('the kind of a query action is not read, since tools write an empty one', async (t) => {
  const shop = await startShop(t, () => ({ body: order }))
  await shop.action('look', { type: 'query', kind: '' })
  const document = await shop.op<{ actions: { definition: object }[] }>('export_metadata', {})
  const { definition } = document.actions[0]!
  assert.equal('kind' in definition, false)
  for (const kind of ['', 'asynchronous']) {
    const actions = [{ name: 'look', definition: { ...definition, kind } }]
    assert.deepEqual(await shop.op('replace_metadata', { ...document, actions }), { message: 'success' })
    assert.deepEqual(await shop.op('export_metadata', {}), document)
    assert.deepEqual(await shop.graphql('{ look { id } }'), { data: { look: { id: 1 } } })
  }
})

test('query actions cannot be subscribed to or explained, and are not in the Relay schema', async (t) => {
  const shop = await startShop(t, () => ({ body: order }))
  await shop.action('look', { type: 'query' })
  const subscribed = await shop.graphql<Refused>('subscription { look { id } }')
  assert.deepEqual(subscribed, {
    errors: [
      {
        extensions: { path: '$', code: 'not-supported' },
        message: 'query actions cannot be run as a subscription',
      },
    ],
  })
  const explained = await shop.request('/v1/graphql/explain', { body: { query: { query: '{ look { id } }' } } })
  assert.equal(explained.status, 400)
  assert.deepEqual(explained.body, { path: '$', error: 'query actions cannot be explained', code: 'invalid-params' })
  const relay = await shop.graphql<Refused>('{ look { id } }', {}, { path: '/v1beta1/relay' })
  assert.equal(relay.errors[0]!.message, `field "look" not found in type: 'query_root'`)
  const roots = '{ __schema { subscriptionType { fields { name } } } }'
  type Roots = { data: { __schema: { subscriptionType: { fields: { name: string }[] } } } }
  const { fields } = (await shop.graphql<Roots>(roots)).data.__schema.subscriptionType
  assert.equal(
    fields.some(({ name }) => name === 'look'),
    false,
  )
})
