import assert from 'node:assert/strict'
import test, { type TestContext } from 'node:test'
import type { Model } from '../../core/metadata/document/model.ts'
import { marksPlugin } from './marks-plugin.ts'
import { type ServiceOptions, startService, type TestService } from './service.ts'

/** Two services on one database. */
async function startPair(t: TestContext, options: ServiceOptions): Promise<[TestService, TestService]> {
  const plugins = [marksPlugin()]
  const first = await startService(t, { ...options, plugins })
  const second = await startService(t, { ...options, sql: undefined, database: first.database, plugins })
  return [first, second]
}

const tableNames = (model: Model): string[] => [...model.tables.values()].map(({ name }) => name.name)

/** Waits until a service's model satisfies the condition; fails after a generous timeout. */
async function becomes({ service }: TestService, isWanted: (model: Model) => boolean): Promise<void> {
  if (isWanted(service.model)) return
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('the model did not come')), 60_000)
    service.onChange((model) => {
      if (!isWanted(model)) return
      clearTimeout(timer)
      resolve()
    })
  })
}

const create = (names: readonly string[]) => names.map((name) => `create table ${name} (id int primary key);`).join('')
const someNames = Array.from({ length: 12 }, (_, i) => `t${String(i).padStart(2, '0')}`)

for (const isolation of ['read-committed', 'repeatable-read', 'serializable'] as const) {
  test(`no change is lost when two instances edit at once under ${isolation}`, async (t) => {
    const pair = await startPair(t, { sql: create(someNames), isolation })
    await Promise.all(someNames.map((name, i) => pair[i % 2]!.op('track_table', name)))
    for (const instance of pair) {
      await becomes(instance, ({ tables }) => tables.size === someNames.length)
      assert.deepEqual(tableNames(instance.service.model), someNames)
    }
    const fresh = await startService(t, { database: pair[0].database, plugins: [marksPlugin()] })
    const documents = [...pair, fresh].map(({ service }) => JSON.stringify(service.exportDocument()))
    assert.equal(new Set(documents).size, 1)
    assert.equal(fresh.service.model.resourceVersion, pair[0].service.model.resourceVersion)
  })
}

test('the second of two instances that track one table is refused', async (t) => {
  const pair = await startPair(t, { sql: create(['a']) })
  const results = await Promise.allSettled(pair.map(({ op }) => op('track_table', 'a')))
  assert.deepEqual(results.map(({ status }) => status).sort(), ['fulfilled', 'rejected'])
  const { rows } = { rows: await pair[0].sql('select * from trellis.metadata_entry') }
  assert.equal(rows.length, 1)
})

test("another instance's change is served without a request", async (t) => {
  const [first, second] = await startPair(t, { sql: create(['a']) })
  await first.op('track_table', 'a')
  await becomes(second, ({ tables }) => tables.size === 1)
  assert.equal(second.service.model.resourceVersion, first.service.model.resourceVersion)
  await first.op('run_sql', { sql: 'alter table a add column more text' })
  await becomes(second, ({ tables }) => [...tables.values()][0]!.columns.has('more'))
  await second.op('untrack_table', { table: 'a' })
  await becomes(first, ({ tables }) => tables.size === 0)
})

test('a change is served although its notification was lost', async (t) => {
  const [first, second] = await startPair(t, { sql: create(['a']) })
  await first.sql(`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and query like 'LISTEN%'`)
  await first.op('track_table', 'a')
  await becomes(second, ({ tables }) => tables.size === 1)
})

test('reloading on one instance makes the others read the database again', async (t) => {
  const [first, second] = await startPair(t, { sql: create(['a']) })
  await first.op('track_table', 'a')
  await becomes(second, ({ tables }) => tables.size === 1)
  await first.sql('drop table a')
  await first.op('reload_metadata', {})
  await becomes(second, ({ inconsistencies }) => inconsistencies.length === 1)
  assert.ok(second.log.some(({ type, level }) => type === 'metadata' && level === 'warn'))
})

test('an editor starts from the change that another instance has just stored', async (t) => {
  const [first, second] = await startPair(t, { sql: create(['a', 'b']) })
  await second.service.stop()
  await first.op('track_table', 'a')
  assert.equal(second.service.model.tables.size, 0)
  await assert.rejects(second.op('track_table', 'a'), /already tracked/)
  assert.deepEqual(tableNames(second.service.model), ['a'])
  await second.op('track_table', 'b')
  assert.deepEqual(tableNames(second.service.model), ['a', 'b'])
})

test('when the answer to a commit never arrives, the next edit starts from the stored version', async (t) => {
  const running = await startService(t, { sql: create(['a', 'b']) })
  await running.service.stop()
  const { connections } = running
  const transaction = connections.transaction.bind(connections)
  connections.transaction = async (work, options) => {
    await transaction(work, options)
    throw new Error('connection lost')
  }
  await assert.rejects(running.op('track_table', 'a'), /connection lost/)
  connections.transaction = transaction
  assert.equal(running.service.model.tables.size, 0)
  await running.op('track_table', 'b')
  assert.deepEqual(tableNames(running.service.model), ['a', 'b'])
})

test('a slow edit does not block readers', async (t) => {
  const { op, sql } = await startService(t, { sql: create(['a']) })
  const order: string[] = []
  await sql('begin; lock table trellis.metadata in exclusive mode')
  const edit = op('track_table', 'a').then(() => order.push('edit'))
  await op('export_metadata', {}).then(() => order.push('export'))
  await sql('commit')
  await edit
  assert.deepEqual(order, ['export', 'edit'])
})
