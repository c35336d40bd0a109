// A pipelined connection that short reads share: each is sent without waiting for earlier answers, and all reads sent in one
// turn of the event loop go out in one write.
//
// If a read turns out slow, the lane takes no further reads, and those behind it run on the pool too; the first answer
// counts. Every statement on a lane only reads, so running it twice is harmless.

import { performance } from 'node:perf_hooks'
import { onAbort } from '../../concurrency/aborting.ts'
import { laneMillis, type StatementHistory } from '../sql/statement-history.ts'
import { firstLanePaceMillis, slowestLanePaceMillis, stuckLaneCheckMillis } from '../tuning.ts'
import type { AnswerCall, AnsweringClient } from '../wire/answering-client.ts'
import { closeClient } from '../wire/cancel-request.ts'
import { cancelUntil, isCancelled } from '../wire/cancelling.ts'
import { isBusy, isConnectionLost, Unprepared } from '../wire/postgres-errors.ts'
import { SilentlyLost } from './lost-connections.ts'

/** A read on its way. */
export interface LaneCall extends AnswerCall {
  readonly history: StatementHistory
  /** Called when the read takes long; its signal aborts as soon as the answer is no longer wanted. */
  readonly whenUnwanted: (() => AbortSignal) | null
  /** Runs the read on a connection of its own. */
  readonly elsewhere: () => Promise<Buffer | null>
  /** The error that the caller gets for a failure. */
  readonly explained: (error: unknown) => unknown
}

export class Lane {
  readonly client: AnsweringClient
  readonly #atWork: () => number
  readonly openedAt = performance.now()
  /** Resolves when its connection has ended. */
  readonly ended: Promise<void>
  /** In the order of sending, which is the order of the answers. */
  readonly #entries: Entry[] = []
  #isUsable = true
  #isLost = false
  #isStuck = false
  #isCancelling = false
  /** When the head was sent, or when the read before it was answered. */
  #busySince = 0
  #queueMillis = 0
  #paceMillis: number = firstLanePaceMillis
  #watch: NodeJS.Timeout | null = null
  #isCorked = false

  /** Takes a connected client; `atWork` counts the statements that run on connections of their own. */
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

  /** Whether the lane can be used at all; one that cannot has to be replaced. */
  get isUsable(): boolean {
    return this.#isUsable
  }

  /** Whether the lane takes further reads. */
  get isFree(): boolean {
    return this.#isUsable && !this.#isStuck
  }

  /** Reads in flight. */
  get pending(): number {
    return this.#entries.length
  }

  /** Milliseconds that the reads in flight usually take together. */
  get queueMillis(): number {
    return this.#queueMillis
  }

  /**
   * Milliseconds until the reads in flight are answered, at the pace of recent answers: a PostgreSQL process that shares its
   * processor may run at a tenth of another's speed. Zero for an empty lane, so that a slow one is measured again.
   */
  get waitMillis(): number {
    return this.#entries.length * this.#paceMillis
  }

  get #timeoutMillis(): number {
    return laneMillis(this.#atWork())
  }

  /** Runs a read. If the signal aborts, its reason is the error, and a read that blocks the lane is cancelled. */
  run(call: LaneCall, signal: AbortSignal | null): Promise<Buffer | null> {
    return new Promise((resolve, reject) => {
      const entry = new Entry(call, resolve, reject)
      if (signal) entry.stopWatching = onAbort(signal, () => this.#abandon(entry, signal.reason))
      if (this.#entries.length === 0) this.#busySince = performance.now()
      this.#entries.push(entry)
      this.#queueMillis += entry.usualMillis
      this.#corkTurn()
      this.client.ask(call, (error, first) => this.#ended(entry, error, first))
      this.#watchHead()
    })
  }

  /** Takes no more reads, and closes once those in flight are answered. */
  retire(): void {
    this.#isUsable = false
    this.#settle()
  }

  #ended(entry: Entry, error: Error | null, first: Buffer | null): void {
    const now = performance.now()
    const took = now - this.#busySince
    this.#busySince = now
    this.#paceMillis += (Math.min(took, slowestLanePaceMillis) - this.#paceMillis) / 8
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
      // Reads behind the head have not run yet. The head may be the cause, unless the network is.
      if (this.#isLost || error instanceof SilentlyLost) entry.lose(error)
      else entry.fail(error)
      this.#isLost = true
      this.#isUsable = false
    } else if (this.#isCancelling && isCancelled(error)) entry.lose(error)
    else entry.fail(error)
  }

  /** After each answer: closes the lane, or takes reads again, once it is empty. */
  #settle(): void {
    if (this.#entries.length > 0) return
    if (!this.#isUsable) void closeClient(this.client)
    else if (!this.#isCancelling) this.#isStuck = false
  }

  /** Checks, while reads are in flight, whether the head takes too long for those behind it. */
  #watchHead(): void {
    if (this.#watch) return
    const left = this.#timeoutMillis - (performance.now() - this.#busySince)
    // After a blocked event loop, answers may be waiting to be read: they come first.
    this.#watch = setTimeout(
      () => setImmediate(() => this.#look()),
      left > 0 ? Math.max(left, 1) : stuckLaneCheckMillis,
    )
    this.#watch.unref()
  }

  #look(): void {
    this.#watch = null
    const [head] = this.#entries
    if (!head) return
    if (performance.now() - this.#busySince >= this.#timeoutMillis) {
      if (!this.#isStuck) this.#stick(head)
      if (head.isSettled) this.#cancelHead()
    }
    this.#watchHead()
  }

  #stick(head: Entry): void {
    this.#isStuck = true
    head.call.history.heldUpLane(this.#atWork())
    for (const entry of this.#entries) if (entry !== head) entry.moveOn()
    // The client of the head may disconnect; reads that moved to the pool watch for that there.
    const unwanted = head.call.whenUnwanted?.()
    if (unwanted) onAbort(unwanted, () => this.#abandon(head, unwanted.reason))
  }

  #abandon(entry: Entry, reason: Error): void {
    entry.fail(reason)
    if (this.#isStuck && entry === this.#entries[0]) this.#cancelHead()
  }

  /** Cancels the head of a stuck lane. If the cancellation hits a later read, that one runs on the pool anyway. */
  #cancelHead(): void {
    if (this.#isCancelling) return
    this.#isCancelling = true
    const [head] = this.#entries
    void cancelUntil(() => this.#entries[0] !== head, this.client).then(() => {
      this.#isCancelling = false
      this.#settle()
    })
  }

  /** Buffers messages until the end of the turn. */
  #corkTurn(): void {
    if (this.#isCorked) return
    this.#isCorked = true
    this.client.hold()
    setImmediate(() => {
      this.#isCorked = false
      this.client.flush()
    })
  }
}

/** A read on a lane until it is answered. */
class Entry {
  readonly call: LaneCall
  readonly usualMillis: number
  readonly #resolve: (first: Buffer | null) => void
  readonly #reject: (error: unknown) => void
  stopWatching: (() => void) | null = null
  /** Whether the caller has its answer or error. */
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

  /** Runs it on the pool too, once. */
  moveOn(): void {
    if (this.isSettled || this.#isElsewhere) return
    this.#isElsewhere = true
    this.call.elsewhere().then(
      (first) => this.answer(first),
      (error) => {
        // Without a connection, wait for the lane; an error of the statement itself is an answer.
        const isWant = isBusy(error) || isConnectionLost(error)
        if (this.#failure === null && isWant) this.#failure = error
        else this.fail(error)
      },
    )
  }

  /** The lane will not answer. */
  lose(error: Error): void {
    if (this.#failure !== null) {
      this.fail(this.#failure)
      return
    }
    this.#failure = error
    this.moveOn()
  }
}
