// Serving subscriptions, from the start of the server to its end.

import type { Engine } from '../../sdk/index.ts'
import { serveEvents } from '../graphql/index.ts'
import type { BatchReport } from './live/group.ts'
import { LiveQueries } from './live/live-queries.ts'
import type { LiveOptions, SocketOptions } from './options.ts'
import { developerRoutes } from './routes.ts'
import { endpoints } from './transports/endpoints.ts'
import { Events } from './transports/events.ts'
import { Places } from './transports/places.ts'
import { Sockets } from './transports/sockets.ts'

export function startSubscriptions(engine: Engine): void {
  const limits: SocketOptions = {
    keepAlive: 5000,
    initTimeout: 3000,
    maxMessageSize: 1_048_576,
    operationsPerSocket: 1000,
    socketsPerAddress: 0,
    maxSockets: 10_000,
    compression: false,
    readCookie: false,
    stallTimeout: engine.settings.responseStallTimeout * 1000,
  }
  const options: LiveOptions = { refetchInterval: 1000, batchSize: 100 }
  const live = new LiveQueries({ engine, ...options, onBatch: (batch) => logBatch(engine, batch) })
  const places = new Places(limits)
  const sockets = new Sockets({ engine, live, limits, places })
  const events = new Events({ engine, live, limits, places })
  serveEvents(engine, (call, schema) => events.serve(call, schema))
  for (const [url, { schema }] of endpoints) engine.routes.add(...events.routes(url, schema))
  if (engine.apis.isEnabled('developer')) engine.routes.add(...developerRoutes(live, options))
  engine.wrap({
    async operation(work, run) {
      const result = await run()
      if (work.operation?.kind === 'mutation') live.written()
      return result
    },
    async metadata(_work, run) {
      const result = await run()
      live.written()
      return result
    },
  })
  engine.onReady(() => sockets.attach())
  engine.app.addHook('preClose', async () => {
    sockets.stop()
    events.stop()
  })
  engine.onClose(() => live.stop())
}

function logBatch(engine: Engine, { group, asked, handedOut }: BatchReport): void {
  if (!engine.observe.isEnabled('livequery-poller-log', 'info')) return
  const batches = [{ pg_execution_time: asked / 1000, push_time: handedOut / 1000 }]
  const total_time = (asked + handedOut) / 1000
  const detail = { poller_id: group.id, snapshot_time: asked / 1000, batches, total_time }
  engine.observe.log({ type: 'livequery-poller-log', level: 'info', detail })
}
