// The connections that work has for itself, one at a time. They are opened when they are wanted, never more than allowed,
// and whoever finds none waits in line, for as long as a request may wait.

import { onAbort } from '../concurrency/aborting.ts'
import { codeOf } from '../errors/thrown.ts'
import type { AnsweringClient } from './answering-client.ts'
import { busyError, connectionError } from './postgres-errors.ts'

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

/** PostgreSQL has no connection to give: it is full, or about to start or stop. Its code, for one of these. */
const refusals = new Set(['53300', '57P03'])

/** Milliseconds that PostgreSQL may take to close a connection. */
const closingMillis = 2000

/** Ends a connection in order, or cuts it when nobody answers any more. */
export async function closeClient(client: AnsweringClient): Promise<void> {
  const late = setTimeout(() => client.destroy(new Error('the connection does not end')), closingMillis)
  await client.end().catch(() => {})
  clearTimeout(late)
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
  #retry: NodeJS.Timeout | null = null
  #lateness: NodeJS.Timeout | null = null
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

  /** A connection until it is released; rejects with a TrellisError, or the signal's reason. */
  acquire(signal: AbortSignal | null = null): PooledClient | Promise<PooledClient> {
    signal?.throwIfAborted()
    const idle = this.#waiters.size === 0 ? this.#idle.pop() : undefined
    if (idle) return performance.now() - idle.idleSince < freshMillis ? idle : this.#tried(idle, signal)
    if (this.#isClosed) throw connectionError(new Error('the pool is closed'))
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.#waiters.delete(waiter)
        stop?.()
      }
      const waiter: Waiter = {
        deadline: performance.now() + this.#options.patienceMillis,
        fail: (error) => {
          leave()
          reject(error)
        },
        take: (pooled) => {
          leave()
          resolve(pooled)
        },
      }
      const stop = signal && onAbort(signal, () => waiter.fail(signal.reason))
      this.#waiters.add(waiter)
      this.#watchDeadlines()
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

  /** Closes idle connections now, and each other one when it is released. */
  async close(): Promise<void> {
    this.#isClosed = true
    if (this.#retry) clearTimeout(this.#retry)
    for (const { fail } of this.#waiters) fail(connectionError(new Error('the pool is closed')))
    const drained = new Promise<void>((done) => {
      this.#drained = done
    })
    this.closeIdle()
    if (this.#size > 0) await drained
  }

  /** A connection that was idle for long, when it still works; else another one. */
  async #tried(pooled: PooledClient, signal: AbortSignal | null): Promise<PooledClient> {
    const late = setTimeout(() => pooled.client.destroy(new Error('the connection does not answer')), trialMillis)
    try {
      await pooled.client.query('select 1')
      return pooled
    } catch {
      this.#drop(pooled)
      this.closeIdle()
      return this.acquire(signal)
    } finally {
      clearTimeout(late)
    }
  }

  get #size(): number {
    return this.#open.size + this.#opening + this.#closing
  }

  #openMore(): void {
    const { most } = this.#options
    while (this.#retry === null && this.#opening < this.#waiters.size && this.#size < most) {
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
  }

  /** Who waits goes on waiting when there is hope: connections that will be released, or a server that only refuses. */
  #notOpened(error: unknown): void {
    const isRefusal = refusals.has(codeOf(error) ?? '')
    if (this.#open.size === 0 && !isRefusal) {
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

  /** One timer for all: who waits longest is first in line. */
  #watchDeadlines(): void {
    if (this.#lateness) return
    const [first] = this.#waiters
    if (!first) return
    this.#lateness = setTimeout(
      () => {
        this.#lateness = null
        const now = performance.now()
        for (const { deadline, fail } of this.#waiters) {
          if (deadline > now) break
          fail(busyError(this.#options.patienceMillis / 1000))
        }
        this.#watchDeadlines()
      },
      first.deadline - performance.now() + 1,
    )
    // Whoever waits does so for a connection that is at work or being made, which keeps the process.
    this.#lateness.unref()
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
