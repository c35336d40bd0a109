// Signs of life: what keeps sockets open on the way to their clients, and by which those that are gone are noticed.

import type { Connection } from './connection.ts'

/** A connection that is kept alive. */
export interface Kept {
  readonly connection: Connection
  /** Which of all it was, which spreads what not everybody gets each time. */
  readonly number: number
  /** Whether the client answers what keeps it alive. */
  readonly answers: boolean
  keepAlive(): void
  /** Looks since the client was last heard of. */
  silent: number
}

/** Connections are looked at in turns, so that not all are at the same moment. Each is looked at once in an interval. */
const turns = 10

/** Looks without a word of the client after which it is asked for one, and after which it is taken for gone. */
const silentUntilAsked = 18
const silentUntilGone = 24

/**
 * So many a second of what clients answer are sent, since reading answers costs more than sending. More clients get them less
 * often, each at least once in so many intervals: within the minute after which proxies give up silent connections.
 */
const answeredPerSecond = 100
const longestPause = 10

export class SignsOfLife {
  readonly #kept: Set<Kept>[] = Array.from({ length: turns }, () => new Set())
  /** Milliseconds between two looks at a connection. */
  readonly #interval: number
  #timer: NodeJS.Timeout | null = null
  #next = 0
  #round = 0
  /** Connections whose clients answer. */
  #answering = 0

  constructor(interval: number) {
    this.#interval = interval
  }

  begin(): void {
    this.#timer = setInterval(() => this.#lookAtSome(), this.#interval / turns)
    this.#timer.unref()
  }

  stop(): void {
    if (this.#timer) clearInterval(this.#timer)
  }

  get connections(): readonly Connection[] {
    return this.#kept.flatMap((some) => [...some].map(({ connection }) => connection))
  }

  /** Looks after a connection, until it is dropped. */
  keep(options: Pick<Kept, 'connection' | 'answers' | 'keepAlive'>): Kept {
    const number = this.#next++
    const kept: Kept = { ...options, number: Math.floor(number / turns), silent: 0 }
    this.#kept[number % turns]!.add(kept)
    if (kept.answers) this.#answering++
    return kept
  }

  drop(kept: Kept): void {
    for (const some of this.#kept) {
      if (some.delete(kept) && kept.answers) this.#answering--
    }
  }

  #lookAtSome(): void {
    const round = this.#round++
    const look = Math.floor(round / turns)
    const wanted = (this.#answering * 1000) / this.#interval / answeredPerSecond
    const pause = Math.min(Math.max(Math.ceil(wanted), 1), longestPause)
    for (const kept of this.#kept[round % turns]!) {
      if (++kept.silent >= silentUntilAsked && doubt(kept)) continue
      if (kept.answers && (look + kept.number) % pause !== 0) continue
      if (!kept.connection.outbox.isFull) kept.keepAlive()
    }
  }
}

/** Asks a silent client for a sign of life, or ends its socket; says whether it did. */
function doubt(kept: Kept): boolean {
  const { connection } = kept
  const { socket } = connection.options
  // Of one that has to wait no sign of life is read.
  if (socket.isPaused) kept.silent = 0
  else if (kept.silent === silentUntilAsked) connection.ask()
  if (kept.silent < silentUntilGone) return false
  socket.terminate()
  return true
}
