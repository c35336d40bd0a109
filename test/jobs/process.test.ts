// Jobs of real servers: killed ones, idle ones, and ones whose MongoDB is down or refuses them.

import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { leaseSeconds } from '../../core/queue/tuning.ts'
import { type TestDatabase, testDatabase } from '../support/database.ts'
import { startMongo, testMongo } from '../support/mongo.ts'
import { spawnTrellis, temporaryDirectory } from '../support/process.ts'
import { eventually } from '../support/waiting.ts'

/** Records the process of each occurrence. */
const plugin = `
  import { definePlugin } from 'trellis'
  import { jobs } from 'trellis/jobs'
  export default definePlugin({
    name: 'clerk',
    dependencies: ['jobs'],
    migrations: [{ name: '0001', sql: 'create table trellis.tick (due timestamptz not null, pid int not null)' }],
    register(engine) {
      engine.use(jobs).declare({
        name: 'tick',
        schedule: { every: 1000 },
        run: ({ dueAt }) => engine.database.rows('insert into trellis.tick values ($1, $2)', [dueAt.toISOString(), process.pid]),
      })
    },
  })`

/** The program with the plugin. */
function serve(t: TestContext, database: TestDatabase, env: Readonly<Record<string, string>> = {}) {
  const directory = temporaryDirectory(t)
  writeFileSync(join(directory, 'clerk.ts'), plugin)
  const args = ['serve', '--server-port', '0', '--database-url', database.url, '--plugin', './clerk.ts']
  return spawnTrellis(t, args, env, { cwd: directory })
}

test('two of three servers are killed: each occurrence still runs once, without long delay', async (t) => {
  const mongo = await startMongo(t)
  const database = await testDatabase(t)
  const servers = [1, 2, 3].map(() => serve(t, database, { SERVICE_GRAPHQL_MONGODB_URL: mongo.url }))
  await Promise.all(servers.map((server) => server.ready()))
  const ticks = () => database.sql<{ due: Date; pid: number }>('select due, pid from trellis.tick order by due')
  await eventually(async () => (await ticks()).length >= 3)
  for (const server of servers.slice(0, 2)) {
    server.kill('SIGKILL')
    await server.ended
    const before = (await ticks()).length
    // An instance that was running a job keeps it until its lease expires.
    await eventually(async () => (await ticks()).length >= before + 3, leaseSeconds * 1000)
  }
  const due = (await ticks()).map((tick) => tick.due.getTime())
  assert.equal(new Set(due).size, due.length)
  const [last] = servers.slice(2)
  last!.kill('SIGTERM')
  assert.equal((await last!.ended).code, 0)
})

test('a server without MongoDB serves requests and logs it without secrets', async (t) => {
  const { url } = await testMongo(t)
  const database = await testDatabase(t)
  const secret = 'pa%24sword'
  const server = serve(t, database, {
    SERVICE_GRAPHQL_MONGODB_URL: url.replace('mongodb://', `mongodb://clerk:${secret}@`),
    SERVICE_GRAPHQL_ENABLED_APIS: 'metadata,graphql,config,developer',
  })
  const serving = await server.ready()
  assert.equal((await fetch(`${serving}/healthz`)).status, 200)
  await server.output(/MongoDB, which wakes jobs, does not answer/)
  const paths = ['/v1alpha1/config', '/dev/jobs']
  const answers = await Promise.all(paths.map(async (path) => (await fetch(serving + path)).text()))
  server.kill('SIGTERM')
  const ended = await server.ended
  assert.equal(ended.code, 0)
  const told = [ended.stdout, ended.stderr, ...answers].join('\n')
  for (const each of [secret, decodeURIComponent(secret)]) assert.ok(!told.includes(each), each)
})

test('an unusable MongoDB URL stops the start with one line', async (t) => {
  const database = await testDatabase(t)
  const wrong: [string, RegExp][] = [
    ['http://clerk:hush@host/db', /--mongodb-url|MONGODB_URL/],
    ['mongodb://clerk:hush@host:99999/db', /--mongodb-url \(SERVICE_GRAPHQL_MONGODB_URL\)/],
    [
      'mongodb://clerk:hush@host/db?unheard=of',
      /--mongodb-url \(SERVICE_GRAPHQL_MONGODB_URL\): option unheard is not supported/,
    ],
  ]
  for (const [url, expected] of wrong) {
    const { code, stderr, stdout } = await serve(t, database, { SERVICE_GRAPHQL_MONGODB_URL: url }).ended
    assert.equal(code, 1)
    assert.match(stderr, expected)
    assert.equal(stderr.trim().split('\n').length, 1, stderr)
    assert.ok(!`${stderr}${stdout}`.includes('hush'))
  }
})
