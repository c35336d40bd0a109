import assert from 'node:assert/strict'
import test, { type TestContext } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { nameKey } from '../../core/names/names.ts'
import { type Counts, marksPlugin } from './marks-plugin.ts'
import { startService } from './service.ts'

const tableKey = (name: string) => nameKey({ schema: 'public', name })

/** Tracked tables a to d, each with a mark; the mark of b reads a. */
async function startMarked(t: TestContext) {
  const counts: Counts = { resolved: new Map() }
  const started = await startService(t, {
    sql: ['a', 'b', 'c', 'd'].map((name) => `create table ${name} (id int primary key, other int);`).join(''),
    plugins: [marksPlugin(counts)],
  })
  for (const table of ['a', 'b', 'c', 'd']) {
    await started.op('track_table', table)
    const mark = table === 'b' ? { name: 'm', sees: 'a' } : { name: 'm' }
    await started.op('test_add_mark', { table, mark })
  }
  /** The objects resolved since the last call. */
  const resolved = () => {
    const names = [...counts.resolved.keys()].sort()
    counts.resolved.clear()
    return names
  }
  resolved()
  return { ...started, resolved }
}

test('a change of one table resolves that table only', async (t) => {
  const { op, resolved, service } = await startMarked(t)
  const before = service.model
  await op('test_add_mark', { table: 'c', mark: { name: 'n' } })
  assert.deepEqual(resolved(), ['mark c.m', 'mark c.n'])
  for (const name of ['a', 'b', 'd']) {
    assert.equal(service.model.tables.get(tableKey(name)), before.tables.get(tableKey(name)))
  }
})

test('a table is resolved again when a table that it read changes', async (t) => {
  const { op, resolved } = await startMarked(t)
  await op('set_table_custom_fields', { table: 'a', custom_column_names: { other: 'another' } }, { version: 2 })
  assert.deepEqual(resolved(), ['mark a.m', 'mark b.m'])
})

test('a table is resolved again when a table that it missed appears', async (t) => {
  const { op, resolved, service } = await startMarked(t)
  const tables = [{ table: 'b', test_marks: [{ name: 'm', sees: 'a' }] }]
  const args = { allow_inconsistent_metadata: true, metadata: { version: 2, tables } }
  await op('replace_metadata', args, { version: 2 })
  assert.deepEqual(
    service.model.inconsistencies.map(({ reason }) => reason),
    ['table "a" is not tracked'],
  )
  resolved()
  await op('track_table', 'a')
  assert.deepEqual(resolved(), ['mark b.m'])
  assert.deepEqual(service.model.inconsistencies, [])
})

test('reading everything again resolves nothing while nothing changed', async (t) => {
  const { op, service, resolved } = await startMarked(t)
  const { model } = service
  await service.reload()
  assert.equal(service.model, model)
  await op('reload_metadata', {})
  assert.deepEqual(resolved(), [])
})

test('a change of the database resolves the affected tables', async (t) => {
  const { sql, service, resolved } = await startMarked(t)
  await sql('alter table a add column more text')
  await service.reload()
  assert.deepEqual(resolved(), ['mark a.m', 'mark b.m'])
  assert.ok(service.model.tables.get(tableKey('a'))?.columns.has('more'))
})

test('a slice is resolved again when its value or a table that it read changes', async (t) => {
  const { op, resolved } = await startMarked(t)
  await op('test_add_sticker', { name: 's', table: 'c', text: 1 })
  assert.deepEqual(resolved(), ['sticker s'])
  await op('test_set_motto', { text: 'x' })
  await op('test_add_mark', { table: 'd', mark: { name: 'n' } })
  assert.deepEqual(resolved(), ['mark d.m', 'mark d.n'])
  await op('test_add_mark', { table: 'c', mark: { name: 'n' } })
  assert.deepEqual(resolved(), ['mark c.m', 'mark c.n', 'sticker s'])
})

test('two thousand unchanged tables cost a pass of a few milliseconds', async (t) => {
  const names = Array.from({ length: 2000 }, (_, i) => `t${i}`)
  const { op, service } = await startService(t, {
    sql: names.map((name) => `create table ${name} (id int primary key);`).join(''),
    plugins: [marksPlugin()],
  })
  const permissions = ['r1', 'r2'].map((role) => ({
    role,
    permission: { columns: ['id'], filter: { id: { _eq: 1 } } },
  }))
  await op('replace_metadata', {
    version: 2,
    tables: names.map((table) => ({ table, select_permissions: permissions })),
  })
  const before = service.model
  const times: number[] = []
  for (let i = 0; i < 5; i++) {
    const started = process.cpuUsage()
    await op('test_add_mark', { table: 't7', mark: { name: `m${i}` } })
    times.push(process.cpuUsage(started).user / 1000)
  }
  const changed = [...service.model.tables].filter(([key, table]) => before.tables.get(key) !== table)
  assert.deepEqual(
    changed.map(([, table]) => table.name.name),
    ['t7'],
  )
  // The whole operation; generous, since the machine may be busy.
  assert.ok(Math.min(...times) < 60, `${times}`)
})

test('a generation does not keep the ones before it', async (t) => {
  const { op, service } = await startMarked(t)
  setFlagsFromString('--expose-gc')
  const collect: () => void = runInNewContext('gc')
  const generations = []
  for (const name of ['n', 'o', 'p', 'q']) {
    await op('test_add_mark', { table: 'c', mark: { name } })
    generations.push(
      new WeakRef(service.model),
      new WeakRef(service.model.tables),
      new WeakRef(service.document.tables),
    )
  }
  // The last ones are served.
  const former = generations.slice(0, -6)
  const kept = () => former.filter((each) => each.deref() !== undefined)
  // Work that ends after an answer may still hold one.
  for (let i = 0; i < 100 && kept().length > 0; i++) {
    await setImmediate()
    collect()
  }
  assert.equal(kept().length, 0)
})
