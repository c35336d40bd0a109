// A pipelined connection that reads share while they are known to be short: each is sent without waiting for the answers
// of those before, and what is sent in one turn of the event loop goes out in one write.
//
// One that turns out slow holds up only itself: whoever was sent behind it runs elsewhere too, the first answer counts, and
// nobody is put behind it any more. All that is sent here does nothing but read, so that running it twice is harmless.

import { performance } from 'node:perf_hooks'
import { onAbort } from '../../concurrency/aborting.ts'
import { laneMillis, type StatementHistory } from '../sql/statement-history.ts'
import type { AnswerCall, AnsweringClient } from '../wire/answering-client.ts'
import { closeClient } from '../wire/cancel-request.ts'
import { cancelUntil, isCancelled } from '../wire/cancelling.ts'
import { isBusy, isConnectionLost, Unprepared } from '../wire/postgres-errors.ts'
import { LostInSilence } from './lost-connections.ts'

/** Milliseconds between two looks at a stuck lane. */
const stuckMillis = 20

/** Milliseconds between two answers of a lane: of one that has not answered yet, and at most, so that one accident is soon forgotten. */
const [firstPaceMillis, slowestPaceMillis] = [0.1, 5]

/** A read on its way. */
export interface LaneCall extends AnswerCall {
  readonly history: StatementHistory
  /** Asked for when it takes long: what aborts as soon as nobody waits for the answer any more. */
  readonly whenUnwanted: (() => AbortSignal) | null
  /** Runs it where it holds up nobody, and nobody it. */
  readonly elsewhere: () => Promise<Buffer | null>
  /** What failed, as whoever waits is told of it. */
  readonly explained: (error: unknown) => unknown
}

export class Lane {
  readonly client: AnsweringClient
  readonly #atWork: () => number
  readonly openedAt = performance.now()
  /** Resolves when its connection has ended. */
  readonly ended: Promise<void>
  /** In the order in which they were sent, which is that of their answers. */
  readonly #entries: Entry[] = []
  #isUsable = true
  #isLost = false
  #isStuck = false
  #isCancelling = false
  /** When the one at the head was sent, or the one before it answered. */
  #busySince = 0
  #queueMillis = 0
  #paceMillis = firstPaceMillis
  #watch: NodeJS.Timeout | null = null
  #isHeld = false

  /** Takes a client that is connected; `atWork`: how many statements run on connections of their own. */
  constructor(client: AnsweringClient, atWork: () => number) {
    this.client = client
    this.#atWork = atWork
    client.on('error', () => this.retire())
    this.ended = new Promise((done) => {
      client.once('end', () => {
        this.retire()
        done()
      })
    })
  }

  /** Whether it can be used at all; one that cannot is to be replaced. */
  get isUsable(): boolean {
    return this.#isUsable
  }

  /** Whether reads may be put behind those that are on their way. */
  get isFree(): boolean {
    return this.#isUsable && !this.#isStuck
  }

  /** Reads that were sent and not answered. */
  get pending(): number {
    return this.#entries.length
  }

  /** Milliseconds that they usually take together. */
  get queueMillis(): number {
    return this.#queueMillis
  }

  /**
   * Milliseconds until they are answered, at the pace of the answers before them: of two PostgreSQL processes that run the same,
   * one that shares its processor may get a tenth of what the other gets. None when nothing is on its way, so that the
   * pace of one that was slow is known anew.
   */
  get waitMillis(): number {
    return this.#entries.length * this.#paceMillis
  }

  get #patience(): number {
    return laneMillis(this.#atWork())
  }

  /** Runs a read. When the signal aborts its reason is the error, and what holds up the lane is cancelled. */
  run(call: LaneCall, signal: AbortSignal | null): Promise<Buffer | null> {
    return new Promise((resolve, reject) => {
      const entry = new Entry(call, resolve, reject)
      if (signal) entry.stopWatching = onAbort(signal, () => this.#abandon(entry, signal.reason))
      if (this.#entries.length === 0) this.#busySince = performance.now()
      this.#entries.push(entry)
      this.#queueMillis += entry.usualMillis
      this.#hold()
      this.client.ask(call, (error, first) => this.#ended(entry, error, first))
      this.#watchHead()
    })
  }

  /** Takes no more reads, and closes when those that were sent are answered. */
  retire(): void {
    this.#isUsable = false
    this.#settle()
  }

  #ended(entry: Entry, error: Error | null, first: Buffer | null): void {
    const now = performance.now()
    const took = now - this.#busySince
    this.#busySince = now
    this.#paceMillis += (Math.min(took, slowestPaceMillis) - this.#paceMillis) / 8
    this.#entries.shift()
    this.#queueMillis -= entry.usualMillis
    entry.stopWatching?.()
    if (error) this.#failed(entry, error)
    else {
      if (!this.#isStuck) entry.call.history.ranOnLane(took)
      entry.answer(first)
    }
    this.#settle()
  }

  #failed(entry: Entry, error: Error): void {
    if (error instanceof Unprepared) {
      this.#isUsable = false
      entry.lose(error)
    } else if (isConnectionLost(error)) {
      // Of those behind the one that ran nothing has run yet; that one may be the cause, unless it was the network.
      if (this.#isLost || error instanceof LostInSilence) entry.lose(error)
      else entry.fail(error)
      this.#isLost = true
      this.#isUsable = false
    } else if (this.#isCancelling && isCancelled(error)) entry.lose(error)
    else entry.fail(error)
  }

  /** What can be done when an answer has come. */
  #settle(): void {
    if (this.#entries.length > 0) return
    if (!this.#isUsable) void closeClient(this.client)
    else if (!this.#isCancelling) this.#isStuck = false
  }

  /** Looks, while something is on its way, whether the head takes too long for those behind it. */
  #watchHead(): void {
    if (this.#watch) return
    const left = this.#patience - (performance.now() - this.#busySince)
    // When the event loop stood still answers may be waiting to be read, which comes first.
    this.#watch = setTimeout(() => setImmediate(() => this.#look()), left > 0 ? Math.max(left, 1) : stuckMillis)
    this.#watch.unref()
  }

  #look(): void {
    this.#watch = null
    const [head] = this.#entries
    if (!head) return
    if (performance.now() - this.#busySince >= this.#patience) {
      if (!this.#isStuck) this.#stick(head)
      if (head.isSettled) this.#cancelHead()
    }
    this.#watchHead()
  }

  #stick(head: Entry): void {
    this.#isStuck = true
    head.call.history.heldUpLane(this.#atWork())
    for (const entry of this.#entries) if (entry !== head) entry.moveOn()
    // Who waits for it may go away; for those that run elsewhere that is looked after there.
    const unwanted = head.call.whenUnwanted?.()
    if (unwanted) onAbort(unwanted, () => this.#abandon(head, unwanted.reason))
  }

  #abandon(entry: Entry, reason: Error): void {
    entry.fail(reason)
    if (this.#isStuck && entry === this.#entries[0]) this.#cancelHead()
  }

  /** Cancels the head of a stuck lane. Should that hit one behind it, that one runs elsewhere anyway. */
  #cancelHead(): void {
    if (this.#isCancelling) return
    this.#isCancelling = true
    const [head] = this.#entries
    void cancelUntil(() => this.#entries[0] !== head, this.client).then(() => {
      this.#isCancelling = false
      this.#settle()
    })
  }

  /** What is sent from now on is written at the end of the turn. */
  #hold(): void {
    if (this.#isHeld) return
    this.#isHeld = true
    this.client.hold()
    setImmediate(() => {
      this.#isHeld = false
      this.client.flush()
    })
  }
}

/** A read on a lane, until somebody has answered it. */
class Entry {
  readonly call: LaneCall
  readonly usualMillis: number
  readonly #resolve: (first: Buffer | null) => void
  readonly #reject: (error: unknown) => void
  stopWatching: (() => void) | null = null
  /** Whether nobody waits for it any more. */
  isSettled = false
  #isElsewhere = false
  /** Why one of the two connections has no answer. */
  #failure: Error | null = null

  constructor(call: LaneCall, resolve: (first: Buffer | null) => void, reject: (error: unknown) => void) {
    this.call = call
    this.usualMillis = call.history.meanMillis
    this.#resolve = resolve
    this.#reject = reject
  }

  answer(first: Buffer | null): void {
    this.isSettled = true
    this.#resolve(first)
  }

  fail(error: Error): void {
    this.isSettled = true
    this.#reject(this.call.explained(error))
  }

  /** Has it run elsewhere too, once. */
  moveOn(): void {
    if (this.isSettled || this.#isElsewhere) return
    this.#isElsewhere = true
    this.call.elsewhere().then(
      (first) => this.answer(first),
      (error) => {
        // For want of a connection it waits for the lane; what PostgreSQL says of the statement is an answer.
        const isWant = isBusy(error) || isConnectionLost(error)
        if (this.#failure === null && isWant) this.#failure = error
        else this.fail(error)
      },
    )
  }

  /** The lane has no answer. */
  lose(error: Error): void {
    if (this.#failure !== null) {
      this.fail(this.#failure)
      return
    }
    this.#failure = error
    this.moveOn()
  }
}
