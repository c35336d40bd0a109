// Delivers due events and logs the deliveries.

import type { Engine } from '../../sdk/index.ts'
import type { Deliveries, Ledger } from '../delivery/index.ts'
import { type ClaimedEvent, CronLedger, OneOffLedger } from './ledger.ts'
import { cronTriggersOf } from './metadata.ts'
import { longestPollMillis } from './tuning.ts'

/** Delivers scheduled events while the server runs. */
export function deliverScheduled(engine: Engine, deliveries: Deliveries): void {
  const { database, observe } = engine
  const caller = deliveries.caller('1')
  const say = (level: 'info' | 'error') => (message: string) =>
    observe.log({ type: 'scheduled-trigger', level, detail: { message } })
  const deliver = <Item extends ClaimedEvent>(topic: string, kind: string, ledger: Ledger<Item>) =>
    deliveries.deliver({
      ...{ topic, ledger, report: say('error') },
      measured: {
        ...{ kind, invocations: `${kind}_invocation_total`, processed: `${kind}_processed_total` },
        ...{ fetched: `${kind}_fetched_per_batch`, workers: `${kind}_http_workers` },
      },
      settled({ id }, { attempt }) {
        if (!attempt) return
        const detail = { request: { size: attempt.size }, context: { event_id: id }, response: attempt.logged }
        observe.log({ type: 'scheduled-trigger', level: 'info', detail })
      },
      released: (count) => say('info')(`${count} events successfully unlocked`),
    })
  const options = { database, caller, interval: () => deliveries.lookInterval(longestPollMillis) }
  // Events that were left to other instances are due already when their trigger can be served here.
  let served = cronTriggersOf(engine.model)
  engine.metadata.service.onChange((model) => {
    const before = served
    served = cronTriggersOf(model)
    if (served !== before) deliveries.wake('cron')
  })
  deliver('cron', 'cron_events', new CronLedger(options, () => engine.model))
  deliver('one-off', 'oneoff_events', new OneOffLedger(options, (name) => engine.environment(name)))
}
