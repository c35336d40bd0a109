// Plugins with their own tables.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PluginError } from '../../core/engine/plugins.ts'
import { definePlugin, type Migration } from '../../sdk/index.ts'
import { testDatabase } from '../support/database.ts'
import { startTrellis } from '../support/trellis.ts'

const keeping = (...migrations: readonly Migration[]) => definePlugin({ name: 'keeping', migrations, register() {} })

const first: Migration = {
  name: '1',
  sql: 'create table trellis.kept (id int); insert into trellis.kept values (1)',
}
const second: Migration = { name: '2', sql: 'insert into trellis.kept select max(id) + 1 from trellis.kept' }

const kept = (sql: Awaited<ReturnType<typeof testDatabase>>['sql']) =>
  sql<{ id: number }>('select id from trellis.kept order by id').then((rows) => rows.map(({ id }) => id))

test('migrations run in order and once, also when several servers start together', async (t) => {
  const database = await testDatabase(t)
  const start = (...migrations: readonly Migration[]) =>
    startTrellis(t, { database, plugins: [keeping(...migrations)] })
  await Promise.all([start(first), start(first), start(first)])
  assert.deepEqual(await kept(database.sql), [1])
  await Promise.all([start(first, second), start(first, second)])
  await start(first, second)
  assert.deepEqual(await kept(database.sql), [1, 2])
  const history = `select name from trellis.migration where name like 'keeping:%' order by name`
  assert.deepEqual(await database.sql(history), [{ name: 'keeping:1' }, { name: 'keeping:2' }])
})

test('a failed migration ends the start with the names of both, and leaves nothing behind', async (t) => {
  const database = await testDatabase(t)
  const broken = { name: 'broken', sql: 'create table trellis.half (id int); select nonsense' }
  await assert.rejects(startTrellis(t, { database, plugins: [keeping(first, broken)] }), (error: Error) => {
    assert.ok(error instanceof PluginError)
    assert.equal(error.message, 'plugin "keeping" failed in its migration "broken": column "nonsense" does not exist')
    return true
  })
  assert.deepEqual(
    await database.sql(`select to_regclass('trellis.kept') as kept, to_regclass('trellis.half') as half`),
    [{ kept: null, half: null }],
  )
})

test('tables of a newer release and duplicate migration names are refused', async (t) => {
  const database = await testDatabase(t)
  await startTrellis(t, { database, plugins: [keeping(first, second)] })
  await assert.rejects(startTrellis(t, { database, plugins: [keeping(first)] }), {
    message:
      'plugin "keeping" of a newer release made its tables in this database (it has its migration "2"): use that release, or another database',
  })
  await assert.rejects(startTrellis(t, { plugins: [keeping(first, first)] }), {
    message: 'plugin "keeping" has two migrations "1"',
  })
})
