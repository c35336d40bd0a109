import assert from 'node:assert/strict'
import { spatialTest } from '../support/postgis.ts'
import type { TestTrellis } from '../support/trellis.ts'
import { answeredBox, answeredPoint, box, point, startHarbours } from './harbours.ts'

/** The names of the harbours for which an expression holds. */
async function harbours(
  trellis: TestTrellis,
  where: string,
  variables: Record<string, unknown> = {},
): Promise<string[]> {
  const types = { p: 'geometry!', g: 'geography!', list: '[geometry!]', d: 'Float!', near: 'st_d_within_input' }
  const declared = Object.keys(variables).map((name) => `$${name}: ${types[name as keyof typeof types]}`)
  const head = declared.length > 0 ? `query (${declared.join(' ')})` : ''
  const query = `${head} { harbour(where: ${where}, order_by: {id: asc}) { name } }`
  const answer = await trellis.graphql<{ data: { harbour: { name: string }[] } }>(query, variables)
  assert.ok(answer.data, JSON.stringify(answer))
  return answer.data.harbour.map(({ name }) => name)
}

const answer = `{
  sea { name area harbours(order_by: {id: asc}) { name position } }
  harbour_by_pk(id: 1) { reach }
}`
const answered = {
  data: {
    sea: [
      {
        name: 'North',
        area: answeredBox(0, 50, 10, 60),
        harbours: [
          { name: 'Inner', position: answeredPoint(5.25, 55) },
          { name: 'Edge', position: answeredPoint(10, 55) },
        ],
      },
    ],
    harbour_by_pk: { reach: answeredPoint(5.25, 55) },
  },
}

spatialTest('geometries and geographies are answered as GeoJSON, wherever rows are', async (t) => {
  const trellis = await startHarbours(t)
  assert.deepEqual(await trellis.graphql(answer), answered)
  const nodes = '{ harbour_aggregate(where: {id: {_eq: 4}}) { aggregate { count } nodes { position reach } } }'
  assert.deepEqual(await trellis.graphql(nodes), {
    data: { harbour_aggregate: { aggregate: { count: 1 }, nodes: [{ position: null, reach: null }] } },
  })
})

spatialTest('coordinates have 15 decimals, and a system that is not the usual one is named', async (t) => {
  const trellis = await startHarbours(t, { empty: true })
  await trellis.sql(`
    create table mark (id int primary key, place geometry);
    insert into mark values
      (1, st_setsrid(st_makepoint(0.123456789012345, 1e-7), 3857)), (2, st_makepoint(1, 2, 3)),
      (3, 'GEOMETRYCOLLECTION(POINT(1 2))'), (4, 'POINT EMPTY')`)
  await trellis.op('track_table', 'mark')
  assert.deepEqual(await trellis.graphql('{ mark(order_by: {id: asc}) { place } }'), {
    data: {
      mark: [
        {
          place: {
            type: 'Point',
            crs: { type: 'name', properties: { name: 'urn:ogc:def:crs:EPSG::3857' } },
            coordinates: [0.123456789012345, 1e-7],
          },
        },
        { place: { type: 'Point', coordinates: [1, 2, 3] } },
        { place: { type: 'GeometryCollection', geometries: [{ type: 'Point', coordinates: [1, 2] }] } },
        { place: { type: 'Point', coordinates: [] } },
      ],
    },
  })
})

spatialTest('a coordinate that JSON cannot hold is an error, not a broken answer', async (t) => {
  const trellis = await startHarbours(t, { empty: true })
  await trellis.sql(`insert into harbour (position) values (st_setsrid(st_makepoint('Infinity', 0), 4326))`)
  const answer = await trellis.graphql<{ errors: { message: string; extensions: unknown }[] }>(
    '{ harbour { position } }',
  )
  assert.equal(answer.errors[0]?.message, 'invalid input syntax for type json')
  assert.deepEqual(answer.errors[0]?.extensions, { path: '$', code: 'data-exception' })
})

const conditions: readonly (readonly [where: string, variables: Record<string, unknown>, names: readonly string[]])[] =
  [
    ['{position: {_st_within: $p}}', { p: box(0, 50, 10, 60) }, ['Inner']],
    ['{position: {_st_intersects: $p}}', { p: box(0, 50, 10, 60) }, ['Inner', 'Edge']],
    ['{position: {_st_touches: $p}}', { p: box(0, 50, 10, 60) }, ['Edge']],
    ['{position: {_st_equals: $p}}', { p: point(10, 55) }, ['Edge']],
    ['{sea: {area: {_st_contains: $p}}}', { p: point(1, 51) }, ['Inner', 'Edge']],
    ['{sea: {area: {_st_contains: $p}}}', { p: point(0, 51) }, []],
    ['{sea: {area: {_st_overlaps: $p}}}', { p: box(5, 55, 20, 70) }, ['Inner', 'Edge']],
    ['{sea: {area: {_st_overlaps: $p}}}', { p: box(1, 51, 2, 52) }, []],
    [
      '{sea: {area: {_st_crosses: $p}}}',
      {
        p: {
          type: 'LineString',
          coordinates: [
            [-5, 55],
            [5, 55],
          ],
        },
      },
      ['Inner', 'Edge'],
    ],
    ['{position: {_eq: $p}}', { p: point(10, 55) }, ['Edge']],
    ['{position: {_neq: $p}}', { p: point(10, 55) }, ['Inner', 'Far']],
    ['{position: {_in: $list}}', { list: [point(10, 55), point(100, 5)] }, ['Edge', 'Far']],
    ['{position: {_in: $list}}', { list: [] }, []],
    ['{position: {_nin: $list}}', { list: [point(10, 55), point(100, 5)] }, ['Inner']],
    ['{position: {_nin: $list}}', { list: [] }, ['Inner', 'Edge', 'Far', 'Lost']],
    ['{_or: [{position: {_lt: $p}}, {position: {_gt: $p}}]}', { p: point(10, 55) }, ['Inner', 'Far']],
    ['{position: {_lte: $p, _gte: $p}}', { p: point(10, 55) }, ['Edge']],
    ['{position: {_is_null: true}}', {}, ['Lost']],
    ['{position: {_st_d_within: {distance: $d, from: $p}}}', { d: 1.25, p: point(4, 55) }, ['Inner']],
    ['{position: {_st_d_within: {distance: $d, from: $p}}}', { d: 1.249999999, p: point(4, 55) }, []],
    ['{position: {_st_d_within: $near}}', { near: { distance: 6, from: point(4, 55) } }, ['Inner', 'Edge']],
    ['{position: {_st_d_within: {distance: 0, from: {type: "Point", coordinates: [10, 55]}}}}', {}, ['Edge']],
    ['{position: {_st_d_within: {distance: 0, from: {type: Point, coordinates: [$d, 55]}}}}', { d: 10 }, ['Edge']],
    ['{reach: {_st_intersects: $g}}', { g: point(10, 55) }, ['Edge']],
    // Between 5.25 and 10 degrees at 55 degrees there are 303 kilometers on the spheroid, 302 on the sphere.
    ['{reach: {_st_d_within: {distance: 303000, from: $g}}}', { g: point(10, 55) }, ['Edge']],
    ['{reach: {_st_d_within: {distance: 304000, from: $g}}}', { g: point(10, 55) }, ['Inner', 'Edge']],
    [
      '{reach: {_st_d_within: {distance: 303000, from: $g, use_spheroid: false}}}',
      { g: point(10, 55) },
      ['Inner', 'Edge'],
    ],
    ['{reach: {_eq: $g}}', { g: point(10, 55) }, ['Edge']],
    [
      '{position: {_cast: {geography: {_st_d_within: {distance: 304000, from: $g}}}}}',
      { g: point(10, 55) },
      ['Inner', 'Edge'],
    ],
    ['{position: {_cast: {geography: {_eq: $g}}}}', { g: point(10, 55) }, ['Edge']],
    ['{position: {_cast: {geography: {_is_null: true}}}}', {}, ['Lost']],
    ['{position: {_cast: {geography: {}}}}', {}, ['Inner', 'Edge', 'Far', 'Lost']],
    ['{reach: {_cast: {geometry: {_st_within: $p}}}}', { p: box(0, 50, 10, 60) }, ['Inner']],
    ['{reach: {_cast: {geometry: {_in: $list}}}}', { list: [point(10, 55)] }, ['Edge']],
    ['{reach: {_cast: {geometry: {_cast: {geography: {_eq: $g}}}}}}', { g: point(10, 55) }, ['Edge']],
  ]

spatialTest('columns are compared by every operator of their type', async (t) => {
  const trellis = await startHarbours(t)
  for (const [where, variables, names] of conditions) {
    assert.deepEqual(await harbours(trellis, where, variables), names, `${where} ${JSON.stringify(variables)}`)
  }
})

spatialTest('PostGIS may be in any schema, off the search path', async (t) => {
  const trellis = await startHarbours(t, { schema: 'gis' })
  assert.deepEqual(await trellis.graphql(answer), answered)
  for (const [where, variables, names] of conditions) {
    assert.deepEqual(await harbours(trellis, where, variables), names, `${where} ${JSON.stringify(variables)}`)
  }
})

const path = '$.selectionSet.harbour.args.where.position'

const refusals: readonly (readonly [where: string, path: string, code: string, message: string])[] = [
  [
    '{position: {_eq: "POINT(1 2)"}}',
    `${path}._eq`,
    'parse-failed',
    'parsing Geometry failed, expected Object, but encountered String',
  ],
  ['{position: {_eq: {type: "Blob"}}}', `${path}._eq`, 'parse-failed', 'unexpected geometry type: Blob'],
  [
    '{position: {_in: [{type: "Point", coordinates: [1]}]}}',
    `${path}._in[0]`,
    'parse-failed',
    'A Position needs at least 2 elements',
  ],
  ['{position: {_eq: null}}', `${path}._eq`, 'validation-failed', 'unexpected null value for type "geometry"'],
  [
    '{position: {_st_within: null}}',
    `${path}._st_within`,
    'validation-failed',
    'unexpected null value for type "geometry"',
  ],
  [
    '{position: {_st_d_within: null}}',
    `${path}._st_d_within`,
    'validation-failed',
    'expected an object for type "st_d_within_input", but found null',
  ],
  [
    '{position: {_st_d_within: {from: {type: "Point", coordinates: [1, 2]}}}}',
    `${path}._st_d_within.distance`,
    'validation-failed',
    'missing required field "distance"',
  ],
  [
    '{position: {_st_d_within: {distance: "1", from: {type: "Point", coordinates: [1, 2]}}}}',
    `${path}._st_d_within.distance`,
    'validation-failed',
    'expected a float for type "Float", but found a string',
  ],
  [
    '{position: {_st_d_within: {distance: 1, from: null}}}',
    `${path}._st_d_within.from`,
    'validation-failed',
    'unexpected null value for type "geometry"',
  ],
  [
    '{position: {_st_d_within: {distance: 1, from: {type: "Point", coordinates: []}}}}',
    `${path}._st_d_within.from`,
    'parse-failed',
    'A Position needs at least 2 elements',
  ],
  [
    '{reach: {_st_d_within: {distance: 1, from: {type: "Point", coordinates: [1, 2]}, use_spheroid: null}}}',
    '$.selectionSet.harbour.args.where.reach._st_d_within.use_spheroid',
    'validation-failed',
    'expected a boolean for type "Boolean", but found null',
  ],
  [
    '{position: {_cast: null}}',
    `${path}._cast`,
    'validation-failed',
    'expected an object for type "geometry_cast_exp", but found null',
  ],
  [
    '{position: {_cast: {geography: null}}}',
    `${path}._cast.geography`,
    'validation-failed',
    'expected an object for type "geography_comparison_exp", but found null',
  ],
  [
    '{position: {_cast: {geometry: {}}}}',
    `${path}._cast.geometry`,
    'validation-failed',
    `field "geometry" not found in type: 'geometry_cast_exp'`,
  ],
  [
    '{reach: {_st_within: {type: "Point", coordinates: [1, 2]}}}',
    '$.selectionSet.harbour.args.where.reach._st_within',
    'validation-failed',
    `field "_st_within" not found in type: 'geography_comparison_exp'`,
  ],
]

interface Refusals {
  readonly errors: readonly { readonly extensions: { hint?: string } }[]
}

spatialTest('operands that do not fit are refused where they are', async (t) => {
  const trellis = await startHarbours(t)
  for (const [where, path, code, message] of refusals) {
    const body = await trellis.graphql<Refusals>(`{ harbour(where: ${where}) { name } }`)
    for (const { extensions } of body.errors) delete extensions.hint
    assert.deepEqual(body, { errors: [{ extensions: { path, code }, message }] }, where)
  }
  const declared = 'query ($g: geography) { harbour(where: {position: {_eq: $g}}) { name } }'
  assert.deepEqual(await trellis.graphql(declared, { g: point(1, 2) }), {
    errors: [
      {
        extensions: { path: `${path}._eq`, code: 'validation-failed' },
        message: 'variable "g" is declared as geography, but used where geometry is expected',
      },
    ],
  })
})

spatialTest('null operands hold where they are asked to', async (t) => {
  const trellis = await startHarbours(t, { settings: { v1BooleanNullCollapse: true } })
  for (const comparison of ['_cast: null', '_cast: {geography: null}', '_st_d_within: null', '_st_within: null']) {
    const names = await harbours(trellis, `{position: {${comparison}, _is_null: false}}`)
    assert.deepEqual(names, ['Inner', 'Edge', 'Far'], comparison)
  }
})

const rasterConditions: readonly (readonly [comparison: string, ids: readonly number[]])[] = [
  ['{_eq: $r}', [1]],
  ['{_neq: $r}', [2]],
  ['{_in: [$r]}', [1]],
  ['{_nin: [$r]}', [2]],
  ['{_is_null: false}', [1, 2]],
  ['{_st_intersects_rast: $r}', [1]],
  ['{_st_intersects_nband_geom: {nband: 1, geommin: $p}}', [1]],
  ['{_st_intersects_geom_nband: {nband: 1, geommin: $p}}', [1]],
  ['{_st_intersects_geom_nband: {geommin: $p}}', [1]],
  ['{_st_intersects_geom_nband: {geommin: $p, nband: null}}', [1]],
]

for (const schema of ['public', 'gis']) {
  spatialTest(`rasters of schema ${schema} are hexadecimal, and compared by what they cover`, async (t) => {
    const trellis = await startHarbours(t, { schema })
    const [stored] = await trellis.sql<{ grid: string }>('select grid::text from depth where id = 1')
    assert.deepEqual(await trellis.graphql('{ depth_by_pk(id: 1) { grid } }'), { data: { depth_by_pk: stored } })
    const values = { $r: ['raster', stored!.grid], $p: ['geometry', point(1, 1)] } as const
    for (const [comparison, ids] of rasterConditions) {
      const used = Object.entries(values).filter(([name]) => comparison.includes(name))
      const head = used.length > 0 ? `query (${used.map(([name, [type]]) => `${name}: ${type}!`)})` : ''
      const query = `${head} { depth(where: {grid: ${comparison}}, order_by: {id: asc}) { id } }`
      const variables = Object.fromEntries(used.map(([name, [, value]]) => [name.slice(1), value]))
      const depth = ids.map((id) => ({ id }))
      assert.deepEqual(await trellis.graphql(query, variables), { data: { depth } }, comparison)
    }
  })
}
