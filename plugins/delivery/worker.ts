// The worker that delivers the items of a ledger.

import { leaseSeconds, QueueWorker, sqlStateOf } from '../../sdk/services.ts'
import type { Attempt } from './attempts/attempt.ts'
import { type Claimed, isFinal, type Ledger, type Outcome } from './ledger.ts'
import type { DeliveryMeasures } from './measures.ts'
import { laterSeconds } from './tuning.ts'

export interface DeliveryWorkerOptions<Item extends Claimed> {
  readonly ledger: Ledger<Item>
  /** Deliveries at once. */
  readonly concurrency: number
  /** The maximum number of items per claim. */
  readonly batch: number
  /** Reports failures after which the worker continues, such as a lost database. A repeated message is reported once. */
  report(message: string): void
  /** Called when a poll found due items without a notification for them. */
  missed(): void
  /** Called when the worker starts to claim full batches one after another, and when that ends. */
  backlogged?(isBacklogged: boolean): void
  /** Called for each outcome. */
  settled(item: Item, outcome: Outcome): void
  readonly measures: Pick<DeliveryMeasures, 'began' | 'ended' | 'claimed' | 'settled'>
}

/** A worker that delivers due items; a delivery in flight goes on without its lease, because the webhook has the request already. */
export function deliveryWorker<Item extends Claimed>(options: DeliveryWorkerOptions<Item>): QueueWorker<Item, Outcome> {
  const { ledger, measures, concurrency, batch } = options
  return new QueueWorker<Item, Outcome>({
    ...{ ledger, concurrency, batch },
    report: (message) => options.report(message),
    missed: () => options.missed(),
    backlogged: (isBacklogged) => options.backlogged?.(isBacklogged),
    claimed: (count, seconds) => measures.claimed(count, seconds),
    handler: {
      ...{ leaseSeconds, aborts: 'never' },
      async run(item, { signal, waited }) {
        const started = performance.now()
        measures.began(item)
        try {
          const outcome = await ledger.deliver(item, signal)
          measures.settled(item, outcome, { late: item.late + waited, took: (performance.now() - started) / 1000 })
          options.settled(item, outcome)
          return outcome
        } finally {
          measures.ended(item)
        }
      },
      failed: ({ id }) => ({ id, attempt: null, state: 'later', delay: laterSeconds }),
      dueIn: ({ state, delay }) => (isFinal(state) ? null : delay),
      groupOf: (item) => item.trigger_name,
      mayBegin: (item) => ledger.mayBegin?.(item) ?? true,
      rewritten(outcome, error) {
        const attempt = outcome.attempt && rewritten(outcome.attempt, sqlStateOf(error))
        return attempt && { ...outcome, attempt }
      },
    },
  })
}

/** The encoding of the database lacks a character. */
const untranslatable = '22P05'

/** An attempt that the database may accept instead: escaped, or with its request as a text; null: there is no other form. */
function rewritten(attempt: Attempt, sqlState: string): Attempt | null {
  const { request, response } = attempt
  if (sqlState !== untranslatable) {
    return request.startsWith('"') ? null : { ...attempt, request: JSON.stringify(request) }
  }
  const escaped = { ...attempt, request: inAscii(request), response: inAscii(response) }
  return escaped.request === request && escaped.response === response ? null : escaped
}

/** The same JSON in ASCII: an encoding may lack any other character. */
const inAscii = (json: string): string =>
  json.replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
