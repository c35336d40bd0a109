// Conditions, orders and selections across many relationships: their cost grows with their size, and beyond the limit
// they are refused.

import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { startTrellis, type TestTrellis } from '../support/trellis.ts'

const sql = `
create table artist (id int primary key, name text not null, owner int not null, parent_id int references artist);
create table album (id int primary key, artist_id int not null references artist, title text not null, owner int not null);
create index on album (artist_id);
insert into artist select g, 'a' || g, g % 3, nullif(g - 1, 0) from generate_series(1, 300) g;
insert into album select g, 1 + g % 300, 't' || g, g % 3 from generate_series(1, 1500) g;
analyze`

/** Row filters: on a column, on a related row, on either, and on both compared. */
const roles: Record<string, { artist: unknown; album: unknown }> = {
  plain: { artist: { owner: { _neq: 1 } }, album: { owner: { _neq: 2 } } },
  related: { artist: { albums: { owner: { _neq: 1 } } }, album: { artist: { owner: { _neq: 2 } } } },
  either: {
    artist: { _or: [{ owner: { _eq: 1 } }, { albums: { owner: { _eq: 'X-Service-User-Id' } } }] },
    album: { _or: [{ owner: { _eq: 1 } }, { artist: { owner: { _eq: 'X-Service-User-Id' } } }] },
  },
  compared: {
    artist: { albums: { owner: { _cgte: ['$', 'owner'] } } },
    album: { artist: { owner: { _clte: ['$', 'owner'] } } },
  },
}

let trellis: TestTrellis

before(async (t) => {
  trellis = await startTrellis(t as never, { sql, settings: { maxRequestCost: 1_000_000 } })
  for (const name of ['artist', 'album']) await trellis.op('track_table', { name, schema: 'public' })
  const relationship = (type: string, table: string, name: string, using: unknown) =>
    trellis.op(`create_${type}_relationship`, { table, name, using: { foreign_key_constraint_on: using } })
  await relationship('array', 'artist', 'albums', { table: 'album', column: 'artist_id' })
  await relationship('object', 'album', 'artist', 'artist_id')
  await relationship('object', 'artist', 'parent', 'parent_id')
  for (const [role, filters] of Object.entries(roles)) {
    for (const [table, filter] of Object.entries(filters)) {
      await trellis.op('create_select_permission', { table, role, permission: { columns: '*', filter } })
    }
  }
})

const userId = { 'x-service-user-id': '0' }

/** An expression that alternates between artists and albums; `around` nests each level in the previous one. */
function nested(depth: number, around = (inner: object): object => inner): object {
  let expression: object = { id: { _gt: 5 } }
  for (let level = depth; level >= 1; level--) {
    expression = around({ [level % 2 === 1 ? 'albums' : 'artist']: expression })
  }
  return expression
}

/** JSON in GraphQL syntax. */
const written = (value: unknown): string => JSON.stringify(value).replace(/"(\w+)":/g, '$1:')

interface Ids {
  readonly data?: { readonly artist: readonly { readonly id: number }[] }
  readonly errors?: readonly unknown[]
}

/** A cost that multiplies with each level takes far longer, on any machine. */
const affordable = { timeout: 120_000 }

const shapes: Record<string, (inner: object) => object> = {
  alone: (inner) => inner,
  'in disjunctions': (inner) => ({ _or: [{ owner: { _eq: 7 } }, inner] }),
  'in conjunctions': (inner) => ({ _and: [{ owner: { _neq: 7 } }, inner] }),
  negated: (inner) => ({ _not: inner }),
}

for (const role of ['admin', ...Object.keys(roles)]) {
  for (const [shape, around] of Object.entries(shapes)) {
    test(`a condition of many relationships, ${shape}, for ${role}`, affordable, async () => {
      const deepest = shape === 'alone' ? 100 : shape === 'negated' ? 95 : 65
      // A reference to the outer row is evaluated for each row, so a level costs more.
      const depth = role === 'compared' ? 40 : deepest
      const where = nested(depth, around)
      const ask = (query: string, variables?: Record<string, unknown>) =>
        trellis.graphql<Ids>(query, variables, { role, headers: userId })
      const literal = await ask(`{ artist(where: ${written(where)}, order_by: {id: asc}) { id } }`)
      const byVariable = 'query($where: artist_bool_exp) { artist(where: $where, order_by: {id: asc}) { id } }'
      const variable = await ask(byVariable, { where })
      assert.ok(literal.data, JSON.stringify(literal))
      assert.deepEqual(literal, variable)
    })
  }
}

test('a condition that is nested deeper than the limit is refused', async () => {
  for (const [depth, around] of [
    [250, shapes.alone],
    [150, shapes['in disjunctions']],
  ] as const) {
    const where = nested(depth, around)
    const query = 'query($where: artist_bool_exp) { artist(where: $where) { id } }'
    const { body, status } = await trellis.request<{ errors: { message: string; extensions: { code: string } }[] }>(
      '/v1/graphql',
      { body: { query, variables: { where } }, role: 'plain' },
    )
    assert.equal(status, 200)
    assert.equal(body.errors[0]!.message, 'the value is nested too deeply')
    assert.equal(body.errors[0]!.extensions.code, 'validation-failed')
  }
})

test('deep conditions find the same rows as shallow ones', async () => {
  // Each artist with an album is found again after any number of round trips.
  const shallow = await trellis.graphql<Ids>(
    '{ artist(where: {albums: {id: {_gt: 700}}}, order_by: {id: asc}) { id } }',
  )
  for (const depth of [3, 7, 9, 11, 17, 31]) {
    let inner: object = { albums: { id: { _gt: 700 } } }
    for (let level = 1; level < depth; level += 2) inner = { albums: { artist: inner } }
    const deep = await trellis.graphql<Ids>(`{ artist(where: ${written(inner)}, order_by: {id: asc}) { id } }`)
    assert.deepEqual(deep, shallow)
    const doubled = written({ _not: { _not: { _or: [inner] } } })
    assert.deepEqual(await trellis.graphql(`{ artist(where: ${doubled}, order_by: {id: asc}) { id } }`), shallow)
    const others = await trellis.graphql<Ids>(`{ artist(where: {_not: ${written(inner)}}) { id } }`)
    assert.equal(others.data!.artist.length, 300 - shallow.data!.artist.length)
  }
})

test('a row without a key is not found through the relationship, but found by the negation', async () => {
  const chain = (depth: number, end: object) => {
    let inner = end
    for (let level = 0; level < depth; level++) inner = { parent: inner }
    return written(inner)
  }
  for (const depth of [5, 8, 9, 12, 40]) {
    const found = await trellis.graphql<Ids>(`{ artist(where: ${chain(depth, {})}, order_by: {id: asc}) { id } }`)
    assert.equal(found.data!.artist.length, 300 - depth)
    const rest = await trellis.graphql<Ids>(
      `{ artist(where: {_not: ${chain(depth, {})}}, order_by: {id: asc}) { id } }`,
    )
    assert.deepEqual(
      rest.data!.artist.map(({ id }) => id),
      Array.from({ length: depth }, (_, i) => i + 1),
    )
  }
})

test('many sibling conditions', affordable, async () => {
  const siblings = (count: number, of: (i: number) => object) => Array.from({ length: count }, (_, i) => of(i))
  const wheres = [
    { _and: siblings(200, (i) => ({ albums: { owner: { _neq: 3 + i } } })) },
    { _or: siblings(200, (i) => ({ albums: { owner: { _eq: 3 + i } } })) },
    {
      _and: siblings(20, (i) => ({
        albums: { _and: siblings(20, (j) => ({ artist: { owner: { _neq: 3 + i + j } } })) },
      })),
    },
    { _and: siblings(30, () => nested(20)) },
  ]
  for (const role of ['admin', 'related']) {
    for (const where of wheres) {
      const found = await trellis.graphql<Ids>(`{ artist(where: ${written(where)}) { id } }`, undefined, { role })
      assert.ok(found.data, JSON.stringify(found))
    }
  }
})

test('orders and objects at a great distance', affordable, async () => {
  let order = '{id: desc}'
  let object = '{ id }'
  for (let level = 0; level < 98; level++) {
    order = `{parent: ${order}}`
    object = `{ parent ${object} }`
  }
  const ordered = await trellis.graphql<Ids>(`{ artist(order_by: [${order}, {id: desc}], limit: 3) { id } }`)
  // The first 98 have no artist at that distance, and nulls come first.
  assert.deepEqual(ordered, { data: { artist: [{ id: 98 }, { id: 97 }, { id: 96 }] } })
  const selected = await trellis.graphql(`{ artist(where: {id: {_eq: 99}}) ${object} }`)
  let expected: object = { id: 1 }
  for (let level = 0; level < 98; level++) expected = { parent: expected }
  assert.deepEqual(selected, { data: { artist: [expected] } })
})

test('orders by many related rows, side by side and in chains', affordable, async () => {
  const repeated = (order: string, count: number) => Array.from({ length: count }, () => order).join(' ')
  const ask = (order: string, role: string) =>
    trellis.graphql<Ids>(`{ artist(order_by: [${order}], limit: 20) { id } }`, undefined, { role })
  const far = `${'{parent: '.repeat(12)}{id: desc}${'}'.repeat(12)}`
  const behind = '{parent: {albums_aggregate: {max: {title: asc}}}} {id: asc}'
  for (const role of ['admin', 'plain']) {
    for (const [order, count] of [
      ['{parent: {owner: asc}}', 700],
      [far, 60],
    ] as const) {
      const expected = await ask(`${order} ${behind}`, role)
      assert.equal(expected.data?.artist.length, 20)
      assert.deepEqual(await ask(`${repeated(order, count)} ${behind}`, role), expected)
    }
  }
})

test('data operations and permissions take expressions as deep as GraphQL does', async () => {
  const message = 'a boolean expression is nested at most 200 levels deep'
  const select = (where: object) => ({ type: 'select', args: { table: 'artist', columns: ['id'], where } })
  const request = (body: object) => trellis.request<{ readonly length: number }>('/v1/query', { body })
  const taken = await request(select(nested(190)))
  assert.equal(taken.status, 200)
  assert.equal(taken.body.length, 295)
  const refused = await request(select(nested(250)))
  assert.equal(refused.status, 400)
  assert.deepEqual(refused.body, { path: '$.args.where', error: message, code: 'parse-failed' })
  const permission = { columns: '*', filter: nested(250) }
  const { status, body } = await trellis.opError('create_select_permission', {
    table: 'artist',
    role: 'deep',
    permission,
  })
  assert.equal(status, 400)
  const { path, error, code } = body as Record<string, unknown>
  const reason = `in table "artist": in permission for role "deep": ${message}`
  assert.deepEqual({ path, error, code }, { path: '$.args', error: reason, code: 'constraint-violation' })
})

test('a statement with more values than PostgreSQL accepts is refused', affordable, async () => {
  const where = { _or: Array.from({ length: 70_000 }, (_, i) => ({ id: { _eq: -i } })) }
  const query = 'query($where: artist_bool_exp) { artist(where: $where) { id } }'
  const answer = await trellis.graphql(query, { where })
  const message = 'one statement takes at most 65535 values, but this one needs 70000'
  assert.deepEqual(answer, { errors: [{ extensions: { path: '$', code: 'validation-failed' }, message }] })
  assert.deepEqual(await trellis.graphql('{ artist(where: {id: {_eq: 1}}) { id } }'), { data: { artist: [{ id: 1 }] } })
})
