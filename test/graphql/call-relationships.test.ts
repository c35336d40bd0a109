// A call to another server whose result has relationships to tables, like an action.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { planRow, planRows, rowList, rowType, selectArguments } from '../../plugins/tables/graphql.ts'
import {
  builtInType,
  definePlugin,
  graphql,
  type MemberPlanner,
  type ResolvedRowPlanner,
  type SchemaScope,
} from '../../sdk/index.ts'
import type { Output } from '../../sdk/sql.ts'
import { type OtherAnswer, type OtherServer, startOther } from '../auth/other-server.ts'
import { startLibrary } from '../support/library.ts'
import type { TestTrellis } from '../support/trellis.ts'

const { GraphQLInt, GraphQLList, GraphQLNonNull, GraphQLObjectType, GraphQLString } = graphql

const book = { schema: 'public', name: 'book' }

/** `Order.book`: the row of `book_id`, for roles that may select books. */
const bookMember: MemberPlanner = {
  kind: 'relational',
  needs: { book_id: builtInType('int4') },
  plan(field, context) {
    const { table, select } = context.schema.access(book)!
    const rows = select!.row({ mapping: [['book_id', 'id']] as const })
    return { kind: 'one', unique: true, select: { rows, output: planRow(field, context, table) } }
  },
}

/** `Order.cheaper`: books of the same publisher, with the arguments of any list of rows. */
const cheaperMember: MemberPlanner = {
  kind: 'relational',
  needs: { publisher: builtInType('int4') },
  plan(field, context): Output {
    const { table } = context.schema.access(book)!
    const rows = planRows(field, context, table, { mapping: [['publisher', 'publisher_id']] })
    return { kind: 'many', select: { rows, output: planRow(field, context, table) } }
  },
}

/** `Order.state`, answered by another call. */
const stateMember = (asked: unknown[]): ResolvedRowPlanner => ({
  kind: 'resolved',
  needs: ['id'],
  resolve(rows) {
    asked.push(rows)
    return rows.map(({ id }) => `state of ${id}`)
  },
})

/** `book.reviews`, answered by another call. */
const reviews = (asked: unknown[]): ResolvedRowPlanner => ({
  kind: 'resolved',
  needs: ['id', 'title'],
  resolve(rows) {
    asked.push(rows)
    return rows.map(({ title }) => `${title} is good`)
  },
})

function orderType(scope: SchemaScope, asked: unknown[]): graphql.GraphQLObjectType {
  const access = scope.access(book)
  return scope.type('Order', () => {
    const Order: graphql.GraphQLObjectType = new GraphQLObjectType({
      name: 'Order',
      fields: () => ({
        id: { type: new GraphQLNonNull(GraphQLInt) },
        book_id: { type: GraphQLInt },
        parts: { type: new GraphQLList(Order) },
        state: { type: GraphQLString, extensions: { member: stateMember(asked) } },
        ...(access?.select && {
          book: { type: rowType(scope, access.table), extensions: { member: bookMember } },
          cheaper: {
            type: rowList(scope, access.table),
            args: selectArguments(scope, access.table),
            extensions: { member: cheaperMember },
          },
        }),
      }),
    })
    return Order
  })
}

const actions = (url: string, asked: unknown[]) =>
  definePlugin({
    name: 'orders',
    dependencies: ['tables'],
    register(engine) {
      const resolve = async ({ args, session }: { args: object; session: { role: string } }) => {
        const body = JSON.stringify({ input: args, role: session.role })
        const response = await engine.outgoing.send({ method: 'POST', url, body, timeout: 5000 })
        return JSON.parse(String(response.body))
      }
      const field = (scope: SchemaScope) => () => ({
        type: new GraphQLList(orderType(scope, asked)),
        args: { ids: { type: new GraphQLList(GraphQLInt) } },
        extensions: { root: { kind: 'resolved', resolve } as const },
      })
      engine.graphql.contribute({
        name: 'orders',
        query: (scope) => new Map([['orders', field(scope)]]),
        mutation: (scope) => new Map([['order', field(scope)]]),
        rowFields: (_scope, { name }) =>
          new Map(
            name.name === 'book'
              ? [['reviews', () => ({ type: GraphQLString, extensions: { row: reviews(asked) } })]]
              : [],
          ),
      })
    },
  })

interface Shop {
  readonly trellis: TestTrellis
  readonly other: OtherServer
  readonly asked: unknown[]
}

async function startActions(t: TestContext, answer: () => OtherAnswer): Promise<Shop> {
  const asked: unknown[] = []
  const other = await startOther(t, answer)
  const trellis = await startLibrary(t, { plugins: [actions(other.url, asked)] })
  return { trellis, other, asked }
}

const orders = [
  { id: 1, book_id: 1, publisher: 1, parts: [{ id: 11, book_id: 3, publisher: 2 }, null] },
  { id: 2, book_id: null, publisher: null },
  { id: 3, book_id: 99, publisher: 1, parts: [{ id: 31, book_id: 2 }] },
]

test('objects of a call at any depth have relationships to rows, with one statement for all', async (t) => {
  const { trellis, other } = await startActions(t, () => ({ body: orders }))
  const query = `query ($most: numeric, $n: Int!) {
    orders(ids: [1, 2]) {
      id
      book { title publisher { name books(order_by: {id: asc}) { id } } }
      cheaper(where: {price: {_lt: $most}}, order_by: {id: asc}, limit: $n) { title }
      parts { id again: book { title } }
    }
  }`
  const one = (title: string, name: string, ids: number[]) => ({
    title,
    publisher: { name, books: ids.map((id) => ({ id })) },
  })
  assert.deepEqual(await trellis.graphql(query, { most: 20, n: 1 }), {
    data: {
      orders: [
        {
          id: 1,
          book: one('Dawn', 'Ark', [1, 2]),
          cheaper: [{ title: 'Dawn' }],
          parts: [{ id: 11, again: { title: 'Fog' } }, null],
        },
        { id: 2, book: null, cheaper: [], parts: null },
        { id: 3, book: null, cheaper: [{ title: 'Dawn' }], parts: [{ id: 31, again: { title: 'Ebb' } }] },
      ],
    },
  })
  assert.deepEqual(JSON.parse(other.received[0]!.body), { input: { ids: [1, 2] }, role: 'admin' })
})

test("the role's permissions apply to the related rows", async (t) => {
  const { trellis } = await startActions(t, () => ({ body: orders }))
  const permission = { columns: ['title'], filter: { publisher_id: { _eq: 'X-Service-Org' } }, limit: 1 }
  await trellis.op('create_select_permission', { table: 'book', role: 'editor', permission })
  const query = '{ orders { id book { title } parts { book { title } } cheaper { title } } }'
  const headers = { 'x-service-org': '2' }
  assert.deepEqual(await trellis.graphql(query, {}, { role: 'editor', headers }), {
    data: {
      orders: [
        { id: 1, book: null, parts: [{ book: { title: 'Fog' } }, null], cheaper: [] },
        { id: 2, book: null, parts: null, cheaper: [] },
        { id: 3, book: null, parts: [{ book: null }], cheaper: [] },
      ],
    },
  })
  const refused = async (text: string, options: object) => {
    const { errors } = await trellis.graphql<{ errors: { message: string; extensions: object }[] }>(text, {}, options)
    return [errors[0]?.extensions, errors[0]?.message]
  }
  assert.deepEqual(await refused('{ orders { book { price } } }', { role: 'editor', headers }), [
    { path: '$.selectionSet.orders.selectionSet.book.selectionSet.price', code: 'validation-failed' },
    `field "price" not found in type: 'book'`,
  ])
  assert.deepEqual(await refused('{ orders { book { title } } }', { role: 'nobody' }), [
    { path: '$.selectionSet.orders.selectionSet.book', code: 'validation-failed' },
    `field "book" not found in type: 'Order'`,
  ])
  assert.deepEqual(await refused(query, { role: 'editor' }), [
    { path: '$', code: 'not-found' },
    'missing session variables: "x-service-org"',
  ])
})

test('three levels: a call, rows of tables for its result, and calls for all of those rows at once', async (t) => {
  const { trellis, asked } = await startActions(t, () => ({ body: orders }))
  const answer = await trellis.graphql(`mutation {
    order { state book { title reviews publisher { books(order_by: {id: desc}) { reviews } } } }
    delete_book(where: {id: {_eq: 3}}) { returning { reviews } }
  }`)
  const related = (titles: string[]) => ({ books: titles.map((title) => ({ reviews: `${title} is good` })) })
  assert.deepEqual(answer, {
    data: {
      order: [
        { state: 'state of 1', book: { title: 'Dawn', reviews: 'Dawn is good', publisher: related(['Ebb', 'Dawn']) } },
        { state: 'state of 2', book: null },
        { state: 'state of 3', book: null },
      ],
      delete_book: { returning: [{ reviews: 'Fog is good' }] },
    },
  })
  assert.deepEqual(asked, [
    [{ id: 1 }, { id: 2 }, { id: 3 }],
    [{ id: 1, title: 'Dawn' }],
    [
      { id: 2, title: 'Ebb' },
      { id: 1, title: 'Dawn' },
    ],
    [{ id: 3, title: 'Fog' }],
  ])
})

test("a value that does not fit the type of the relationship's column is an error of the database", async (t) => {
  const { trellis } = await startActions(t, () => ({ body: [{ id: 1, book_id: 'x' }] }))
  const { errors } = await trellis.graphql<{
    errors: { message: string; extensions: { path: string; code: string } }[]
  }>('{ orders { book { title } } }')
  const { path, code } = errors[0]!.extensions
  assert.deepEqual([errors.length, path, code], [1, '$', 'data-exception'])
  assert.equal(errors[0]!.message, 'invalid input syntax for type integer: "x"')
})

test('one plan serves all results and all values', async (t) => {
  let n = 0
  const { trellis } = await startActions(t, () => ({ body: [{ id: 1, book_id: ++n }] }))
  const query = 'query ($ids: [Int]) { orders(ids: $ids) { book { title } } }'
  const before = trellis.engine.graphql.plans.made
  for (const title of ['Dawn', 'Ebb', 'Fog']) {
    assert.deepEqual(await trellis.graphql(query, { ids: [n, 7] }), { data: { orders: [{ book: { title } }] } })
  }
  assert.equal(trellis.engine.graphql.plans.made - before, 1)
})
