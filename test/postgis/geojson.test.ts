import assert from 'node:assert/strict'
import { test } from 'node:test'
import { geometry, raster } from '../../plugins/postgis/types.ts'

const typeOf = (name: string) => ({ schema: 'gis', name, sql: `gis.${name}`, kind: 'b', isArray: false })
const encode = (value: unknown) => geometry.codec(typeOf('geometry')).encode(value)
const raw = (text: string) => JSON.rawJSON(text)

const point = { type: 'Point', coordinates: [1, 2] }
const ring = [
  [0, 0],
  [0, 1],
  [1, 1],
  [0, 0],
]

const accepted: readonly (readonly [what: string, value: unknown, text: string])[] = [
  ['a point', point, '{"type":"Point","coordinates":[1,2]}'],
  ['a height', { type: 'Point', coordinates: [1, 2, 3] }, '{"type":"Point","coordinates":[1,2,3]}'],
  [
    'more numbers than it reads',
    { type: 'Point', coordinates: [1, 2, 3, 'x'] },
    '{"type":"Point","coordinates":[1,2,3]}',
  ],
  [
    'every digit of a number',
    { type: 'Point', coordinates: [raw('1.00000000000000000001'), raw('-2e-3')] },
    '{"type":"Point","coordinates":[1.00000000000000000001,-2e-3]}',
  ],
  ['several points', { type: 'MultiPoint', coordinates: [[1, 2]] }, '{"type":"MultiPoint","coordinates":[[1,2]]}'],
  ['no points', { type: 'MultiPoint', coordinates: [] }, '{"type":"MultiPoint","coordinates":[]}'],
  [
    'a line',
    { type: 'LineString', coordinates: ring },
    '{"type":"LineString","coordinates":[[0,0],[0,1],[1,1],[0,0]]}',
  ],
  [
    'several lines',
    { type: 'MultiLineString', coordinates: [ring] },
    '{"type":"MultiLineString","coordinates":[[[0,0],[0,1],[1,1],[0,0]]]}',
  ],
  [
    'a polygon',
    { type: 'Polygon', coordinates: [ring] },
    '{"type":"Polygon","coordinates":[[[0,0],[0,1],[1,1],[0,0]]]}',
  ],
  [
    'a ring that ends where it began in another spelling',
    {
      type: 'Polygon',
      coordinates: [
        [
          [0, 0],
          [0, 1],
          [1, 1],
          [raw('0.0'), 0],
        ],
      ],
    },
    '{"type":"Polygon","coordinates":[[[0,0],[0,1],[1,1],[0.0,0]]]}',
  ],
  [
    'several polygons',
    { type: 'MultiPolygon', coordinates: [[ring], []] },
    '{"type":"MultiPolygon","coordinates":[[[[0,0],[0,1],[1,1],[0,0]]],[]]}',
  ],
  [
    'a collection, in which parts have no system of their own',
    {
      type: 'GeometryCollection',
      geometries: [
        { ...point, crs: 5 },
        { type: 'GeometryCollection', geometries: [] },
      ],
    },
    '{"type":"GeometryCollection","geometries":[{"type":"Point","coordinates":[1,2]},{"type":"GeometryCollection","geometries":[]}]}',
  ],
  [
    'a named reference system',
    { ...point, crs: { type: 'name', properties: { name: 'EPSG:3857', more: 1 } } },
    '{"type":"Point","coordinates":[1,2],"crs":{"type":"name","properties":{"name":"EPSG:3857"}}}',
  ],
  [
    'a linked reference system',
    { ...point, crs: { type: 'link', properties: { href: 'http://example.org/1', type: 'proj4' } } },
    '{"type":"Point","coordinates":[1,2],"crs":{"type":"link","properties":{"href":"http://example.org/1","type":"proj4"}}}',
  ],
  ['no reference system', { ...point, crs: null }, '{"type":"Point","coordinates":[1,2]}'],
  ['members that nobody reads', { ...point, bbox: [1, 2, 1, 2], id: 'x' }, '{"type":"Point","coordinates":[1,2]}'],
]

for (const [what, value, text] of accepted) {
  test(`a geometry takes ${what}`, () => assert.equal(encode(value), text))
}

const expected = (what: string, type: string, found: string) =>
  `parsing ${what} failed, expected ${type}, but encountered ${found}`

const refused: readonly (readonly [value: unknown, message: string])[] = [
  ['POINT(1 2)', expected('Geometry', 'Object', 'String')],
  [[1, 2], expected('Geometry', 'Object', 'Array')],
  [{}, 'key "type" not found'],
  [{ type: 5, coordinates: [] }, expected('Text', 'String', 'Number')],
  [{ type: 'Circle', coordinates: [] }, 'unexpected geometry type: Circle'],
  [{ type: 'constructor', coordinates: [] }, 'unexpected geometry type: constructor'],
  [{ type: 'Feature', geometry: point }, 'unexpected geometry type: Feature'],
  [{ type: 'Point' }, 'key "coordinates" not found'],
  [{ type: 'Point', coordinates: null }, expected('Position', 'Array', 'Null')],
  [{ type: 'Point', coordinates: [] }, 'A Position needs at least 2 elements'],
  [{ type: 'Point', coordinates: [1] }, 'A Position needs at least 2 elements'],
  [{ type: 'Point', coordinates: [1, '2'] }, expected('Double', 'Number', 'String')],
  [
    { type: 'Point', coordinates: [1, raw('1e400')] },
    'The value 1.0e400 lies outside the bounds.  Is it overflowing the float bounds?',
  ],
  [{ type: 'MultiPoint', coordinates: [1, 2] }, expected('Position', 'Array', 'Number')],
  [{ type: 'LineString', coordinates: [] }, 'A LineString needs at least 2 Positions'],
  [{ type: 'LineString', coordinates: [[1, 2]] }, 'A LineString needs at least 2 Positions'],
  [{ type: 'LineString', coordinates: 'x' }, expected('[]', 'Array', 'String')],
  [{ type: 'MultiLineString', coordinates: [[[1, 2]]] }, 'A LineString needs at least 2 Positions'],
  [{ type: 'Polygon', coordinates: [ring.slice(1)] }, 'A LinearRing needs at least 4 Positions'],
  [
    { type: 'Polygon', coordinates: [[...ring, [1, 0]]] },
    'the first and last locations have to be equal for a LinearRing',
  ],
  [
    {
      type: 'MultiPolygon',
      coordinates: [
        [
          [
            [0, 0, 1],
            [0, 1],
            [1, 1],
            [0, 0],
          ],
        ],
      ],
    },
    'the first and last locations have to be equal for a LinearRing',
  ],
  [{ type: 'GeometryCollection' }, 'key "geometries" not found'],
  [{ type: 'GeometryCollection', geometries: [5] }, expected('Geometry', 'Object', 'Number')],
  [{ ...point, crs: 'EPSG:4326' }, expected('CRS', 'Object', 'String')],
  [{ ...point, crs: { type: 'EPSG', properties: {} } }, 'unexpected crs type: EPSG'],
  [{ ...point, crs: { type: 'name' } }, 'key "properties" not found'],
  [{ ...point, crs: { type: 'name', properties: { name: 4326 } } }, expected('Text', 'String', 'Number')],
  [{ ...point, crs: { type: 'link', properties: {} } }, 'key "href" not found'],
]

for (const [value, message] of refused) {
  test(`a geometry is not ${JSON.stringify(value)}`, () => {
    assert.throws(() => encode(value), { code: 'parse-failed', message })
  })
}

test('collections are not nested without end', () => {
  let value: unknown = point
  for (let i = 0; i < 100_000; i++) value = { type: 'GeometryCollection', geometries: [value] }
  const message = 'the value for type geometry is nested too deeply'
  assert.throws(() => encode(value), { code: 'parse-failed', message })
})

test('a raster is hexadecimal', () => {
  const codec = raster.codec(typeOf('raster'))
  assert.equal(codec.encode('0100fF'), '0100fF')
  const message = 'invalid hexadecimal representation of raster well known binary format'
  for (const text of ['0', '0g', '01 ', '\\x01', '01\n']) {
    assert.throws(() => codec.encode(text), { code: 'parse-failed', message })
  }
  assert.throws(() => codec.encode(5), { code: 'parse-failed', message: 'expecting String for raster' })
})
