// `POST /v1/graphql/explain`: the SQL and the plan of a GraphQL request for a role. It belongs to the metadata API.

import { callerOf, disconnectSignal, type Route, readJsonInTurns } from '../../sdk/http.ts'
import { definePlugin, type Engine } from '../../sdk/index.ts'
import { explain } from './explain.ts'
import { explainBody, explanation } from './schema.ts'
import { suggestIndexes } from './suggest-indexes.ts'

/** The endpoints of explain, for administrators. */
const explainRoutes = (engine: Engine): Route[] =>
  ['/v1/graphql/explain', '/v1alpha1/graphql/explain'].map((url) => ({
    method: 'POST',
    url,
    auth: 'admin',
    forReaders: true,
    raw: true,
    about: {
      summary: 'Shows the SQL of a GraphQL request, and its plan in PostgreSQL.',
      body: explainBody,
      result: explanation,
    },
    // Numbers of GraphQL's variables keep their digits.
    async handle(call) {
      const body = await readJsonInTurns(call.body as Buffer, 'lossless')
      const caller = callerOf(call, engine.settings)
      return explain(engine, body, { caller, whenUnwanted: disconnectSignal(call.reply) })
    },
  }))

export default definePlugin({
  name: 'explain',
  dependencies: ['graphql'],
  register(engine) {
    engine.routes.add(...explainRoutes(engine))
    engine.operations.add(suggestIndexes(engine))
  },
})
