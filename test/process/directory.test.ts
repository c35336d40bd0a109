import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { atEnd } from '../support/cleanup.ts'
import { clientOf } from '../support/client.ts'
import { embeddedPid, spawnTrellis, startedDirectory, temporaryDirectory } from '../support/process.ts'
import { eventually } from '../support/waiting.ts'

const serving = (directory: string) => ['--data-dir', directory, '--server-host', '127.0.0.1', '--server-port', '0']

async function healthy(url: string): Promise<boolean> {
  const { status, text } = await clientOf(url).request('/healthz')
  return status === 200 && text === 'OK'
}

/** Kills a process and waits until it is gone. */
async function kill(pid: number): Promise<void> {
  process.kill(pid, 'SIGKILL')
  for (;;) {
    try {
      process.kill(pid, 0)
    } catch {
      return
    }
    await sleep(5)
  }
}

test('a second server on the same directory is refused, and the first one goes on', async (t) => {
  const directory = await startedDirectory(t)
  const first = spawnTrellis(t, serving(directory))
  const url = await first.ready()
  const { code, stderr } = await spawnTrellis(t, serving(directory)).ended
  assert.equal(code, 1)
  assert.equal(
    stderr,
    `Fatal Error: Directory ${directory} is in use by another server (process ${first.pid}). Stop that one, or give this one a directory of its own with --data-dir, or a database with --database-url\n`,
  )
  assert.ok(await healthy(url))
})

test('of servers that start at the same moment on one directory, one serves', async (t) => {
  const directory = temporaryDirectory(t)
  const servers = [1, 2, 3].map(() => spawnTrellis(t, serving(directory)))
  const outcomes = await Promise.all(servers.map((server) => server.ready().catch(() => null)))
  const urls = outcomes.filter((url) => url !== null)
  assert.equal(urls.length, 1)
  assert.ok(await healthy(urls[0]!))
})

test('after kill -9 of the server the next start ends the database left behind, and serves', async (t) => {
  const directory = await startedDirectory(t)
  const first = spawnTrellis(t, serving(directory))
  await first.ready()
  const left = embeddedPid(directory)
  first.kill('SIGKILL')
  await first.ended
  assert.equal(embeddedPid(directory), left)
  const second = spawnTrellis(t, serving(directory))
  assert.ok(await healthy(await second.ready()))
  assert.notEqual(embeddedPid(directory), left)
})

test('after kill -9 during the creation of the database, the next start creates it', async (t) => {
  const directory = temporaryDirectory(t)
  const first = spawnTrellis(t, serving(directory))
  while (!readdirSync(directory).some((name) => name.startsWith('making-'))) await sleep(5)
  await sleep(50)
  first.kill('SIGKILL')
  await first.ended
  assert.ok(await healthy(await spawnTrellis(t, serving(directory)).ready()))
})

test('after kill -9 of both processes the next start recovers', async (t) => {
  const directory = await startedDirectory(t)
  const first = spawnTrellis(t, serving(directory))
  await first.ready()
  first.kill('SIGKILL')
  await first.ended
  await kill(embeddedPid(directory)!)
  assert.ok(await healthy(await spawnTrellis(t, serving(directory)).ready()))
})

test('after kill -9 of the database the server starts it again, on the same port', async (t) => {
  const directory = await startedDirectory(t)
  const server = spawnTrellis(t, serving(directory))
  const url = await server.ready()
  const before = readFileSync(join(directory, 'database-url'), 'utf8')
  await kill(embeddedPid(directory)!)
  await server.output(/PostgreSQL is back/)
  while (!(await healthy(url))) await sleep(20)
  assert.equal(readFileSync(join(directory, 'database-url'), 'utf8'), before)
})

test('the server reaches its restarted database although the port is taken', async (t) => {
  const directory = await startedDirectory(t)
  const server = spawnTrellis(t, serving(directory))
  const url = await server.ready()
  const urlFile = join(directory, 'database-url')
  const before = readFileSync(urlFile, 'utf8')
  // Stopped, the server does not start it before the port is taken.
  server.kill('SIGSTOP')
  process.kill(embeddedPid(directory)!, 'SIGKILL')
  const other = createServer()
  atEnd(t, () => other.close())
  const listen = () =>
    new Promise<boolean>((done) => {
      other.once('error', () => done(false))
      other.listen(Number(new URL(before).port), '127.0.0.1', () => done(true))
    })
  while (!(await listen())) await sleep(20)
  server.kill('SIGCONT')
  await server.output(/PostgreSQL is back/)
  await eventually(() => healthy(url))
  assert.equal(readFileSync(urlFile, 'utf8'), before)
})

test('lock files whose process numbers now belong to others do not keep a server from starting', async (t) => {
  const directory = await startedDirectory(t)
  const first = spawnTrellis(t, serving(directory))
  await first.ready()
  first.kill('SIGKILL')
  await first.ended
  await kill(embeddedPid(directory)!)
  const lock = join(directory, 'postgres', 'postmaster.pid')
  writeFileSync(lock, readFileSync(lock, 'utf8').replace(/^\d+/, String(process.pid)))
  writeFileSync(join(directory, 'server.lock'), `${process.pid} 1`)
  assert.ok(await healthy(await spawnTrellis(t, serving(directory)).ready()))
})

test('if its port is taken, the embedded database uses another one', async (t) => {
  const directory = await startedDirectory(t)
  const urlFile = join(directory, 'database-url')
  const before = new URL(readFileSync(urlFile, 'utf8'))
  const other = createServer()
  await new Promise<void>((done) => other.listen(Number(before.port), '127.0.0.1', done))
  atEnd(t, () => other.close())
  assert.ok(await healthy(await spawnTrellis(t, serving(directory)).ready()))
  const after = new URL(readFileSync(urlFile, 'utf8'))
  assert.notEqual(after.port, before.port)
  assert.equal(after.password, before.password)
})

test('a directory without a PostgreSQL database is left alone', async (t) => {
  const directory = temporaryDirectory(t)
  mkdirSync(join(directory, 'postgres'))
  writeFileSync(join(directory, 'postgres', 'notes'), 'mine')
  const { code, stderr } = await spawnTrellis(t, serving(directory)).ended
  const reason =
    'holds no database of PostgreSQL (there is no PG_VERSION in it): choose another directory with --data-dir'
  assert.deepEqual([code, stderr], [1, `Fatal Error: ${join(directory, 'postgres')} ${reason}\n`])
  assert.deepEqual(readdirSync(join(directory, 'postgres')), ['notes'])
})

test('a directory of another version of PostgreSQL is left alone', async (t) => {
  const directory = await startedDirectory(t)
  writeFileSync(join(directory, 'postgres', 'PG_VERSION'), '17\n')
  const { code, stderr } = await spawnTrellis(t, serving(directory)).ended
  assert.equal(code, 1)
  assert.match(stderr, /was made by PostgreSQL 17, but this release brings 18: move its data with pg_dump, or/)
})
