// Keep-alive messages: they keep proxies from closing idle connections, and dead connections are closed.

import {
  answeredPerSecond,
  keepAliveTurns,
  longestKeepAlivePause,
  silentUntilClosed,
  silentUntilPing,
} from '../tuning.ts'
import type { Connection } from './connection.ts'

/** A connection with keep-alive. */
export interface KeptConnection {
  readonly connection: Connection
  /** A running number, which spreads the messages if not every client gets one each time. */
  readonly number: number
  /** Whether the client answers keep-alive messages. */
  readonly answers: boolean
  keepAlive(): void
  /** Checks since the last message of the client. */
  silent: number
}

export class KeepAlive {
  readonly #turns: Set<KeptConnection>[] = Array.from({ length: keepAliveTurns }, () => new Set())
  /** Milliseconds between two checks of a connection. */
  readonly #interval: number
  #timer: NodeJS.Timeout | null = null
  #next = 0
  #round = 0
  /** The number of connections whose clients answer. */
  #answering = 0

  constructor(interval: number) {
    this.#interval = interval
  }

  begin(): void {
    this.#timer = setInterval(() => this.#nextTurn(), this.#interval / keepAliveTurns)
    this.#timer.unref()
  }

  stop(): void {
    if (this.#timer) clearInterval(this.#timer)
  }

  get connections(): readonly Connection[] {
    return this.#turns.flatMap((some) => [...some].map(({ connection }) => connection))
  }

  /** Adds a connection until it is dropped. */
  keep(options: Pick<KeptConnection, 'connection' | 'answers' | 'keepAlive'>): KeptConnection {
    const number = this.#next++
    const kept: KeptConnection = { ...options, number: Math.floor(number / keepAliveTurns), silent: 0 }
    this.#turns[number % keepAliveTurns]!.add(kept)
    if (kept.answers) this.#answering++
    return kept
  }

  drop(kept: KeptConnection): void {
    for (const some of this.#turns) {
      if (some.delete(kept) && kept.answers) this.#answering--
    }
  }

  #nextTurn(): void {
    const round = this.#round++
    const look = Math.floor(round / keepAliveTurns)
    const wanted = (this.#answering * 1000) / this.#interval / answeredPerSecond
    const pause = Math.min(Math.max(Math.ceil(wanted), 1), longestKeepAlivePause)
    for (const kept of this.#turns[round % keepAliveTurns]!) {
      if (++kept.silent >= silentUntilPing && checkSilent(kept)) continue
      if (kept.answers && (look + kept.number) % pause !== 0) continue
      if (!kept.connection.outbox.isFull) kept.keepAlive()
    }
  }
}

/** Pings a silent client, or closes its socket; gives whether it closed it. */
function checkSilent(kept: KeptConnection): boolean {
  const { connection } = kept
  const { socket } = connection.options
  // Nothing is read from a paused socket, so its silence means nothing.
  if (socket.isPaused) kept.silent = 0
  else if (kept.silent === silentUntilPing) connection.ping()
  if (kept.silent < silentUntilClosed) return false
  socket.terminate()
  return true
}
