// The lanes that short reads share; each is opened on first use, and again after it broke.

import { performance } from 'node:perf_hooks'
import { closeTimeoutMillis, laneReopenMillis, longestLaneQueueMillis } from '../tuning.ts'
import type { AnsweringClient } from '../wire/answering-client.ts'
import { Lane } from './lane.ts'

export interface LanesOptions {
  readonly connect: () => Promise<AnsweringClient>
  readonly count: number
  /** Counts the statements that run on connections of their own. */
  readonly atWork: () => number
  /** Milliseconds after which a lane is replaced; null: never. */
  readonly lifetimeMillis: number | null
}

export class Lanes {
  readonly #options: LanesOptions
  readonly #lanes: Lane[] = []
  readonly #retiring = new Set<Lane>()
  readonly #opening = new Set<Promise<void>>()
  #lastTrouble = Number.NEGATIVE_INFINITY
  #isClosed = false

  constructor(options: LanesOptions) {
    this.#options = options
  }

  /** Open lanes, and reads in flight on them. */
  get counts() {
    const pending = this.#lanes.reduce((sum, lane) => sum + lane.pending, 0)
    return { shared: this.#lanes.length, pending }
  }

  get clients(): Iterable<AnsweringClient> {
    return this.#lanes.map(({ client }) => client)
  }

  /** The lane with the shortest wait; null if the pool is faster. */
  pick(): Lane | null {
    const now = performance.now()
    const { count, lifetimeMillis } = this.#options
    let best: Lane | null = null
    // Backwards, because unusable lanes are removed.
    for (let i = this.#lanes.length - 1; i >= 0; i--) {
      const lane = this.#lanes[i]!
      const isOld = lifetimeMillis !== null && now - lane.openedAt > lifetimeMillis
      if (!lane.isUsable || isOld) this.#retire(lane)
      else if (
        lane.isFree &&
        lane.queueMillis <= longestLaneQueueMillis &&
        (!best || lane.waitMillis < best.waitMillis)
      ) {
        best = lane
      }
    }
    const hasRoom = this.#lanes.length + this.#retiring.size + this.#opening.size < count
    if (hasRoom && !this.#isClosed && now - this.#lastTrouble > laneReopenMillis) this.#open()
    return best
  }

  /** Closes lanes without reads in flight, after an event that may have broken them. */
  closeIdle(): void {
    for (const lane of [...this.#lanes]) if (lane.pending === 0) this.#retire(lane)
  }

  async close(): Promise<void> {
    this.#isClosed = true
    for (const lane of [...this.#lanes]) this.#retire(lane)
    await Promise.all(this.#opening)
    const late = setTimeout(() => {
      for (const { client } of this.#retiring) client.destroy(new Error('the lanes are closed'))
    }, closeTimeoutMillis)
    await Promise.all([...this.#retiring].map(({ ended }) => ended))
    clearTimeout(late)
  }

  #open(): void {
    const opening = this.#options.connect().then(
      (client) => {
        const lane = new Lane(client, this.#options.atWork)
        this.#lanes.push(lane)
        if (this.#isClosed) this.#retire(lane)
      },
      () => {
        // Reads go to the pool, which reports the failure.
        this.#lastTrouble = performance.now()
      },
    )
    this.#opening.add(opening)
    void opening.then(() => this.#opening.delete(opening))
  }

  /** Removes a lane; it counts as a connection until it has ended. */
  #retire(lane: Lane): void {
    this.#lanes.splice(this.#lanes.indexOf(lane), 1)
    this.#retiring.add(lane)
    if (!lane.isUsable) this.#lastTrouble = performance.now()
    lane.retire()
    void lane.ended.then(() => this.#retiring.delete(lane))
  }
}
