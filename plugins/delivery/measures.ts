// What can be measured of deliveries: what this instance does, and what the ledger holds for all instances.

import type { Measure, MeasuredNumber, Observe } from '../../sdk/services.ts'
import type { Backlog } from './backlog.ts'
import type { Claimed, Outcome } from './ledger.ts'

/** More names than this many are not told apart. */
const mostNames = 200
const other = 'other'

const buckets = [0.01, 0.03, 0.1, 0.3, 1, 3, 10, 60]
const batchBuckets = [1, 5, 10, 25, 50, 100, 250, 1000]

/** How the numbers of one kind of event are called. */
export interface MeasureNames {
  /** `event`: `event_invocations_total`. */
  readonly kind: string
  readonly invocations: string
  readonly processed: string
  readonly fetched: string
  readonly workers: string
}

/** Of one delivery, in seconds. */
export interface DeliveryTimes {
  /** Since it was due, when it began. */
  readonly late: number
  readonly took: number
}

/** Counts what a worker tells it. */
export class DeliveryMeasures {
  readonly #counts = new Map<string, MeasuredNumber & { value: number }>()
  readonly #names = new Set<string>()
  readonly #observers = new Map<string, Observe>()
  /** Webhooks being called, by trigger. */
  readonly #calling = new Map<string, number>()
  readonly #measured: MeasureNames

  constructor(measured: MeasureNames) {
    this.#measured = measured
  }

  /** A delivery is under way; {@link ended} has to follow. */
  began({ trigger_name: name }: Claimed): void {
    const trigger = this.#label(name ?? '')
    this.#calling.set(trigger, (this.#calling.get(trigger) ?? 0) + 1)
  }

  ended({ trigger_name: name }: Claimed): void {
    const trigger = this.#label(name ?? '')
    this.#calling.set(trigger, (this.#calling.get(trigger) ?? 1) - 1)
  }

  claimed(count: number, seconds: number): void {
    this.#observe('fetch_time_per_batch_seconds', seconds)
    if (count > 0) this.#observe('fetched_per_batch', count)
  }

  settled({ trigger_name: name }: Claimed, { attempt, state }: Outcome, { late, took }: DeliveryTimes): void {
    if (!attempt && state !== 'dead') return
    const trigger = this.#label(name ?? '')
    if (attempt) {
      this.#count(this.#measured.invocations, attempt.succeeded ? 'success' : 'failed', trigger)
      this.#observe('queue_time_seconds', late)
      this.#observe('webhook_processing_time_seconds', took)
      this.#observe('processing_time_seconds', late + took)
    }
    if (state !== 'retry') this.#count(this.#measured.processed, state === 'delivered' ? 'success' : state, trigger)
  }

  /** The measures, of the ledger too. */
  declared(backlog: () => Promise<readonly Backlog[]>): readonly Measure[] {
    const { kind, invocations, processed, fetched, workers } = this.#measured
    const labels = ['status', 'trigger_name']
    const counter = (name: string, help: string): Measure => ({
      ...{ name, help, labels, kind: 'counter' },
      read: () => [...this.#counts].flatMap(([key, number]) => (key.startsWith(`${name}\n`) ? [number] : [])),
    })
    const histogram = (key: string, help: string, bounds = buckets, name = `${kind}_${key}`): Measure => ({
      ...{ name, help, buckets: bounds, kind: 'histogram' },
      observeBy: (observe) => void this.#observers.set(key, observe),
    })
    return [
      counter(invocations, 'Webhooks called'),
      counter(processed, 'Events that need no more attempts'),
      histogram('fetch_time_per_batch_seconds', 'Claiming what is due'),
      histogram('fetched_per_batch', 'What was claimed at once', batchBuckets, fetched),
      histogram('queue_time_seconds', 'From when something was due until its delivery began'),
      histogram('webhook_processing_time_seconds', 'From the call of a webhook to its answer'),
      histogram('processing_time_seconds', 'From when something was due to the answer of its webhook'),
      {
        ...{ name: workers, help: 'Webhooks being called', labels: ['trigger_name'], kind: 'gauge' },
        read: () => [...this.#calling].map(([trigger_name, value]) => ({ labels: { trigger_name }, value })),
      },
      this.#ofBacklog('pending', 'What is not delivered yet, in all instances', backlog, ({ count }) => count),
      this.#ofBacklog('oldest_pending_seconds', 'Since the first of that was due', backlog, ({ age }) => age),
    ]
  }

  #ofBacklog(
    name: string,
    help: string,
    backlog: () => Promise<readonly Backlog[]>,
    read: (backlog: Backlog) => number,
  ): Measure {
    return {
      ...{ name: `${this.#measured.kind}_${name}`, help, labels: ['trigger_name'], kind: 'gauge' },
      read: async () => {
        const rows = await backlog()
        return rows.slice(0, mostNames).map((row) => ({ labels: { trigger_name: row.name ?? '' }, value: read(row) }))
      },
    }
  }

  #label(name: string): string {
    if (this.#names.size < mostNames) this.#names.add(name)
    return this.#names.has(name) ? name : other
  }

  #count(metric: string, status: string, trigger: string): void {
    const key = `${metric}\n${status}\n${trigger}`
    const known = this.#counts.get(key)
    if (known) known.value++
    else this.#counts.set(key, { labels: { status, trigger_name: trigger }, value: 1 })
  }

  #observe(name: string, value: number): void {
    this.#observers.get(name)?.(value)
  }
}
