// The Model Context Protocol: queries that administrators allow are tools of language models, with the caller's permissions.

import { definePlugin } from '../../sdk/index.ts'
import { describeType } from './describe-type.ts'
import { freeQuery } from './free-query.ts'
import { Offers } from './offers.ts'
import { mcpOptions } from './options.ts'
import { mcpRoutes } from './routes.ts'
import { ToolStreams, toolStreams } from './streams.ts'

export default definePlugin({
  name: 'mcp',
  api: 'mcp',
  enabledByDefault: false,
  dependencies: ['metadata', 'graphql', 'collections', 'rest-endpoints', 'introspection', 'limits'],
  options: mcpOptions,
  register(engine) {
    const offers = new Offers(engine, [
      (session) => describeType(engine, session),
      (session) => freeQuery(engine, session),
    ])
    const streams = new ToolStreams(engine, offers)
    engine.routes.add(...mcpRoutes(engine, offers, streams))
    engine.provide(toolStreams, streams)
    engine.onStopping(() => streams.stop())
  },
})
