// A plugin that adds a type and operators: points of PostgreSQL as `{x, y}`.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { PgType } from '../../core/catalog/types.ts'
import type { ComparisonOperator } from '../../core/compiler/types/comparison-operator.ts'
import { type TypeSupport, typeBeside } from '../../core/compiler/types/type-support.ts'
import { sql } from '../../core/database/sql/sql.ts'
import { definePlugin } from '../../core/engine/plugin.ts'
import { parseFailed } from '../../core/errors/errors.ts'
import { startTrellis, type TestTrellis } from '../support/trellis.ts'

const builtIn = (name: string): PgType => ({ schema: 'pg_catalog', name, sql: name, kind: 'b', isArray: false })

function pointText(value: unknown): string {
  const { x, y } = (value ?? {}) as { x?: unknown; y?: unknown }
  if (typeof x === 'number' && typeof y === 'number') return JSON.stringify({ x, y })
  throw parseFailed('a point has an x and a y')
}

const point: TypeSupport = {
  name: 'point',
  codec: (type) => ({
    type: type.name,
    encode: pointText,
    decode: (text) => sql`(select point(x, y) from json_to_record(${text}::json) as r (x float8, y float8))`,
  }),
  json: (value) => sql`'{"x":' || ((${value})[0])::text || ',"y":' || ((${value})[1])::text || '}'`,
  ordered: false,
  casts: ['box'],
}

const box: TypeSupport = { name: 'box', codec: (type) => ({ type: type.name, encode: String }), ordered: false }

const operators: readonly ComparisonOperator[] = [
  { name: '_eq', operand: 'scalar', types: ['point'], sql: (column, [value]) => sql`${column} ~= ${value!}` },
  {
    name: '_near',
    description: 'is it less than a distance away',
    types: ['point'],
    operand: {
      name: 'near_input',
      description: 'a place and a distance',
      members: [
        { name: 'place', description: 'from where', type: (column) => typeBeside(column, 'point'), required: true },
        { name: 'distance', type: () => builtIn('float4'), sqlType: 'float8', required: false, default: 1 },
        { name: 'least', type: () => builtIn('float8'), required: false },
      ],
    },
    sql: (column, [place, distance, least]) =>
      sql`(${column} <-> ${place!}) between coalesce(${least!}, 0) and ${distance!}`,
  },
  {
    name: '_above',
    types: ['point'],
    operand: { type: () => builtIn('float8') },
    sql: (column, [height]) => sql`(${column})[1] > ${height!}`,
  },
  {
    name: '_wider',
    types: ['box'],
    operand: { type: () => builtIn('int4') },
    onlyGraphQL: true,
    sql: (column, [width]) => sql`width(${column}) > ${width!}`,
  },
  { name: '_starts', types: ['text'], operand: 'text', sql: (column, [text]) => sql`starts_with(${column}, ${text!})` },
]

const plugin = definePlugin({
  name: 'points',
  register({ types, comparisons }) {
    types.add(point, box)
    comparisons.add(...operators)
  },
})

const schema = `
  create table dot (id serial primary key, name text, place point);
  insert into dot (name, place) values ('low', '(1,1)'), ('high', '(1,9)'), ('none', null);
`

async function startDots(t: TestContext) {
  const trellis = await startTrellis(t, { sql: schema, plugins: [plugin] })
  await trellis.op('track_table', 'dot')
  return trellis
}

test('values of the type are encoded and decoded by the plugin', async (t) => {
  const trellis = await startDots(t)
  const insert = `mutation ($one: point, $rows: [dot_insert_input!]!) {
    insert_dot_one(object: {name: "new", place: $one}) { place }
    insert_dot(objects: $rows) { returning { place } }
  }`
  const rows = [{ place: { x: 3, y: 4 } }, { place: null }, { name: 'x' }]
  assert.deepEqual(await trellis.graphql(insert, { one: { x: 1.5, y: 2 }, rows }), {
    data: {
      insert_dot_one: { place: { x: 1.5, y: 2 } },
      insert_dot: { returning: [{ place: { x: 3, y: 4 } }, { place: null }, { place: null }] },
    },
  })
  assert.deepEqual(await trellis.graphql(insert, { one: { x: 1 }, rows: [] }), {
    errors: [
      {
        extensions: { path: '$.selectionSet.insert_dot_one.args.object.place', code: 'parse-failed' },
        message: 'a point has an x and a y',
      },
    ],
  })
})

const conditions: readonly (readonly [where: string, names: readonly string[]])[] = [
  ['{place: {_eq: {x: 1, y: 9}}}', ['high']],
  ['{place: {_near: {place: {x: 1, y: 2}}}}', ['low']],
  ['{place: {_near: {place: {x: 1, y: 1}, least: 0.5}}}', []],
  ['{place: {_near: {place: {x: 1, y: 2}, distance: 7, least: null}}}', ['low', 'high']],
  ['{place: {_above: 5}}', ['high']],
  ['{place: {_cast: {box: {_wider: -1}}}}', ['low', 'high']],
  ['{place: {_cast: {box: {_wider: 0}}}}', []],
  ['{name: {_starts: "h", _like: "%h"}}', ['high']],
]

test('operators take a value, another type, or several values', async (t) => {
  const trellis = await startDots(t)
  for (const [where, names] of conditions) {
    const answer = await trellis.graphql(`{ dot(where: ${where}, order_by: {id: asc}) { name } }`)
    assert.deepEqual(answer, { data: { dot: names.map((name) => ({ name })) } }, where)
  }
})

test('expressions of the metadata have the operators, except those for GraphQL only', async (t) => {
  const trellis = await startDots(t)
  const grant = (role: string, filter: unknown) => ({
    table: 'dot',
    role,
    permission: { columns: ['id', 'name'], filter },
  })
  await trellis.op(
    'create_select_permission',
    grant('a', { place: { _near: { place: { x: 1, y: 2 }, distance: 'x-service-d' } } }),
  )
  const headers = { 'x-service-d': '7' }
  const near = await trellis.graphql('{ dot(order_by: {id: asc}) { name } }', {}, { role: 'a', headers })
  assert.deepEqual(near, { data: { dot: [{ name: 'low' }, { name: 'high' }] } })
  await trellis.op(
    'create_select_permission',
    grant('b', { place: { _cast: { box: { _is_null: true } } }, name: { _starts: 'n' } }),
  )
  assert.deepEqual(await trellis.graphql('{ dot { name } }', {}, { role: 'b' }), { data: { dot: [{ name: 'none' }] } })
  const refused = await trellis.opError(
    'create_select_permission',
    grant('c', { place: { _cast: { box: { _wider: 1 } } } }),
  )
  const message = 'in table "dot": in permission for role "c": Unknown operator : _wider'
  assert.equal((refused.body as { error: string }).error, message)
})

test('the schema shows them', async (t) => {
  const trellis = await startDots(t)
  const fields = 'inputFields { name description defaultValue type { name kind } }'
  const answer = await trellis.graphql<{ data: Record<string, { inputFields: { name: string }[] }> }>(
    `{ near: __type(name: "near_input") { description ${fields} } point: __type(name: "point_comparison_exp") { ${fields} } }`,
  )
  assert.deepEqual(answer.data['near'], {
    description: 'a place and a distance',
    inputFields: [
      { name: 'distance', description: null, defaultValue: '1', type: { name: 'Float', kind: 'SCALAR' } },
      { name: 'least', description: null, defaultValue: null, type: { name: 'float8', kind: 'SCALAR' } },
      { name: 'place', description: 'from where', defaultValue: null, type: { name: null, kind: 'NON_NULL' } },
    ],
  })
  const names = answer.data['point']!.inputFields.map(({ name }) => name)
  assert.deepEqual(names.sort(), ['_above', '_cast', '_eq', '_is_null', '_near', '_neq', '_nin'])
})

test('an existing type or operator cannot be replaced', async (t) => {
  const twice = (change: Parameters<typeof definePlugin>[0]['register']) =>
    startTrellis(t, { plugins: [plugin, definePlugin({ name: 'twice', register: change })] })
  await assert.rejects(
    twice(({ types }) => types.add({ ...point })),
    /twice.*the type point already exists/s,
  )
  const same = { ...operators[1]! }
  await assert.rejects(
    twice(({ comparisons }) => comparisons.add(same)),
    /twice.*the operator _near already exists/s,
  )
  await startDots(t)
})

test('types and operators belong to one engine, also with several in one process', async (t) => {
  const flat = definePlugin({
    name: 'flat',
    register({ types, comparisons }) {
      types.add({ ...point, json: (value) => sql`'"' || (${value})[0] || '"'`, casts: [] })
      comparisons.add({
        name: '_above',
        types: ['point'],
        operand: 'text',
        sql: (_, [text]) => sql`${text!} = 'never'`,
      })
    },
  })
  const round = await startDots(t)
  const others = [[flat], []].map(async (plugins) => {
    const trellis = await startTrellis(t, { database: round.database, plugins })
    return trellis
  })
  const [other, plain] = await Promise.all(others)
  const ask = '{ dot(where: {name: {_eq: "high"}}) { place } }'
  const place = async (trellis: TestTrellis) => (await trellis.graphql<Answer>(ask)).data?.dot[0]?.place
  assert.deepEqual([await place(round), await place(other!), await place(plain!)], [{ x: 1, y: 9 }, '1', '(1,9)'])
  const above = '{ dot(where: {place: {_above: 5}}) { name } }'
  assert.deepEqual((await round.graphql<Answer>(above)).data, { dot: [{ name: 'high' }] })
  const byText = '{ dot(where: {place: {_above: "never"}}) { name } }'
  assert.equal((await other!.graphql<Answer>(byText)).data?.dot.length, 3)
  assert.deepEqual(await plain!.graphql(above), {
    errors: [
      {
        extensions: { path: '$.selectionSet.dot.args.where.place._above', code: 'validation-failed' },
        message: 'field "_above" not found in type: \'point_comparison_exp\'',
      },
    ],
  })
})

interface Answer {
  readonly data?: { readonly dot: readonly { readonly place?: unknown }[] }
}
