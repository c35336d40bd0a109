// A GraphQL server of one of several makes, over one of several schemas: `remote-server.ts MAKE [SCHEMA]` prints its
// URL and runs until its standard input ends. A parent process with a channel receives the URL as a message.

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

const peopleTypes = `
  "What can be asked"
  type Query {
    "People, by what they are called"
    users(where: UserFilter = { kind: GOOD }, limit: Int = 2): [User!]!
    user(id: ID!): User
    things(kinds: [Kind!]): [Thing!]!
    named: [Named!]!
    failing: String
    old: String @deprecated(reason: "use new")
  }
  type Mutation { rename(id: ID!, name: String!): User! }
  enum Kind { GOOD "not good" BAD @deprecated(reason: "be good") }
  input UserFilter { kind: Kind = GOOD  names: [String!]  nested: UserFilter }
  interface Named { name: String! }
  type User implements Named { id: ID!  name: String!  kind: Kind!  friends(first: Int = 1): [User!]! }
  type Car implements Named { name: String!  wheels: Int! }
  union Thing = User | Car
`

interface User {
  readonly __typename: 'User'
  readonly id: string
  readonly name: string
  readonly kind: string
}

const user = (id: string): User => ({
  __typename: 'User',
  id,
  name: `user ${id}`,
  kind: Number(id) % 2 ? 'GOOD' : 'BAD',
})
const car = { __typename: 'Car', name: 'Beetle', wheels: 4 }

const byType = { __resolveType: ({ __typename }: { __typename: string }) => __typename }

const people = {
  Query: {
    users: (_: unknown, { where, limit }: { where: { kind: string; names?: string[] }; limit: number }) =>
      (where.names ?? ['1', '2', '3', '5'])
        .map(user)
        .filter(({ kind }) => kind === where.kind)
        .slice(0, limit),
    user: (_: unknown, { id }: { id: string }) => (id === '0' ? null : user(id)),
    things: (_: unknown, { kinds }: { kinds?: string[] }) => [user('1'), car].slice(0, kinds?.length ?? 2),
    named: () => [car, user('2')],
    failing: () => {
      throw new Error('it fails')
    },
    old: () => 'old',
  },
  Mutation: { rename: (_: unknown, { id, name }: { id: string; name: string }) => ({ ...user(id), name }) },
  User: {
    friends: ({ id }: User, { first }: { first: number }) =>
      Array.from({ length: first }, (_, n) => user(`${Number(id) + n + 1}`)),
  },
  Named: byType,
  Thing: byType,
}

const readersTypes = `
  type Query { popular: [book!]!  shelves: [Shelf!]!  readBooks(ids: [Int!]!): [book]! }
    interface Item { id: Int! }
  type book implements Item { id: Int!  readers(first: Int = 1): [String!] }
  type Magazine implements Item { id: Int!  issue: Int! }
  union Shelf = book | Magazine
`

const read = (id: number) => ({ __typename: 'book', id })

const readers = {
  Query: {
    popular: () => [3, 1].map(read),
    shelves: () => [read(2), { __typename: 'Magazine', id: 9, issue: 4 }],
    readBooks: (_: unknown, { ids }: { ids: number[] }) => ids.map((id) => (id === 2 ? null : read(id))),
  },
  book: {
    readers: ({ id }: { id: number }, { first }: { first: number }) =>
      Array.from({ length: first }, (_, n) => `reader ${id}.${n}`),
  },
  Item: byType,
  Shelf: byType,
}

const stockTypes = `
  type Query { cheapest: book  stock(id: Int!): book  closed: String }
  type Mutation { sell(id: Int!): book }
  type book { id: Int!  inStock: Int  weight: Float }
`

let sold = 0
const stocked = (id: number) => ({ id, inStock: () => id * 10 - sold, weight: id / 4 })

const stock = {
  Query: {
    cheapest: () => stocked(2),
    stock: (_: unknown, { id }: { id: number }) => {
      if (id === 3) throw new Error('the shelf is closed')
      return stocked(id)
    },
  },
  Mutation: {
    sell(_: unknown, { id }: { id: number }) {
      sold += 1
      return stocked(id)
    },
  },
}

const schemas = {
  people: { typeDefs: peopleTypes, resolvers: people },
  readers: { typeDefs: readersTypes, resolvers: readers },
  stock: { typeDefs: stockTypes, resolvers: stock },
}

const name = process.argv[3] ?? 'people'
if (!Object.hasOwn(schemas, name)) throw new Error(`it has one of the schemas ${Object.keys(schemas).join(', ')}`)
const { typeDefs, resolvers } = schemas[name as keyof typeof schemas]

/** Starts a server, and gives its URL. */
const makes: Readonly<Record<string, () => Promise<string>>> = {
  async yoga() {
    const { createSchema, createYoga } = await import('graphql-yoga')
    const yoga = createYoga({ schema: createSchema({ typeDefs, resolvers }), logging: false, maskedErrors: false })
    const server = createServer(yoga)
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/graphql`
  },
  async apollo5() {
    const [{ ApolloServer }, { startStandaloneServer }] = [
      await import('@apollo/server'),
      await import('@apollo/server/standalone'),
    ]
    const listen = { port: 0, host: '127.0.0.1' }
    return (await startStandaloneServer(new ApolloServer({ typeDefs, resolvers, introspection: true }), { listen })).url
  },
  async apollo4() {
    const [{ ApolloServer }, { startStandaloneServer }] = [
      await import('apollo-server-4'),
      await import('apollo-server-4/standalone'),
    ]
    const listen = { port: 0, host: '127.0.0.1' }
    return (await startStandaloneServer(new ApolloServer({ typeDefs, resolvers, introspection: true }), { listen })).url
  },
  async mercurius() {
    const [{ default: fastify }, { default: mercurius }] = [await import('fastify'), await import('mercurius')]
    const app = fastify()
    const { __resolveType: resolveType } = byType
    await app.register(mercurius, {
      schema: typeDefs,
      resolvers: { ...resolvers, Named: { resolveType }, Thing: { resolveType } } as never,
    })
    await app.listen({ port: 0, host: '127.0.0.1' })
    return `http://127.0.0.1:${(app.server.address() as AddressInfo).port}/graphql`
  },
}

const start = makes[process.argv[2] ?? '']
if (!start) throw new Error(`it is one of ${Object.keys(makes).join(', ')}`)
const url = await start()
if (process.send) {
  process.send(url)
  process.once('disconnect', () => process.exit())
} else {
  console.log(url)
  process.stdin.resume().once('end', () => process.exit())
}
