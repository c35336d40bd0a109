import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, readdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { atEnd } from '../support/cleanup.ts'
import { testDatabase } from '../support/database.ts'
import { embeddedPid, serverCommand, spawnTrellis, temporaryDirectory } from '../support/process.ts'

/** Starts, and expects one line on stderr and exit code 1. */
async function refusedStart(t: test.TestContext, args: readonly string[], env: Record<string, string> = {}) {
  const cwd = temporaryDirectory(t)
  const { code, stderr } = await spawnTrellis(t, args, env, { cwd }).ended
  assert.equal(code, 1, stderr)
  assert.match(stderr, /^[^\n]+\n$/)
  return { line: stderr.trim(), cwd }
}

async function takenPort(t: test.TestContext): Promise<number> {
  const server = createServer()
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  atEnd(t, () => server.close())
  return (server.address() as { port: number }).port
}

test('a port in use ends the start, and the database that was started for it', async (t) => {
  const port = await takenPort(t)
  const { line, cwd } = await refusedStart(t, ['--server-host', '127.0.0.1', '--server-port', String(port)])
  assert.match(line, new RegExp(`^Fatal Error: port ${port} is in use: .*--server-port`))
  assert.equal(embeddedPid(join(cwd, '.trellis')), null)
  assert.ok(!existsSync(join(cwd, '.trellis', 'server.lock')))
})

test('an unknown flag, a bad variable and a bad URL end the start before anything is created', async (t) => {
  const flag = await refusedStart(t, ['--server-prt', '1'])
  assert.match(flag.line, /^Fatal Error:- Unknown option --server-prt, did you mean --server-port\?/)
  const variable = await refusedStart(t, [], { SERVICE_GRAPHQL_DEV_MODE: '1' })
  assert.match(
    variable.line,
    /^Fatal Error:- Environment variable SERVICE_GRAPHQL_DEV_MODE: {2}Not a valid boolean text/,
  )
  const url = await refusedStart(t, ['--database-url', 'localhost:5432'])
  assert.match(url.line, /^Fatal Error:- Option --database-url: Only expecting a URL such as/)
  for (const { cwd } of [flag, variable, url]) assert.deepEqual(readdirSync(cwd), [])
})

test('a database that cannot be reached ends the start after the retries', async (t) => {
  const port = await takenPort(t)
  const refused = await refusedStart(t, ['--database-url', 'postgres://u:hidden@127.0.0.1:1/d', '--retries', '1'])
  assert.equal(
    refused.line,
    'Fatal Error: PostgreSQL at 127.0.0.1:1 cannot be reached after 2 attempts (nothing listens there): check that it runs and --database-url, or raise --retries',
  )
  const socket = await refusedStart(t, [
    '--host',
    '/nowhere',
    '-p',
    String(port),
    '-u',
    'u',
    '-d',
    'd',
    '--retries',
    '0',
  ])
  assert.match(socket.line, /^Fatal Error: PostgreSQL at \/nowhere:\d+ cannot be reached \(the socket does not exist\)/)
})

test('a database or a password that does not exist ends the start at once', async (t) => {
  const { url } = await testDatabase(t)
  const missing = new URL(url)
  missing.pathname = '/atlantis'
  const { line } = await refusedStart(t, ['--database-url', missing.href, '--retries', '100'])
  assert.match(line, /database "atlantis" does not exist: make it with createdb, or check --database-url$/)
})

test('a directory that cannot be written ends the start', async (t) => {
  const file = join(temporaryDirectory(t), 'file')
  writeFileSync(file, '')
  const { line } = await refusedStart(t, ['--data-dir', join(file, 'data')])
  assert.equal(
    line,
    `Fatal Error: Directory ${file}/data cannot be written (ENOTDIR): choose another one with --data-dir`,
  )
})

const asNobody = ['setpriv', '--reuid=54321', '--regid=54321', '--clear-groups'] as const
const mayBeNobody = spawnSync(asNobody[0], [...asNobody.slice(1), ...serverCommand, 'version']).status === 0
const skip = mayBeNobody ? false : 'only root can become anybody, where anybody may enter'

test('a user without a name on the system gets advice, and no database is created', { skip }, async (t) => {
  const cwd = temporaryDirectory(t)
  chmodSync(cwd, 0o777)
  const command = [...asNobody, ...serverCommand]
  const { stderr } = await spawnTrellis(t, [], {}, { cwd, command }).ended
  assert.equal(
    stderr,
    'Fatal Error: The embedded PostgreSQL cannot be made by user 54321, who has no name on this system: start as another user, or use --database-url\n',
  )
})

test('an unknown API and a plugin that is not there end the start', async (t) => {
  const { url } = await testDatabase(t)
  const api = await refusedStart(t, ['--database-url', url, '--enabled-apis', 'graphql,telepathy'])
  assert.match(api.line, /^Fatal Error:- Option --enabled-apis: Only expecting list of comma separated API types /)
  const plugin = await refusedStart(t, ['--database-url', url, '--plugin', './nowhere.ts'])
  assert.match(plugin.line, /^Fatal Error: plugin "\.\/nowhere\.ts" cannot be loaded/)
})
