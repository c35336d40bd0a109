import assert from 'node:assert/strict'
import { spatialTest } from '../support/postgis.ts'
import { answeredBox, answeredPoint, box, point, startHarbours } from './harbours.ts'

const crs = (name: string) => ({ type: 'name', properties: { name } })

spatialTest('rows are inserted with geometries from variables, literals and variables inside literals', async (t) => {
  const trellis = await startHarbours(t, { empty: true })
  const mutation = `mutation ($at: geometry, $x: Float!, $rows: [harbour_insert_input!]!) {
    one: insert_harbour_one(object: {name: "a", position: $at, reach: {type: "Point", coordinates: [3, 4]}}) {
      position reach
    }
    two: insert_harbour(objects: {name: "b", position: {type: Point, coordinates: [$x, -1.50]}}) {
      affected_rows returning { position }
    }
    many: insert_harbour(objects: $rows) { affected_rows returning { name position reach } }
  }`
  const rows = [
    { name: 'c', position: point(5, 6) },
    { name: 'd', position: null },
    { name: 'e', reach: point(7, 8) },
  ]
  assert.deepEqual(await trellis.graphql(mutation, { at: point(1, 2), x: 0.1, rows }), {
    data: {
      one: { position: answeredPoint(1, 2), reach: answeredPoint(3, 4) },
      two: { affected_rows: 1, returning: [{ position: answeredPoint(0.1, -1.5) }] },
      many: {
        affected_rows: 3,
        returning: [
          { name: 'c', position: answeredPoint(5, 6), reach: null },
          { name: 'd', position: null, reach: null },
          { name: 'e', position: null, reach: answeredPoint(7, 8) },
        ],
      },
    },
  })
})

spatialTest('every kind of geometry and the reference system come back as they were given', async (t) => {
  const trellis = await startHarbours(t, { empty: true })
  await trellis.sql('create table shape (id serial primary key, form geometry)')
  await trellis.op('track_table', 'shape')
  const { coordinates: rings } = box(0, 0, 2, 1)
  const shapes = [
    {
      type: 'MultiPoint',
      coordinates: [
        [1, 2],
        [3, 4],
      ],
    },
    {
      type: 'LineString',
      coordinates: [
        [1, 2, 3],
        [4, 5, 6],
      ],
    },
    {
      type: 'MultiLineString',
      coordinates: [
        [
          [1, 2],
          [3, 4],
        ],
        [
          [5, 6],
          [7, 8],
        ],
      ],
    },
    { type: 'MultiPolygon', coordinates: [rings] },
    { type: 'GeometryCollection', geometries: [point(1, 2), { type: 'Polygon', coordinates: rings }] },
  ]
  const insert = 'mutation ($rows: [shape_insert_input!]!) { insert_shape(objects: $rows) { returning { form } } }'
  const standard = crs('urn:ogc:def:crs:EPSG::4326')
  assert.deepEqual(await trellis.graphql(insert, { rows: shapes.map((form) => ({ form })) }), {
    data: { insert_shape: { returning: shapes.map((shape) => ({ form: { ...shape, crs: standard } })) } },
  })
  for (const name of ['EPSG:3857', 'urn:ogc:def:crs:EPSG::3857']) {
    const form = { ...point(1, 2), crs: crs(name) }
    assert.deepEqual(await trellis.graphql(insert, { rows: [{ form }] }), {
      data: { insert_shape: { returning: [{ form: { ...form, crs: crs('urn:ogc:def:crs:EPSG::3857') } }] } },
    })
  }
})

spatialTest('geometries go in with related rows, and keys that are geometries link them', async (t) => {
  const trellis = await startHarbours(t, { empty: true })
  const mutation = `mutation ($area: geometry, $at: geometry) {
    insert_sea(objects: {name: "West", area: $area, harbours: {data: [{name: "a", position: $at}, {name: "b"}]}}) {
      affected_rows returning { area harbours(order_by: {id: asc}) { name position } }
    }
    insert_harbour_one(object: {name: "c", position: $at, sea: {data: {name: "East", area: $area}}}) { position sea { area } }
  }`
  const area = answeredBox(0, 0, 2, 1)
  assert.deepEqual(await trellis.graphql(mutation, { area: box(0, 0, 2, 1), at: point(1, 1) }), {
    data: {
      insert_sea: {
        affected_rows: 3,
        returning: [
          {
            area,
            harbours: [
              { name: 'a', position: answeredPoint(1, 1) },
              { name: 'b', position: null },
            ],
          },
        ],
      },
      insert_harbour_one: { position: answeredPoint(1, 1), sea: { area } },
    },
  })
  await trellis.sql(`
    create table spot (place geometry(Point, 4326) primary key, label text);
    create table visit (id serial primary key, place geometry(Point, 4326) references spot(place))`)
  await trellis.op('bulk', [
    { type: 'track_table', args: 'spot' },
    { type: 'track_table', args: 'visit' },
    {
      type: 'create_object_relationship',
      args: { table: 'visit', name: 'spot', using: { foreign_key_constraint_on: 'place' } },
    },
  ])
  const nested = `mutation ($at: geometry) {
    insert_visit_one(object: {spot: {data: {place: $at, label: "x"}}}) { place spot { label } }
  }`
  assert.deepEqual(await trellis.graphql(nested, { at: point(0.1, 0.2) }), {
    data: { insert_visit_one: { place: answeredPoint(0.1, 0.2), spot: { label: 'x' } } },
  })
})

for (const schema of ['public', 'gis']) {
  spatialTest(
    `rows of which a geometry is the key are found, updated, replaced and deleted, with PostGIS in ${schema}`,
    async (t) => {
      const trellis = await startHarbours(t, { schema, empty: true })
      await trellis.sql(`create table public.spot (place ${schema}.geometry(Point, 4326) primary key, label text)`)
      await trellis.op('track_table', 'spot')
      const place = point(0.1, 0.2)
      const run = (selection: string) =>
        trellis.graphql(
          `${selection.startsWith('{') ? 'query' : 'mutation'} ($place: geometry!) ${selection.replace('mutation ', '')}`,
          { place },
        )
      const insert = `mutation { insert_spot_one(object: {place: $place, label: "LABEL"}, on_conflict: {
      constraint: spot_pkey, update_columns: [label, place], where: {place: {_st_equals: $place}}}) { label place } }`
      const answered = (label: string) => ({ label, place: answeredPoint(0.1, 0.2) })
      for (const label of ['a', 'b']) {
        const answer = await run(insert.replace('LABEL', label))
        assert.deepEqual(answer, { data: { insert_spot_one: answered(label) } })
      }
      const found = await run('{ spot_by_pk(place: $place) { label place } }')
      assert.deepEqual(found, { data: { spot_by_pk: answered('b') } })
      const updated = await run(
        'mutation { update_spot_by_pk(pk_columns: {place: $place}, _set: {label: "c", place: $place}) { label place } }',
      )
      assert.deepEqual(updated, { data: { update_spot_by_pk: answered('c') } })
      const deleted = await run('mutation { delete_spot_by_pk(place: $place) { label place } }')
      assert.deepEqual(deleted, { data: { delete_spot_by_pk: answered('c') } })
    },
  )
}

spatialTest('rows are updated and deleted by where they are', async (t) => {
  const trellis = await startHarbours(t)
  const mutation = `mutation ($at: geometry, $area: geometry, $reach: geography!) {
    update_harbour(where: {position: {_st_within: $area}}, _set: {position: $at, reach: $reach}) {
      affected_rows returning { name position reach }
    }
    delete_harbour(where: {reach: {_st_d_within: {distance: 10, from: $reach}}}) { affected_rows returning { name position } }
    update_sea(where: {}, _set: {area: null}) { returning { area } }
  }`
  const variables = { at: point(1, 51), area: box(0, 50, 10, 60), reach: point(2, 52) }
  const position = answeredPoint(1, 51)
  assert.deepEqual(await trellis.graphql(mutation, variables), {
    data: {
      update_harbour: { affected_rows: 1, returning: [{ name: 'Inner', position, reach: answeredPoint(2, 52) }] },
      delete_harbour: { affected_rows: 1, returning: [{ name: 'Inner', position }] },
      update_sea: { returning: [{ area: null }] },
    },
  })
})

spatialTest('rasters are written as hexadecimal text', async (t) => {
  const trellis = await startHarbours(t)
  const [stored] = await trellis.sql<{ grid: string }>('select grid::text from depth where id = 1')
  const insert = 'mutation ($grid: raster) { insert_depth_one(object: {grid: $grid}) { grid } }'
  const lower = { grid: stored!.grid.toLowerCase() }
  assert.deepEqual(await trellis.graphql(insert, lower), { data: { insert_depth_one: stored } })
  const refused = await trellis.graphql(insert, { grid: 'xyz' })
  const message = 'invalid hexadecimal representation of raster well known binary format'
  const path = '$.selectionSet.insert_depth_one.args.object.grid'
  assert.deepEqual(refused, { errors: [{ extensions: { path, code: 'parse-failed' }, message }] })
})

const objects = '$.selectionSet.insert_harbour.args.objects'

spatialTest('values that are no geometry, or not of the column, change nothing', async (t) => {
  const trellis = await startHarbours(t, { empty: true })
  const insert = 'mutation ($rows: [harbour_insert_input!]!) { insert_harbour(objects: $rows) { affected_rows } }'
  const refuse = async (rows: readonly unknown[], path: string, code: string, message: string) => {
    const answer = await trellis.graphql(insert, { rows })
    assert.deepEqual(answer, { errors: [{ extensions: { path, code }, message }] })
  }
  const good = { position: point(1, 2) }
  const open = {
    type: 'Polygon',
    coordinates: [
      [
        [0, 0],
        [0, 1],
        [1, 1],
        [1, 0],
      ],
    ],
  }
  const ring = 'the first and last locations have to be equal for a LinearRing'
  await refuse([good, { reach: open }], `${objects}[1].reach`, 'parse-failed', ring)
  await refuse(
    [good, { position: 'x' }],
    `${objects}[1].position`,
    'parse-failed',
    'parsing Geometry failed, expected Object, but encountered String',
  )
  await refuse(
    [good, { position: box(0, 0, 1, 1) }],
    objects,
    'data-exception',
    'Geometry type (Polygon) does not match column type (Point)',
  )
  const elsewhere = { ...point(1, 2), crs: crs('EPSG:3857') }
  await refuse(
    [good, { position: elsewhere }],
    objects,
    'data-exception',
    'Geometry SRID (3857) does not match column SRID (4326)',
  )
  assert.deepEqual(await trellis.sql('select * from harbour'), [])
})

spatialTest('arrays of geometries come as text and go out as PostgreSQL has them', async (t) => {
  const trellis = await startHarbours(t, { empty: true })
  await trellis.sql('create table route (id serial primary key, stops geometry[])')
  await trellis.op('track_table', 'route')
  const insert = 'mutation ($stops: _geometry) { insert_route_one(object: {stops: $stops}) { stops } }'
  assert.deepEqual(await trellis.graphql(insert, { stops: '{POINT(1 2):POINT(3 4)}' }), {
    data: { insert_route_one: { stops: [point(1, 2), point(3, 4)] } },
  })
  const refused = await trellis.graphql(insert, { stops: [point(1, 2)] })
  const path = '$.selectionSet.insert_route_one.args.object.stops'
  const message = 'A string is expected for type: _geometry'
  assert.deepEqual(refused, { errors: [{ extensions: { path, code: 'parse-failed' }, message }] })
})
