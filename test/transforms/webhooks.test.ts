// Transforms of requests and responses, seen by the webhooks of actions, event triggers and cron triggers.

import assert from 'node:assert/strict'
import { before, type TestContext, test } from 'node:test'
import { type Shop, startShop } from '../actions/shop.ts'
import type { OtherAnswer } from '../auth/other-server.ts'
import { eventually } from '../support/waiting.ts'

let shop: Shop
let answer: OtherAnswer = {}

before(async (t) => {
  shop = await startShop(t as TestContext, () => answer)
  await shop.sql('create table note (id int primary key, text text)')
  await shop.op('track_table', 'note')
})

const last = () => shop.hook.received.at(-1)!

const order = (name: string, query = `mutation { ${name} { id tags } }`) =>
  shop.graphql(query, {}, { headers: { 'x-service-user-id': 'u7' } })

test('an action sends the request that its transform makes', async () => {
  answer = { body: { id: 1 } }
  const request_transform = {
    version: 2,
    template_engine: 'Kriti',
    method: 'PUT',
    url: '{{$base_url}}/users/{{$body.input.line.book_id}}',
    query_params: {
      who: `{{$session_variables['x-service-user-id']}}`,
      none: '{{$body.input?.none ?? null}}',
      to: 'a b',
    },
    body: {
      action: 'transform',
      template:
        '{"line": {{$body.input.line}}, "big": 12345678901234567890, "me": {{getSessionVariable "X-Service-User-Id"}}}',
    },
    request_headers: { add_headers: { ' X-Name ': 'ä{{$body.action.name}}' }, remove_headers: ['X-Old '] },
  }
  const line = { name: 'line', type: 'LineInput!' }
  await shop.action('send', {
    arguments: [line],
    headers: [
      { name: 'X-Old', value: '1' },
      { name: 'X-Kept', value: '2' },
    ],
    request_transform,
  })
  const sent = await order('send', 'mutation { send(line: {book_id: 3}) { id } }')
  assert.deepEqual(sent, { data: { send: { id: 1 } } })
  const { method, path, body, headers } = last()
  assert.equal(method, 'PUT')
  assert.equal(path, '/send/users/3?who=u7&to=a+b')
  assert.equal(body, '{"line":{"book_id":3},"big":12345678901234567890,"me":"u7"}')
  assert.equal(Buffer.from(String(headers['x-name']), 'latin1').toString(), 'äsend')
  assert.deepEqual([headers['x-old'], headers['x-kept']], [undefined, '2'])
  assert.equal(headers['content-type'], 'application/json')
  const { actions } = await shop.op<{ actions: { name: string; definition: object }[] }>('export_metadata', {})
  const { definition } = actions.find(({ name }) => name === 'send')!
  assert.deepEqual({ ...definition, request_transform }, definition)
})

test('a body can be a form, or none', async () => {
  answer = { body: { id: 1 } }
  const form_template = { id: '{{$body.input.id}}', name: 'a&b', none: '{{null}}' }
  const argument = [{ name: 'id', type: 'Int!' }]
  const form = { version: 2, body: { action: 'x_www_form_urlencoded', form_template } }
  await shop.action('form', { arguments: argument, request_transform: form })
  await order('form', 'mutation { form(id: 5) { id } }')
  assert.deepEqual(
    [last().body, last().headers['content-type']],
    ['id=5&name=a%26b', 'application/x-www-form-urlencoded'],
  )
  await shop.action('removed', { request_transform: { version: 2, method: 'GET', body: { action: 'remove' } } })
  await order('removed')
  assert.deepEqual([last().method, last().body, last().headers['content-type']], ['GET', '', undefined])
  await shop.action('version1', { request_transform: { body: '{{$body.action}}' } })
  await order('version1')
  assert.equal(last().body, '{"name":"version1"}')
})

test('an answer is read as its transform makes it', async () => {
  answer = { body: { results: [{ n: 1, t: ['x'] }] } }
  const template =
    '{"id": {{$body.results[0].n}}, "tags": {{ concat([$body.results[0].t, [$request.body.action.name]]) }}}'
  await shop.action('read', { response_transform: { version: 2, body: { action: 'transform', template } } })
  assert.deepEqual(await order('read'), { data: { read: { id: 1, tags: ['x', 'read'] } } })
  answer = { status: 400, body: { why: 'sold out' } }
  const refusal = '{"message": {{ if $response.status == 400 }} {{$body.why}} {{ else }} "?" {{ end }}}'
  await shop.action('refuse', { response_transform: { version: 2, body: { action: 'transform', template: refusal } } })
  const { errors } = (await order('refuse')) as unknown as { errors: { message: string }[] }
  assert.equal(errors[0]?.message, 'sold out')
})

test('a template without a value fails the action, and administrators see the reason', async () => {
  await shop.action('broken', { request_transform: { version: 2, url: '{{$base_url}}/{{$body.nope}}' } })
  const count = shop.hook.received.length
  const { errors } = (await order('broken')) as unknown as {
    errors: { message: string; extensions: { code: string; internal: { error: unknown } } }[]
  }
  assert.equal(errors[0]?.message, 'the request transform failed')
  assert.equal(errors[0]?.extensions.code, 'unexpected')
  assert.deepEqual(errors[0]?.extensions.internal.error, {
    type: 'transform',
    errors: [
      {
        error_code: 'Invalid Path',
        source_position: { start_line: 1, start_column: 17, end_line: 1, end_column: 26 },
        message: '"$body.nope" does not exist.',
      },
    ],
  })
  assert.equal(shop.hook.received.length, count)
  answer = { body: {} }
  await shop.action('unread', {
    response_transform: { version: 2, body: { action: 'transform', template: '{{$body.id}}' } },
  })
  const refused = (await order('unread')) as unknown as { errors: { message: string }[] }
  assert.equal(refused.errors[0]?.message, 'the response transform failed')
})

test('no text of a client ends a header, or the head of a request', async () => {
  answer = { body: { id: 1 } }
  const text = '{{$body.input.text}}'
  const places: Readonly<Record<string, object>> = {
    header: { request_headers: { add_headers: { 'x-text': text } } },
    type: { request_headers: { add_headers: { 'content-type': text } } },
    host: { request_headers: { add_headers: { host: text } } },
    url: { url: `{{$base_url}}/${text}` },
    query: { query_params: text },
  }
  for (const [name, request_transform] of Object.entries(places)) {
    await shop.action(name, { arguments: [{ name: 'text', type: 'String!' }], request_transform })
    for (const end of ['\r\n', '\n', '\r', '\0', 'č\u010a']) {
      const count = shop.hook.received.length
      await shop.graphql(`mutation ($text: String!) { ${name}(text: $text) { id } }`, {
        text: `a HTTP/1.1${end}x-more: 1${end}${end}b`,
      })
      const sent = shop.hook.received.slice(count)
      assert.ok(sent.length <= 1 && sent.every(({ headers }) => headers['x-more'] === undefined), `${name} ${end}`)
      assert.ok(sent.every(({ method, path }) => method === 'POST' && path.startsWith(`/${name}`)))
    }
  }
})

test('long answers are transformed too, and refused when they are not JSON', async () => {
  const rows = Array.from({ length: 20_000 }, (_, n) => ({ n, name: `row ${n}` }))
  const template = '{"id": {{ size $body.rows }}, "tags": [{{ $body.rows[19999].name }}]}'
  await shop.action('long', { response_transform: { version: 2, body: { action: 'transform', template } } })
  answer = { body: { rows } }
  assert.deepEqual(await order('long'), { data: { long: { id: 20_000, tags: ['row 19999'] } } })
  answer = { body: `${JSON.stringify({ rows })}]` }
  const { errors } = (await order('long')) as unknown as { errors: { message: string }[] }
  assert.equal(errors[0]?.message, 'not a valid json response from webhook')
})

test('headers that the action ignores are not forwarded', async () => {
  answer = { body: { id: 1 } }
  await shop.action('forward', { forward_client_headers: true, ignored_client_headers: ['X-Secret'] })
  await shop.graphql('mutation { forward { id } }', {}, { headers: { 'x-secret': '1', 'x-open': '2' } })
  assert.deepEqual([last().headers['x-secret'], last().headers['x-open']], [undefined, '2'])
})

test('an event trigger sends and logs the transformed request', async () => {
  answer = { body: { text: 'ok' } }
  const trigger = {
    name: 'noted',
    table: 'note',
    insert: { columns: '*' },
    webhook: `${shop.hook.url}/noted`,
    headers: [{ name: 'Authorization', value: 'secret' }],
    request_transform: {
      version: 2,
      method: 'PATCH',
      url: '{{$base_url}}/{{$body.event.data.new.id}}',
      body: {
        action: 'transform',
        template: '{"t": {{$body.event.data.new.text}}, "u": {{$session_variables["x-service-user-id"]}}}',
      },
      request_headers: { add_headers: { 'x-op': '{{$body.event.op}}' } },
    },
    response_transform: { version: 2, body: { action: 'transform', template: '{{$body.text}}' } },
  }
  await shop.op('create_event_trigger', trigger)
  await order('', 'mutation { insert_note_one(object: {id: 1, text: "x"}) { id } }')
  const logged = await eventually(async () => {
    const rows = await shop.sql<{
      request: { payload: object; headers: object[] }
      response: { data: { body: string } }
    }>('select request, response from trellis.event_invocation_logs')
    return rows.length === 1 && rows[0]!
  })
  assert.deepEqual([last().method, last().path, last().body], ['PATCH', '/noted/1', '{"t":"x","u":"u7"}'])
  assert.equal(last().headers['x-op'], 'INSERT')
  assert.deepEqual(logged.request.payload, { t: 'x', u: 'u7' })
  assert.equal(logged.response.data.body, '"ok"')
  assert.ok(!JSON.stringify(logged).includes('secret'))
  await shop.op('create_event_trigger', {
    ...trigger,
    replace: true,
    retry_conf: { num_retries: 0 },
    request_transform: { version: 2, url: '{{$body.nope}}' },
  })
  await order('', 'mutation { insert_note_one(object: {id: 2}) { id } }')
  const failed = await eventually(async () => {
    const rows = await shop.sql<{ status: number; response: { data: { message: string } } }>(
      'select status, response from trellis.event_invocation_logs where status <> 200',
    )
    return rows.length === 1 && rows[0]!
  })
  assert.equal(failed.response.data.message, 'the request transform failed: "$body.nope" does not exist.')
  assert.equal(failed.status, 500)
  await shop.op('delete_event_trigger', { name: 'noted' })
})

test('a cron trigger sends the transformed request', async () => {
  answer = { body: {} }
  const every = { name: 'tick', webhook: `${shop.hook.url}/tick`, schedule: '* * * * *', include_in_metadata: true }
  const request_transform = { version: 2, body: { action: 'transform', template: '{"p": {{$body.payload.n}}}' } }
  await shop.op('create_cron_trigger', { ...every, payload: { n: 4 }, request_transform })
  const { cron_triggers } = await shop.op<{ cron_triggers: object[] }>('export_metadata', {})
  assert.deepEqual(cron_triggers, [{ ...every, payload: { n: 4 }, request_transform }])
  await shop.sql(`insert into trellis.hdb_cron_events (trigger_name, scheduled_time) values ('tick', now());
    notify trellis_delivery, 'cron'`)
  await eventually(() => shop.hook.received.some(({ path, body }) => path === '/tick' && body === '{"p":4}'))
  await shop.op('delete_cron_trigger', { name: 'tick' })
})

const testTransform = (args: object) => shop.op<Record<string, unknown>>('test_webhook_transform', args)

test('test_webhook_transform shows the request without sending it', async () => {
  const request_transform = {
    version: 2,
    url: '{{$base_url}}/u',
    query_params: { q: '{{$body.a}}' },
    body: { action: 'transform', template: '{"me": {{getSessionVariable "x-service-user-id"}}}' },
    request_headers: { add_headers: { 'x-a': '1' } },
  }
  const given = {
    webhook_url: 'http://{{HOST}}',
    env: { HOST: 'shop.test' },
    body: { a: 1 },
    session_variables: { 'x-service-user-id': 'u1' },
  }
  assert.deepEqual(await testTransform({ ...given, request_transform }), {
    webhook_url: 'http://shop.test/u?q=1',
    method: 'GET',
    headers: [['x-a', '1']],
    body: { me: 'u1' },
  })
  const form = { version: 2, body: { action: 'x_www_form_urlencoded', form_template: { a: '1', b: '{{$body.a}}' } } }
  assert.equal((await testTransform({ ...given, request_transform: form }))['body'], 'a=1&b=1')
  const removed = { version: 2, method: 'POST', body: { action: 'remove' } }
  const shown = await testTransform({ ...given, request_transform: removed })
  assert.deepEqual([shown['method'], shown['body']], ['POST', null])
  const failing = { body: '{{$body.b}}' }
  assert.deepEqual((await testTransform({ ...given, request_transform: failing }))['body'], [
    {
      error_code: 'Invalid Path',
      source_position: { start_line: 1, start_column: 3, end_line: 1, end_column: 9 },
      message: '"$body.b" does not exist.',
    },
  ])
})

const refusals: readonly (readonly [title: string, args: object, path: string, error: string])[] = [
  [
    'a template that cannot be parsed',
    { request_transform: { version: 2, body: { action: 'transform', template: '$body.a' } } },
    '$.request_transform.body.template',
    `Unexpected token '$body'.`,
  ],
  [
    'a url that cannot be parsed',
    { request_transform: { url: '{{ x' } },
    '$.request_transform.url',
    'Unexpected end of the template.',
  ],
  [
    'a header that cannot be parsed',
    { request_transform: { request_headers: { add_headers: { a: '{{' } } } },
    '$.request_transform.request_headers.add_headers.a',
    'Unexpected end of the template.',
  ],
  [
    'a header name that cannot be sent',
    { request_transform: { request_headers: { add_headers: { 'x-a\r\nx-b': '1' } } } },
    "$.request_transform.request_headers.add_headers['x-a\r\nx-b']",
    '"x-a\\r\\nx-b" is not a valid header name',
  ],
  [
    'a content type of several lines',
    { request_transform: { content_type: 'text/plain\r\nx-b: 1' } },
    '$.request_transform.content_type',
    'a content type must be a single line of ASCII',
  ],
  [
    'a body without its template',
    { request_transform: { version: 2, body: { action: 'transform' } } },
    '$.request_transform.body',
    'key "template" not found',
  ],
  [
    'a template that is not used',
    { request_transform: { version: 2, body: { action: 'remove', template: '1' } } },
    '$.request_transform.body.template',
    'a body with the action "remove" has no "template"',
  ],
  [
    'an unknown engine',
    { request_transform: { template_engine: 'Go' } },
    '$.request_transform.template_engine',
    `Expected 'Kriti'`,
  ],
  ['an unknown key', { request_transform: { verb: 'GET' } }, '$.request_transform.verb', 'unexpected key "verb"'],
  [
    'a form in a response',
    { response_transform: { version: 2, body: { action: 'x_www_form_urlencoded' } } },
    '$.response_transform.body.action',
    `expected one of 'transform', 'remove'`,
  ],
]

for (const [title, args, path, error] of refusals) {
  test(`refused: ${title}`, async () => {
    const { actions: before } = await shop.op<{ actions: unknown }>('export_metadata', {})
    const asked = { webhook_url: 'http://a', body: null, ...args }
    const definition = { handler: 'http://a', output_type: 'Order', ...args }
    const tried = await shop.opError('test_webhook_transform', asked)
    const made = await shop.opError('create_action', { name: 'refused', definition })
    assert.deepEqual([tried.status, tried.body], [400, { path, error, code: 'parse-failed' }])
    assert.deepEqual(
      [made.status, made.body],
      [400, { path: path.replace('$', '$.definition'), error, code: 'parse-failed' }],
    )
    const { actions: after } = await shop.op<{ actions: unknown }>('export_metadata', {})
    assert.deepEqual(after, before)
  })
}
