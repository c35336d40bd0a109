// Serves subscriptions from the start of the server to its end.

import type { Engine } from '../../sdk/index.ts'
import { eventStreams } from '../graphql/index.ts'
import type { BatchReport } from './live/groups/group.ts'
import { LiveQueries } from './live/live-queries.ts'
import { type Activity, subscriptionMeasures } from './measures.ts'
import { liveSettingsOf, type SubscriptionOptions, socketOptionsOf } from './options.ts'
import { developerRoutes } from './routes.ts'
import { ConnectionLimit } from './transports/connection-limit.ts'
import { endpoints } from './transports/endpoints.ts'
import { Events } from './transports/events.ts'
import { Sockets } from './transports/sockets.ts'

/** Adds subscriptions to an engine. */
export function startSubscriptions(engine: Engine<SubscriptionOptions>): void {
  const limits = socketOptionsOf(engine.options)
  const options = liveSettingsOf(engine.options)
  const listeners: ((batch: BatchReport) => void)[] = []
  const live = new LiveQueries({
    ...{ engine, options, followsChanges: engine.options.liveQueries === 'changes' },
    onFollowing: (isFollowing, reason) => logFollowing(engine, isFollowing, reason),
    onBatch: (batch) => {
      logBatch(engine, batch)
      for (const listener of listeners) listener(batch)
    },
  })
  const limit = new ConnectionLimit(limits)
  const sockets = new Sockets({ engine, live, limits, limit })
  const events = new Events({ engine, live, limits, limit })
  const activity = activityOf({ sockets, events, live }, (listener) => listeners.push(listener))
  engine.measures.add(...subscriptionMeasures(activity))
  engine.use(eventStreams).use(events)
  for (const url of endpoints.keys()) engine.routes.add(...events.routes(url))
  if (engine.apis.isEnabled('developer')) engine.routes.add(...developerRoutes(live, options.live))
  engine.around({
    operation(work, run) {
      const running = run()
      // The kind is usually known here, and the promise of an operation that only reads is returned unchanged.
      if (work.operation && work.operation.kind !== 'mutation') return running
      return running.then((result) => {
        if (work.operation?.kind === 'mutation') live.written(work.prepared)
        return result
      })
    },
    async metadata(_work, run) {
      const result = await run()
      live.written(null)
      return result
    },
  })
  engine.onReady(() => {
    sockets.attach()
    void live.begin()
  })
  engine.onStopping(() => {
    sockets.stop()
    events.stop()
  })
  engine.onClose(() => live.stop())
}

/** The numbers for the metrics. */
function activityOf(
  { sockets, events, live }: { readonly sockets: Sockets; readonly events: Events; readonly live: LiveQueries },
  onBatch: Activity['onBatch'],
): Activity {
  return {
    get sockets() {
      return sockets.connections.length
    },
    get eventStreams() {
      return events.count
    },
    get subscribers() {
      return live.counts.subscribers + live.feeds.count
    },
    get groups() {
      return live.counts.groups
    },
    get cohorts() {
      return live.counts.cohorts
    },
    get polls() {
      return live.counts.polls
    },
    get bytes() {
      return sockets.bytes
    },
    onBatch,
  }
}

/** Logs whether all writes are followed. */
function logFollowing(engine: Engine, isFollowing: boolean, reason: string | null): void {
  const detail = isFollowing ? ({ mode: 'changes', means: 'decoding' } as const) : ({ mode: 'poll', reason } as const)
  engine.observe.log({ type: 'live-queries', level: isFollowing ? 'info' : 'warn', detail })
}

function logBatch(engine: Engine, { group, asked, handedOut }: BatchReport): void {
  if (!engine.observe.isEnabled('livequery-poller-log', 'info')) return
  const batches = [{ pg_execution_time: asked / 1000, push_time: handedOut / 1000 }]
  const total_time = (asked + handedOut) / 1000
  const detail = { poller_id: group.id, snapshot_time: asked / 1000, batches, total_time }
  engine.observe.log({ type: 'livequery-poller-log', level: 'info', detail })
}
