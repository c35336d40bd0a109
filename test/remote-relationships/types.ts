// Objects of a remote server, joined to rows of the library and to fields of another remote server.

import type { TestContext } from 'node:test'
import { definePlugin } from '../../sdk/index.ts'
import { type Crm, startCrm } from '../remote-schemas/crm.ts'
import { startLibrary } from '../support/library.ts'
import type { TestTrellis, TrellisOptions } from '../support/trellis.ts'

const shopTypes = `
  type Query { order(id: Int!): Purchase  orders(ids: [Int!]): [Purchase!]!  item(id: Int!): Item  items: [Item] }
  type Mutation { buy(book: Int!): Purchase }
  type Purchase implements Node { id: Int!  book: Int  buyer: Int  code: ID  tags: [Int!]  parts: [Purchase!]  isbn(form: String!): String  broken: Int }
  type Item implements Node { id: Int!  book: String  buyer: Int }
  interface Node { id: Int! }
  union Goods = Purchase | Item
  extend type Query { things: [Goods]  nodes: [Node] }
`

const orderOf = (id: number): object => ({
  ...{ __typename: 'Purchase', id, book: id > 9 ? null : id, buyer: id + 4, code: '1', isbn: 'none', tags: [1, 2] },
  parts: () => (id < 3 ? [orderOf(id + 1), orderOf(3)] : []),
  broken: () => {
    throw new Error('it is broken')
  },
})

const itemOf = (id: number) => ({ __typename: 'Item', id, book: id > 9 ? 'no number' : String(id), buyer: id })

const things = () => [orderOf(1), itemOf(2), null, orderOf(10)]

const shopResolvers = {
  order: ({ id }: { id: number }) => (id < 0 ? null : orderOf(id)),
  orders: ({ ids }: { ids?: number[] }) => (ids ?? [1, 2, 10]).map(orderOf),
  item: ({ id }: { id: number }) => itemOf(id),
  items: () => [itemOf(1), null, itemOf(3)],
  buy: ({ book }: { book: number }) => orderOf(book),
  things,
  nodes: things,
}

/** The remote field of {@link toUser}. */
export const user = (field: string) => ({ user: { arguments: { id: `$${field}` } } })

/** A definition that leads to the user with the id in a field. */
export const toUser = (field: string, remote_field: object = user(field)) => ({
  to_remote_schema: { remote_schema: 'crm', lhs_fields: [field], remote_field },
})

/** A definition that leads to books. */
export const toBook = (field: string, column = 'id', relationship_type = 'object') => ({
  to_source: { relationship_type, source: 'default', table: 'book', field_mapping: { [field]: column } },
})

/** The arguments that create a relationship of orders. */
export const ofOrder = (name: string, definition: object, type_name = 'Purchase') => ({
  ...{ remote_schema: 'shop', type_name, name, definition },
})

export const create = 'create_remote_schema_remote_relationship'

/** The usual relationships. */
export const usual = [
  ofOrder('volume', toBook('book')),
  ofOrder('related', toBook('book', 'publisher_id', 'array')),
  ofOrder('person', toUser('buyer')),
  ofOrder('volume', toBook('book'), 'Item'),
  ofOrder('person', toUser('buyer'), 'Item'),
]

export interface Shop {
  readonly trellis: TestTrellis
  readonly shop: Crm
  readonly crm: Crm
  /** The number of statements of queries since the last call. */
  statements(): number
}

/** Starts the library with the remote schemas `shop` and `crm`, and relationships. */
export async function startShop(
  t: TestContext,
  relationships: readonly object[] = usual,
  options: TrellisOptions = {},
): Promise<Shop> {
  const [shop, crm] = [await startCrm(t, shopTypes, shopResolvers), await startCrm(t)]
  let count = 0
  const counting = definePlugin({
    name: 'counting',
    register(engine) {
      engine.around({
        statement(work, run) {
          if (work.kind === 'query') count++
          return run()
        },
      })
    },
  })
  const trellis = await startLibrary(t, { ...options, plugins: [counting] })
  await trellis.op('add_remote_schema', { name: 'shop', definition: { url: shop.url } })
  await trellis.op('add_remote_schema', { name: 'crm', definition: { url: crm.url } })
  for (const args of relationships) await trellis.op(create, args)
  const statements = () => {
    const seen = count
    count = 0
    return seen
  }
  return { trellis, shop, crm, statements }
}
