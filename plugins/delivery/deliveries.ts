// The service that plugins deliver with. Each plugin has its own ledger; all share one connection for notifications, one webhook
// caller, and one way to stop.

import { type Engine, serviceKey } from '../../sdk/index.ts'
import { afterStartMillis } from '../../sdk/services.ts'
import { WebhookCaller } from './attempts/attempt.ts'
import { NamedHandlers, ReceiverCaller } from './attempts/handlers.ts'
import { signingKeys } from './attempts/signing.ts'
import type { Claimed, Ledger, Outcome } from './ledger.ts'
import { DeliveryMeasures, type MeasureNames } from './measures.ts'
import { Notifications } from './notifications.ts'
import type { DeliverySettings } from './options.ts'
import { heardIntervalMillis, unheardIntervalMillis } from './tuning.ts'
import { deliveryWorker } from './worker.ts'

/** One kind of delivery. */
export interface Delivery<Item extends Claimed> {
  readonly ledger: Ledger<Item>
  /** The payload of the notifications that something is due. */
  readonly topic: string
  /** The names of its metrics. */
  readonly measured: MeasureNames
  /** Called when this instance starts to claim full batches one after another, and when that ends. */
  backlogged?(isBacklogged: boolean): void
  /** Called for each outcome. */
  settled(item: Item, outcome: Outcome): void
  /** Reports failures; a repeated message is reported once. */
  report(message: string): void
  /** Called with the number of items released at the end. */
  released(count: number): void
}

type Parts = Pick<
  Engine,
  'database' | 'outgoing' | 'dialect' | 'settings' | 'measures' | 'observe' | 'onReady' | 'onStopping' | 'onClose'
>

/** Delivers the events of ledgers to webhooks and to functions of plugins. */
export class Deliveries {
  readonly settings: DeliverySettings
  /** The functions that triggers name instead of webhooks. */
  readonly handlers = new NamedHandlers()
  readonly #parts: Parts
  readonly #notifications: Notifications

  constructor(parts: Parts, settings: DeliverySettings) {
    this.settings = settings
    this.#parts = parts
    this.#notifications = new Notifications(parts.database)
    // Without a worker, notifications are useless.
    if (this.#isDelivering) this.#whileServing(() => this.#notifications.start())
    parts.onReady(() => this.handlers.complete())
    parts.onClose(() => this.#notifications.stop())
  }

  get #isDelivering(): boolean {
    const { eventsFetchBatchSize, eventsFetchInterval } = this.settings
    return eventsFetchBatchSize > 0 && eventsFetchInterval > 0
  }

  /** Milliseconds between polls of a table whose writers notify; at least `heard` while notifications arrive. */
  lookInterval(heard = heardIntervalMillis): number {
    const { eventsFetchInterval } = this.settings
    return Math.max(eventsFetchInterval, this.#notifications.isHeard ? heard : unheardIntervalMillis)
  }

  /** A caller of webhooks and functions; `version` is the version of the log format. */
  caller(version: '1' | '2'): ReceiverCaller {
    const { outgoing, dialect, observe } = this.#parts
    const { logHeadersFromEnv: showsEnvironment, webhookSigningSecrets } = this.settings
    const keys = signingKeys(webhookSigningSecrets)
    return new ReceiverCaller(new WebhookCaller({ outgoing, dialect, version, showsEnvironment, keys }), observe)
  }

  /** Delivers due items from when the server is ready until it stops; deliveries in flight may end. */
  deliver<Item extends Claimed>({ ledger, topic, measured, released, ...options }: Delivery<Item>): void {
    const watched = new DeliveryMeasures(measured)
    this.#parts.measures.add(...watched.declared(() => ledger.backlog()))
    const { eventsHttpPoolSize: concurrency, eventsFetchBatchSize: batch } = this.settings
    const missed = () => this.#notifications.verify()
    const worker = deliveryWorker<Item>({ ...options, ledger, concurrency, batch, missed, measures: watched })
    if (!this.#isDelivering) return
    this.#notifications.on(topic, () => worker.wake())
    worker.serve(this.#parts, released)
  }

  /** Wakes the worker of a topic. */
  wake(topic: string): void {
    this.#notifications.wake(topic)
  }

  /** Calls `start` shortly after the server is ready, unless it stops before: the start itself has more urgent work. */
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
