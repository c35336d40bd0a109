// The connections that work has for itself, one at a time. They are opened when they are wanted, never more than allowed,
// and whoever finds none waits in line, for as long as a request may wait.

import { performance } from 'node:perf_hooks'
import { onAbort } from '../../concurrency/aborting.ts'
import type { AnsweringClient } from '../wire/answering-client.ts'
import { closeClient, closingMillis } from '../wire/cancel-request.ts'
import { busyError, connectionError, isRefusal } from '../wire/postgres-errors.ts'

export interface PoolOptions {
  /** Connects; what rejects is what `pg` says. */
  readonly connect: () => Promise<AnsweringClient>
  readonly most: number
  /** Milliseconds after which an idle connection is closed. */
  readonly idleMillis: number
  /** Milliseconds that a connection may live; null: for ever. */
  readonly lifetimeMillis: number | null
  /** Milliseconds that work waits for a connection. */
  readonly patienceMillis: number
  /** Told of connections that break while idle. */
  readonly onError: (error: Error) => void
}

/** A connection of the pool, with what the pool has to know of it. */
export interface PooledClient {
  readonly client: AnsweringClient
  readonly openedAt: number
  idleSince: number
}

interface Waiter {
  readonly deadline: number
  readonly take: (pooled: PooledClient) => void
  readonly fail: (error: Error) => void
}

/** A connection that was idle for longer may have been lost meanwhile: it is tried before it is used, for so long. */
const [freshMillis, trialMillis] = [5000, 1000]

/** Milliseconds between attempts while PostgreSQL refuses, and between two looks at idle connections. */
const [againMillis, sweepMillis] = [100, 1000]

export class Pool {
  readonly #options: PoolOptions
  readonly #open = new Set<PooledClient>()
  /** The one that was used last comes last, and is used first. */
  readonly #idle: PooledClient[] = []
  readonly #waiters = new Set<Waiter>()
  /** Connections that are being opened, and such that PostgreSQL has not closed yet: both count for it. */
  #opening = 0
  #closing = 0
  /** Connections that are opened at once: one while PostgreSQL refuses, which would be kept busy by the attempts of all, then more. */
  #openedAtOnce = Number.POSITIVE_INFINITY
  /** Why no connection could be had when it was tried last; null: one could. */
  #refusal: unknown = null
  /** When somebody got one last. */
  #servedAt = 0
  #retry: NodeJS.Timeout | null = null
  #lateness: NodeJS.Timeout | null = null
  /** The deadline that is looked at next. */
  #nextDeadline = Number.POSITIVE_INFINITY
  #sweep: NodeJS.Timeout | null = null
  #isClosed = false
  #drained: () => void = () => {}

  constructor(options: PoolOptions) {
    this.#options = options
  }

  /** Open connections, idle ones among them, and work that waits for one. */
  get counts() {
    return { pooled: this.#open.size, idle: this.#idle.length, waiting: this.#waiters.size }
  }

  /** Connections that somebody uses. */
  get atWork(): number {
    return this.#open.size - this.#idle.length
  }

  get clients(): Iterable<AnsweringClient> {
    return [...this.#open].map(({ client }) => client)
  }

  /**
   * A connection until it is released; rejects with a TrellisError, or the signal's reason. `since`: when it was wanted
   * first; waiting counts from then, or from when somebody got one last.
   */
  acquire(signal: AbortSignal | null = null, since?: number): PooledClient | Promise<PooledClient> {
    signal?.throwIfAborted()
    const now = performance.now()
    const idle = this.#waiters.size === 0 ? this.#idle.pop() : undefined
    if (idle) {
      if (now - idle.idleSince >= freshMillis) return this.#tried(idle, signal, since)
      this.#servedAt = now
      return idle
    }
    if (this.#isClosed) throw connectionError(new Error('the pool is closed'))
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.#waiters.delete(waiter)
        stop?.()
      }
      const waiter: Waiter = {
        deadline: Math.max(since ?? now, this.#servedAt) + this.#options.patienceMillis,
        fail: (error) => {
          leave()
          reject(error)
        },
        take: (pooled) => {
          leave()
          this.#servedAt = performance.now()
          resolve(pooled)
        },
      }
      const stop = signal && onAbort(signal, () => waiter.fail(signal.reason))
      this.#waiters.add(waiter)
      this.#watch(waiter.deadline)
      this.#openMore()
    })
  }

  /** Gives a connection back; one that is not to be used any more is closed. */
  release(pooled: PooledClient, isSpent = false): void {
    if (!this.#open.has(pooled)) return
    const { lifetimeMillis } = this.#options
    const isOld = lifetimeMillis !== null && performance.now() - pooled.openedAt > lifetimeMillis
    const [waiter] = this.#waiters
    if (isSpent || isOld || this.#isClosed) this.#drop(pooled)
    else if (waiter) waiter.take(pooled)
    else {
      pooled.idleSince = performance.now()
      this.#idle.push(pooled)
      this.#sweep ??= setTimeout(() => this.#closeIdle(), sweepMillis).unref()
    }
  }

  /** Closes all idle connections: something happened that they may not have survived. */
  closeIdle(): void {
    for (const pooled of this.#idle.splice(0)) this.#drop(pooled)
  }

  /** Closes idle connections now, and each other one when it is released; one on which something does not end is cut. */
  async close(): Promise<void> {
    this.#isClosed = true
    if (this.#retry) clearTimeout(this.#retry)
    for (const { fail } of this.#waiters) fail(connectionError(new Error('the pool is closed')))
    const drained = new Promise<void>((done) => {
      this.#drained = done
    })
    this.closeIdle()
    const cancelled: Promise<void>[] = []
    const late = setTimeout(() => {
      for (const { client } of this.#open) {
        client.destroy(new Error('the pool is closed'))
        // PostgreSQL goes on with a statement, and keeps its locks, though nobody is there any more.
        cancelled.push(client.cancelRunning())
      }
    }, closingMillis)
    if (this.#size > 0) await drained
    clearTimeout(late)
    await Promise.all(cancelled)
  }

  /** A connection that was idle for long, when it still works; else another one. */
  async #tried(pooled: PooledClient, signal: AbortSignal | null, since?: number): Promise<PooledClient> {
    const late = setTimeout(() => pooled.client.destroy(new Error('the connection does not answer')), trialMillis)
    try {
      await pooled.client.query('select 1')
      this.#servedAt = performance.now()
      return pooled
    } catch {
      this.#drop(pooled)
      this.closeIdle()
      return this.acquire(signal, since)
    } finally {
      clearTimeout(late)
    }
  }

  get #size(): number {
    return this.#open.size + this.#opening + this.#closing
  }

  #openMore(): void {
    const { most } = this.#options
    const wanted = () => Math.min(this.#waiters.size, this.#openedAtOnce)
    while (this.#retry === null && this.#opening < wanted() && this.#size < most) {
      this.#opening++
      void this.#openOne()
    }
  }

  async #openOne(): Promise<void> {
    try {
      this.#add(await this.#options.connect())
    } catch (error) {
      this.#opening--
      this.#notOpened(error)
    }
    if (this.#isClosed && this.#size === 0) this.#drained()
  }

  #add(client: AnsweringClient): void {
    this.#opening--
    const now = performance.now()
    const pooled: PooledClient = { client, openedAt: now, idleSince: now }
    this.#open.add(pooled)
    // What breaks while it is used is told to whatever runs on it.
    client.on('error', (error) => {
      if (this.#idle.includes(pooled)) this.#options.onError(error)
      this.#drop(pooled)
    })
    client.on('end', () => this.#drop(pooled))
    this.release(pooled)
    this.#refusal = null
    this.#openedAtOnce *= 2
    this.#openMore()
  }

  /** Who waits goes on waiting when there is hope: connections that will be released, or a server that only refuses. */
  #notOpened(error: unknown): void {
    const isRefused = isRefusal(error)
    this.#refusal = error
    // An attempt without an answer says nothing of others, and is not to keep them waiting.
    this.#openedAtOnce = isRefused ? 1 : Number.POSITIVE_INFINITY
    if (this.#open.size === 0 && !isRefused) {
      for (const { fail } of this.#waiters) fail(connectionError(error))
    }
    if (this.#isClosed || this.#waiters.size === 0) return
    this.#retry ??= setTimeout(() => {
      this.#retry = null
      this.#openMore()
    }, againMillis)
  }

  #drop(pooled: PooledClient): void {
    if (!this.#open.delete(pooled)) return
    const at = this.#idle.indexOf(pooled)
    if (at >= 0) this.#idle.splice(at, 1)
    this.#closing++
    void closeClient(pooled.client).then(() => {
      this.#closing--
      if (!this.#isClosed) this.#openMore()
      else if (this.#size === 0) this.#drained()
    })
  }

  /** One timer for all, which is set to the first of their deadlines. */
  #watch(deadline: number): void {
    if (deadline >= this.#nextDeadline) return
    if (this.#lateness) clearTimeout(this.#lateness)
    this.#nextDeadline = deadline
    this.#lateness = setTimeout(() => this.#failLate(), Math.max(1, deadline - performance.now() + 1))
    // Whoever waits does so for a connection that is at work or being made, which keeps the process.
    this.#lateness.unref()
  }

  #failLate(): void {
    this.#nextDeadline = Number.POSITIVE_INFINITY
    const now = performance.now()
    for (const { deadline, fail } of this.#waiters) {
      if (deadline > now) this.#watch(deadline)
      else fail(busyError(this.#options.patienceMillis / 1000, this.#refusal))
    }
  }

  #closeIdle(): void {
    this.#sweep = null
    const now = performance.now()
    const { idleMillis, lifetimeMillis } = this.#options
    for (const pooled of [...this.#idle]) {
      const isOld = lifetimeMillis !== null && now - pooled.openedAt > lifetimeMillis
      if (isOld || now - pooled.idleSince > idleMillis) this.#drop(pooled)
    }
    if (this.#idle.length > 0) this.#sweep = setTimeout(() => this.#closeIdle(), sweepMillis).unref()
  }
}
