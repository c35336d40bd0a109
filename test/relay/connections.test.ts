import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { startLibrary } from '../support/library.ts'
import { startTrellis, type TestTrellis } from '../support/trellis.ts'
import { ask, type Connection, decoded, encoded, page, refused } from './relay.ts'

const more = `insert into book (title, price, pages, publisher_id) values
  ('Gale', 7, 120, 2), ('Haze', null, 300, 1), ('Ice', 12.5, null, 2), ('Jet', 1e20, 120, 1)`

async function startShelf(t: TestContext): Promise<TestTrellis> {
  const trellis = await startLibrary(t)
  await trellis.sql(more)
  return trellis
}

async function books(trellis: TestTrellis, args: string, variables: Record<string, unknown> = {}): Promise<Connection> {
  const query = `query ($c: String) { book_connection${args && `(${args})`} { ${page('title')} } }`
  const { book_connection } = await ask<{ book_connection: Connection }>(trellis, query, variables)
  return book_connection
}

const titles = ({ edges }: Connection) => edges.map(({ node }) => String(node.title)[0]).join('')
const flags = ({ pageInfo }: Connection) => [pageInfo.hasPreviousPage, pageInfo.hasNextPage]

const orders = [
  '',
  'order_by: {id: desc}',
  'order_by: {title: desc}',
  'order_by: {price: asc}',
  'order_by: {price: desc}',
  'order_by: {price: asc_nulls_first}',
  'order_by: {price: desc_nulls_last}',
  'order_by: [{pages: desc}, {price: asc_nulls_first}]',
  'order_by: [{publisher_id: desc}, {id: desc}]',
  'order_by: {released_on: asc}',
  'order_by: {publisher: {name: desc}}',
  'order_by: {publisher: {books_aggregate: {max: {price: desc}, count: asc}}}',
  'order_by: {publisher: {books_aggregate: {avg: {price: asc_nulls_first}, sum: {pages: desc}}}}',
]

/** The pages on both sides of each row, asked for together. */
function around(order: string): string {
  const field = (alias: string, args: string) => {
    const given = [order, args].filter(Boolean).join(', ')
    return `${alias}: book_connection(${given}) { ${page('title')} }`
  }
  const fields = [
    field('rest', 'after: $c'),
    field('next', 'after: $c, first: 2'),
    field('last', 'after: $c, last: 2'),
    field('previous', 'before: $c, last: 2'),
    field('first', 'before: $c, first: 2'),
  ]
  return `query ($c: String) { ${fields.join(' ')} }`
}

test('pages by cursor have every row once, from either end and in any order', async (t) => {
  const trellis = await startShelf(t)
  for (const order of orders) {
    const whole = await books(trellis, order)
    assert.equal(whole.edges.length, 7, order)
    assert.deepEqual(flags(whole), [false, false])
    for (const [edge, { cursor }] of whole.edges.entries()) {
      const rest = titles(whole).slice(edge + 1)
      const head = titles(whole).slice(0, edge)
      const pages = await ask<Record<string, Connection>>(trellis, around(order), { c: cursor })
      const seen = Object.entries(pages).map(([name, part]) => [name, titles(part), ...flags(part)])
      const expected = [
        ['rest', rest, rest !== '', false],
        ['next', rest.slice(0, 2), rest !== '', rest.length > 2],
        ['last', rest.slice(-2), rest !== '', false],
        ['previous', head.slice(-2), head.length > 2, head !== ''],
        ['first', head.slice(0, 2), false, head !== ''],
      ]
      assert.deepEqual(seen, expected, `${order} ${decoded(cursor)}`)
      for (const { edges, pageInfo } of Object.values(pages)) {
        const ends = [edges[0]?.cursor ?? null, edges.at(-1)?.cursor ?? null]
        assert.deepEqual([pageInfo.startCursor, pageInfo.endCursor], ends)
      }
    }
  }
})

test('cursors are the values of the order as PostgreSQL prints them, and then the key', async (t) => {
  const trellis = await startLibrary(t)
  const cursors = async (args: string) => (await books(trellis, args)).edges.map(({ cursor }) => decoded(cursor))
  assert.equal((await books(trellis, '')).edges[2]!.cursor, 'eyJpZCIgOiAzfQ==')
  assert.equal((await cursors('order_by: {title: asc}'))[0], '{"title" : "Dawn", "id" : 1}')
  assert.equal((await cursors('order_by: {price: asc}'))[1], '{"price" : 12.50, "id" : 1}')
  assert.equal((await cursors('order_by: {price: asc}'))[2], '{"price" : null, "id" : 2}')
  assert.equal((await cursors('order_by: [{id: desc}, {title: asc}]'))[0], '{"id" : 3, "title" : "Fog"}')
  assert.equal((await cursors('order_by: {publisher: {name: desc}}'))[0], '{"publisher" : {"name" : "Bell"}, "id" : 3}')
  const publishers = async (order: string) => {
    const query = `{ publisher_connection(order_by: ${order}) { edges { cursor } } }`
    const { publisher_connection } = await ask<{ publisher_connection: Connection }>(trellis, query)
    return publisher_connection.edges.map(({ cursor }) => decoded(cursor))
  }
  assert.equal(
    (await publishers('{books_aggregate: {count: desc}}'))[0],
    '{"books_aggregate" : {"count" : 2}, "id" : 1}',
  )
  const several = await publishers('{books_aggregate: {count: desc, max: {pages: asc, title: asc}}}')
  assert.equal(several[0], '{"books_aggregate" : {"count" : 2, "max" : {"pages" : 300, "title" : "Ebb"}}, "id" : 1}')
})

const parcels = `
  create type address as (street text, number integer);
  create table parcel (id integer primary key, goes_to address, stops address[], facts jsonb);
  insert into parcel values
    (1, '(Elm,2)', '{"(Oak,1)","(Elm,2)"}', 'null'), (2, '(Oak,)', '{}', null), (3, null, '{NULL}', '"null"'),
    (4, '(Elm,2)', null, '{"a": null}'), (5, '("A ""b"", c",1)', '{"(Oak,1)"}', '[1, null]'), (6, null, null, '7.50');
`

test('a cursor holds records, their arrays, and the null of jsonb beside the NULL of a column', async (t) => {
  const trellis = await startTrellis(t, { sql: parcels })
  await trellis.op('track_table', 'parcel')
  for (const column of ['goes_to', 'stops', 'facts']) {
    for (const direction of ['asc', 'desc_nulls_last']) {
      const order = `order_by: {${column}: ${direction}}`
      const rows = async (c: string | null) => {
        const query = `query ($c: String) { parcel_connection(${order}, after: $c) { edges { cursor node { id } } } }`
        return (await ask<{ parcel_connection: Connection }>(trellis, query, { c })).parcel_connection.edges
      }
      const whole = await rows(null)
      assert.equal(whole.length, 6)
      for (const [i, { cursor }] of whole.entries()) assert.deepEqual(await rows(cursor), whole.slice(i + 1), order)
    }
  }
})

test('the connection of an array relationship has pages of its own for each row', async (t) => {
  const trellis = await startShelf(t)
  const query = `{ publisher_connection(order_by: {id: asc}) { edges { node { name
    books_connection(first: 2, order_by: {title: desc}, where: {title: {_neq: "Jet"}}) { ${page('title')} }
    all: books_connection { edges { node { publisher { books_connection(last: 1) { edges { node { title } } } } } } } } } } }`
  interface Publisher {
    books_connection: Connection
    all: { edges: { node: { publisher: { books_connection: Connection } } }[] }
  }
  const answer = await ask<{ publisher_connection: { edges: { node: Publisher }[] } }>(trellis, query)
  const nodes = answer.publisher_connection.edges.map(({ node }) => node)
  assert.deepEqual(
    nodes.map(({ books_connection }) => titles(books_connection)),
    ['HE', 'IG', ''],
  )
  assert.deepEqual(
    nodes.map(({ books_connection }) => flags(books_connection)[1]),
    [true, true, false],
  )
  assert.deepEqual(nodes[2]!.books_connection.pageInfo, {
    startCursor: null,
    endCursor: null,
    hasNextPage: false,
    hasPreviousPage: false,
  })
  const innermost = nodes.map(({ all }) =>
    all.edges.map(({ node }) => titles(node.publisher.books_connection)).join(''),
  )
  assert.deepEqual(innermost, ['JJJJ', 'III', ''])
})

test('aliases, type names and empty selections are answered as selected', async (t) => {
  const trellis = await startLibrary(t)
  const query = `{ c: book_connection(first: 1) { __typename e: edges { t: __typename c: cursor n: node { __typename } }
      p: pageInfo { h: hasNextPage __typename } q: pageInfo { __typename } edges { node { title } } }
    empty: book_connection { edges @skip(if: true) { cursor } }
    constant: book_connection { __typename pageInfo { __typename } }
    none: book_connection(first: 0) { edges { cursor } pageInfo { hasNextPage endCursor } } }`
  assert.deepEqual(await ask(trellis, query), {
    c: {
      __typename: 'bookConnection',
      e: [{ t: 'bookEdge', c: encoded('{"id" : 1}'), n: { __typename: 'book' } }],
      p: { h: true, __typename: 'PageInfo' },
      q: { __typename: 'PageInfo' },
      edges: [{ node: { title: 'Dawn' } }],
    },
    empty: {},
    constant: { __typename: 'bookConnection', pageInfo: { __typename: 'PageInfo' } },
    none: { edges: [], pageInfo: { hasNextPage: false, endCursor: null } },
  })
})

test('page flags can be requested alone, for any rows', async (t) => {
  const trellis = await startLibrary(t)
  const query = `{ all: book_connection { pageInfo { hasNextPage hasPreviousPage } }
    end: book_connection(last: 2) { pageInfo { hasNextPage } }
    cut: book_connection(first: 2) { pageInfo { hasNextPage } }
    none: book_connection(where: {id: {_lt: 0}}) { pageInfo { hasNextPage } }
    publisher_connection(order_by: {id: asc}) { edges { node {
      books_connection(where: {id: {_lt: 0}}) { pageInfo { hasPreviousPage } } } } } }`
  const { publisher_connection, ...flat } = await ask<Record<string, Connection>>(trellis, query)
  assert.deepEqual(flat, {
    all: { pageInfo: { hasNextPage: false, hasPreviousPage: false } },
    end: { pageInfo: { hasNextPage: false } },
    cut: { pageInfo: { hasNextPage: true } },
    none: { pageInfo: { hasNextPage: false } },
  })
  const nested = { books_connection: { pageInfo: { hasPreviousPage: false } } }
  assert.deepEqual(
    new Set(publisher_connection!.edges.map(({ node }) => JSON.stringify(node))),
    new Set([JSON.stringify(nested)]),
  )
})

test('distinct_on determines the base set, and the connection keeps its own order', async (t) => {
  const trellis = await startShelf(t)
  assert.equal(titles(await books(trellis, 'distinct_on: publisher_id')), 'DF')
  const ordered = 'distinct_on: publisher_id, order_by: [{publisher_id: desc}, {title: desc}]'
  assert.equal(titles(await books(trellis, ordered)), 'IJ')
  const [first] = (await books(trellis, `${ordered}, first: 1`)).edges
  const next = await books(trellis, `${ordered}, after: $c`, { c: first!.cursor })
  assert.deepEqual([titles(next), ...flags(next)], ['J', true, false])
})

test('arguments that contradict each other and bad cursors are refused', async (t) => {
  const trellis = await startLibrary(t)
  const refusal = (args: string, variables?: Record<string, unknown>) =>
    refused(trellis, `query ($v: String) { book_connection(${args}) { edges { cursor } } }`, variables)
  const path = '$.selectionSet.book_connection.args'
  const both = (names: string) => ['validation-failed', path, `${names} are not allowed at once`]
  assert.deepEqual(await refusal('first: 1, last: 1'), both('"first" and "last"'))
  assert.deepEqual(await refusal('after: "a", before: "b"'), both('"after" and "before"'))
  assert.deepEqual(await refusal('first: -1'), ['not-supported', `${path}.first`, 'unexpected negative value'])
  assert.deepEqual(await refusal('last: -1'), ['not-supported', `${path}.last`, 'unexpected negative value'])
  const invalid = ['validation-failed', path, 'the "after" or "before" cursor is invalid']
  const cursors = ['', '?', '3', 'null', '[]', '{}', '{"title" : "x"}', '{"id" : {}}', '{"id" : 1.5}', '{"id" : true}']
  for (const cursor of cursors) {
    assert.deepEqual(await refusal(`after: "${encoded(cursor)}"`), invalid, cursor)
    assert.deepEqual(await refusal('before: $v', { v: encoded(cursor) }), invalid, cursor)
  }
  assert.deepEqual(await refusal(`after: "${encoded('{"id" : 1}')}", order_by: {publisher: {name: asc}}`), invalid)
  const kind = (found: string) => [
    'validation-failed',
    `${path}.after`,
    `expected a string for type "String", but found ${found}`,
  ]
  assert.deepEqual(await refusal('after: 3'), kind('an integer'))
  assert.deepEqual(await refusal('after: $v', { v: 3 }), kind('a number'))
  const type = await refusal(`after: "${encoded('{"id" : "x"}')}"`)
  assert.deepEqual(type, ['data-exception', '$', 'invalid input syntax for type integer: "x"'])
})

test('requests that differ in their cursors share a plan', async (t) => {
  const trellis = await startLibrary(t)
  const query = 'query ($c: String) { book_connection(after: $c, first: 1) { edges { node { title } } } }'
  const session = { role: 'admin', variables: {}, backendOnly: false }
  const plan = (c: string | null) =>
    trellis.engine.graphql.plan({ query, variables: { c }, operationName: null }, session, { schema: 'relay' }).prepared
  assert.equal(plan(encoded('{"id" : 1}')), plan(encoded('{"id" : 2}')))
  assert.notEqual(plan(null), plan(encoded('{"id" : 2}')))
  assert.match(plan(encoded('{"id" : 1}')).whole!.text, /"\) > \(\(\$1::text\[\]\)\[1\]::integer\)/)
})
