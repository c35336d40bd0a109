// A remote GraphQL server for tests: people, their notes, and their cars.

import type { TestContext } from 'node:test'
import { buildSchema, graphqlSync } from 'graphql'
import { type OtherAnswer, type OtherServer, type Received, startOther } from '../auth/other-server.ts'
import { startLibrary } from '../support/library.ts'
import type { TrellisOptions } from '../support/trellis.ts'

export const crmTypes = `
  "What can be asked"
  type Query {
    "A person"
    user(id: Int!, tags: [String!] = ["none"]): User
    users(where: UserFilter, limit: Int = 2, order: Order): [User!]!
    thing(id: ID!): Thing
    named(prefix: String): [Named!]!
    broken: String!
    version: String! @deprecated(reason: "old")
    echo(value: JSON, kind: Kind): JSON
  }
  type Mutation { rename(id: Int!, name: String!): User  fail: User }
  type Subscription { ticks: Int }
  enum Order { ASC DESC }
  enum Kind { GOOD BAD @deprecated(reason: "be good") }
  scalar JSON
  input UserFilter { name: String  city: String  ids: [Int!]  nested: UserFilter  kind: Kind = GOOD }
  interface Named { name: String! }
  type User implements Named { id: Int!  name: String!  city: String  notes(first: Int = 1): [Note]  friend: User  secret: String  long: JSON  fails: Int }
  type Note { id: ID!  text: String!  author: User }
  type Car implements Named { name: String!  wheels: Int! }
  union Thing = User | Car | Note
`

const userOf = (id: number) => ({
  __typename: 'User',
  id,
  name: `user ${id}`,
  city: id % 2 ? 'Oslo' : null,
  notes: ({ first }: { first: number }) =>
    Array.from({ length: first }, (_, n) => ({ id: `${id}-${n}`, text: `note ${n}`, author: () => userOf(id) })),
  friend: () => (id > 100 ? null : userOf(id + 100)),
  secret: `secret ${id}`,
  fails: () => {
    throw new Error(`cannot say for ${id}`)
  },
})

const car = { __typename: 'Car', name: 'Beetle', wheels: 4 }

export const crmResolvers = {
  user: ({ id }: { id: number }) => {
    if (id < 0) throw new Error(`no user ${id}`)
    return id > 1000 ? null : userOf(id)
  },
  users: ({ where, limit }: { where?: { ids?: number[]; name?: string }; limit: number }) =>
    (where?.ids ?? [1, 2, 3]).slice(0, limit).map(userOf),
  thing: ({ id }: { id: string }) =>
    id === 'car' ? car : id === 'note' ? { __typename: 'Note', id, text: 'n' } : userOf(Number(id)),
  named: () => [userOf(1), car],
  broken: () => {
    throw new Error('it is broken')
  },
  version: '1',
  echo: ({ value }: { value: unknown }) => value,
  rename: ({ id, name }: { id: number; name: string }) => ({ ...userOf(id), name }),
  fail: () => {
    throw new Error('nothing was renamed')
  },
}

export interface Crm extends OtherServer {
  /** Replaces the server's answers. */
  answer: ((request: Received) => OtherAnswer | null) | null
  /** The current types. */
  types: string
  /** The bodies of requests other than introspection. */
  asked(): { query: string; variables: Record<string, unknown>; operationName?: string }[]
}

/** Starts the server. */
export async function startCrm(t: TestContext, types = crmTypes, rootValue: object = crmResolvers): Promise<Crm> {
  const state: Pick<Crm, 'answer' | 'types'> = { answer: null, types }
  let built = { types: '', schema: buildSchema('type Query { a: Int }') }
  const server = await startOther(t, (request) => {
    if (state.answer) return state.answer(request)
    if (built.types !== state.types)
      built = { types: state.types, schema: buildSchema(state.types, { assumeValid: true }) }
    const { query, variables } = JSON.parse(request.body)
    const body = graphqlSync({ schema: built.schema, source: query, rootValue, variableValues: variables })
    return { headers: { 'set-cookie': 'seen=1', 'x-other': 'no' }, body }
  })
  const asked = () =>
    server.received.map(({ body }) => JSON.parse(body)).filter(({ query }) => !query.includes('__schema'))
  return Object.assign(state, server, { asked })
}

/** Starts the library, with the server as remote schema `crm`. */
export async function startWithCrm(t: TestContext, definition = {}, options: TrellisOptions = {}) {
  const crm = await startCrm(t)
  const trellis = await startLibrary(t, options)
  await trellis.op('add_remote_schema', { name: 'crm', definition: { url: crm.url, ...definition } })
  return { crm, trellis }
}
