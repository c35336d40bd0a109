// The commands of docs/backup.md run on a PostgreSQL of the installed programs, one after the other.

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { atEnd } from '../support/cleanup.ts'
import { makePostgres } from '../support/own-postgres.ts'
import { findPrograms } from '../support/postgis-programs.ts'
import { urlOfDatabase } from '../support/postgres.ts'
import { startTrellis, type TestTrellis } from '../support/trellis.ts'
import { blocksOf } from './blocks.ts'

const page = readFileSync(join(import.meta.dirname, '../../docs/backup.md'), 'utf8')
const [dump, restore, table, copy] = blocksOf(page).map(({ lines }) => lines.join('\n'))
const programs = findPrograms([])

const noSql = () => assert.fail('the databases of this test are asked through the server')

test('backups are restored with metadata and events', { skip: programs ? false : 'no PostgreSQL here' }, async (t) => {
  const cluster = await makePostgres({ programs: programs! })
  atEnd(t, () => cluster.remove())
  await cluster.start()
  const directory = mkdtempSync(join(tmpdir(), 'backup-'))
  atEnd(t, async () => rmSync(directory, { recursive: true, force: true }))
  const run = (block: string | undefined) => {
    const connection = { PGHOST: cluster.cluster, PGPORT: '5432', PGUSER: 'postgres' }
    const env = { ...process.env, ...connection, PATH: `${programs}:${process.env['PATH']}` }
    execFileSync('sh', ['-ec', block!], { cwd: directory, env, stdio: 'pipe' })
  }
  const start = async (name: string, at = cluster.url) => {
    const url = urlOfDatabase(at, name)
    // Events stay undelivered, as in a copy that cannot reach webhooks.
    return await startTrellis(t, { settings: { eventsFetchBatchSize: 0 }, database: { url, sql: noSql } })
  }
  const rowsOf = async (trellis: TestTrellis, sql: string) => {
    const { result } = await trellis.op<{ result: string[][] }>('run_sql', { sql })
    return result.slice(1).map(([text]) => text)
  }
  const items = 'select name from item order by id'
  const events = 'select count(*) from trellis.event_log'

  run('createdb shop')
  const shop = await start('shop')
  await shop.op('run_sql', { sql: 'create table item (id int primary key, name text)' })
  await shop.op('track_table', 'item')
  const webhook = 'http://127.0.0.1:1'
  await shop.op('create_event_trigger', { name: 'items', table: 'item', webhook, insert: { columns: '*' } })
  await shop.graphql(
    'mutation { insert_item(objects: [{ id: 1, name: "Axle" }, { id: 2, name: "Bolt" }]) { affected_rows } }',
  )
  run(dump)

  await t.test('a dump has rows, metadata and undelivered events', async () => {
    run(restore)
    const restored = await start('restored')
    assert.deepEqual(await restored.op('get_inconsistent_metadata', {}), [])
    const answer = await restored.graphql('{ item(order_by: { id: asc }) { name } }')
    assert.deepEqual(answer, { data: { item: [{ name: 'Axle' }, { name: 'Bolt' }] } })
    assert.deepEqual(await rowsOf(restored, events), ['2'])
  })

  await t.test('rows of one table come back without events', async () => {
    await shop.graphql('mutation { delete_item(where: { id: { _eq: 1 } }) { affected_rows } }')
    run(table)
    assert.deepEqual(await rowsOf(shop, items), ['Axle', 'Bolt'])
    assert.deepEqual(await rowsOf(shop, events), ['2'])
  })

  await t.test('a copy of the cluster starts', async () => {
    run(copy)
    const other = await makePostgres({ programs: programs!, copyOf: join(directory, 'base') })
    atEnd(t, () => other.remove())
    await other.start()
    assert.deepEqual(await rowsOf(await start('shop', other.url), items), ['Axle', 'Bolt'])
  })
})
