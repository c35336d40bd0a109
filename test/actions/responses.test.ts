// Everything that a webhook can answer.

import assert from 'node:assert/strict'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import type { OtherAnswer } from '../auth/other-server.ts'
import { type Refused, type Shop, startShop } from './shop.ts'

interface Case {
  readonly title: string
  readonly answer: OtherAnswer
  readonly status: number
  readonly code: string
  readonly message: string
  readonly path?: string
  /** The action that is called: an order, or orders. */
  readonly list?: true
  /** The text of `internal.error`. */
  readonly internal?: unknown
  readonly extensions?: object
}

const unexpected = 'unexpected response'

const cases: readonly Case[] = [
  {
    title: 'an array where an object is wanted',
    answer: { body: [{ id: 1 }] },
    status: 400,
    code: 'unexpected',
    message: 'expecting object for action webhook response but got array',
    internal: unexpected,
  },
  {
    title: 'an object where an array is wanted',
    answer: { body: { id: 1 } },
    list: true,
    status: 400,
    code: 'unexpected',
    message: 'expecting array for action webhook response but got object',
    internal: unexpected,
  },
  ...['"text"', '1', 'true'].map((body) => ({
    title: `neither object nor array: ${body}`,
    answer: { body },
    status: 400,
    code: 'parse-failed',
    message: 'expecting object or array of objects for action webhook response',
    internal: unexpected,
  })),
  {
    title: 'null where it may not be',
    answer: { body: 'null' },
    list: true,
    status: 400,
    code: 'parse-failed',
    message: 'expecting object or array of objects for action webhook response',
    internal: unexpected,
  },
  {
    title: 'a null among objects that may not be null',
    answer: { body: [{ id: 1 }, null] },
    list: true,
    status: 400,
    code: 'parse-failed',
    message: 'expecting object or array of objects for action webhook response',
    internal: unexpected,
  },
  {
    title: 'fields that the type has not',
    answer: { body: { id: 1, z: 1, a: 2 } },
    status: 400,
    code: 'unexpected',
    message: 'unexpected fields in webhook response: a, z',
    internal: unexpected,
  },
  {
    title: 'a field that is missing',
    answer: { body: { book_id: 1 } },
    status: 400,
    code: 'unexpected',
    message: 'field "id" expected in webhook response, but not found',
    internal: unexpected,
  },
  {
    title: 'a null in a field that may not be null',
    answer: { body: { id: null } },
    status: 400,
    code: 'unexpected',
    message: 'expecting not null value for field "id"',
    internal: unexpected,
  },
  {
    title: 'a value of another type',
    answer: { body: { id: 'x' } },
    status: 400,
    code: 'unexpected',
    message: 'expecting Int for field "id" in webhook response, but got String',
    internal: unexpected,
  },
  {
    title: 'a value where a list is wanted',
    answer: { body: { id: 1, tags: 'a' } },
    status: 400,
    code: 'unexpected',
    message: 'expecting array for field "tags" in webhook response, but got String',
    internal: unexpected,
  },
  {
    title: 'a value that an enum has not',
    answer: { body: { id: 1, lines: [{ book_id: 1, wrapping: 'WOOD' }] } },
    status: 400,
    code: 'unexpected',
    message: 'expecting a value of Wrapping for field "wrapping" in webhook response, but got String',
    internal: unexpected,
  },
  {
    title: 'an error whose extensions are nested without end',
    answer: { status: 400, body: `{"message":"no","extensions":{"a":${'['.repeat(9000)}${']'.repeat(9000)}}}` },
    status: 400,
    code: 'unexpected',
    message: 'no',
  },
  {
    title: 'depth without end',
    answer: { body: `{"id":1,"note":${'['.repeat(5000)}${']'.repeat(5000)}}` },
    status: 400,
    code: 'unexpected',
    message: 'expecting a value of less depth for field "note" in webhook response, but got Array',
    internal: unexpected,
  },
  {
    title: 'what is no JSON',
    answer: { body: 'oops' },
    status: 500,
    code: 'unexpected',
    message: 'not a valid json response from webhook',
  },
  {
    title: 'nothing at all',
    answer: { body: '' },
    status: 500,
    code: 'unexpected',
    message: 'not a valid json response from webhook',
  },
  {
    title: 'a refusal with code and extensions',
    answer: { status: 409, body: { message: 'sold out', code: 'sold-out', extensions: { left: 0 } } },
    status: 409,
    code: 'sold-out',
    message: 'sold out',
    extensions: { left: 0 },
  },
  {
    title: 'a refusal without code',
    answer: { status: 400, body: { message: 'no' } },
    status: 400,
    code: 'unexpected',
    message: 'no',
  },
  {
    title: 'a refusal without message',
    answer: { status: 404, body: { error: 'no' } },
    status: 400,
    code: 'parse-failed',
    message: `the key 'message' was not present`,
    internal: unexpected,
  },
  {
    title: 'a refusal whose message is no text',
    answer: { status: 404, body: { message: 1 } },
    status: 400,
    code: 'parse-failed',
    path: '$.message',
    message: 'parsing Text failed, expected String, but encountered Number',
    internal: unexpected,
  },
  {
    title: 'an error of the server',
    answer: { status: 502, body: { message: 'no' } },
    status: 500,
    code: 'unexpected',
    message: 'internal error',
    internal: 'expecting 2xx or 4xx status code, but found 502',
  },
  {
    title: 'a redirect, which is not followed',
    answer: { status: 302, headers: { location: 'http://127.0.0.1:1/' }, body: '' },
    status: 500,
    code: 'unexpected',
    message: 'internal error',
    internal: 'expecting 2xx or 4xx status code, but found 302',
  },
]

async function startHook(t: TestContext, answer: () => OtherAnswer): Promise<Shop> {
  const shop = await startShop(t, answer, { settings: { dialect: 'trellis' } })
  await shop.action('order', { type: 'query' })
  await shop.action('orders', { type: 'query', output_type: '[Order!]!' })
  return shop
}

test('invalid answers are refused', async (t) => {
  let answer: OtherAnswer = {}
  const shop = await startHook(t, () => answer)
  for (const each of cases) {
    await t.test(each.title, async () => {
      answer = each.answer
      const name = each.list ? 'orders' : 'order'
      const body = { query: `{ ${name} { id } }` }
      const { status, body: answered } = await shop.request<Refused>('/v1alpha1/graphql', { body })
      const [error, ...more] = answered.errors
      const { internal, ...extensions } = error!.extensions
      assert.deepEqual(more, [])
      assert.deepEqual([status, error!.message], [each.status, each.message])
      assert.deepEqual(extensions, { path: each.path ?? '$', code: each.code, ...each.extensions })
      if (each.internal !== undefined) assert.deepEqual((internal as { error: unknown }).error, each.internal)
      const usual = await shop.request<Refused>('/v1/graphql', { body })
      const { internal: _, ...same } = usual.body.errors[0]!.extensions
      assert.deepEqual([usual.status, usual.body.errors[0]!.message, same], [200, each.message, extensions])
    })
  }
})

test('unusual answers are accepted', async (t) => {
  let answer: OtherAnswer = {}
  const shop = await startHook(t, () => answer)
  const answered = async (body: unknown, name = 'order') => {
    answer = { body }
    return (await shop.graphql<{ data: unknown }>(`{ ${name} { id book { title } } }`)).data
  }
  assert.deepEqual(await answered('null'), { order: null })
  assert.deepEqual(await answered({ id: 1, tags: null }), { order: { id: 1, book: null } })
  assert.deepEqual(await answered([], 'orders'), { orders: [] })
  answer = { status: 201, body: { id: 2 } }
  assert.deepEqual((await shop.graphql<{ data: unknown }>('{ order { id } }')).data, { order: { id: 2 } })
})

test('only administrators see the internal details of a failed call', async (t) => {
  process.env['TEST_ACTION_SECRET'] = 's3cret'
  const shop = await startShop(t, () => ({
    status: 500,
    body: { why: 'x' },
    headers: { 'set-cookie': 'a=1', 'x-signature': 'a=1' },
  }))
  const headers = [{ name: 'X-Key', value_from_env: 'TEST_ACTION_SECRET' }]
  await shop.action('look', { type: 'query', headers, forward_client_headers: true })
  await shop.op('create_action_permission', { action: 'look', role: 'editor' })
  const client = { authorization: 'Bearer hush', 'x-auth': 'hush', 'x-jwt': 'hush', 'x-plain': 'p' }
  const { text, body } = await shop.request<Refused>('/v1/graphql', { body: { query: '{look{id}}' }, headers: client })
  const { request, response, error } = body.errors[0]!.extensions['internal'] as {
    request: { url: string; body: unknown; headers: { name: string }[] }
    response: { status: number; body: unknown; headers: { name: string }[] }
    error: string
  }
  assert.equal(error, 'expecting 2xx or 4xx status code, but found 500')
  assert.equal(request.url, `${shop.hook.url}/look`)
  assert.deepEqual(request.body, shop.bodies()[0])
  assert.deepEqual(request.headers[0], headers[0])
  assert.deepEqual(
    request.headers.filter(({ name }) => name === 'x-plain' || name === 'authorization'),
    [
      { name: 'authorization', value: '<redacted>' },
      { name: 'x-plain', value: 'p' },
    ],
  )
  assert.deepEqual([response.status, response.body], [500, { why: 'x' }])
  assert.doesNotMatch(text, /s3cret|hush|a=1/)
  const others = await shop.graphql('{look{id}}', {}, { role: 'editor' })
  assert.deepEqual(others, { errors: [{ extensions: { path: '$', code: 'unexpected' }, message: 'internal error' }] })
})

/** A server that sends any response. */
async function startOdd(t: TestContext, answer: (response: ServerResponse) => void): Promise<string> {
  const server = createServer((request, response) => {
    request.resume()
    request.on('end', () => answer(response))
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}

test('webhooks that do not answer are reported with a reason', async (t) => {
  process.env['TEST_NO_URL'] = 'no url at all'
  t.after(() => delete process.env['TEST_NO_URL'])
  const shop = await startShop(t, () => ({}))
  const megabyte = Buffer.alloc(2 ** 20, 'a')
  const odd: Record<string, string> = {
    closes: await startOdd(t, (response) => response.socket?.destroy()),
    breaks: await startOdd(t, (response) => {
      response.writeHead(200, { 'content-length': '100' })
      response.write('{"id":')
      setTimeout(() => response.socket?.destroy(), 20)
    }),
    hangs: await startOdd(t, () => {}),
    drips: await startOdd(t, (response) => {
      const timer = setInterval(() => response.write(' '), 200)
      response.once('close', () => clearInterval(timer))
    }),
    floods: await startOdd(t, (response) => {
      response.write('{"id":1,"note":"')
      const more = () => {
        while (!response.destroyed && response.write(megabyte));
      }
      response.on('drain', more)
      more()
    }),
    gone: 'http://127.0.0.1:1/',
    none: '{{TEST_NO_URL}}',
  }
  for (const [name, handler] of Object.entries(odd)) {
    await shop.action(name, { type: 'query', handler, timeout: 1 })
    const { status, body } = await shop.request<Refused>('/v1alpha1/graphql', { body: { query: `{ ${name} { id } }` } })
    const { path, code, internal } = body.errors[0]!.extensions
    const { error, response } = internal as { error: { type: string; message: string }; response: unknown }
    assert.deepEqual(
      [status, path, code, body.errors[0]!.message, error.type, response],
      [500, '$', 'unexpected', 'http exception when calling webhook', 'http_exception', null],
      name,
    )
  }
  assert.deepEqual(await shop.graphql('{ book_by_pk(id: 1) { title } }'), { data: { book_by_pk: { title: 'Dawn' } } })
})

test('a whole number may have a point', async (t) => {
  let id = '1.0'
  const shop = await startShop(t, () => ({ body: `{"id": ${id}}` }))
  await shop.action('look', { type: 'query' })
  for (id of ['1.0', '1e2', '-2147483648.0']) {
    const { status, text } = await shop.request('/v1/graphql', { body: { query: '{ look { id } }' } })
    assert.deepEqual([status, text], [200, `{"data":{"look":{"id":${Number(id)}}}}`])
  }
  for (id of ['1.5', '2147483648.0']) {
    const { body } = await shop.request<Refused>('/v1/graphql', { body: { query: '{ look { id } }' } })
    assert.equal(body.errors[0]!.message, 'expecting Int for field "id" in webhook response, but got Number')
  }
})

test('values are coerced to their types with any selection', async (t) => {
  let answer = ''
  const shop = await startShop(t, () => ({ body: answer }))
  await shop.op('set_custom_types', {
    objects: [
      {
        name: 'Found',
        fields: [
          { name: 'id', type: 'ID!' },
          { name: 'ids', type: '[ID]' },
          { name: 'share', type: 'Float' },
          { name: 'book_id', type: 'Int' },
          { name: 'number', type: 'bigint' },
        ],
        relationships: [{ name: 'book', type: 'object', remote_table: 'book', field_mapping: { book_id: 'id' } }],
      },
    ],
  })
  await shop.op('run_sql', { sql: 'create table counted (id bigint)' })
  await shop.op('track_table', 'counted')
  await shop.action('look', { type: 'query', output_type: 'Found' })
  await shop.action('looks', { type: 'query', output_type: '[Found!]!' })
  const object =
    '{"id":12345678901234567890,"ids":[1.0,"a",null,1e2],"share":1.50,"book_id":1.0,"number":12345678901234567890}'
  const coerced =
    '"id":"12345678901234567890","ids":["1","a",null,"100"],"share":1.50,"book_id":1,"number":12345678901234567890'
  const fields = 'id ids share book_id number'
  for (const [body, name, around] of [
    [object, 'look', (text: string) => text],
    [`[${object}]`, 'looks', (text: string) => `[${text}]`],
  ] as const) {
    answer = body
    const ask = async (query: string) => (await shop.request('/v1/graphql', { body: { query } })).text
    const alone = `{"data":{"${name}":${around(`{${coerced}}`)}}}`
    assert.equal(await ask(`{ ${name} { ${fields} } }`), alone)
    const related = `{"data":{"${name}":${around(`{${coerced},"book":{"title":"Dawn"}}`)}}}`
    assert.equal(await ask(`{ ${name} { ${fields} book { title } } }`), related)
  }
})

test('dialect hasura checks lists and objects, and leaves scalars to the webhook', async (t) => {
  let tags: unknown = [1]
  const shop = await startShop(t, () => ({ body: { id: '1', tags } }), { settings: { dialect: 'hasura' } })
  await shop.action('look', { type: 'query' })
  assert.deepEqual(await shop.graphql('{ look { id tags } }'), { data: { look: { id: '1', tags: [1] } } })
  for (const [given, kind] of [
    [{}, 'Object'],
    [[], 'Array'],
  ] as const) {
    tags = [given]
    const { status, body } = await shop.request<Refused>('/v1alpha1/graphql', { body: { query: '{ look { tags } }' } })
    const { path, code } = body.errors[0]!.extensions
    assert.deepEqual(
      [status, path, code, body.errors[0]!.message],
      [400, '$', 'unexpected', `expecting String for field "tags" in webhook response, but got ${kind}`],
    )
  }
})

/** Watches the turns of the event loop until `ends` is called, which returns the processor's milliseconds of the longest one. */
function watchTurns(): { ends(): number } {
  let [longest, last, isWatching] = [0, process.threadCpuUsage(), true]
  const turn = () => {
    const { user, system } = process.threadCpuUsage(last)
    longest = Math.max(longest, (user + system) / 1000)
    last = process.threadCpuUsage()
    if (isWatching) setImmediate(turn)
  }
  setImmediate(turn)
  return {
    ends() {
      isWatching = false
      return longest
    },
  }
}

test('a large answer is read in turns with other work', async (t) => {
  const lines = Array.from({ length: 200_000 }, (_, i) => ({ book_id: i, wrapping: 'PAPER' }))
  const answers = [
    '{"id":1}',
    JSON.stringify({ id: 2, lines }),
    JSON.stringify({ id: 3, lines: [...lines, { id: 1 }] }),
  ]
  const shop = await startShop(t, () => ({ body: answers.shift()! }))
  await shop.action('look', { type: 'query' })
  assert.deepEqual(await shop.graphql('{ look { id } }'), { data: { look: { id: 1 } } })
  const turns = watchTurns()
  assert.deepEqual(await shop.graphql('{ look { id } }'), { data: { look: { id: 2 } } })
  const longest = turns.ends()
  assert.ok(longest < 100, `${longest} ms`)
  const { body } = await shop.request<Refused>('/v1/graphql', { body: { query: '{ look { id } }' } })
  assert.equal(body.errors[0]!.message, 'unexpected fields in webhook response: id')
})
