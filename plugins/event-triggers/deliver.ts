// Delivers events from the event log and logs the deliveries.

import type { Engine } from '../../sdk/index.ts'
import type { Deliveries } from '../delivery/index.ts'
import { EventLedger } from './ledger/ledger.ts'
import type { ClaimedEvent } from './ledger/ledger-statements.ts'
import type { UnknownListeners } from './listeners/unknown.ts'
import { eventTriggersOf } from './metadata.ts'
import { repeatWarningMillis } from './tuning.ts'

const behind = (variable: string): string =>
  `Events processor may not be keeping up with events generated in postgres, or we're working on a backlog of events. Consider increasing ${variable}`
const caughtUp = 'It looks like the events processor is keeping up again.'

/** Delivers events while the server runs. */
export function deliverEvents(
  engine: Engine,
  deliveries: Deliveries,
  { unknown, report }: { readonly unknown: Pick<UnknownListeners, 'names'>; report(message: string): void },
): void {
  const { database, dialect, observe } = engine
  // Events of triggers that were not served, paused or full are due already when they may be claimed.
  let before = eventTriggersOf(engine.model)
  engine.metadata.service.onChange((model) => {
    const after = eventTriggersOf(model)
    const hasChanged = [...after.values()].some((trigger) => before.get(trigger.name) !== trigger)
    before = after
    if (hasChanged) deliveries.wake('events')
  })
  const warnedAt = new Map<string, number>()
  deliveries.deliver<ClaimedEvent>({
    topic: 'events',
    measured: {
      ...{ kind: 'event', invocations: 'event_invocations_total', processed: 'event_processed_total' },
      ...{ fetched: 'events_fetched_per_batch', workers: 'event_trigger_http_workers' },
    },
    ledger: new EventLedger({
      database,
      caller: deliveries.caller('2'),
      model: () => engine.model,
      undeclared: () => unknown.names,
      triggerConcurrency: deliveries.settings.eventsTriggerPoolSize,
      pool: deliveries.settings.eventsHttpPoolSize,
      interval: () => deliveries.lookInterval(),
      unknownTrigger: ({ trigger_name: name }) => {
        const now = performance.now()
        if (now < (warnedAt.get(name) ?? Number.NEGATIVE_INFINITY) + repeatWarningMillis) return
        warnedAt.set(name, now)
        report(`table or event-trigger not found in schema cache: "${name}"`)
      },
    }),
    report: (message) => report(message),
    backlogged(isBacklogged) {
      const detail = isBacklogged ? behind(`${dialect.environmentPrefix}EVENTS_HTTP_POOL_SIZE`) : caughtUp
      observe.log({ type: 'unstructured', level: 'warn', detail })
    },
    settled({ id, created_at }, { attempt }) {
      if (!attempt) return
      const context = { event_id: id, event_created_at: created_at }
      const detail = { request: { size: attempt.size }, context, response: attempt.logged }
      observe.log({ type: 'event-trigger', level: 'info', detail })
    },
    released(count) {
      const detail = { message: `${count} events successfully unlocked` }
      observe.log({ type: 'event-trigger', level: 'info', detail })
    },
  })
}
