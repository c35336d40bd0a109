// Finds connections that were lost silently: neither the network nor PostgreSQL reports that no answer will come. If one has
// waited long, the probe asks PostgreSQL whether its backend still works on it.

import { agreeingChecks, checksBeforeAsking, checksWithoutServer, lostCheckMillis } from '../tuning.ts'
import type { AnsweringClient } from '../wire/answering-client.ts'
import { isConnectionLost, isRefusal } from '../wire/postgres-errors.ts'
import type { Probe } from './probe.ts'

export interface LostConnectionsOptions {
  readonly clients: () => Iterable<AnsweringClient>
  readonly probe: Pick<Probe, 'rows'>
  /** Called after connections were cut: other idle ones may be lost as well. */
  readonly onLost: () => void
}

/** The error of statements on a connection that was lost silently. */
export class SilentlyLost extends Error {
  override readonly name = 'SilentlyLost'
  constructor() {
    super('the connection was lost: PostgreSQL does not work on the statement')
  }
}

/**
 * A backend that waits for its client has answered, or received nothing. Without `track_activities` only the wait event
 * shows; a backend of another role, for example one that reused the process id, does not show even that.
 */
const working = `select pid from pg_catalog.pg_stat_activity
  where pid = any($1::int[]) and coalesce(state, 'disabled') in ('active', 'fastpath function call', 'disabled')
    and coalesce(wait_event, '') not in ('ClientRead', 'ClientWrite')`

interface Watched {
  bytesRead: number
  checks: number
  /** Consecutive checks at which no backend worked on the statement. */
  verdicts: number
}

export class LostConnections {
  readonly #options: LostConnectionsOptions
  readonly #timer: NodeJS.Timeout
  readonly #watched = new WeakMap<AnsweringClient, Watched>()
  #unreachable = 0
  #isChecking = false

  constructor(options: LostConnectionsOptions) {
    this.#options = options
    this.#timer = setInterval(() => {
      if (!this.#isChecking) void this.#check()
    }, lostCheckMillis).unref()
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  async #check(): Promise<void> {
    this.#isChecking = true
    const overdue = [...this.#options.clients()].filter((client) => this.#isOverdue(client))
    if (overdue.length > 0) await this.#judge(overdue)
    else this.#unreachable = 0
    this.#isChecking = false
  }

  #isOverdue(client: AnsweringClient): boolean {
    const { bytesRead, isWaiting, isDirect } = client
    const watched = this.#watched.get(client)
    if (!isWaiting || !isDirect || watched?.bytesRead !== bytesRead) {
      this.#watched.set(client, { bytesRead, checks: 0, verdicts: 0 })
      return false
    }
    return ++watched.checks >= checksBeforeAsking
  }

  async #judge(overdue: readonly AnsweringClient[]): Promise<void> {
    let workers: ReadonlySet<number | null>
    try {
      const rows = await this.#options.probe.rows<{ pid: number }>(working, [overdue.map(({ backend }) => backend)])
      workers = new Set(rows.map(({ pid }) => pid))
      this.#unreachable = 0
    } catch (error) {
      // A refusal, or an unanswered question, does not show that the waiting statements are lost.
      if (isRefusal(error) || !isConnectionLost(error)) this.#unreachable = 0
      else if (++this.#unreachable >= checksWithoutServer) this.#cut(overdue)
      return
    }
    const lost = overdue.filter((client) => {
      const watched = this.#watched.get(client)!
      watched.verdicts = workers.has(client.backend) ? 0 : watched.verdicts + 1
      return watched.verdicts >= agreeingChecks && client.isWaiting && client.bytesRead === watched.bytesRead
    })
    if (lost.length > 0) this.#cut(lost)
  }

  #cut(clients: readonly AnsweringClient[]): void {
    for (const client of clients) client.destroy(new SilentlyLost())
    this.#options.onLost()
  }
}
