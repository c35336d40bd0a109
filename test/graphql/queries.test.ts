import assert from 'node:assert/strict'
import test from 'node:test'
import { startLibrary } from '../support/library.ts'
import { startTrellis, type TestTrellis } from '../support/trellis.ts'

const data = (trellis: TestTrellis, query: string, variables?: Record<string, unknown>, role?: string) =>
  trellis.graphql<{ data: unknown }>(query, variables, { role })

test('an aggregate with only __typename is one object', async (t) => {
  const trellis = await startLibrary(t)
  const query =
    '{ book_aggregate { aggregate { __typename count @include(if: false) } } publisher(limit: 1) { books_aggregate { __typename } } }'
  assert.deepEqual(await data(trellis, query), {
    data: {
      book_aggregate: { aggregate: { __typename: 'book_aggregate_fields' } },
      publisher: [{ books_aggregate: { __typename: 'book_aggregate' } }],
    },
  })
})

test('nodes keep their order next to a distinct count', async (t) => {
  const trellis = await startLibrary(t)
  const query = `{ book_aggregate(order_by: {title: desc}) {
    aggregate { count(columns: [pages], distinct: true) } nodes { title } } }`
  assert.deepEqual(await data(trellis, query), {
    data: {
      book_aggregate: { aggregate: { count: 2 }, nodes: [{ title: 'Fog' }, { title: 'Ebb' }, { title: 'Dawn' }] },
    },
  })
})

test('a variable that only an excluded part mentions is not unexpected', async (t) => {
  const trellis = await startLibrary(t)
  const query = 'query ($p: Int) { book(where: {pages: {_eq: $p}}) @include(if: false) { id } __typename }'
  assert.deepEqual(await data(trellis, query, { p: 1 }), { data: { __typename: 'query_root' } })
})

test('ordering by an aggregate of a missing row counts as null', async (t) => {
  const trellis = await startTrellis(t, {
    sql: `create table parent (id int primary key);
          create table child (id int primary key, parent_id int references parent(id));
          insert into parent values (1), (2);
          insert into child values (1, 2), (2, null), (3, 1), (4, 1)`,
  })
  await trellis.op('bulk', [
    { type: 'track_table', args: 'parent' },
    { type: 'track_table', args: 'child' },
    {
      type: 'create_object_relationship',
      args: { table: 'child', name: 'parent', using: { foreign_key_constraint_on: 'parent_id' } },
    },
    {
      type: 'create_array_relationship',
      args: {
        table: 'parent',
        name: 'children',
        using: { foreign_key_constraint_on: { table: 'child', column: 'parent_id' } },
      },
    },
  ])
  const query = '{ child(order_by: [{parent: {children_aggregate: {count: desc_nulls_first}}}, {id: asc}]) { id } }'
  assert.deepEqual(await data(trellis, query), { data: { child: [{ id: 2 }, { id: 3 }, { id: 4 }, { id: 1 }] } })

  await trellis.op('bulk', [
    {
      type: 'create_select_permission',
      args: { table: 'child', role: 'guest', permission: { columns: ['id'], filter: {} } },
    },
    {
      type: 'create_select_permission',
      args: { table: 'parent', role: 'guest', permission: { columns: [], filter: {} } },
    },
  ])
  const asGuest = '{ child(order_by: [{parent: {children_aggregate: {count: asc}}}, {id: asc}]) { id } }'
  assert.deepEqual(await data(trellis, asGuest, undefined, 'guest'), {
    data: { child: [{ id: 1 }, { id: 3 }, { id: 4 }, { id: 2 }] },
  })
})

test('min and max work on uuids', async (t) => {
  const low = '00000000-0000-0000-0000-00000000000a'
  const high = 'ffffffff-0000-0000-0000-00000000000a'
  const trellis = await startTrellis(t, {
    sql: `create table token (id uuid primary key); insert into token values ('${high}'), ('${low}')`,
  })
  await trellis.op('track_table', 'token')
  assert.deepEqual(await data(trellis, '{ token_aggregate { aggregate { min { id } max { id } } } }'), {
    data: { token_aggregate: { aggregate: { min: { id: low }, max: { id: high } } } },
  })
})

test('values of every kind are printed as PostgreSQL prints them', async (t) => {
  const trellis = await startTrellis(t, {
    sql: `create type mood as enum ('sad', 'ok');
      create domain short as text check (length(value) < 9);
      create table thing (id int primary key, small int2, big int8, n numeric, f float8, r float4, m money, b boolean,
        t text, c char(3), d date, ts timestamp, ti time, iv interval, u uuid, j json, jb jsonb, by bytea, ip inet,
        ints int[], texts text[], range int4range, mood mood, short short, bits bit(3), oid oid);
      insert into thing values (1, -3, 9007199254740993, 1.50, 1e300, 0.1, 1234.5, true, 'a"' || chr(92) || chr(10) || '☂', 'x',
        '2020-01-02', '2020-01-02 03:04:05.678', '03:04:05', '1 day 02:00:00',
        '00000000-0000-0000-0000-00000000000a', '{"a" : 1.0}', '{"b": [1, null]}', decode('deadbeef', 'hex'), '10.0.0.1',
        '{1,NULL,3}', '{{a,b},{c,d}}', '[1,5)', 'ok', 'abc', '101', 4000000000);
      insert into thing (id) values (2);
      insert into thing (id, n, f, r) values (3, 'NaN', 'Infinity', 'NaN')`,
  })
  await trellis.op('track_table', 'thing')
  const members = 'small big n f r m b t c d ts ti iv u j jb by ip ints texts range mood short bits oid'
  const query = `{ thing(order_by: {id: asc}) { ${members} } }`
  const { text } = await trellis.request('/v1/graphql', { body: { query } })
  const nulls = members
    .split(' ')
    .map((name) => `"${name}":null`)
    .join()
  assert.equal(
    text,
    `{"data":{"thing":[{"small":-3,"big":9007199254740993,"n":1.50,"f":1e+300,"r":0.1,"m":"$1,234.50","b":true,` +
      `"t":"a\\"\\\\\\n☂","c":"x  ","d":"2020-01-02","ts":"2020-01-02T03:04:05.678","ti":"03:04:05",` +
      `"iv":"1 day 02:00:00","u":"00000000-0000-0000-0000-00000000000a","j":{"a" : 1.0},"jb":{"b": [1, null]},` +
      `"by":"\\\\xdeadbeef","ip":"10.0.0.1","ints":[1,null,3],"texts":[["a","b"],["c","d"]],"range":"[1,5)",` +
      `"mood":"ok","short":"abc","bits":"101","oid":"4000000000"},{${nulls}},` +
      `{${nulls.replace('"n":null,"f":null,"r":null', '"n":"NaN","f":"Infinity","r":"NaN"')}}]}}`,
  )
})

test('a row with more related objects than are joined together has them all', async (t) => {
  const { graphql } = await startLibrary(t)
  const names = Array.from({ length: 20 }, (_, i) => `p${i}`)
  const fields = names.map((name) => `${name}: publisher { name }`).join(' ')
  const row = (name: string) => Object.fromEntries(names.map((each) => [each, { name }]))
  const expected = { data: { book: [row('Ark'), row('Ark'), row('Bell')] } }
  for (const given of ['order_by: {id: asc}', 'order_by: {publisher_id: asc}, limit: 5', 'where: {id: {_gt: 0}}']) {
    assert.deepEqual(await graphql(`{ book(${given}) { ${fields} } }`), expected)
  }
})
