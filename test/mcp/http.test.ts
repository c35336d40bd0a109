import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js'
import { toolStreams } from '../../plugins/mcp/streams.ts'
import { startLibrary } from '../support/library.ts'
import { eventually } from '../support/waiting.ts'
import { mcpClient } from './clients.ts'

const enabledApis = ['metadata', 'graphql', 'mcp']
const headers = { 'x-service-role': 'reader', accept: 'application/json, text/event-stream' }
const message = { jsonrpc: '2.0', id: 1, method: 'tools/list' }

const failure = (code: number, text: string, data: object) => ({
  jsonrpc: '2.0',
  id: null,
  error: { code, message: text, data },
})

test('MCP over HTTP', async (t) => {
  const library = await startLibrary(t, { settings: { enabledApis, corsDomain: ['https://tools.example', '*'] } })
  const permission = { columns: ['id', 'title'], filter: {} }
  await library.op('create_select_permission', { table: 'book', role: 'reader', permission })
  const post = (body: unknown, more: Record<string, string> = {}) =>
    library.request('/v1/mcp', { method: 'POST', body, headers: { ...headers, ...more } })

  await t.test('a message needs no session', async () => {
    const { status, body, headers } = await post(message)
    assert.equal(status, 200)
    assert.match(headers.get('content-type')!, /^application\/json/)
    assert.equal(headers.get('mcp-session-id'), null)
    assert.ok(Array.isArray(Object(body).result.tools))
    const notice = await post({ jsonrpc: '2.0', method: 'notifications/initialized' })
    assert.deepEqual([notice.status, notice.text], [202, ''])
    assert.equal((await post(message, { 'mcp-protocol-version': '1999-01-01' })).status, 400)
  })

  await t.test('errors before any tool are those of JSON-RPC', async () => {
    const batch = await post([message])
    const onlyOne = failure(-32_600, 'a batch is not taken: send one message', { path: '$', code: 'bad-request' })
    assert.deepEqual([batch.status, batch.body], [400, onlyOne])
    const broken = await post('{')
    assert.deepEqual([broken.status, Object(broken.body).error.code], [400, -32_700])
    assert.equal((await post({ jsonrpc: '2.0', id: {} })).status, 400)
    assert.equal((await post({ ...message, method: 'resources/list' })).status, 200)
    const large = await post({ ...message, params: { cursor: 'x'.repeat(1_048_576) } })
    assert.deepEqual([large.status, Object(large.body).error.message], [413, 'a message has at most 1048576 bytes'])
    assert.equal((await post(message, { accept: 'application/json' })).status, 406)
    assert.equal((await library.request('/v1/mcp', { headers: { ...headers, accept: '*/*' } })).status, 406)
    assert.equal((await library.request('/v1/mcp', { method: 'HEAD', headers })).status, 406)
  })

  await t.test('names of JavaScript are not names of tools', async () => {
    const { body } = await post({ ...message, method: 'tools/call', params: { name: '__proto__', arguments: {} } })
    assert.deepEqual(Object(body).error.data, { code: 'not-exists' })
  })

  await t.test('web pages of other origins are refused', async () => {
    const { host } = new URL(library.url)
    for (const origin of ['https://evil.example', 'null', `https://${host}.evil.example`]) {
      const { status, body } = await post(message, { origin })
      assert.deepEqual([status, Object(body).code ?? Object(body).error.data.code], [403, 'access-denied'], origin)
    }
    assert.equal((await post(message, { origin: `http://${host}` })).status, 200)
    assert.equal((await post(message, { origin: 'https://tools.example' })).status, 200)
  })

  await t.test('clients learn of changed tools, and only of those', async (t) => {
    const reader = await mcpClient(t, library.url)
    const before = await reader.names()
    let notices = 0
    reader.client.setNotificationHandler(ToolListChangedNotificationSchema, () => void notices++)
    // The client opens its stream in the background.
    await eventually(() => library.engine.use(toolStreams).count > 0)
    const definition = { queries: [{ name: 'titles', query: '{ book { title } }' }] }
    await library.op('create_query_collection', { name: 'books', definition })
    await library.op('add_collection_to_allowlist', { collection: 'books' })
    await eventually(() => notices > 0)
    assert.deepEqual([...(await reader.names())].sort(), [...before, 'books_titles'].sort())
  })

  await t.test('a session has a limited number of streams, and stopping ends them', async () => {
    await eventually(() => library.engine.use(toolStreams).count === 0)
    const open = () => fetch(`${library.url}/v1/mcp`, { headers: { ...headers, accept: 'text/event-stream' } })
    const streams = await Promise.all(Array.from({ length: 11 }, open))
    const statuses = streams.map(({ status }) => status).sort()
    assert.equal(statuses.at(-1), 503)
    assert.equal(statuses.filter((status) => status === 200).length, 10)
    const ends = streams.filter(({ status }) => status === 200).map((each) => each.text())
    await library.engine.close()
    for (const text of await Promise.all(ends)) assert.match(text, /^:\n\n/)
  })
})

test('the SDK is loaded with the first message, not with the server', () => {
  const cwd = join(import.meta.dirname, '../..')
  const importing = (pattern: string, statement: RegExp) =>
    globSync(pattern, { cwd }).filter((file) => statement.test(readFileSync(join(cwd, file), 'utf8')))
  const sources = '{bin,core,plugins,process,sdk}/**/*.ts'
  assert.deepEqual(importing(sources, /from '@modelcontextprotocol/), [join('plugins', 'mcp', 'protocol.ts')])
  assert.deepEqual(importing(sources, /from '.*mcp\/(?:start|protocol)\.ts'/), [])
  assert.deepEqual(importing('plugins/mcp/*.ts', /from '\.\/(?:start|protocol)\.ts'/), [])
})
