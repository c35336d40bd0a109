// `trellis branch` on a database.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { databaseOf, partOf } from '../../cli/branch/name.ts'
import { onServer } from '../support/postgres.ts'
import { startTrellis } from '../support/trellis.ts'
import { project } from './command-line.ts'

test('a branch is a copy with rows, metadata and schedules, and gone when told', { timeout: 120_000 }, async (t) => {
  const server = await startTrellis(t)
  const { url } = server.database
  const run = (sql: string) => server.op('run_sql', { sql })
  await run('create table ship (id int primary key); insert into ship values (1)')
  await server.op('track_table', 'ship')
  const cron = {
    name: 'yearly',
    webhook: 'http://localhost:1',
    schedule: '0 0 1 1 *',
    include_in_metadata: true,
    payload: {},
  }
  await server.op('create_cron_trigger', cron)
  await server.engine.close()
  await onServer(
    url,
    `insert into trellis.event_log (schema_name, table_name, trigger_name, payload) values ('public', 'ship', 'told', '{}')`,
  )
  const own = project(t, ['--database-url', url])
  assert.match(await own.refused(2, 'branch create'), /not in a git repository: give the NAME/)
  own.write({ '.git/HEAD': 'ref: refs/heads/feature/Ships\n' })
  const original = new URL(url).pathname.slice(1)
  const database = databaseOf(original, 'feature/Ships')
  const copyUrl = new URL(url)
  copyUrl.pathname = `/${database}`
  assert.match(await own.done('branch create'), new RegExp(`/${database}(\\?.*)?\\n$`))
  assert.match(await own.refused(1, 'branch create feature/Ships'), /has a copy already/)
  assert.match(await own.done('branch list'), new RegExp(`^feature/Ships\\t${database}\\t\\d+ [kM]B\\n$`))
  const copy = await startTrellis(t, { database: { url: copyUrl.href, sql: server.database.sql } })
  assert.deepEqual(await copy.graphql('{ ship { id } }'), { data: { ship: [{ id: 1 }] } })
  const { cron_triggers: triggers } = await copy.op<{ cron_triggers: readonly { name: string }[] }>(
    'export_metadata',
    {},
  )
  assert.deepEqual(
    triggers.map(({ name }) => name),
    ['yearly'],
  )
  const { result } = await copy.op<{ result: unknown }>('run_sql', { sql: 'select archived from trellis.event_log' })
  assert.deepEqual(result, [['archived'], ['t']], 'the event belongs to the original')
  await copy.engine.close()
  assert.match(
    await own.refused(3, 'branch drop feature/Ships'),
    /Remove the copy for feature\/Ships\? Agree with --yes/,
  )
  assert.equal(await own.done('branch drop feature/Ships --yes'), `${database}\n`)
  assert.equal(await own.done('branch list'), '')
  assert.match(await own.refused(1, 'branch drop feature/Ships --yes'), /has no copy/)
})

test('different branches have different names, which fit', () => {
  assert.equal(partOf('main'), 'main')
  assert.notEqual(partOf('a/b'), partOf('a-b'))
  assert.match(partOf('Ünïcode'), /^[a-z0-9_]+$/)
  assert.ok(databaseOf('d'.repeat(63), 'x'.repeat(200)).length <= 63)
})
