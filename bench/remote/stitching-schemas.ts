// The schemas of the measurement of stitching: people and their orders, each with three levels.

import { buildSchema } from 'graphql'

const numbers = (count: number): string[] => Array.from({ length: count }, (_, i) => String(i + 1))

export const peopleSchema = buildSchema(`
  type Query { users(limit: Int!): [User!]!  usersByIds(ids: [ID!]!): [User]! }
  type User { id: ID!  name: String!  city: String!  friends(first: Int!): [User!]! }
`)

const user = (id: string): object => ({
  ...{ id, name: `user ${id}`, city: 'Oslo' },
  friends: ({ first }: { first: number }) => numbers(first).map(user),
})

export const peopleRoot = {
  users: ({ limit }: { limit: number }) => numbers(limit).map(user),
  usersByIds: async ({ ids }: { ids: string[] }) => ids.map(user),
}

export const ordersSchema = buildSchema(`
  type Query { usersOf(ids: [ID!]!): [User]! }
  type User { id: ID!  orders(first: Int!): [Order!]! }
  type Order { id: ID!  total: Int!  seller: User! }
`)

const buyer = (id: string): object => ({
  id,
  orders: ({ first }: { first: number }) =>
    numbers(first).map((n) => ({ id: `${id}-${n}`, total: Number(id) * Number(n), seller: () => buyer(n) })),
})

export const ordersRoot = { usersOf: async ({ ids }: { ids: string[] }) => ids.map(buyer) }

/** The members as the metadata lists them. */
export const stitch = [
  { remote_schema: 'people', merge: { User: { key: 'id', field: 'usersByIds', argument: 'ids' } } },
  { remote_schema: 'orders', merge: { User: { key: 'id', field: 'usersOf', argument: 'ids' } } },
]

/** Three levels of the schema of people. */
export const localQuery = {
  query:
    'query ($n: Int!) { users(limit: $n) { id name friends(first: 10) { id name friends(first: 5) { name city } } } }',
  variables: { n: 10 },
}

/** Three levels with fields of both members. */
export const stitchedQuery = {
  query: 'query ($n: Int!) { users(limit: $n) { name orders(first: 3) { total seller { name city } } } }',
  variables: { n: 10 },
}
