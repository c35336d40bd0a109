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
    // PostGIS converts whole rows to JSON without the reference system.
    whole: [point, point, 'text', 'text'],
    listed: [point, 'text', 'text', 'text'],
  })
})

spatialTest(
  'the interface of version 2 sends shapes of whole rows as GeoJSON with their reference system',
  async (t) => {
    const hook = await startOther(t, () => ({}))
    const { op, sql } = await startSpatial(t, {
      sql: 'create table places (id int8, shape geometry, place geography)',
      settings: { graphqlInterface: '2' },
    })
    await op('track_table', 'places')
    await op('create_event_trigger', { name: 'places', table: 'places', insert: { columns: '*' }, webhook: hook.url })
    await sql(
      `insert into places values (1, 'SRID=3857;POINT(1 2)', 'POINT(3 4)'), (2, 'CIRCULARSTRING(0 0,1 1,2 0)', null)`,
    )
    const sent = await sql(`select payload #> '{data,new}' as row from trellis.event_log order by seq`)
    const shape = (name: string, coordinates: number[]) => ({
      type: 'Point',
      crs: { type: 'name', properties: { name } },
      coordinates,
    })
    const [point, curve] = sent.map(({ row }) => row as Record<string, unknown>)
    assert.deepEqual(point, {
      id: 1,
      shape: shape('urn:ogc:def:crs:EPSG::3857', [1, 2]),
      place: shape('urn:ogc:def:crs:EPSG::4326', [3, 4]),
    })
    assert.deepEqual([curve?.['id'], typeof curve?.['shape'], curve?.['place']], [2, 'string', null])
  },
)

spatialTest('shapes within arrays and rows are sent as well, and none keeps its row from being written', async (t) => {
  const hook = await startOther(t, () => ({}))
  const { op, sql } = await startSpatial(t, {
    schema: 'gis',
    sql: `set search_path to gis, public; create type public.site as (name text, shape geometry);
      create table public.places (id int, shape geometry, shapes geometry[], site site, sites site[])`,
  })
  await op('track_table', 'places')
  const payloads = { whole: '*', listed: ['id', 'shape', 'shapes', 'site', 'sites'] }
  for (const [name, payload] of Object.entries(payloads)) {
    await op('create_event_trigger', { name, table: 'places', insert: { columns: '*', payload }, webhook: hook.url })
  }
  const place = (
    id: number,
    [shape, nested]: readonly [string, string],
  ) => `insert into public.places values (${id}, '${shape}',
    array['${nested}']::gis.geometry[], row('a', '${nested}'), array[row('b', '${nested}')::public.site])`
  const [point, curve, odd] = ['POINT(1 2)', 'CIRCULARSTRING(0 0,1 1,2 0)', 'POINT(NaN 1)']
  const pairs = [
    [point, point],
    [curve, point],
    [point, curve],
    [point, odd],
  ] as const
  for (const [i, pair] of pairs.entries()) await sql(place(i, pair))
  const rows = await sql<{ name: string; data: Record<string, unknown> }>(
    `select trigger_name as name, payload #> '{data,new}' as data from trellis.event_log order by trigger_name, seq`,
  )
  const json = { type: 'Point', coordinates: [1, 2] }
  const within = { shapes: [json], site: { name: 'a', shape: json }, sites: [{ name: 'b', shape: json }] }
  const asTexts = { shape: 'text', shapes: 'text', site: 'text', sites: 'text' }
  for (const name of Object.keys(payloads)) {
    const sent = rows
      .filter((row) => row.name === name)
      .map(({ data }) =>
        Object.fromEntries(
          Object.entries(data).map(([key, value]) => [key, typeof value === 'string' ? 'text' : value]),
        ),
      )
    assert.deepEqual(sent, [
      { id: 0, shape: json, ...within },
      { id: 1, shape: 'text', ...within },
      { id: 2, ...asTexts },
      { id: 3, ...asTexts },
    ])
  }
})
