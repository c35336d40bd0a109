// The parts of a server that speaks MCP; others do not load them.

import { describeType } from './describe-type.ts'
import { freeQuery } from './free-query.ts'
import { Offers } from './offers.ts'
import type { McpEngine } from './options.ts'
import { mcpRoutes } from './routes.ts'
import { searchSchema } from './search-schema.ts'
import { ToolStreams, toolStreams } from './streams.ts'

/** Adds the routes. */
export function startMcp(engine: McpEngine): void {
  const offers = new Offers(engine, [
    (session) => searchSchema(engine, session),
    (session) => describeType(engine, session),
    (session) => freeQuery(engine, session),
  ])
  const streams = new ToolStreams(engine, offers)
  engine.provide(toolStreams, streams)
  engine.routes.add(...mcpRoutes(engine, offers, streams))
  engine.onStopping(() => streams.stop())
}
