// Members of stitched schemas: servers with people, and with their orders.

import type { TestContext } from 'node:test'
import { startCrm } from '../remote-schemas/crm.ts'

export const peopleTypes = `
  type Query { users(limit: Int = 2): [User!]!  user(id: ID!): User  usersByIds(ids: [ID!]!): [User]!  seats: [Seat!]!  things: [Thing!]!  named: [Named!]! }
  type Mutation { rename(id: ID!, name: String!): User }
  interface Named { name: String! }
  type User implements Named { id: ID!  name: String!  height: Float  big: BigInt  tags: [String!]!  meta: JSON  client_id: String }
  type Seat { hall: String!  row: Int!  label: String! }
  type Car implements Named { name: String! }
  union Thing = User | Car
  scalar BigInt
  scalar JSON
`

const names = new Map<string, string>()

const user = (id: string) =>
  Number(id) > 2000
    ? null
    : {
        ...{ __typename: 'User', id, name: names.get(id) ?? `user ${id}`, height: 1.5, big: 10, tags: ['a', 'b'] },
        ...{ meta: { id, client_id: 5 }, client_id: `c${id}` },
      }

const count = (length: number) => Array.from({ length }, (_, i) => String(i + 1))

const people = {
  users: ({ limit }: { limit: number }) => count(limit).map(user),
  user: ({ id }: { id: string }) => user(id),
  usersByIds: ({ ids }: { ids: string[] }) => ids.map(user),
  seats: [1, 2, 3].map((row) => ({ hall: 'A', row, label: `A${row}` })),
  things: () => [user('1'), { __typename: 'Car', name: 'Beetle' }],
  named: () => [user('2'), { __typename: 'Car', name: 'Beetle' }],
  rename({ id, name }: { id: string; name: string }) {
    names.set(id, name)
    return user(id)
  },
}

export const ordersTypes = `
  type Query { orders(first: Int = 2): [Order!]!  revenue: Float  revenues: [[Float]]  usersOf(ids: [ID!]!): [User]!  pricesOf(seats: [SeatKey!]!): [Seat]!  buyer(id: ID!): User  priceOf(hall: String!, row: Int!): Seat  usersByKeys(keys: [UserKey!]!): [User]! }
  type Order { id: ID!  total: Float!  user: User! }
  type User { id: ID!  spent: Float  spendings: [Float]  orders(first: Int = 1): [Order!]! }
  type Seat { hall: String!  row: Int!  price: Int }
  input SeatKey { hall: String!  row: Int! }
  input UserKey { id: ID! }
`

const order = (id: string) => ({ id, total: Number(id) * 10, user: () => buyer(id) })

const buyer = (id: string): object | null =>
  id === '13'
    ? null
    : {
        id,
        spent: Number(id) * 100,
        orders: ({ first }: { first: number }) => count(first).map((n) => order(`${id}${n}`)),
      }

const priced = ({ hall, row }: { hall: string; row: number }) => (row === 2 ? null : { hall, row, price: row * 7 })

const orders = {
  orders: ({ first }: { first: number }) => count(first).map(order),
  usersOf: ({ ids }: { ids: string[] }) => ids.map(buyer),
  pricesOf: ({ seats }: { seats: { hall: string; row: number }[] }) => seats.map(priced),
  buyer: ({ id }: { id: string }) => buyer(id),
  priceOf: priced,
  usersByKeys: ({ keys }: { keys: { id: string }[] }) => keys.map(({ id }) => buyer(id)),
}

/** Starts the server of people. */
export const startPeople = (t: TestContext, more: object = {}, types = peopleTypes) =>
  startCrm(t, types, { ...people, ...more })

/** Starts the server of orders. */
export const startOrders = (t: TestContext, more: object = {}, types = ordersTypes) =>
  startCrm(t, types, { ...orders, ...more })

/** The members of a shop, with merges of each. */
export const shop = [
  { remote_schema: 'people', merge: { User: { key: 'id', field: 'usersByIds', argument: 'ids' } } },
  {
    remote_schema: 'orders',
    merge: {
      User: { key: 'id', field: 'usersOf', argument: 'ids' },
      Seat: { key: ['hall', 'row'], field: 'pricesOf', argument: 'seats' },
    },
  },
]
