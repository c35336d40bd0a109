// The GraphQL server of the suite's remote schemas; it lives as long as the process.

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { buildSchema, graphqlSync } from 'graphql'

const schema = buildSchema(`
  type Query { user(id: Int!, tags: [String!]): User  thing(id: ID!): User }
  type Mutation { rename(id: Int!, name: String!): User }
  type User { id: Int!  name: String! }
  input Unused { a: Int }
`)

const user = ({ id }: { id: number }) => ({ id, name: `user ${id}` })

const server = createServer(async (request, response) => {
  const { query, variables } = JSON.parse(await text(request))
  const rootValue = { user, thing: user, rename: user }
  response.end(JSON.stringify(graphqlSync({ schema, source: query, rootValue, variableValues: variables })))
})
await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
server.unref()

/** Its URL. */
export const remoteUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/graphql`

/** A URL without a server. */
export const deadUrl = 'http://127.0.0.1:1/graphql'
