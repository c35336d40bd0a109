// Subscriptions of remote servers over every transport.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { graphqlSseClient, graphqlWsClient, openApollo, openSocket, subscribeWith } from '../subscriptions/clients.ts'
import { startLibrary } from '../support/library.ts'
import type { TrellisOptions } from '../support/trellis.ts'
import { startTicking } from './ticking.ts'

type Ways = Parameters<typeof startTicking>[1]

async function start(
  t: Parameters<typeof startTicking>[0],
  ways: Ways,
  { definition = {}, options = {} }: { definition?: object; options?: TrellisOptions } = {},
) {
  const ticking = await startTicking(t, ways)
  const trellis = await startLibrary(t, options)
  await trellis.op('add_remote_schema', { name: 'clock', definition: { url: ticking.url, ...definition } })
  return { ticking, trellis }
}

const tick = (n: number) => ({ n, text: `tick ${n}`, by: { name: 'Ark', secret: 's' } })
const query = 'subscription ($of: String!) { ticks(of: $of) { n by { name } } }'
const answer = (n: number) => ({ data: { ticks: { n, by: { name: 'Ark' } } } })

for (const ways of [{ websocket: true }, { sse: true }] as const) {
  const name = 'sse' in ways ? 'server-sent events' : 'a WebSocket'
  test(`events of ${name} reach clients of all transports, and end with them`, async (t) => {
    const { ticking, trellis } = await start(t, ways)
    const clients = [graphqlWsClient(t, trellis.url), graphqlSseClient(t, trellis.url)]
    for (const client of clients) {
      const received = subscribeWith(client, query, { of: 'sun' })
      const listener = await ticking.next()
      assert.deepEqual({ ...listener.args }, { of: 'sun' })
      listener.send(tick(1))
      listener.send(tick(2))
      assert.deepEqual(await received.atLeast(2), [answer(1), answer(2)])
      listener.end()
      assert.equal((await received.atLeast(3))[2], 'complete')
    }
    const socket = await openApollo(t, trellis.url)
    socket.send({ type: 'start', id: 'a', payload: { query, variables: { of: 'moon' } } })
    const listener = await ticking.next()
    listener.send(tick(3))
    assert.deepEqual(await socket.next(), { type: 'data', id: 'a', payload: answer(3) })
    socket.send({ type: 'stop', id: 'a' })
    await listener.gone
  })

  test(`${name}: a lost connection, errors, and long numbers reach the client`, async (t) => {
    const { ticking, trellis } = await start(t, ways)
    const client = graphqlWsClient(t, trellis.url)
    const received = subscribeWith(client, query, { of: 'sun' })
    const listener = await ticking.next()
    listener.send({ n: 1, by: { name: null } })
    const [first] = (await received.atLeast(1)) as { data: object; errors: { message: string; path: unknown }[] }[]
    assert.deepEqual(first!.data, { ticks: { n: 1, by: null } })
    assert.deepEqual(first!.errors[0]!.path, ['ticks', 'by', 'name'])
    ticking.cut()
    const [, failure] = await received.atLeast(2)
    assert.deepEqual(failure, {
      error: [{ message: 'ConnectionFailure', extensions: { path: '$.selectionSet.ticks', code: 'unexpected' } }],
    })
    const socket = await openSocket(t, trellis.url, { protocol: 'graphql-transport-ws' })
    socket.send({ type: 'connection_init' })
    await socket.next()
    let text = ''
    socket.socket.on('message', (data) => {
      text = String(data)
    })
    socket.send({ type: 'subscribe', id: 'a', payload: { query: 'subscription { sizes }' } })
    const sizes = await ticking.next()
    sizes.send(JSON.rawJSON('12345678901234567890.50'))
    await socket.next()
    assert.equal(text, '{"type":"next","id":"a","payload":{"data":{"sizes":12345678901234567890.50}}}')
  })
}

test('configured headers, session variables, and forwarded headers are sent', async (t) => {
  const headers = [{ name: 'x-api-key', value: 'key' }]
  const { ticking, trellis } = await start(
    t,
    { websocket: true },
    { definition: { headers, forward_client_headers: true } },
  )
  const client = graphqlWsClient(t, trellis.url, {
    connectionParams: {
      headers: { 'x-service-role': 'admin', 'x-service-user-id': '7', 'x-own': 'Ö', origin: 'evil' },
    },
  })
  subscribeWith(client, query, { of: 'sun' })
  const { headers: upgrade, payload } = await ticking.next()
  const { 'x-api-key': key, 'x-service-role': role, 'x-service-user-id': user } = upgrade
  assert.deepEqual([key, role, user, upgrade.origin], ['key', 'admin', '7', undefined])
  const { 'x-request-id': id, ...sent } = (payload as { headers: Record<string, string> }).headers
  assert.match(String(id), /^[0-9a-f-]{36}$/)
  assert.deepEqual(sent, { 'x-own': 'Ö', 'x-service-role': 'admin', 'x-service-user-id': '7', 'x-api-key': 'key' })
})

test('customized names, permissions, and presets apply to events', async (t) => {
  const customization = {
    root_fields_namespace: 'clock',
    type_names: { prefix: 'Clock_' },
    field_names: [{ parent_type: 'Team', mapping: { name: 'title' } }],
  }
  const definition = { customization }
  const options = { settings: { enableRemoteSchemaPermissions: true } }
  const { ticking, trellis } = await start(t, { sse: true }, { definition, options })
  const schema = `type Query { now: Int } type Subscription { ticks(of: String! = "clock" team: String @preset(value: "x-service-team")): Tick }
    type Tick { n: Int! text: String! by: Team } type Team { name: String! }`
  await trellis.op('add_remote_schema_permissions', { remote_schema: 'clock', role: 'clerk', definition: { schema } })
  const client = graphqlWsClient(t, trellis.url, {
    connectionParams: { headers: { 'x-service-role': 'clerk', 'x-service-team': 'Ark' } },
  })
  const text = 'subscription { clock { ticks { __typename n by { title } } } }'
  const received = subscribeWith(client, text)
  const listener = await ticking.next()
  assert.deepEqual({ ...listener.args }, { of: 'clock', team: 'Ark' })
  listener.send(tick(1))
  const shown = { clock: { ticks: { __typename: 'Clock_Tick', n: 1, by: { title: 'Ark' } } } }
  assert.deepEqual(await received.atLeast(1), [{ data: shown }])
  listener.send({ n: 'x', by: null })
  const [, wrong] = (await received.atLeast(2)) as { data: unknown; errors: { path: unknown }[] }[]
  assert.deepEqual([wrong!.data, wrong!.errors.length], [{ clock: { ticks: null } }, 1])
  for (const refused of [text.replace('title', 'secret'), 'subscription { clock { sizes } }']) {
    const [failure] = (await subscribeWith(client, refused).atLeast(1)) as {
      error: { extensions: { code: string } }[]
    }[]
    assert.equal(failure!.error[0]!.extensions.code, 'validation-failed')
  }
  const several = await subscribeWith(client, 'subscription { clock { a: ticks { n } b: ticks { n } } }').atLeast(1)
  assert.deepEqual(several, [
    {
      error: [
        {
          message: 'subscriptions must select one top level field',
          extensions: { path: '$.selectionSet.clock', code: 'validation-failed' },
        },
      ],
    },
  ])
})

test('a change of the metadata keeps, restarts, or ends a subscription', async (t) => {
  const options = { settings: { enableRemoteSchemaPermissions: true } }
  const { ticking, trellis } = await start(t, { websocket: true }, { options })
  const schema =
    'type Query { now: Int } type Subscription { ticks(of: String! = "clock"): Tick } type Tick { n: Int! }'
  const permission = { remote_schema: 'clock', role: 'clerk' }
  await trellis.op('add_remote_schema_permissions', { ...permission, definition: { schema } })
  const client = graphqlWsClient(t, trellis.url, { connectionParams: { headers: { 'x-service-role': 'clerk' } } })
  const received = subscribeWith(client, 'subscription { ticks { n } }')
  const first = await ticking.next()
  await trellis.op('untrack_table', { table: 'publisher', cascade: true })
  first.send(tick(1))
  assert.deepEqual(await received.atLeast(1), [{ data: { ticks: { n: 1 } } }])
  const definition = { url: ticking.url, headers: [{ name: 'x-new', value: '1' }] }
  await trellis.op('update_remote_schema', { name: 'clock', definition })
  first.send(tick(2))
  const second = await ticking.next()
  await first.gone
  assert.equal(second.headers['x-new'], '1')
  second.send(tick(3))
  assert.deepEqual((await received.atLeast(2))[1], { data: { ticks: { n: 3 } } })
  await trellis.op('drop_remote_schema_permissions', permission)
  second.send(tick(4))
  await second.gone
  const [, , failure] = (await received.atLeast(3)) as { error: { message: string }[] }[]
  assert.equal(failure!.error[0]!.message, `field "ticks" not found in type: 'subscription_root'`)
  assert.equal(received.items.length, 3)
})

test('servers that do not serve subscriptions, are unreachable, or are forbidden are errors', async (t) => {
  const { ticking, trellis } = await start(t, {})
  const refused = async (url: string, definition: object) => {
    await trellis.op('update_remote_schema', { name: 'clock', definition: { url: ticking.url, ...definition } })
    const client = graphqlWsClient(t, url)
    const [first] = await subscribeWith(client, 'subscription { ticks { n } }').atLeast(1)
    return first
  }
  const failure = (message: string) => ({
    error: [{ message, extensions: { path: '$.selectionSet.ticks', code: 'unexpected' } }],
  })
  const said = { errors: [{ message: 'subscribe elsewhere' }] }
  assert.deepEqual(await refused(trellis.url, {}), said)
  const none = failure('the remote server serves no subscriptions')
  assert.deepEqual(await refused(trellis.url, { subscription_transport: 'websocket' }), none)
  for (const subscription_transport of ['sse', 'websocket']) {
    const definition = { subscription_transport, subscription_url: 'ws://127.0.0.1:1/graphql' }
    assert.deepEqual(await refused(trellis.url, definition), failure('ConnectionFailure'))
  }
  const kept = await trellis.op<{ remote_schemas: { definition: object }[] }>('export_metadata', {})
  assert.deepEqual(kept.remote_schemas[0]!.definition, {
    ...{ url: ticking.url, subscription_transport: 'websocket', subscription_url: 'ws://127.0.0.1:1/graphql' },
  })
  for (const [key, value, message] of [
    ['subscription_transport', 'pigeon', /expected one of 'websocket', 'sse'/],
    ['subscription_url', 'ftp://x', /not a valid URI/],
  ] as const) {
    const definition = { url: ticking.url, [key]: value }
    const { body } = await trellis.opError('update_remote_schema', { name: 'clock', definition })
    assert.equal((body as { code: string }).code, 'parse-failed')
    assert.match((body as { error: string }).error, message)
  }
})

test('a client that does not read pauses its source, and loses no events', async (t) => {
  for (const ways of [{ websocket: true }, { sse: true }]) {
    const { trellis } = await start(t, ways)
    const socket = await openApollo(t, trellis.url)
    socket.socket.pause()
    const before = process.memoryUsage().arrayBuffers
    const count = 2000
    socket.send({ type: 'start', id: 'a', payload: { query: `subscription { many(count: ${count}) }` } })
    await new Promise((resolve) => setTimeout(resolve, 500))
    const kept = process.memoryUsage().arrayBuffers - before
    assert.ok(kept < 25_000_000, `${kept} bytes`)
    socket.socket.resume()
    const messages = await socket.messages.until((all) => all.some(({ type }) => type === 'complete'))
    assert.equal(messages.filter(({ type }) => type === 'data').length, count)
  }
})
