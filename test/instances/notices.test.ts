// An instance learns of another's change by notification, and by polling when notifications are lost.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { PooledDatabase } from '../../core/database/placing/pooled-database.ts'
import { MetadataStore, metadataChannel } from '../../core/metadata/serving/store.ts'
import { MetadataSync } from '../../core/metadata/serving/sync.ts'
import { MetadataRegistry } from '../../core/metadata/slices/registry.ts'
import { atEnd } from '../support/cleanup.ts'
import { connectionDefaults } from '../support/connections.ts'
import { type TestDatabase, testDatabase } from '../support/database.ts'
import { eventually } from '../support/waiting.ts'

const hour = 3_600_000

interface Heard {
  readonly version: number
  readonly tables: unknown
}

async function connect(t: TestContext, { url }: TestDatabase): Promise<PooledDatabase> {
  const database = new PooledDatabase({
    ...connectionDefaults,
    url,
  })
  atEnd(t, () => database.close())
  await database.open()
  return database
}

/** An instance's listener, with its notifications and its errors. */
async function startEar(t: TestContext, world: TestDatabase, interval: number, listen?: PooledDatabase['listen']) {
  const database = await connect(t, world)
  const store = new MetadataStore(new MetadataRegistry(), { readPart: (_, value) => Promise.resolve({ value }) })
  const heard: Heard[] = []
  const problems: string[] = []
  const sync = new MetadataSync({
    database: { rows: database.rows.bind(database), listen: listen ?? database.listen.bind(database) },
    instance: 'this one',
    storedVersion: () => store.version(database),
    onVersion: async (version, tables) => {
      heard.push({ version, tables })
    },
    onProblem: (error) => problems.push((error as Error).message),
    interval,
  })
  sync.start()
  atEnd(t, () => sync.stop())
  return { heard, problems, sync }
}

/** The sessions that listen already. */
const listeners = ({ sql }: TestDatabase) =>
  sql<{ pid: number }>(`select pid from pg_stat_activity
    where datname = current_database() and query like 'LISTEN%' and state = 'idle'`)

const notify = ({ sql }: TestDatabase, payload: string) => sql('select pg_notify($1, $2)', [metadataChannel, payload])

test('notifications arrive at once, except those of the instance itself', async (t) => {
  const world = await testDatabase(t)
  const { heard } = await startEar(t, world, hour)
  await eventually(async () => heard.length === 1 && (await listeners(world)).length === 1)
  assert.deepEqual(heard, [{ version: 0, tables: 'all' }])
  for (const nonsense of ['', 'x', '{}', 'null', '[1]', '{"instance":1,"version":"2"}']) await notify(world, nonsense)
  await notify(world, JSON.stringify({ instance: 'this one', version: 8, tables: 'all' }))
  await notify(world, JSON.stringify({ instance: 'another', version: 9, tables: ['public.book'] }))
  await eventually(() => heard.length === 2)
  assert.deepEqual(heard[1], { version: 9, tables: ['public.book'] })
})

test('changes are also polled, so that nothing depends on notifications', async (t) => {
  const world = await testDatabase(t)
  const deaf: PooledDatabase['listen'] = (_channel, { onLost }) => {
    onLost?.(new Error('nobody listens'))
    return { isHeard: false, verify: () => {}, stop: async () => {} }
  }
  const { heard, problems } = await startEar(t, world, 50, deaf)
  await eventually(() => heard.length > 1)
  await world.sql('update trellis.metadata set resource_version = 7')
  await eventually(() => heard.at(-1)?.version === 7)
  assert.ok(problems.every((problem) => problem === 'nobody listens'))
})

test('a lost notification connection is reopened, and missed changes are read', async (t) => {
  const world = await testDatabase(t)
  const { heard, problems } = await startEar(t, world, 50)
  await eventually(async () => (await listeners(world)).length === 1)
  for (let round = 1; round <= 3; round++) {
    const [{ pid }] = (await listeners(world)) as [{ pid: number }]
    await world.sql('select pg_terminate_backend($1)', [pid])
    await world.sql('update trellis.metadata set resource_version = $1', [round])
    await eventually(() => heard.at(-1)?.version === round)
    await eventually(async () => (await listeners(world)).some((each) => each.pid !== pid))
  }
  assert.ok(problems.length >= 1 && problems.length <= 3, problems.join())
  await notify(world, JSON.stringify({ instance: 'another', version: 99, tables: 'all' }))
  await eventually(() => heard.some(({ version }) => version === 99))
})

test('a stopped instance ignores notifications and leaves no connection', async (t) => {
  const world = await testDatabase(t)
  const { heard, sync } = await startEar(t, world, 20)
  await eventually(async () => (await listeners(world)).length === 1)
  await sync.stop()
  await eventually(async () => (await listeners(world)).length === 0)
  const before = heard.length
  await world.sql('update trellis.metadata set resource_version = 5')
  await notify(world, JSON.stringify({ instance: 'another', version: 5, tables: 'all' }))
  await sleep(60)
  assert.equal(heard.length, before)
})
