// The service that plugins deliver with: each has a ledger of its own, and all of them one connection that wakes their
// workers, one way to call webhooks, and one way to stop.

import { type Engine, serviceKey } from '../../sdk/index.ts'
import { WebhookCaller } from './attempt.ts'
import type { Claimed, Ledger, Outcome } from './ledger.ts'
import { DeliveryMeasures, type MeasureNames } from './measures.ts'
import type { DeliverySettings } from './options.ts'
import { signingKeys } from './signing.ts'
import { Wake } from './wake.ts'
import { DeliveryWorker } from './worker.ts'

/** Something to deliver from. */
export interface Delivery<Item extends Claimed> {
  readonly ledger: Ledger<Item>
  /** The payload of notifications that say that something is due. */
  readonly topic: string
  /** How its numbers are called. */
  readonly measured: MeasureNames
  /** Told when this instance claims whole batches one after the other, and when that is over; absent: nobody is. */
  backlogged?(isBacklogged: boolean): void
  /** Told of each outcome. */
  settled(item: Item, outcome: Outcome): void
  /** Told what went wrong; the same again and again is told once. */
  report(message: string): void
  /** Told how much was given back at the end. */
  released(count: number): void
}

/** Milliseconds between two looks at what PostgreSQL tells of. */
const netMillis = 5000

/** Milliseconds from when the server is ready. */
const afterStartMillis = 100

type Parts = Pick<
  Engine,
  'database' | 'outgoing' | 'dialect' | 'settings' | 'measures' | 'onReady' | 'onStopping' | 'onClose'
>

export class Deliveries {
  readonly settings: DeliverySettings
  readonly #parts: Parts
  readonly #wake: Wake

  constructor(parts: Parts, settings: DeliverySettings) {
    this.settings = settings
    this.#parts = parts
    this.#wake = new Wake(parts.database)
    // Without a worker there is nobody to wake.
    if (this.#isDelivering) this.#whileServing(() => this.#wake.start())
    parts.onClose(() => this.#wake.stop())
  }

  get #isDelivering(): boolean {
    return this.settings.eventsFetchBatchSize > 0
  }

  /** Milliseconds until what PostgreSQL tells of is looked at all the same: `heard` at least as long as it is heard. */
  lookInterval(heard = netMillis): number {
    const { eventsFetchInterval } = this.settings
    return this.#wake.isHeard ? Math.max(eventsFetchInterval, heard) : eventsFetchInterval
  }

  /** Calls webhooks; `version` is of the form of their logs. */
  caller(version: '1' | '2'): WebhookCaller {
    const { outgoing, dialect } = this.#parts
    const { logHeadersFromEnv: showsEnvironment, webhookSigningSecrets } = this.settings
    return new WebhookCaller({ outgoing, dialect, version, showsEnvironment, keys: signingKeys(webhookSigningSecrets) })
  }

  /** Delivers what is due from when the server is ready until it stops, which lets what is under way end. */
  deliver<Item extends Claimed>({ ledger, topic, measured, released, ...told }: Delivery<Item>): void {
    const watched = new DeliveryMeasures(measured)
    this.#parts.measures.add(...watched.declared(() => ledger.backlog()))
    const { eventsHttpPoolSize: concurrency, eventsFetchBatchSize: batch } = this.settings
    const { onStopping, onClose, settings } = this.#parts
    const missed = () => this.#wake.doubt()
    const worker = new DeliveryWorker<Item>({ ...told, ledger, concurrency, batch, missed, measures: watched })
    if (!this.#isDelivering) return
    this.#wake.on(topic, () => worker.wake())
    this.#whileServing(() => worker.start())
    // Requests and deliveries have the same time to end.
    let stopped: Promise<number> | undefined
    const stop = () => (stopped ??= worker.stop(settings.gracefulShutdownTimeout * 1000))
    onStopping(() => void stop().catch(() => {}))
    onClose(async () => {
      const count = await stop()
      if (count > 0) released(count)
    })
  }

  /** Has what is due of a topic looked for at once. */
  wake(topic: string): void {
    this.#wake.call(topic)
  }

  /** Begins when the start is over, which has more urgent things to do, unless the server stops before. */
  #whileServing(start: () => void): void {
    const { onReady, onStopping, onClose } = this.#parts
    let timer: NodeJS.Timeout | undefined
    onReady(() => {
      timer = setTimeout(start, afterStartMillis).unref()
    })
    const cancel = () => clearTimeout(timer)
    onStopping(cancel)
    onClose(cancel)
  }
}

/** The service of the plugin `delivery`. */
export const deliveries = serviceKey<Deliveries>('deliveries')
