// The items that are out: their leases, runs and outcomes. It renews the leases, records the outcomes, and releases the rest.

import { Leases } from './leases.ts'
import type { Handler, Leased, LeaseTable, RunCall, Settled } from './ledger.ts'
import type { Outage } from './outage.ts'
import { Recorder } from './recorder.ts'
import { mostLeasedCharacters, mostUnrecorded, renewalsPerLease } from './tuning.ts'

export interface WorkOptions<Item extends Leased, Outcome> {
  readonly handler: Handler<Item, Outcome>
  readonly ledger: LeaseTable<Item, Outcome>
  readonly outage: Outage
  /** Called when a run ends. */
  ended?(): void
  /** Called with recorded outcomes, and the items that were claimed with them. */
  recorded?(settled: readonly Settled<Item, Outcome>[], claimed: readonly Item[]): void
  /** Called with items that were claimed again while leased, and are leased. */
  regained?(items: readonly Item[]): void
  /** Called when a request to the ledger may have taken effect although it failed. */
  unanswered?(): void
}

interface Running {
  readonly controller: AbortController
  /** When the lease expires at the earliest, in milliseconds since 1970. */
  heldUntil: number
}

/** The leased items of a worker. */
export class Work<Item extends Leased, Outcome> {
  readonly #options: WorkOptions<Item, Outcome>
  readonly #recorder: Recorder<Item, Outcome>
  readonly #leases = new Leases<Item>()
  readonly #running = new Map<string, Running>()
  readonly #releasing = new Set<Promise<void>>()
  readonly #stopped = Promise.withResolvers<void>()
  #renewing: NodeJS.Timeout | undefined
  #drained: (() => void) | null = null
  /** Whether this worker may hold leases that it does not know of, because a claim got no answer. */
  #mayHaveUnknownLeases = false
  #isStopping = false
  /** The number of items released while stopping. */
  #released = 0

  constructor(options: WorkOptions<Item, Outcome>) {
    this.#options = options
    this.#recorder = new Recorder({
      record: async (settled) => this.#recorded(settled, await options.ledger.record(settled)),
      rewritten: (outcome, error) => options.handler.rewritten?.(outcome, error) ?? null,
      report: (error) => options.outage.failed(error),
    })
  }

  /** The number of runs. */
  get running(): number {
    return this.#running.size
  }

  /** Whether nothing more should be claimed: outcomes wait for the database, or the items use much memory. */
  get isFull(): boolean {
    return this.#recorder.pending > mostUnrecorded || this.#leases.size > mostLeasedCharacters
  }

  /** The leased items, and those that may be leased. */
  held(): Iterable<Item> {
    return this.#leases.all()
  }

  start(): void {
    const millis = (this.#options.handler.leaseSeconds * 1000) / renewalsPerLease
    this.#renewing ??= setInterval(() => void this.#renew(), millis).unref()
  }

  /** Adds claimed items to the leases; gives those that were not leased before. */
  take(items: readonly Item[]): Item[] {
    return this.#leases.take(items)
  }

  /** Runs a leased item and records its outcome; `waited`: seconds since its claim. */
  begin(item: Item, waited = 0): void {
    const controller = new AbortController()
    const heldUntil = Date.now() + (this.#options.handler.leaseSeconds - waited) * 1000
    this.#running.set(item.id, { controller, heldUntil })
    void this.#run(item, { signal: controller.signal, waited }).then(() => {
      this.#running.delete(item.id)
      this.#options.ended?.()
      if (this.#running.size === 0) this.#drained?.()
    })
  }

  /** Must not reject. */
  async #run(item: Item, call: RunCall): Promise<void> {
    const { handler, outage } = this.#options
    try {
      const outcome = await handler.run(item, call)
      if (outcome === null) this.#ended([item])
      else this.#recorder.add({ item, outcome })
    } catch (error) {
      // Either the lease is lost, and has ended, or the worker stops, and releases it.
      if (call.signal.aborted) return
      outage.failed(error)
      this.#recorder.add({ item, outcome: handler.failed(item, error) })
    }
  }

  #recorded(settled: readonly Settled<Item, Outcome>[], claimed: readonly Item[]): void {
    const items = settled.map(({ item }) => item)
    this.#ended(items, () => this.#options.recorded?.(settled, claimed))
  }

  /** Ends leases in memory, because the ledger has ended them. */
  #ended(items: readonly Item[], then?: () => void): void {
    const again = items.flatMap(({ id }) => this.#leases.end(id) ?? [])
    then?.()
    if (again.length > 0) void this.#regain(again)
  }

  /** Asks the ledger whether items that were claimed again while leased are leased now. Must not reject. */
  async #regain(items: readonly Item[]): Promise<void> {
    const ids = items.map(({ id }) => id)
    const ours = await this.#options.ledger.renew(ids).catch((error): readonly string[] => {
      this.unanswered(error)
      return []
    })
    this.#leases.settle(ids)
    this.#options.regained?.(items.filter(({ id }) => ours.includes(id)))
  }

  /** Ends the leases of items that do not run. */
  release(items: readonly Item[]): void {
    if (items.length === 0) return
    const ids = items.map(({ id }) => id)
    for (const id of ids) this.#leases.end(id)
    if (this.#isStopping) this.#released += ids.length
    const { ledger } = this.#options
    // A lost connection is usually back at once, so one retry is enough.
    const releasing = ledger
      .release(ids)
      .catch(() => ledger.release(ids))
      .catch((error) => this.unanswered(error))
      .then(() => void this.#releasing.delete(releasing))
    this.#releasing.add(releasing)
  }

  /** Notes that a request to the ledger may have taken effect although it failed. */
  unanswered(error: unknown): void {
    this.#options.outage.failed(error)
    this.#mayHaveUnknownLeases = true
    this.#options.unanswered?.()
  }

  /** Releases the leases that this worker does not know of, if there may be some. */
  async releaseUnknown(): Promise<void> {
    if (!this.#mayHaveUnknownLeases) return
    const release = async () => {
      if (this.#isStopping) return
      // `between` keeps records, which may claim too, from running at the same time.
      await this.#options.ledger.releaseUnknown?.([...this.held()].map(({ id }) => id))
      this.#mayHaveUnknownLeases = false
    }
    await Promise.race([this.#recorder.between(release), this.#stopped.promise])
  }

  /** From now on releases count, and unknown leases are left to {@link stop}. */
  prepareStop(): void {
    this.#isStopping = true
    this.#stopped.resolve()
  }

  /** Waits up to `grace` milliseconds for the runs, aborts them, records the outcomes, and releases the rest. Gives the number released. */
  async stop(grace: number): Promise<number> {
    this.prepareStop()
    await this.#drain(AbortSignal.timeout(Math.max(1, grace)))
    for (const { controller } of this.#running.values()) controller.abort(new Error('the server is stopping'))
    // Recording gets at least a second, even when the grace period is shorter.
    await this.#recorder.finish(AbortSignal.timeout(Math.max(1000, grace)))
    clearInterval(this.#renewing)
    this.release([...this.held()])
    await Promise.all(this.#releasing)
    const { ledger, outage } = this.#options
    if (this.#mayHaveUnknownLeases) await ledger.releaseUnknown?.([]).catch((error) => outage.failed(error))
    return this.#released
  }

  /** Waits until nothing runs, or the signal aborts. */
  async #drain(signal: AbortSignal): Promise<void> {
    if (this.#running.size === 0) return
    await new Promise<void>((done) => {
      this.#drained = done
      signal.addEventListener('abort', () => done(), { once: true })
    })
  }

  async #renew(): Promise<void> {
    const ids = this.#leases.ids()
    if (ids.length === 0) return
    const asked = Date.now()
    const { ledger, outage, handler } = this.#options
    const { aborts, leaseSeconds } = handler
    const ours = await ledger.renew(ids).catch((error) => {
      outage.failed(error)
      return null
    })
    if (aborts === 'never') return
    const kept = new Set(ours)
    for (const id of ids) {
      const run = this.#running.get(id)
      if (!run) continue
      if (kept.has(id)) run.heldUntil = asked + leaseSeconds * 1000
      else if (ours || (aborts === 'unsure' && Date.now() >= run.heldUntil)) this.#lose(id, run)
    }
  }

  /** Aborts a run whose item another worker may have. */
  #lose(id: string, { controller }: Running): void {
    controller.abort(new Error('its lease ran out'))
    this.#leases.end(id)
    this.#leases.settle([id])
  }
}
