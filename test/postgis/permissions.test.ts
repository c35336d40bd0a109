import assert from 'node:assert/strict'
import { spatialTest } from '../support/postgis.ts'
import type { TestTrellis } from '../support/trellis.ts'
import { answeredPoint, box, point, startHarbours } from './harbours.ts'

const north = box(0, 50, 10, 60)

const grant = (trellis: TestTrellis, filter: unknown, role: string) =>
  trellis.op('create_select_permission', {
    table: 'harbour',
    role,
    permission: { columns: ['name', 'position'], filter, allow_aggregations: true },
  })

const filters: readonly (readonly [filter: unknown, headers: Record<string, string>, names: readonly string[]])[] = [
  [{ position: { _st_within: north } }, {}, ['Inner']],
  [{ position: { $st_intersects: north } }, {}, ['Inner', 'Edge']],
  [{ position: { _st_touches: north } }, {}, ['Edge']],
  [{ sea: { area: { _st_contains: point(1, 51) } } }, {}, ['Inner', 'Edge']],
  [{ sea: { area: { _st_overlaps: box(5, 55, 20, 70), _st_equals: north } } }, {}, ['Inner', 'Edge']],
  [
    {
      sea: {
        area: {
          _st_crosses: {
            type: 'LineString',
            coordinates: [
              [-5, 55],
              [5, 55],
            ],
          },
        },
      },
    },
    {},
    ['Inner', 'Edge'],
  ],
  [{ position: { _eq: point(10, 55) } }, {}, ['Edge']],
  [{ position: { _ne: point(10, 55) } }, {}, ['Inner', 'Far']],
  [{ position: { _in: [point(10, 55), point(100, 5)] } }, {}, ['Edge', 'Far']],
  [{ position: null }, {}, ['Lost']],
  [{ position: { _eq: null } }, {}, ['Lost']],
  [{ position: { _cne: 'position' } }, {}, []],
  [{ position: { _ceq: 'position' } }, {}, ['Inner', 'Edge', 'Far']],
  [{ position: { _cast: { geography: { _ceq: 'reach' } } } }, {}, ['Inner', 'Edge', 'Far']],
  [{ position: { _st_d_within: { distance: 1.25, from: point(4, 55) } } }, {}, ['Inner']],
  [{ reach: { _st_intersects: point(10, 55) } }, {}, ['Edge']],
  [{ reach: { _st_d_within: { distance: 303000, from: point(10, 55), use_spheroid: true } } }, {}, ['Edge']],
  [{ reach: { $st_d_within: { distance: 303000, from: point(10, 55), use_spheroid: false } } }, {}, ['Inner', 'Edge']],
  [
    {
      position: {
        $cast: { geography: { $st_d_within: { distance: 304000, from: point(10, 55), use_spheroid: true } } },
      },
    },
    {},
    ['Inner', 'Edge'],
  ],
  [{ reach: { _cast: { geometry: { _cast: { geography: { _eq: point(10, 55) } } } } } }, {}, ['Edge']],
  [{ position: { _st_within: 'X-Service-Area' } }, { 'x-service-area': JSON.stringify(north) }, ['Inner']],
  [
    { position: { _st_d_within: { distance: 'x-service-distance', from: 'x-service-place' } } },
    { 'x-service-distance': '6', 'x-service-place': JSON.stringify(point(4, 55)) },
    ['Inner', 'Edge'],
  ],
  [
    { reach: { _st_d_within: { distance: 303000, from: point(10, 55), use_spheroid: 'x-service-exact' } } },
    { 'x-service-exact': 'false' },
    ['Inner', 'Edge'],
  ],
  [
    { position: { _in: 'x-service-places' } },
    { 'x-service-places': `{${JSON.stringify(JSON.stringify(point(100, 5)))}}` },
    ['Far'],
  ],
]

for (const schema of ['public', 'gis']) {
  spatialTest(`filters compare with geometries and session variables, with PostGIS in ${schema}`, async (t) => {
    const trellis = await startHarbours(t, { schema })
    for (const [i, [filter, headers, names]] of filters.entries()) {
      const role = `role${i}`
      await grant(trellis, filter, role)
      const query = '{ harbour(order_by: {name: asc}) { name } harbour_aggregate { aggregate { count } } }'
      const answer = await trellis.graphql(query, {}, { role, headers })
      const harbour = [...names].sort().map((name) => ({ name }))
      const expected = { data: { harbour, harbour_aggregate: { aggregate: { count: names.length } } } }
      assert.deepEqual(answer, expected, JSON.stringify(filter))
    }
    const exported = await trellis.op<{ tables: { select_permissions?: { permission: { filter: unknown } }[] }[] }>(
      'export_metadata',
      {},
    )
    const kept = exported.tables.flatMap(({ select_permissions = [] }) => select_permissions)
    assert.equal(kept.length, filters.length)
    await trellis.op('replace_metadata', exported)
    assert.deepEqual(await trellis.op('export_metadata', {}), exported)
  })
}

const refusals: readonly (readonly [filter: unknown, message: string])[] = [
  [{ position: { _st_within: 'POINT(1 2)' } }, 'parsing Geometry failed, expected Object, but encountered String'],
  [{ position: { _eq: { type: 'Point', coordinates: [] } } }, 'A Position needs at least 2 elements'],
  [{ position: { _st_d_within: { from: point(1, 2) } } }, 'key "distance" not found'],
  [{ position: { _st_d_within: 'x-service-near' } }, 'parsing Object failed, expected Object, but encountered String'],
  [
    { position: { _st_d_within: { distance: '1', from: point(1, 2) } } },
    'expected a float for type "Float", but found a string',
  ],
  [{ reach: { _st_d_within: { distance: 1, from: point(1, 2) } } }, 'key "use_spheroid" not found'],
  [
    { reach: { _st_contains: point(1, 2) } },
    ' is of type "geography"; this operator works only on columns of type "geometry"',
  ],
  [
    { name: { _st_intersects: point(1, 2) } },
    ' is of type "text"; this operator works only on columns of type "geometry"/"geography"',
  ],
  [{ name: { _cast: { geometry: {} } } }, 'cannot cast column of type "text" to type "geometry"'],
  [{ position: { _cast: { geometry: {} } } }, 'cannot cast column of type "geometry" to type "geometry"'],
  [{ position: { _cast: { geography: 5 } } }, 'parsing Object failed, expected Object, but encountered Number'],
  [
    { position: { _cast: { geography: { _st_within: {} } } } },
    ' is of type "geography"; this operator works only on columns of type "geometry"',
  ],
  [{ position: { _ceq: 'reach' } }, 'incompatible column types : "position", "reach"'],
  [{ position: { _st_intersects_rast: '' } }, 'Unknown operator : _st_intersects_rast'],
]

spatialTest('filters that do not fit are refused when they are made', async (t) => {
  const trellis = await startHarbours(t, { empty: true })
  const refuse = async (table: string, filter: unknown, message: string) => {
    const args = { table, role: 'guest', permission: { columns: [], filter } }
    const { status, body } = await trellis.opError('create_select_permission', args)
    const { path, error, code } = body as Record<string, unknown>
    const expected = `in table "${table}": in permission for role "guest": ${message}`
    const shown = JSON.stringify(filter)
    assert.deepEqual([status, path, error, code], [400, '$.args', expected, 'constraint-violation'], shown)
  }
  for (const [filter, message] of refusals) await refuse('harbour', filter, message)
  await refuse('depth', { grid: { _gt: '' } }, ' is of type "raster", whose values have no order')
})

spatialTest('a session variable that is missing or no geometry is an error of the request', async (t) => {
  const trellis = await startHarbours(t)
  await grant(trellis, { position: { _st_within: 'x-service-area' } }, 'guest')
  const ask = (headers: Record<string, string>) =>
    trellis.graphql<{ errors: { message: string; extensions: { code: string } }[] }>(
      '{ harbour { name } }',
      {},
      { role: 'guest', headers },
    )
  const missing = await ask({})
  assert.deepEqual(missing.errors, [
    { message: 'missing session variables: "x-service-area"', extensions: { path: '$', code: 'not-found' } },
  ])
  const wrong = await ask({ 'x-service-area': 'somewhere' })
  // PostGIS reports it like a fault of its own, by SQLSTATE XX000.
  assert.deepEqual([wrong.errors[0]?.message, wrong.errors[0]?.extensions.code], ['database query error', 'unexpected'])
})

spatialTest('checks and presets hold geometries, from the metadata and from the session', async (t) => {
  const trellis = await startHarbours(t, { empty: true })
  await grant(trellis, {}, 'pilot')
  await trellis.op('create_insert_permission', {
    table: 'harbour',
    role: 'pilot',
    permission: {
      columns: ['name', 'position'],
      check: { position: { _st_within: 'x-service-area' } },
      set: { reach: point(3, 4) },
    },
  })
  await trellis.op('create_update_permission', {
    table: 'harbour',
    role: 'pilot',
    permission: {
      columns: ['name'],
      filter: { position: { _cast: { geography: { _is_null: false } } } },
      check: { position: { _st_intersects: north } },
      set: { position: 'x-service-place' },
    },
  })
  const as = (area: unknown, place: unknown) => ({
    role: 'pilot',
    headers: { 'x-service-area': JSON.stringify(area), 'x-service-place': JSON.stringify(place) },
  })
  const insert = 'mutation ($at: geometry) { insert_harbour_one(object: {name: "a", position: $at}) { position } }'
  const inside = await trellis.graphql(insert, { at: point(1, 51) }, as(north, point(0, 0)))
  assert.deepEqual(inside, { data: { insert_harbour_one: { position: answeredPoint(1, 51) } } })
  const outside = await trellis.graphql(insert, { at: point(1, 41) }, as(north, point(0, 0)))
  const violation = (kind: string, path: string) => ({
    errors: [
      {
        extensions: { path, code: 'permission-error' },
        message: `Check constraint violation. ${kind} check constraint failed`,
      },
    ],
  })
  assert.deepEqual(outside, violation('insert', '$.selectionSet.insert_harbour_one.args.object'))
  assert.deepEqual(await trellis.sql('select st_astext(reach) from harbour'), [{ st_astext: 'POINT(3 4)' }])
  const update = 'mutation { update_harbour(where: {}, _set: {name: "b"}) { returning { name position } } }'
  const moved = await trellis.graphql(update, {}, as(north, point(2, 52)))
  assert.deepEqual(moved, { data: { update_harbour: { returning: [{ name: 'b', position: answeredPoint(2, 52) }] } } })
  assert.deepEqual(await trellis.graphql(update, {}, as(north, point(2, 2))), violation('update', '$'))
})

spatialTest('the data operations read and write geometries, and ask for them', async (t) => {
  const trellis = await startHarbours(t)
  const select = (where: unknown) => trellis.op('select', { table: 'harbour', columns: ['name', 'position'], where })
  assert.deepEqual(await select({ position: { $st_within: north } }), [
    { name: 'Inner', position: answeredPoint(5.25, 55) },
  ])
  assert.deepEqual(
    await select({ reach: { _st_d_within: { distance: 1, from: point(100, 5), use_spheroid: true } } }),
    [{ name: 'Far', position: answeredPoint(100, 5) }],
  )
  assert.deepEqual(
    await trellis.op('count', { table: 'harbour', where: { sea: { area: { $st_contains: point(1, 51) } } } }),
    {
      count: 2,
    },
  )
  const inserted = await trellis.op('insert', {
    table: 'harbour',
    objects: [{ name: 'New', position: point(1, 2) }, { name: 'Old' }],
    returning: ['name', 'position'],
  })
  const returning = [
    { name: 'New', position: answeredPoint(1, 2) },
    { name: 'Old', position: null },
  ]
  assert.deepEqual(inserted, { affected_rows: 2, returning })
  const where = { position: { _eq: point(1, 2) } }
  assert.deepEqual(await trellis.op('update', { table: 'harbour', where, $set: { reach: point(3, 4) } }), {
    affected_rows: 1,
  })
  assert.deepEqual(await trellis.op('delete', { table: 'harbour', where }), { affected_rows: 1 })
  const refuse = async (where: unknown, path: string, error: string, code: string) => {
    const { body } = await trellis.opError('select', { table: 'harbour', columns: ['name'], where })
    assert.deepEqual(body, { path, error, code })
  }
  const message = 'A Position needs at least 2 elements'
  await refuse(
    { position: { $st_within: { type: 'Point', coordinates: [] } } },
    "$.args.where.position['$st_within']",
    message,
    'parse-failed',
  )
  const near = { distance: 1, from: { type: 'Point', coordinates: [1] } }
  await refuse({ position: { _st_d_within: near } }, '$.args.where.position._st_d_within.from', message, 'parse-failed')
  const ordered = await trellis.opError('select', { table: 'harbour', columns: ['name'], order_by: '+position' })
  assert.deepEqual(ordered.body, {
    path: '$.args.order_by[0]',
    error: `"position" has type 'geometry' and cannot be used in order_by`,
    code: 'unexpected-payload',
  })
})

spatialTest('a renamed column is followed through casts, and not into operands', async (t) => {
  const trellis = await startHarbours(t)
  const near = { distance: 1.25, from: point(4, 55) }
  await grant(trellis, { position: { _cast: { geography: { _ceq: 'reach' } }, _st_d_within: near } }, 'guest')
  await trellis.op('run_sql', {
    sql: 'alter table harbour rename reach to "from"; alter table harbour rename position to distance',
  })
  const { tables } = await trellis.op<{
    tables: { select_permissions?: { permission: { columns: string[]; filter: unknown } }[] }[]
  }>('export_metadata', {})
  const [entry] = tables.flatMap(({ select_permissions = [] }) => select_permissions)
  assert.deepEqual(entry!.permission.columns, ['name', 'distance'])
  assert.deepEqual(entry!.permission.filter, {
    distance: { _cast: { geography: { _ceq: 'from' } }, _st_d_within: near },
  })
  assert.deepEqual(await trellis.graphql('{ harbour { name } }', {}, { role: 'guest' }), {
    data: { harbour: [{ name: 'Inner' }] },
  })
})
