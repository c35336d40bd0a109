// A schema of this process as a remote schema: people of a directory, to whom rows of tables can be joined. It is made with
// graphql-js here; schemas of Pothos, Nexus and Yoga are the same. `npm start -- --plugin ./examples/people.ts`

import { definePlugin, graphql } from 'trellis'
import { type LocalCall, remoteSchemas } from 'trellis/remote-schemas'

const directory = new Map([
  [1, { id: 1, name: 'Ada' }],
  [2, { id: 2, name: 'Bo' }],
])

const schema = graphql.buildSchema(`
  type Query { person(id: Int!): Person  me: Person }
  type Person { id: Int!  name: String! }
`)

const rootValue = {
  person: ({ id }: { id: number }) => directory.get(id) ?? null,
  me: (_: unknown, { session }: LocalCall) => directory.get(Number(session.variables['x-service-user-id'])) ?? null,
}

export default definePlugin({
  name: 'people',
  dependencies: ['remote-schemas'],
  register(engine) {
    engine.use(remoteSchemas).add({ name: 'people', schema, rootValue })
  },
})
