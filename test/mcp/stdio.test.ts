import assert from 'node:assert/strict'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { test } from 'node:test'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js'
import { main } from '../../cli/index.ts'
import { builtInPlugins } from '../../plugins/index.ts'
import { toolStreams } from '../../plugins/mcp/streams.ts'
import { startLibrary } from '../support/library.ts'
import { eventually } from '../support/waiting.ts'
import { connected } from './clients.ts'

const program = join(import.meta.dirname, '../../bin/start.js')

const titles = {
  type: 'create_query_collection',
  args: {
    name: 'books',
    definition: { queries: [{ name: 'titles', query: '{ book(order_by: { id: asc }) { title } }' }] },
  },
}
const dawn = { data: { book: [{ title: 'Dawn' }, { title: 'Ebb' }, { title: 'Fog' }] } }

/** Runs `trellis mcp` in this process; its client is at the other end of the streams. */
function mcpCommand(line: string, env: Readonly<Record<string, string>> = {}) {
  const [input, output] = [new PassThrough(), new PassThrough()]
  let err = ''
  const code = main(['mcp', ...line.split(' ')], {
    cwd: import.meta.dirname,
    env,
    isTerminal: false,
    stdout: () => {},
    stderr: (text) => {
      err += text
    },
    confirm: async () => false,
    streams: () => ({ input, output }),
    plugins: async () => builtInPlugins,
  })
  const ended = code.then((exit) => ({ exit, err }))
  return { ended, end: () => input.end(), transport: new StdioServerTransport(output, input) as Transport }
}

test('trellis mcp', async (t) => {
  const library = await startLibrary(t, { settings: { enabledApis: ['metadata', 'graphql', 'mcp'], callerShare: 100 } })
  const permission = { columns: ['id', 'title'], filter: { id: { _lte: 'x-service-most' } } }
  const open = { columns: ['id', 'title'], filter: {} }
  await library.op('bulk', [
    { type: 'create_select_permission', args: { table: 'book', role: 'reader', permission: open } },
    { type: 'create_select_permission', args: { table: 'book', role: 'guest', permission } },
    titles,
  ])
  const allow = { type: 'add_collection_to_allowlist', args: { collection: 'books' } }

  await t.test('a client starts it for a server', async (t) => {
    const args = [program, 'mcp', '--role', 'reader', '--endpoint', library.url]
    const transport = new StdioClientTransport({ command: process.execPath, args, stderr: 'ignore' })
    const { client, names, call } = await connected(t, transport)
    let notices = 0
    client.setNotificationHandler(ToolListChangedNotificationSchema, () => void notices++)
    assert.ok(!(await names()).includes('books_titles'))
    await eventually(() => library.engine.use(toolStreams).count > 0)
    await library.op(allow.type, allow.args)
    await eventually(() => notices > 0)
    assert.deepEqual(await call('books_titles'), { isError: false, body: dawn })
    await assert.rejects(call('other'), { code: -32_602, data: { code: 'not-exists' } })
  })

  await t.test('it runs an engine over a database, with the session of its flags', async (t) => {
    const url = library.database.url
    const command = mcpCommand(`--database-url ${url} --role guest --session {"x-service-most":"1"} --free-queries`)
    const early = command.ended.then(({ err }) => assert.fail(err))
    const { names, call } = await Promise.race([connected(t, command.transport), early])
    early.catch(() => {})
    assert.ok((await names()).includes('run_query'))
    assert.deepEqual((await call('books_titles')).body, { data: { book: [{ title: 'Dawn' }] } })
    command.end()
    const { exit, err } = await command.ended
    assert.equal(exit, 0, err)
    assert.match(err, /^on postgres:/)
    assert.ok(!err.includes(new URL(url).password || '\0'))
  })

  await t.test('it refuses a caller before the first message', async () => {
    const refused = async (line: string, env?: Readonly<Record<string, string>>) => {
      const { exit, err } = await mcpCommand(line, env).ended
      return [exit, err.replace(/^on .*\n/, '')]
    }
    const server = `--endpoint ${library.url}`
    assert.deepEqual(await refused(`${server} --role admin`), [
      1,
      'Error: the server refuses the caller: the role admin gets no tools: name another role in x-service-role, or start the server with --mcp-allow-admin\n',
    ])
    const closed = 'Error: the server has no API mcp: start it with --enabled-apis metadata,graphql,mcp\n'
    assert.deepEqual(await refused(`${server}/elsewhere --role reader`), [1, closed])
    const needed = 'Error: mcp needs --role ROLE, or a token: --token-file FILE, or SERVICE_GRAPHQL_TOKEN\n'
    assert.deepEqual(await refused(server), [2, needed])
    assert.equal((await refused('--endpoint http://127.0.0.1:1 --role reader'))[0], 5)
    const token = { SERVICE_GRAPHQL_TOKEN: 'x' }
    assert.equal((await refused('--database-url postgres://localhost/x', token))[0], 2)
    assert.equal((await refused(`${server} --role reader --session {"user":"1"}`))[0], 2)
    assert.equal((await refused(`${server} --role reader --mutations`))[0], 2)
  })
})
