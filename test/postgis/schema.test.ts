import assert from 'node:assert/strict'
import { spatialTest } from '../support/postgis.ts'
import type { TestTrellis } from '../support/trellis.ts'
import { answeredPoint, box, point, startHarbours } from './harbours.ts'

interface InputType {
  readonly description: string | null
  readonly inputFields: readonly {
    readonly name: string
    readonly description: string | null
    readonly defaultValue: string | null
    readonly type: TypeReference
  }[]
}

interface TypeReference {
  readonly kind: string
  readonly name: string | null
  readonly ofType: TypeReference | null
}

function typeText({ kind, name, ofType }: TypeReference): string {
  if (kind === 'NON_NULL') return `${typeText(ofType!)}!`
  return kind === 'LIST' ? `[${typeText(ofType!)}]` : name!
}

const ofType = 'ofType { kind name ofType { kind name ofType { kind name } } }'

/** The fields of an input type as `name: type = default "description"`; null when there is no such type. */
async function inputFields(trellis: TestTrellis, type: string): Promise<string[] | null> {
  const fields = `inputFields { name description defaultValue type { kind name ${ofType} } }`
  const answer = await trellis.graphql<{ data: { __type: InputType | null } }>(
    `{ __type(name: "${type}") { description ${fields} } }`,
  )
  return (
    answer.data.__type?.inputFields.map(({ name, type, defaultValue, description }) => {
      const standard = defaultValue === null ? '' : ` = ${defaultValue}`
      return `${name}: ${typeText(type)}${standard}${description ? ` "${description}"` : ''}`
    }) ?? null
  )
}

const generic = (scalar: string) => [
  `_eq: ${scalar}`,
  `_in: [${scalar}!]`,
  '_is_null: Boolean',
  `_neq: ${scalar}`,
  `_nin: [${scalar}!]`,
]

const ordered = (scalar: string) => ['_gt', '_gte', '_lt', '_lte'].map((name) => `${name}: ${scalar}`)

const comparisons = {
  geometry_comparison_exp: [
    '_cast: geometry_cast_exp',
    ...generic('geometry'),
    ...ordered('geometry'),
    '_st_3d_d_within: st_d_within_input "is the column within a 3D distance from a geometry value"',
    '_st_3d_intersects: geometry "does the column spatially intersect the given geometry value in 3D"',
    '_st_contains: geometry "does the column contain the given geometry value"',
    '_st_crosses: geometry "does the column crosses the given geometry value"',
    '_st_d_within: st_d_within_input "is the column within a distance from a geometry value"',
    '_st_equals: geometry "is the column equal to given geometry value. Directionality is ignored"',
    '_st_intersects: geometry "does the column spatially intersect the given geometry value"',
    `_st_overlaps: geometry "does the column 'spatially overlap' (intersect but not completely contain) the given geometry value"`,
    '_st_touches: geometry "does the column have atleast one point in common with the given geometry value"',
    '_st_within: geometry "is the column contained in the given geometry value"',
  ],
  geography_comparison_exp: [
    '_cast: geography_cast_exp',
    ...generic('geography'),
    ...ordered('geography'),
    '_st_d_within: st_d_within_geography_input "is the column within a distance from a geography value"',
    '_st_intersects: geography "does the column spatially intersect the given geography value"',
  ],
  raster_comparison_exp: [
    ...generic('raster'),
    '_st_intersects_geom_nband: st_intersects_geom_nband_input',
    '_st_intersects_nband_geom: st_intersects_nband_geom_input',
    '_st_intersects_rast: raster',
  ],
  geometry_cast_exp: ['geography: geography_comparison_exp'],
  geography_cast_exp: ['geometry: geometry_comparison_exp'],
  st_d_within_input: ['distance: Float!', 'from: geometry!'],
  st_d_within_geography_input: ['distance: Float!', 'from: geography!', 'use_spheroid: Boolean = true'],
  st_intersects_nband_geom_input: ['geommin: geometry!', 'nband: Int!'],
  st_intersects_geom_nband_input: ['geommin: geometry!', 'nband: Int'],
  sea_order_by: ['area: order_by', 'harbours_aggregate: harbour_aggregate_order_by', 'id: order_by', 'name: order_by'],
  harbour_insert_input: [
    'id: Int',
    'name: String',
    'position: geometry',
    'reach: geography',
    'sea: sea_obj_rel_insert_input',
    'sea_id: Int',
  ],
  harbour_inc_input: ['id: Int', 'sea_id: Int'],
  harbour_max_order_by: ['id: order_by', 'name: order_by', 'sea_id: order_by'],
}

spatialTest('the schema has the types and fields of PostGIS', async (t) => {
  const trellis = await startHarbours(t, { empty: true })
  for (const [type, fields] of Object.entries(comparisons)) {
    const found = await inputFields(trellis, type)
    assert.deepEqual(found?.sort(), [...fields].sort(), type)
  }
  const { data } = await trellis.graphql<{ data: { __type: { description: string } } }>(
    '{ __type(name: "geometry_comparison_exp") { description } }',
  )
  assert.equal(
    data.__type.description,
    `Boolean expression to compare columns of type "geometry". All fields are combined with logical 'AND'.`,
  )
})

spatialTest('without columns of PostGIS there is nothing of it in the schema', async (t) => {
  const trellis = await startHarbours(t, { empty: true })
  await trellis.op('clear_metadata', {})
  await trellis.sql('create table quay (id int primary key)')
  await trellis.op('track_table', 'quay')
  for (const type of ['geometry', 'geometry_comparison_exp', 'st_d_within_input', 'raster']) {
    assert.equal(await inputFields(trellis, type), null, type)
  }
})

spatialTest('an extension and columns that come later are noticed', async (t) => {
  const trellis = await startHarbours(t, { empty: true })
  await trellis.op('run_sql', {
    sql: 'drop extension postgis cascade; alter table sea add column note text',
    cascade: true,
  })
  const gone = await trellis.graphql<{ errors: { message: string }[] }>('{ sea { area } }')
  assert.equal(gone.errors[0]?.message, `field "area" not found in type: 'sea'`)
  const sql = `create schema gis; create extension postgis schema gis; alter table sea add column area gis.geometry`
  await trellis.op('run_sql', { sql })
  const inserted = await trellis.graphql(
    'mutation ($area: geometry) { insert_sea_one(object: {name: "South", area: $area}) { area } }',
    { area: point(1, 2) },
  )
  assert.deepEqual(inserted, { data: { insert_sea_one: { area: answeredPoint(1, 2) } } })
})

spatialTest('a type of that name that is not the one of PostGIS is like any other', async (t) => {
  const trellis = await startHarbours(t, { empty: true })
  await trellis.sql(`
    create schema own; create type own.geometry as enum ('round', 'square');
    create table own.tile (id int primary key, form own.geometry)`)
  await trellis.op('clear_metadata', {})
  await trellis.op('track_table', { schema: 'own', name: 'tile' })
  const insert = 'mutation { insert_own_tile_one(object: {id: 1, form: "round"}) { form } }'
  assert.deepEqual(await trellis.graphql(insert), { data: { insert_own_tile_one: { form: 'round' } } })
  const equal = '{ own_tile(where: {form: {_eq: "round", _gte: "round", _nin: ["square"]}}) { form } }'
  assert.deepEqual(await trellis.graphql(equal), { data: { own_tile: [{ form: 'round' }] } })
  assert.deepEqual((await inputFields(trellis, 'geometry_comparison_exp'))?.length, 9)
})

spatialTest('rows are ordered, grouped and counted by geometries, which have no minimum', async (t) => {
  const trellis = await startHarbours(t)
  // PostGIS orders along a curve that fills the plane.
  const harbour = await trellis.sql('select name from harbour where position is not null order by position desc')
  const query = `{
    harbour(order_by: {position: desc_nulls_last}, where: {position: {_is_null: false}}) { name }
    distinct: harbour(distinct_on: position, order_by: {position: asc}) { name }
    harbour_aggregate { aggregate { count(columns: position, distinct: true) min { name } } }
    sea(order_by: {harbours_aggregate: {count: asc}}) { name }
  }`
  assert.deepEqual(await trellis.graphql(query), {
    data: {
      harbour,
      distinct: [...harbour.toReversed(), { name: 'Lost' }],
      harbour_aggregate: { aggregate: { count: 3, min: { name: 'Edge' } } },
      sea: [{ name: 'North' }],
    },
  })
  const refused = await trellis.graphql('{ harbour_aggregate { aggregate { min { position } } } }')
  assert.deepEqual(refused, {
    errors: [
      {
        extensions: {
          path: '$.selectionSet.harbour_aggregate.selectionSet.aggregate.selectionSet.min.selectionSet.position',
          code: 'validation-failed',
        },
        message: `field "position" not found in type: 'harbour_min_fields'`,
      },
    ],
  })
})

const functions = `
  create function harbours_near(place geometry, distance float8 default 1) returns setof harbour language sql stable
    as 'select * from harbour where st_dwithin(position, place, distance) order by id';
  create function moved(h harbour, by geometry, whole boolean) returns geometry language sql stable
    as 'select st_translate(h.position, st_x(by), st_y(by))';
  create function around(h harbour) returns geography language sql stable as 'select h.reach';
`

spatialTest('functions and computed fields take and give geometries', async (t) => {
  const trellis = await startHarbours(t)
  await trellis.op('run_sql', { sql: functions })
  await trellis.op('track_function', 'harbours_near')
  for (const name of ['moved', 'around']) {
    await trellis.op('add_computed_field', { table: 'harbour', name, definition: { function: name } })
  }
  const query = `query ($place: geometry, $by: geometry) {
    harbours_near(args: {place: $place}) { name moved(args: {by: $by, whole: true}) around }
    wide: harbours_near_aggregate(args: {place: $place, distance: 6}, where: {name: {_neq: "Edge"}}) { aggregate { count } }
    literal: harbours_near(args: {place: {type: "Point", coordinates: [99.5, 5]}}) { name }
  }`
  assert.deepEqual(await trellis.graphql(query, { place: point(10, 55.5), by: point(1, -1) }), {
    data: {
      harbours_near: [{ name: 'Edge', moved: answeredPoint(11, 54), around: answeredPoint(10, 55) }],
      wide: { aggregate: { count: 1 } },
      literal: [{ name: 'Far' }],
    },
  })
  const refused = await trellis.graphql(query, { place: 'POINT(1 2)', by: null })
  assert.deepEqual(refused, {
    errors: [
      {
        extensions: { path: '$.selectionSet.harbours_near.args.args.place', code: 'parse-failed' },
        message: 'parsing Geometry failed, expected Object, but encountered String',
      },
    ],
  })
})

spatialTest('explain shows the functions by their full names', async (t) => {
  const trellis = await startHarbours(t, { schema: 'gis' })
  const query = 'query ($area: geometry) { harbour(where: {position: {_st_within: $area}}) { position } }'
  const body = { query: { query, variables: { area: box(0, 50, 10, 60) } } }
  const { body: answer } = await trellis.request<{ sql: string }[]>('/v1/graphql/explain', { body })
  const { sql } = answer[0]!
  assert.match(sql, /"gis"\."st_within"\(.*"position", "gis"\."st_geomfromgeojson"\(/)
  assert.match(sql, /"gis"\."st_asgeojson"\(.*"position", 15, 4\)/)
})

spatialTest('the statement for all subscribers reads a geometry of each', async (t) => {
  const trellis = await startHarbours(t, { schema: 'gis' })
  const where = '{position: {_in: $list}, sea: {area: {_st_contains: $at}}}'
  const query = `subscription ($at: geometry, $list: [geometry!]) { harbour(where: ${where}) { name position } }`
  const variables = { at: point(1, 51), list: [point(10, 55)] }
  const { body } = await trellis.request<{ sql: string }>('/v1/graphql/explain', {
    body: { query: { query, variables } },
  })
  const ids = ['00000000-0000-0000-0000-000000000001', '00000000-0000-0000-0000-000000000002']
  const list = (...places: readonly unknown[]) => `{${places.map((place) => JSON.stringify(JSON.stringify(place)))}}`
  const values = [
    JSON.stringify([list(point(10, 55), point(100, 5)), JSON.stringify(point(1, 51))]),
    JSON.stringify([list(), JSON.stringify(point(1, 51))]),
  ]
  const rows = await trellis.sql<{ j: string }>(body.sql, [ids, values])
  assert.deepEqual(
    rows.map(({ j }) => JSON.parse(j)),
    [{ data: { harbour: [{ name: 'Edge', position: answeredPoint(10, 55) }] } }, { data: { harbour: [] } }],
  )
})

spatialTest('an index answers what is within a distance', async (t) => {
  const trellis = await startHarbours(t, { empty: true })
  await trellis.sql(`
    insert into harbour (position) select st_setsrid(st_makepoint(i % 180, i % 90), 4326) from generate_series(1, 20000) i;
    create index on harbour using gist (position); analyze harbour`)
  const near = 'position: {_st_d_within: {distance: 0.5, from: {type: "Point", coordinates: [10, 10]}}}'
  const body = { query: { query: `{ harbour(where: {${near}}) { id } }` } }
  const { body: answer } = await trellis.request<{ plan: string[] }[]>('/v1/graphql/explain', { body })
  assert.match(answer[0]!.plan.join('\n'), /Index Cond: \(.*"?position"? && /)
})

interface Connection {
  readonly data: {
    readonly harbour_connection: {
      readonly edges: readonly {
        readonly cursor: string
        readonly node: { readonly name: string; readonly id: string }
      }[]
    }
  }
}

spatialTest('Relay pages through an order of geometries, and finds rows whose key is one', async (t) => {
  const trellis = await startHarbours(t)
  await trellis.sql(`
    insert into harbour (name, position) values ('Exact', st_setsrid(st_makepoint(5.12345678901234, 54.98765432109876), 4326));
    create table buoy (place geometry primary key, name text);
    insert into buoy values (st_setsrid(st_makepoint(0.1234567890123, 1), 4326), 'red')`)
  await trellis.op('track_table', 'buoy')
  const path = { path: '/v1beta1/relay' }
  const seen: string[] = []
  for (let after = ''; seen.length < 5; ) {
    const query = `{ harbour_connection(first: 1, ${after} order_by: {position: asc}) { edges { cursor node { name id } } } }`
    const { data } = await trellis.graphql<Connection>(query, {}, path)
    const [edge] = data.harbour_connection.edges
    seen.push(edge!.node.name)
    after = `after: "${edge!.cursor}",`
  }
  const names = await trellis.sql<{ name: string }>('select name from harbour order by position')
  assert.deepEqual(
    seen,
    names.map(({ name }) => name),
  )
  const buoys = await trellis.graphql<{ data: { buoy_connection: { edges: { node: { id: string } }[] } } }>(
    '{ buoy_connection { edges { node { id } } } }',
    {},
    path,
  )
  const { id } = buoys.data.buoy_connection.edges[0]!.node
  const found = await trellis.graphql(`{ node(id: "${id}") { ... on buoy { name } } }`, {}, path)
  assert.deepEqual(found, { data: { node: { name: 'red' } } })
})
