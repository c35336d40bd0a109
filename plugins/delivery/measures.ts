// Metrics of deliveries: the work of this instance, and the backlog of the ledger for all instances.

import type { Measure, MeasuredNumber, Observe } from '../../sdk/services.ts'
import type { Backlog, Claimed, Outcome } from './ledger.ts'
import { mostTriggerLabels } from './tuning.ts'

const other = 'other'

const buckets = [0.01, 0.03, 0.1, 0.3, 1, 3, 10, 60]
const batchBuckets = [1, 5, 10, 25, 50, 100, 250, 1000]

/** The metric names of one kind of event. */
export interface MeasureNames {
  /** `event`: `event_invocations_total`. */
  readonly kind: string
  readonly invocations: string
  readonly processed: string
  readonly fetched: string
  readonly workers: string
}

/** The times of one delivery, in seconds. */
export interface DeliveryTimes {
  /** From the due time to the begin of the delivery. */
  readonly late: number
  readonly took: number
}

/** Counts the work of a worker. */
export class DeliveryMeasures {
  readonly #counts = new Map<string, MeasuredNumber & { value: number }>()
  readonly #names = new Set<string>()
  readonly #observers = new Map<string, Observe>()
  /** Webhook calls in flight, by trigger. */
  readonly #calling = new Map<string, number>()
  readonly #measured: MeasureNames

  constructor(measured: MeasureNames) {
    this.#measured = measured
  }

  /** A delivery began; {@link ended} has to follow. */
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

  /** The metrics, including those of the ledger. */
  declared(readBacklog: () => Promise<readonly Backlog[]>): readonly Measure[] {
    const backlog = sharedWhileRunning(readBacklog)
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
      histogram('fetch_time_per_batch_seconds', 'Time to claim a batch of due events'),
      histogram('fetched_per_batch', 'Events claimed at once', batchBuckets, fetched),
      histogram('queue_time_seconds', 'From the due time to the begin of the delivery'),
      histogram('webhook_processing_time_seconds', 'From the call of a webhook to its answer'),
      histogram('processing_time_seconds', 'From the due time to the answer of the webhook'),
      {
        ...{ name: workers, help: 'Webhook calls in flight', labels: ['trigger_name'], kind: 'gauge' },
        read: () => [...this.#calling].map(([trigger_name, value]) => ({ labels: { trigger_name }, value })),
      },
      this.#ofBacklog('pending', 'Undelivered events, for all instances', backlog, ({ count }) => count),
      this.#ofBacklog('oldest_pending_seconds', 'Age of the oldest undelivered event', backlog, ({ age }) => age),
    ]
  }

  #ofBacklog(
    name: string,
    help: string,
    backlog: () => Promise<readonly Backlog[]>,
    read: (backlog: Backlog) => number,
  ): Measure {
    return {
      ...{ name: `${this.#measured.kind}_${name}`, help, labels: ['trigger_name'], kind: 'gauge', isShared: true },
      read: async () => {
        const rows = await backlog()
        return rows
          .slice(0, mostTriggerLabels)
          .map((row) => ({ labels: { trigger_name: row.name ?? '' }, value: read(row) }))
      },
    }
  }

  #label(name: string): string {
    if (this.#names.size < mostTriggerLabels) this.#names.add(name)
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

/** Concurrent calls share one run: both gauges of a backlog read all of it. */
function sharedWhileRunning<T>(run: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | null = null
  return () => {
    running ??= run().finally(() => {
      running = null
    })
    return running
  }
}
