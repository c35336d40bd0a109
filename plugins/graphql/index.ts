// The GraphQL endpoints over HTTP.

import { definePlugin } from '../../sdk/index.ts'
import { EventStreams, eventStreams } from './event-streams.ts'
import { graphqlRoutes } from './routes.ts'

export { type EventServer, type EventStreams, eventStreams, streamTokenOf } from './event-streams.ts'
export { type AnswerOptions, alwaysOk, answerGraphQL, failedAnswer, graphqlEndpoint } from './routes.ts'

export default definePlugin({
  name: 'graphql',
  api: 'graphql',
  register(engine) {
    const events = new EventStreams()
    engine.provide(eventStreams, events)
    engine.routes.add(...graphqlRoutes(engine, events))
  },
})
