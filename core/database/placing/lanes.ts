// The few lanes that short reads share, each opened when it is first wanted and again after it broke.

import { performance } from 'node:perf_hooks'
import type { AnsweringClient } from '../wire/answering-client.ts'
import { closingMillis } from '../wire/cancel-request.ts'
import { Lane } from './lane.ts'

export interface LanesOptions {
  readonly connect: () => Promise<AnsweringClient>
  readonly count: number
  /** How many statements run on connections of their own. */
  readonly atWork: () => number
  /** Milliseconds after which a lane is replaced; null: never. */
  readonly lifetimeMillis: number | null
}

/** Milliseconds that those before a read on a lane may take together: what waits longer does better on its own. */
const longestQueueMillis = 6

/** Milliseconds before a lane that could not be opened, or broke, is opened again. */
const reopenMillis = 250

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

  /** Open connections, and reads that were sent on them and not answered. */
  get counts() {
    const pending = this.#lanes.reduce((sum, lane) => sum + lane.pending, 0)
    return { shared: this.#lanes.length, pending }
  }

  get clients(): Iterable<AnsweringClient> {
    return this.#lanes.map(({ client }) => client)
  }

  /** The lane on which a read waits the shortest; null when it does better elsewhere. */
  pick(): Lane | null {
    const now = performance.now()
    const { count, lifetimeMillis } = this.#options
    let best: Lane | null = null
    // Backwards, since those that cannot be used are taken out.
    for (let i = this.#lanes.length - 1; i >= 0; i--) {
      const lane = this.#lanes[i]!
      const isOld = lifetimeMillis !== null && now - lane.openedAt > lifetimeMillis
      if (!lane.isUsable || isOld) this.#retire(lane)
      else if (lane.isFree && lane.queueMillis <= longestQueueMillis && (!best || lane.waitMillis < best.waitMillis)) {
        best = lane
      }
    }
    const hasRoom = this.#lanes.length + this.#retiring.size + this.#opening.size < count
    if (hasRoom && !this.#isClosed && now - this.#lastTrouble > reopenMillis) this.#open()
    return best
  }

  /** Closes lanes on which nothing is on its way: something happened that they may not have survived. */
  closeIdle(): void {
    for (const lane of [...this.#lanes]) if (lane.pending === 0) this.#retire(lane)
  }

  async close(): Promise<void> {
    this.#isClosed = true
    for (const lane of [...this.#lanes]) this.#retire(lane)
    await Promise.all(this.#opening)
    const late = setTimeout(() => {
      for (const { client } of this.#retiring) client.destroy(new Error('the lanes are closed'))
    }, closingMillis)
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
        // Reads go elsewhere, where whatever is wrong shows.
        this.#lastTrouble = performance.now()
      },
    )
    this.#opening.add(opening)
    void opening.then(() => this.#opening.delete(opening))
  }

  /** Takes a lane out; it counts as a connection until it has ended. */
  #retire(lane: Lane): void {
    this.#lanes.splice(this.#lanes.indexOf(lane), 1)
    this.#retiring.add(lane)
    if (!lane.isUsable) this.#lastTrouble = performance.now()
    lane.retire()
    void lane.ended.then(() => this.#retiring.delete(lane))
  }
}
