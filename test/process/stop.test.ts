import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { embeddedPid, npmStart, spawnTrellis, startedDirectory, temporaryDirectory } from '../support/process.ts'
import { eventually } from '../support/waiting.ts'

const plugin = new URL('slow-plugin.ts', import.meta.url).pathname
const serving = (directory: string) =>
  ['--data-dir', directory, '--server-host', '127.0.0.1', '--server-port', '0', '--plugin', plugin] as const

/** A server with a request in flight that takes a number of seconds. */
async function busyServer(t: test.TestContext, seconds: number, args: readonly string[] = []) {
  const directory = await startedDirectory(t)
  const server = spawnTrellis(t, [...serving(directory), ...args])
  const url = await server.ready()
  const answer = fetch(`${url}/slow/${seconds}`).then(
    (response) => response.json(),
    () => 'cut off',
  )
  await server.output(/a slow request has come/)
  return { directory, server, url, answer }
}

/** Waits until a stopping server takes no more requests. */
const untilRefused = (url: string) =>
  eventually(() =>
    fetch(`${url}/livez`).then(
      () => false,
      () => true,
    ),
  )

for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
  test(`${signal} lets the request in flight end, then both processes, with exit code 0`, async (t) => {
    const { directory, server, url, answer } = await busyServer(t, 3)
    server.kill(signal)
    await untilRefused(url)
    assert.deepEqual(await answer, { slept: 3 })
    assert.equal((await server.ended).code, 0)
    assert.equal(embeddedPid(directory), null)
  })
}

test('a signal to npm start reaches the server', async (t) => {
  const directory = await startedDirectory(t)
  const npm = spawnTrellis(t, serving(directory), {}, { command: npmStart })
  await npm.ready()
  npm.kill('SIGTERM')
  assert.equal((await npm.ended).code, 0)
  assert.equal(embeddedPid(directory), null)
})

test('a second signal ends both processes at once, also during the delay in which the server still serves', async (t) => {
  const { directory, server, url, answer } = await busyServer(t, 60, ['--shutdown-delay', '600'])
  server.kill('SIGTERM')
  await eventually(async () => (await fetch(`${url}/readyz`)).status === 503)
  assert.equal((await fetch(`${url}/v1/version`)).status, 200)
  // Longer than npm takes to pass one signal on.
  await sleep(500)
  const asked = performance.now()
  server.kill('SIGINT')
  assert.equal((await server.ended).code, 130)
  assert.ok(performance.now() - asked < 30_000)
  assert.equal(embeddedPid(directory), null)
  assert.notDeepEqual(await answer, { slept: 60 })
  await spawnTrellis(t, serving(directory)).ready()
})

test('a Ctrl-C that npm passes on once more is one signal', async (t) => {
  const { server, answer } = await busyServer(t, 1)
  server.kill('SIGINT')
  await sleep(5)
  server.kill('SIGINT')
  assert.deepEqual(await answer, { slept: 1 })
  assert.equal((await server.ended).code, 0)
})

test('a request that outlasts the graceful timeout is cut off', async (t) => {
  const { directory, server, answer } = await busyServer(t, 60, ['--graceful-shutdown-timeout', '1'])
  const asked = performance.now()
  server.kill('SIGTERM')
  assert.equal(await answer, 'cut off')
  assert.equal((await server.ended).code, 0)
  assert.ok(performance.now() - asked < 30_000)
  assert.equal(embeddedPid(directory), null)
})

/** A server with the plugin that does not end. */
async function stuckServer(t: test.TestContext, env: Readonly<Record<string, string>>, args: readonly string[] = []) {
  const directory = await startedDirectory(t)
  const stuck = new URL('stuck-plugin.ts', import.meta.url).pathname
  const listening = ['--data-dir', directory, '--server-host', '127.0.0.1', '--server-port', '0']
  const server = spawnTrellis(t, [...listening, '--plugin', stuck, ...args], env)
  const url = await server.ready()
  return { directory, server, url }
}

/** Milliseconds until a server has ended. */
async function millisToEnd(server: Awaited<ReturnType<typeof stuckServer>>['server']): Promise<number> {
  const asked = performance.now()
  await server.ended
  return performance.now() - asked
}

test('connections without a request, or with an incomplete one, do not delay the stop', async (t) => {
  const { directory, server, url } = await stuckServer(t, {}, ['--graceful-shutdown-timeout', '60'])
  const port = Number(new URL(url).port)
  for (const sent of ['', '', 'GET /healthz HTTP/1.1\r\nHo']) {
    const socket = connect(port, '127.0.0.1').on('error', () => {})
    await new Promise((done) => socket.once('connect', done))
    socket.write(sent)
  }
  await fetch(`${url}/healthz`)
  server.kill('SIGTERM')
  assert.ok((await millisToEnd(server)) < 30_000)
  assert.deepEqual([(await server.ended).code, embeddedPid(directory)], [0, null])
})

const skip = process.platform === 'win32' ? 'no named pipes here' : false

test('a thread with endless work does not delay the end of the process', { skip }, async (t) => {
  const pipe = join(temporaryDirectory(t), 'pipe')
  execFileSync('mkfifo', [pipe])
  const { directory, server } = await stuckServer(t, { STUCK_PIPE: pipe })
  server.kill('SIGTERM')
  assert.equal((await server.ended).code, 0)
  assert.equal(embeddedPid(directory), null)
})

test('a thread with endless work does not delay the end of the process at a second signal', { skip }, async (t) => {
  const pipe = join(temporaryDirectory(t), 'pipe')
  execFileSync('mkfifo', [pipe])
  const { directory, server } = await stuckServer(t, { STUCK_PIPE: pipe, STUCK_HOOKS: 'yes' })
  server.kill('SIGTERM')
  await sleep(1000)
  server.kill('SIGTERM')
  assert.ok((await millisToEnd(server)) < 25_000)
  assert.equal((await server.ended).code, 143)
  assert.equal(embeddedPid(directory), null)
})

test('hooks of plugins that do not end share one time', async (t) => {
  const { directory, server } = await stuckServer(t, { STUCK_HOOKS: 'yes' }, ['--graceful-shutdown-timeout', '2'])
  server.kill('SIGTERM')
  assert.ok((await millisToEnd(server)) < 30_000)
  const { code, stdout } = await server.ended
  assert.equal(code, 0)
  assert.match(stdout, /plugin \\?"stuck\\?".* did not stop in time/)
  assert.match(stdout, /the HTTP server failed to close: Error: it did not stop in time/)
  assert.equal(embeddedPid(directory), null)
})

for (const [signals, code] of [
  [['SIGTERM'], 0],
  [['SIGTERM', 'SIGINT'], 130],
] as const) {
  const title = `a PostgreSQL that does nothing any more does not hold the server after ${signals.join(' and ')}`
  test(title, { skip }, async (t) => {
    const { directory, server } = await stuckServer(t, {}, ['--graceful-shutdown-timeout', '0'])
    process.kill(embeddedPid(directory)!, 'SIGSTOP')
    for (const signal of signals) {
      server.kill(signal)
      await sleep(1000)
    }
    assert.ok((await millisToEnd(server)) < 40_000)
    assert.deepEqual([(await server.ended).code, embeddedPid(directory)], [code, null])
  })
}

test('a signal during the creation of the database leaves nothing incomplete', async (t) => {
  const directory = temporaryDirectory(t)
  const server = spawnTrellis(t, serving(directory))
  while (!readdirSync(directory).some((name) => name.startsWith('making-'))) await sleep(5)
  server.kill('SIGTERM')
  assert.equal((await server.ended).code, 0)
  assert.deepEqual(readdirSync(directory), [])
  await spawnTrellis(t, serving(directory)).ready()
})
