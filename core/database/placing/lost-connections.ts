// Connections that were lost in silence: nothing says that an answer will not come, neither the network nor PostgreSQL. Of
// those that wait for one for long PostgreSQL is asked, on another connection, whether it works on it.

import type { AnsweringClient } from '../wire/answering-client.ts'
import { isConnectionLost, isRefusal } from '../wire/postgres-errors.ts'
import type { Probe } from './probe.ts'

export interface LostConnectionsOptions {
  readonly clients: () => Iterable<AnsweringClient>
  readonly probe: Pick<Probe, 'rows'>
  /** Told when connections were cut: others that are idle may be lost as well. */
  readonly onLost: () => void
}

/** The error of what waited on a connection that was lost in silence. */
export class LostInSilence extends Error {
  override readonly name = 'LostInSilence'
  constructor() {
    super('the connection was lost: PostgreSQL does not work on what was sent')
  }
}

const lookMillis = 1000

/** Looks without a byte after which PostgreSQL is asked, and further ones that have to agree. */
const [looksBeforeAsking, agreeingLooks] = [2, 2]

/** Looks at which PostgreSQL itself could not be reached, after which what waits is given up. */
const looksWithoutServer = 5

/**
 * A backend that waits for its client has answered, or has received nothing. Without `track_activities` that is all it tells, and
 * another role's, such as one that somebody has taken since, does not tell even that.
 */
const working = `select pid from pg_catalog.pg_stat_activity
  where pid = any($1::int[]) and coalesce(state, 'disabled') in ('active', 'fastpath function call', 'disabled')
    and coalesce(wait_event, '') not in ('ClientRead', 'ClientWrite')`

interface Watched {
  bytesRead: number
  looks: number
  /** Looks at which nobody worked on what it waits for. */
  verdicts: number
}

export class LostConnections {
  readonly #options: LostConnectionsOptions
  readonly #timer: NodeJS.Timeout
  readonly #watched = new WeakMap<AnsweringClient, Watched>()
  #unreachable = 0
  #isLooking = false

  constructor(options: LostConnectionsOptions) {
    this.#options = options
    this.#timer = setInterval(() => {
      if (!this.#isLooking) void this.#look()
    }, lookMillis).unref()
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  async #look(): Promise<void> {
    this.#isLooking = true
    const overdue = [...this.#options.clients()].filter((client) => this.#isOverdue(client))
    if (overdue.length > 0) await this.#judge(overdue)
    else this.#unreachable = 0
    this.#isLooking = false
  }

  #isOverdue(client: AnsweringClient): boolean {
    const { bytesRead, isWaiting, isDirect } = client
    const watched = this.#watched.get(client)
    if (!isWaiting || !isDirect || watched?.bytesRead !== bytesRead) {
      this.#watched.set(client, { bytesRead, looks: 0, verdicts: 0 })
      return false
    }
    return ++watched.looks >= looksBeforeAsking
  }

  async #judge(overdue: readonly AnsweringClient[]): Promise<void> {
    let workers: ReadonlySet<number | null>
    try {
      const rows = await this.#options.probe.rows<{ pid: number }>(working, [overdue.map(({ backend }) => backend)])
      workers = new Set(rows.map(({ pid }) => pid))
      this.#unreachable = 0
    } catch (error) {
      // That it has no connection to be asked on, or does not tell, says nothing of those that it works for.
      if (isRefusal(error) || !isConnectionLost(error)) this.#unreachable = 0
      else if (++this.#unreachable >= looksWithoutServer) this.#cut(overdue)
      return
    }
    const lost = overdue.filter((client) => {
      const watched = this.#watched.get(client)!
      watched.verdicts = workers.has(client.backend) ? 0 : watched.verdicts + 1
      return watched.verdicts >= agreeingLooks && client.isWaiting && client.bytesRead === watched.bytesRead
    })
    if (lost.length > 0) this.#cut(lost)
  }

  #cut(clients: readonly AnsweringClient[]): void {
    for (const client of clients) client.destroy(new LostInSilence())
    this.#options.onLost()
  }
}
