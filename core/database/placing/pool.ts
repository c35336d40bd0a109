// Connections that serve one caller at a time. They are opened on demand up to a limit; above it callers wait in line until
// the pool timeout.

import { performance } from 'node:perf_hooks'
import { onAbort } from '../../concurrency/aborting.ts'
import {
  closeTimeoutMillis,
  connectionTestMillis,
  connectRetryMillis,
  freshConnectionMillis,
  idleSweepMillis,
} from '../tuning.ts'
import type { AnsweringClient } from '../wire/answering-client.ts'
import { closeClient } from '../wire/cancel-request.ts'
import { busyError, connectionError, isRefusal } from '../wire/postgres-errors.ts'

export interface PoolOptions {
  /** Connects; rejects with the error of `pg`. */
  readonly connect: () => Promise<AnsweringClient>
  readonly most: number
  /** Milliseconds after which an idle connection is closed. */
  readonly idleMillis: number
  /** The longest life of a connection in milliseconds; null: unlimited. */
  readonly lifetimeMillis: number | null
  /** Milliseconds that a caller waits for a connection. */
  readonly timeoutMillis: number
  /** Called when a connection breaks while idle. */
  readonly onError: (error: Error) => void
}

/** A connection of the pool with its timestamps. */
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

export class Pool {
  readonly #options: PoolOptions
  readonly #open = new Set<PooledClient>()
  /** The most recently used connection comes last and is used first. */
  readonly #idle: PooledClient[] = []
  readonly #waiters = new Set<Waiter>()
  /** Connections being opened, and connections that PostgreSQL has not closed yet: both count towards its limit. */
  #opening = 0
  #closing = 0
  /** Parallel connection attempts: one while PostgreSQL refuses, so attempts do not keep it busy; doubled per success. */
  #openedAtOnce = Number.POSITIVE_INFINITY
  /** Why the last connection attempt failed; null if it succeeded. */
  #refusal: unknown = null
  /** When a caller last got a connection. */
  #servedAt = 0
  #retry: NodeJS.Timeout | null = null
  #lateness: NodeJS.Timeout | null = null
  /** The earliest deadline that the timer is set to. */
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

  /** Connections in use. */
  get atWork(): number {
    return this.#open.size - this.#idle.length
  }

  get clients(): Iterable<AnsweringClient> {
    return [...this.#open].map(({ client }) => client)
  }

  /**
   * A connection until it is released; rejects with a TrellisError, or the signal's reason. The timeout counts from `since`,
   * when the caller began to wait, or from when any caller last got a connection.
   */
  acquire(signal: AbortSignal | null = null, since?: number): PooledClient | Promise<PooledClient> {
    signal?.throwIfAborted()
    const now = performance.now()
    const idle = this.#waiters.size === 0 ? this.#idle.pop() : undefined
    if (idle) {
      if (now - idle.idleSince >= freshConnectionMillis) return this.#tested(idle, signal, since)
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
        deadline: Math.max(since ?? now, this.#servedAt) + this.#options.timeoutMillis,
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

  /** Returns a connection; a spent one is closed. */
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
      this.#sweep ??= setTimeout(() => this.#closeIdle(), idleSweepMillis).unref()
    }
  }

  /** Closes all idle connections, after an event that may have broken them. */
  closeIdle(): void {
    for (const pooled of this.#idle.splice(0)) this.#drop(pooled)
  }

  /** Closes idle connections now, and others on release; a connection whose work does not end is cut. */
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
        // Without a cancellation PostgreSQL would go on with the statement and keep its locks.
        cancelled.push(client.cancelRunning())
      }
    }, closeTimeoutMillis)
    if (this.#size > 0) await drained
    clearTimeout(late)
    await Promise.all(cancelled)
  }

  /** The connection if it still works after a long idle time; otherwise another one. */
  async #tested(pooled: PooledClient, signal: AbortSignal | null, since?: number): Promise<PooledClient> {
    const late = setTimeout(
      () => pooled.client.destroy(new Error('the connection does not answer')),
      connectionTestMillis,
    )
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
    // The work on a connection in use gets its error.
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

  /** Waiting callers keep waiting if connections in use will be released, or if the server only refuses for now. */
  #notOpened(error: unknown): void {
    const isRefused = isRefusal(error)
    this.#refusal = error
    // An attempt without an answer says nothing about the others, so it must not slow them down.
    this.#openedAtOnce = isRefused ? 1 : Number.POSITIVE_INFINITY
    if (this.#open.size === 0 && !isRefused) {
      for (const { fail } of this.#waiters) fail(connectionError(error))
    }
    if (this.#isClosed || this.#waiters.size === 0) return
    this.#retry ??= setTimeout(() => {
      this.#retry = null
      this.#openMore()
    }, connectRetryMillis)
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

  /** One timer for all waiting callers, set to the earliest deadline. */
  #watch(deadline: number): void {
    if (deadline >= this.#nextDeadline) return
    if (this.#lateness) clearTimeout(this.#lateness)
    this.#nextDeadline = deadline
    this.#lateness = setTimeout(() => this.#failOverdue(), Math.max(1, deadline - performance.now() + 1))
    // Connections in use or being opened keep the process alive.
    this.#lateness.unref()
  }

  #failOverdue(): void {
    this.#nextDeadline = Number.POSITIVE_INFINITY
    const now = performance.now()
    for (const { deadline, fail } of this.#waiters) {
      if (deadline > now) this.#watch(deadline)
      else fail(busyError(this.#options.timeoutMillis / 1000, this.#refusal))
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
    if (this.#idle.length > 0) this.#sweep = setTimeout(() => this.#closeIdle(), idleSweepMillis).unref()
  }
}
