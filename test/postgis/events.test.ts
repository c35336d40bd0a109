// Event triggers on tables with shapes.

import assert from 'node:assert/strict'
import { startOther } from '../auth/other-server.ts'
import { spatialTest, startSpatial } from '../support/postgis.ts'

spatialTest('shapes are listened to and sent, and none keeps its row from being written', async (t) => {
  const hook = await startOther(t, () => ({}))
  const { op, sql } = await startSpatial(t, {
    schema: 'gis',
    sql: `set search_path to gis, public; create table public.whole (id int, shape geometry, place geography);
      create table public.listed (like public.whole)`,
  })
  for (const [table, payload] of [
    ['whole', '*'],
    ['listed', ['id', 'shape']],
  ] as const) {
    await op('track_table', table)
    const insert = { columns: '*', payload }
    const update = { columns: ['shape', 'place'], payload }
    await op('create_event_trigger', { name: table, table, insert, update, webhook: hook.url })
  }
  const shapes = ['POINT(1 2)', 'SRID=99999;POINT(1 2)', 'CIRCULARSTRING(0 0,1 1,2 0)', 'POINT(NaN 1)']
  const sent: Record<string, unknown[]> = { whole: [], listed: [] }
  for (const table of ['whole', 'listed']) {
    await sql(`insert into public.${table} values (1); truncate trellis.event_log`)
    for (const shape of shapes) await sql(`update public.${table} set shape = '${shape}', id = 1`)
    await sql(`update public.${table} set shape = shape, id = 2`)
    const rows = await sql(`select payload #> '{data,new,shape}' as shape from trellis.event_log order by seq`)
    sent[table] = rows.map(({ shape }) => (typeof shape === 'string' ? 'text' : shape))
  }
  const point = { type: 'Point', coordinates: [1, 2] }
  assert.deepEqual(sent, {
    // Whole rows are what PostGIS makes of them, without the reference system.
    whole: [point, point, 'text', 'text'],
    listed: [point, 'text', 'text', 'text'],
  })
})
