// The claims of the guide about GraphQL fields.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { graphql } from 'trellis'
import { startTrellis } from 'trellis/testing'
import { startOther } from '../auth/other-server.ts'
import { blocksOf } from './blocks.ts'
import hits from './hits.ts'
import points from './points.ts'
import shop from './shop.ts'
import sightings from './sightings.ts'
import weather from './weather.ts'

const sql = `
  create table harbour (id int primary key, name text, code text unique);
  insert into harbour values (1, 'Bergen', 'NOBGO'), (2, 'Oslo', 'NOOSL')`

/** A server that knows the weather of one harbour, and of another that it has no thermometer. */
const startWeather = (t: TestContext) =>
  startOther(t, ({ body }) => {
    const { codes }: { codes: string[] } = JSON.parse(body)
    const known = codes.filter((code) => code.startsWith('NO'))
    return { body: known.map((code) => ({ code, temperature: code === 'NOBGO' ? 7.5 : null })) }
  })

test('the weather is requested once for all rows, and missing values affect no others', async (t) => {
  const other = await startWeather(t)
  await using trellis = await startTrellis({ plugins: [weather(other.url)], sql })
  await trellis.operation('track_table', 'harbour')
  assert.deepEqual(await trellis.graphql('{ harbour(order_by: { id: asc }) { name temperature } }'), {
    data: {
      harbour: [
        { name: 'Bergen', temperature: 7.5 },
        { name: 'Oslo', temperature: null },
      ],
    },
    errors: [
      {
        extensions: { path: '$.selectionSet.harbour.selectionSet.temperature', code: 'not-found' },
        message: 'no weather in NOOSL',
        path: ['harbour', 1, 'temperature'],
      },
    ],
  })
  assert.equal(other.received.length, 1)
})

test('reports lead to rows, and errors beside the data name missing ones', async (t) => {
  const other = await startWeather(t)
  await using trellis = await startTrellis({ plugins: [weather(other.url)], sql })
  await trellis.operation('track_table', 'harbour')
  const query = '{ weather(codes: ["NOBGO", "NOOSL"]) { temperature harbour { name } } }'
  const answer = await trellis.request('/v1/graphql', { body: { query } })
  const page = readFileSync(join(import.meta.dirname, '../../docs/plugins-graphql.md'), 'utf8')
  assert.ok(page.includes(`Asked for \`${query}\``))
  const [shown] = blocksOf(page).filter(({ language }) => language === 'json')
  assert.deepEqual(answer.body, JSON.parse(shown!.lines.join('\n')))
  assert.equal(answer.headers.get('cache-control'), 'max-age=60')
})

test('fields of another server are answered by one request', async (t) => {
  const schema = 'type Query { product(id: Int!): Product } type Product { name: String }'
  const rootValue = { product: ({ id }: { id: number }) => ({ name: `product ${id}` }) }
  const other = await startOther(t, ({ body }) => {
    const { query: source, variables: variableValues } = JSON.parse(body)
    return { body: graphql.graphqlSync({ schema: graphql.buildSchema(schema), source, rootValue, variableValues }) }
  })
  await using trellis = await startTrellis({ plugins: [shop({ url: other.url, schema })] })
  const query = 'query ($id: Int!) { a: product(id: $id) { name } b: product(id: 2) { name } }'
  const data = { a: { name: 'product 1' }, b: { name: 'product 2' } }
  assert.deepEqual(await trellis.graphql(query, { variables: { id: 1 } }), { data })
  const beside = await trellis.graphql('{ product(id: 3) { name } __typename }')
  assert.deepEqual(beside, { data: { product: { name: 'product 3' }, __typename: 'query_root' } })
  assert.equal(other.received.length, 2)
})

test('rows are listed and changed as far as the role may', async () => {
  const ships = `
    create table ship (id int primary key, name text, last_seen timestamptz);
    insert into ship values (1, 'Argo', '2001-01-01'), (2, 'Beagle', '2002-02-02'), (3, 'Calypso', null)`
  await using trellis = await startTrellis({ plugins: [sightings], sql: ships })
  const permission = { columns: ['id', 'name'], filter: { id: { _lt: 3 } } }
  await trellis.operation('bulk', [
    { type: 'track_table', args: 'ship' },
    { type: 'create_select_permission', args: { table: 'ship', role: 'guest', permission } },
  ])
  const list = '{ seen_ship { name } }'
  const names = (...given: string[]) => ({ data: { seen_ship: given.map((name) => ({ name })) } })
  assert.deepEqual(await trellis.graphql(list), names('Beagle', 'Argo', 'Calypso'))
  assert.deepEqual(await trellis.graphql(list, { role: 'guest' }), names('Beagle', 'Argo'))
  const see = 'mutation { see_ship(id: 3) { name } }'
  assert.deepEqual(await trellis.graphql(see), { data: { see_ship: { name: 'Calypso' } } })
  assert.deepEqual(await trellis.graphql('{ seen_ship(limit: 1) { name } }'), names('Calypso'))
  // As in lists of tables, null means no limit, whether it is written or given as a variable.
  const all = (await trellis.graphql(list)).data
  assert.deepEqual(await trellis.graphql('{ seen_ship(limit: null) { name } }'), { data: all })
  const limited = 'query ($limit: Int) { seen_ship(limit: $limit) { name } }'
  assert.deepEqual(await trellis.graphql(limited, { variables: { limit: null } }), { data: all })
  assert.deepEqual(await trellis.graphql(limited, { variables: { limit: 1 } }), names('Calypso'))
  assert.equal((await trellis.graphql(see, { role: 'guest' })).data, undefined)
})

test('rows are found with their rank, in an object of the plugin', async () => {
  const articles = `
    create table author (id int primary key, name text);
    create table article (id int primary key, author_id int references author, title text,
      search tsvector generated always as (to_tsvector('english', title)) stored);
    insert into author values (1, 'Ann');
    insert into article values (1, 1, 'a cat'), (2, 1, 'cats and cats'), (3, null, 'dogs')`
  await using trellis = await startTrellis({ plugins: [hits], sql: articles })
  const using = { foreign_key_constraint_on: 'author_id' }
  const permission = { columns: ['id', 'search'], filter: { id: { _lt: 2 } } }
  await trellis.operation('bulk', [
    { type: 'track_table', args: 'author' },
    { type: 'track_table', args: 'article' },
    { type: 'create_object_relationship', args: { table: 'article', name: 'author', using } },
    { type: 'create_select_permission', args: { table: 'article', role: 'guest', permission } },
  ])
  const query = '{ hits: find_article(query: "cat") { __typename rank row { id author { name } } } }'
  const { data } = await trellis.graphql<{ hits: { rank: number }[] }>(query)
  const author = { name: 'Ann' }
  const ranks = data!.hits.map(({ rank }) => rank)
  assert.deepEqual(data!.hits, [
    { __typename: 'article_hit', rank: ranks[0], row: { id: 2, author } },
    { __typename: 'article_hit', rank: ranks[1], row: { id: 1, author } },
  ])
  assert.ok(ranks[0]! > ranks[1]!)
  const guest = await trellis.graphql('{ find_article(query: "cat") { row { id } } }', { role: 'guest' })
  assert.deepEqual(guest, { data: { find_article: [{ row: { id: 1 } }] } })
})

test('a type is encoded and decoded by the plugin, and compared by its operator', async () => {
  const dots = `create table dot (id int primary key, place point); insert into dot values (1, '(1,9)'), (2, '(1,1)')`
  await using trellis = await startTrellis({ plugins: [points], sql: dots })
  await trellis.operation('track_table', 'dot')
  const insert = 'mutation ($place: point) { insert_dot_one(object: { id: 3, place: $place }) { place } }'
  const variables = { place: { x: 2, y: 7.5 } }
  assert.deepEqual(await trellis.graphql(insert, { variables }), { data: { insert_dot_one: variables } })
  const above = await trellis.graphql('{ dot(where: { place: { _above: 5 } }, order_by: { id: asc }) { id place } }')
  const data = {
    dot: [
      { id: 1, place: { x: 1, y: 9 } },
      { id: 3, place: { x: 2, y: 7.5 } },
    ],
  }
  assert.deepEqual(above, { data })
  const refused = await trellis.graphql(insert, { variables: { place: { x: 2 } } })
  assert.equal(refused.errors?.[0]?.message, 'a point has an x and a y')
})
