// The claims of the guide about the metadata: facets that follow renames, slices with sources.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTrellis } from 'trellis/testing'
import { startOther } from '../auth/other-server.ts'
import tides from './tides.ts'
import units from './units.ts'

const sql = `create table harbour (id int primary key, depth numeric, length numeric); insert into harbour values (1, 11.5, 400)`

test('units are fields of rows, for roles that may read the column, and follow it when it is renamed', async () => {
  await using trellis = await startTrellis({ plugins: [units], sql })
  await trellis.operation('bulk', [
    { type: 'track_table', args: 'harbour' },
    { type: 'set_unit', args: { table: 'harbour', column: 'depth', unit: 'm' } },
    { type: 'set_unit', args: { table: 'harbour', column: 'length', unit: 'ft' } },
    {
      type: 'create_select_permission',
      args: { table: 'harbour', role: 'guest', permission: { columns: ['depth'], filter: {} } },
    },
  ])
  const both = await trellis.graphql('{ harbour { depth depth_unit length_unit } }')
  assert.deepEqual(both, { data: { harbour: [{ depth: 11.5, depth_unit: 'm', length_unit: 'ft' }] } })
  const asGuest = await trellis.graphql('{ harbour { depth_unit length_unit } }', { role: 'guest' })
  assert.equal(asGuest.errors?.[0]?.message, 'field "length_unit" not found in type: \'harbour\'')

  await trellis.operation('run_sql', { sql: 'alter table harbour rename depth to draught' })
  const exported = await trellis.operation<{ tables: { units: unknown }[] }>('export_metadata', {})
  assert.deepEqual(exported.tables[0]?.units, [
    { column: 'draught', unit: 'm' },
    { column: 'length', unit: 'ft' },
  ])
  const wrong = trellis.operation('set_unit', { table: 'harbour', column: 'speed', unit: 'kn' })
  const reason = 'there is no column "speed"'
  const definition = { table: { schema: 'public', name: 'harbour' }, column: 'speed', unit: 'kn' }
  const internal = [{ type: 'unit', definition, reason }]
  const body = { path: '$.args', error: reason, code: 'constraint-violation', internal }
  await assert.rejects(wrong, { status: 400, body })
  await assert.rejects(trellis.operation('run_sql', { sql: 'alter table harbour drop length' }), { status: 400 })
})

test('a source is fetched with the operation, read when the metadata is resolved, and its faults are reported', async (t) => {
  await using trellis = await startTrellis({ plugins: [tides] })
  const bergen = await startOther(t, () => ({ body: { level: 1.25 } }))
  const broken = await startOther(t, () => ({ status: 503 }))
  await trellis.operation('add_tide_station', { name: 'bergen', url: bergen.url })
  assert.deepEqual(await trellis.graphql('{ tide_bergen }'), { data: { tide_bergen: 1.25 } })
  const refused = trellis.operation('add_tide_station', { name: 'oslo', url: broken.url })
  await assert.rejects(refused, {
    status: 400,
    body: { path: '$.args', error: 'the station answers 503', code: 'remote-error' },
  })
})
