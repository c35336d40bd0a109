// The address of the server, its messages about it, and the callers that it admits.

import assert from 'node:assert/strict'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { networkInterfaces } from 'node:os'
import { type TestContext, test } from 'node:test'
import { loadFiles } from '../../plugins/console/assets.ts'
import { atEnd } from '../support/cleanup.ts'
import { testDatabase } from '../support/database.ts'
import { spawnTrellis } from '../support/process.ts'

const addresses = Object.values(networkInterfaces()).flatMap((list) => list ?? [])
const hasV6 = addresses.some(({ address }) => address === '::1')
/** An address by which others reach this machine, where there is one. */
const outside = addresses.find(({ internal, family }) => !internal && family === 'IPv4')?.address

async function start(t: TestContext, args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const { url } = await testDatabase(t)
  const server = spawnTrellis(t, ['--database-url', url, '--server-port', '0', ...args], env)
  const shown = new URL(await server.ready())
  const [, access] = await server.output(/Access +(.*)\n/)
  const [, listening] = await server.output(/Listening +(.*)\n/)
  const reach = async (host: string, path = '/v1/version') => {
    try {
      return (await fetch(`http://${host}:${shown.port}${path}`)).status
    } catch {
      return 'unreachable'
    }
  }
  return { server, port: shown.port, access, listening, reach }
}

test('without an admin secret only this machine reaches the server, by both of its addresses', async (t) => {
  for (const dialect of ['trellis', 'hasura']) {
    const { port, access, listening, reach, server } = await start(t, ['--dialect', dialect])
    assert.equal(listening, `http://localhost:${port} (this machine only, --server-host '*' for others)`)
    assert.equal(access, 'OPEN: no admin secret is set, so every program of this machine is trusted (--admin-secret)')
    assert.deepEqual([await reach('localhost'), await reach('127.0.0.1')], [200, 200])
    assert.equal(await reach('[::1]'), hasV6 ? 200 : 'unreachable')
    assert.equal(await reach('127.0.0.2'), 'unreachable')
    if (outside) assert.equal(await reach(outside), 'unreachable')
    server.kill('SIGTERM')
    assert.equal((await server.ended).code, 0)
    assert.deepEqual([await reach('127.0.0.1'), await reach('[::1]')], ['unreachable', 'unreachable'])
  }
})

test('with an admin secret the server listens on all addresses', async (t) => {
  const { port, access, listening, reach } = await start(t, ['--admin-secret', 'sesame'])
  assert.equal(listening, `http://localhost:${port} (all addresses of this machine)`)
  assert.equal(access, 'guarded by the admin secret, requests without it: refused')
  for (const host of ['127.0.0.1', '127.0.0.2', ...(hasV6 ? ['[::1]'] : []), ...(outside ? [outside] : [])]) {
    assert.equal(await reach(host), 200, host)
  }
})

test('an open server listens on all addresses if configured, and logs which clients it trusts', async (t) => {
  const { port, access, listening, reach } = await start(t, [], { SERVICE_GRAPHQL_SERVER_HOST: '*' })
  assert.equal(listening, `http://localhost:${port} (all addresses of this machine)`)
  assert.equal(
    access,
    'OPEN: no admin secret is set, so everybody who can reach this machine is trusted (--admin-secret)',
  )
  for (const host of ['localhost', '127.0.0.2', ...(outside ? [outside] : [])])
    assert.equal(await reach(host), 200, host)
})

test('with --server-host the server listens on that host alone', async (t) => {
  const { port, listening, reach } = await start(t, ['--server-host', '127.0.0.2'])
  assert.equal(listening, `http://127.0.0.2:${port} (this machine only)`)
  assert.deepEqual([await reach('127.0.0.2'), await reach('127.0.0.1')], [200, 'unreachable'])
  if (outside) {
    const public_ = await start(t, ['--server-host', outside])
    assert.equal(public_.listening, `http://${outside}:${public_.port}`)
    assert.deepEqual([await public_.reach(outside), await public_.reach('127.0.0.1')], [200, 'unreachable'])
  }
})

test('a port that is taken on one of the two addresses ends the start', { skip: !hasV6 }, async (t) => {
  for (const host of ['127.0.0.1', '::1']) {
    const other: Server = createServer()
    await new Promise<void>((done) => other.listen(0, host, done))
    atEnd(t, () => other.close())
    const { port } = other.address() as AddressInfo
    const { url } = await testDatabase(t)
    const { code, stderr } = await spawnTrellis(t, ['--database-url', url, '--server-port', String(port)]).ended
    assert.equal(code, 1)
    assert.match(stderr, new RegExp(`^Fatal Error: port ${port} is in use: .*--server-port\\n$`))
  }
})

test('the metrics have their port on the same addresses', async (t) => {
  const { server } = await start(t, ['--metrics-port', '0'])
  const [, port] = await server.output(/"serving metrics","port":(\d+)/)
  const scrape = async (host: string, headers = {}) =>
    fetch(`http://${host}:${port}/metrics`, { headers }).then(
      ({ status }) => status,
      () => 'unreachable',
    )
  assert.deepEqual([await scrape('127.0.0.1'), await scrape('127.0.0.2')], [200, 'unreachable'])
  assert.equal(await scrape('localhost', { origin: 'https://evil.example' }), 403)
})

test('the console is served with a secret, in both dialects, which the banner says', async (t) => {
  await loadFiles()
  for (const dialect of ['trellis', 'hasura']) {
    const { server, port, reach } = await start(t, ['--dialect', dialect, '--enable-console', '--admin-secret', 'x'])
    const browser = { headers: { accept: 'text/html' } }
    const { status, url } = await fetch(`http://localhost:${port}/console/api`, browser)
    assert.deepEqual([status, url, await reach('localhost', '/')], [200, `http://localhost:${port}/console/api`, 404])
    await server.output(new RegExp(`Console +http://localhost:${port}/console\n`))
    server.kill('SIGTERM')
    const lines = (await server.ended).stdout.split('\n').filter((line) => line !== '')
    const [first] = lines.map((line) => JSON.parse(line))
    assert.deepEqual([first.detail.info.enable_console, first.detail.info.console_assets_dir], [true, null])
  }
})
