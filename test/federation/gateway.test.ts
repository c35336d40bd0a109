// A gateway made of libraries: one composes the supergraph, one plans and sends the requests.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { getStitchedSchemaFromSupergraphSdl } from '@graphql-tools/federation'
import { composeServices } from '@theguild/federation-composition'
import { type ExecutionResult, graphql, parse, print } from 'graphql'
import { startTrellis, type TestTrellis } from '../support/trellis.ts'
import { entity, sdlOf, startSubgraph } from './federation.ts'

interface Subgraph {
  readonly name: string
  readonly trellis: TestTrellis
  readonly role?: string
}

interface Sent {
  readonly name: string
  readonly query: string
}

/** Composes the subgraphs; asks the gateway, and returns its answer with the requests that the subgraphs got. */
async function startGateway(subgraphs: readonly Subgraph[]) {
  const services = await Promise.all(
    subgraphs.map(async ({ name, trellis, role }) => {
      return { name, url: `${trellis.url}/v1/graphql`, typeDefs: parse(await sdlOf(trellis, role)) }
    }),
  )
  const { errors, supergraphSdl } = composeServices(services)
  assert.deepEqual(errors ?? [], [])
  const sent: Sent[] = []
  const schema = getStitchedSchemaFromSupergraphSdl({
    supergraphSdl: supergraphSdl!,
    onSubschemaConfig(subschema) {
      const subgraph = subgraphs.find(({ name }) => name === subschema.name.toLowerCase())!
      subschema.executor = async ({ document, variables }) => {
        const query = print(document)
        sent.push({ name: subgraph.name, query })
        const { trellis, role } = subgraph
        return trellis.graphql(query, variables, role === undefined ? {} : { role })
      }
    },
  })
  const ask = async (source: string) => {
    const before = sent.length
    const { data, errors } = (await graphql({ schema, source })) as ExecutionResult
    return { data: JSON.parse(JSON.stringify(data)), errors, sent: sent.slice(before) }
  }
  return { ask }
}

const shopSql = `
  create table stock (book_id int primary key, amount int not null, secret text);
  create table offer (id int primary key, book_id int references stock(book_id), percent numeric);
  insert into stock values (1, 10, 'a'), (2, 0, 'b'), (3, 5, 'c');
  insert into offer values (1, 1, 12.5), (2, 3, 50);`

/** A server with more fields of the library's books: it has no root fields under the names of the library. */
async function startShop(t: TestContext): Promise<TestTrellis> {
  const trellis = await startTrellis(t, { sql: shopSql, settings: { enableApolloFederation: true } })
  const configuration = {
    custom_name: 'book',
    custom_column_names: { book_id: 'id' },
    custom_root_fields: { select_by_pk: 'stock_by_pk' },
  }
  await trellis.op('track_table', { table: 'stock', configuration }, { version: 2 })
  const select = (table: string, permission: object) => ({
    type: 'create_select_permission',
    args: { table, role: 'gateway', permission: { filter: {}, ...permission } },
  })
  await trellis.op('bulk', [
    { type: 'track_table', args: 'offer' },
    entity('stock'),
    entity('offer'),
    {
      type: 'create_object_relationship',
      args: { table: 'offer', name: 'book', using: { foreign_key_constraint_on: 'book_id' } },
    },
    {
      type: 'create_array_relationship',
      args: {
        table: 'stock',
        name: 'offers',
        using: { foreign_key_constraint_on: { table: 'offer', column: 'book_id' } },
      },
    },
    select('stock', {
      columns: ['book_id', 'amount'],
      query_root_fields: ['select_by_pk'],
      subscription_root_fields: [],
    }),
    select('offer', { columns: ['id', 'percent'] }),
  ])
  return trellis
}

test('a gateway joins rows of two servers by their keys', async (t) => {
  const library = await startSubgraph(t)
  const shop = await startShop(t)
  const { ask } = await startGateway([
    { name: 'library', trellis: library },
    { name: 'shop', trellis: shop, role: 'gateway' },
  ])
  const books = await ask('{ book(order_by: {id: asc}) { title amount offers { percent } publisher { name } } }')
  assert.deepEqual(books.errors, undefined)
  assert.deepEqual(books.data, {
    book: [
      { title: 'Dawn', amount: 10, offers: [{ percent: 12.5 }], publisher: { name: 'Ark' } },
      { title: 'Ebb', amount: 0, offers: [], publisher: { name: 'Ark' } },
      { title: 'Fog', amount: 5, offers: [{ percent: 50 }], publisher: { name: 'Bell' } },
    ],
  })
  assert.deepEqual(
    books.sent.map(({ name }) => name),
    ['library', 'shop'],
  )
  const offers = await ask('{ offer(order_by: {id: asc}) { percent book { title amount } } }')
  assert.deepEqual(offers.data, {
    offer: [
      { percent: 12.5, book: { title: 'Dawn', amount: 10 } },
      { percent: 50, book: { title: 'Fog', amount: 5 } },
    ],
  })
  assert.deepEqual(
    offers.sent.map(({ name }) => name),
    ['shop', 'library'],
  )
})

test('SDL of every role and interface composes', async (t) => {
  for (const settings of [{}, { dialect: 'hasura', graphqlInterface: '2' }] as const) {
    const library = await startSubgraph(t, { settings })
    await library.op('bulk', [
      {
        type: 'create_select_permission',
        args: { table: 'book', role: 'reader', permission: { columns: ['id', 'title'], filter: {} } },
      },
    ])
    const shop = await startShop(t)
    for (const role of ['admin', 'reader', 'nobody']) {
      await startGateway([
        { name: 'library', trellis: library, role },
        { name: 'shop', trellis: shop, role: 'gateway' },
      ])
    }
  }
})
