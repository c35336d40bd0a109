// The log of asynchronous calls: waiting calls, leases, and results.

import { randomUUID } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { type Session, TrellisError } from '../../sdk/index.ts'
import { type OutgoingHeaders, parseJson } from '../../sdk/services.ts'
import type { Database, Transaction } from '../../sdk/sql.ts'
import { storableError } from './described-error.ts'

/** A call that this instance holds. */
export interface TakenCall {
  readonly id: string
  readonly action: string
  readonly input: Readonly<Record<string, unknown>>
  readonly headers: OutgoingHeaders
  readonly sessionVariables: Session['variables']
}

/** A call to log. */
export type GivenCall = Omit<TakenCall, 'id'>

/** Seconds that a lease lasts without being renewed. */
export const leaseSeconds = 15

type Reader = Pick<Transaction, 'rows'>

/** Logs a call in the transaction of its mutation; gives its id. */
export async function recordCall(transaction: Reader, call: GivenCall): Promise<string> {
  const id = randomUUID()
  const { action, input, headers, sessionVariables } = call
  await transaction.rows(
    `insert into trellis.hdb_action_log (id, action_name, input_payload, request_headers, session_variables, status)
      values ($1, $2, $3, $4, $5, 'created')`,
    [id, action, JSON.stringify(input), JSON.stringify(headers), JSON.stringify(sessionVariables)],
  )
  return id
}

interface TakenRow extends Record<string, unknown> {
  readonly id: string
  readonly action_name: string
  readonly input: string
  readonly headers: OutgoingHeaders
  readonly variables: Session['variables']
}

/** Milliseconds between two attempts to record a result. */
const pause = 1000

/** Whether the database refuses the content. */
const isRefusal = (error: unknown): boolean => !(error instanceof TrellisError) || error.status < 500

/**
 * Runs work on the database, and repeats it while the database is away, busy or read-only. Otherwise a call whose answer is known would
 * be repeated or reported as failed. The signal aborts when another instance may have taken over the call.
 */
async function whenBack<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (isRefusal(error)) throw error
      await setTimeout(pause, undefined, { signal, ref: false }).catch(() => {})
      if (signal.aborted) throw error
    }
  }
}

export class ActionLog {
  readonly #database: Pick<Database, 'rows'>
  readonly #instance = randomUUID()

  constructor(database: Pick<Database, 'rows'>) {
    this.#database = database
  }

  /** Claims waiting calls, oldest first, and calls whose lease has expired. */
  async take(actions: readonly string[], most: number, busyWith: readonly string[]): Promise<TakenCall[]> {
    const rows = await this.#database.rows<TakenRow>(
      `update trellis.hdb_action_log as log
        set status = 'processing', lease = $1, leased_until = clock_timestamp() + $2 * interval '1 second'
        from (
          select id from trellis.hdb_action_log
          where (status = 'created' or (status = 'processing' and leased_until < clock_timestamp()))
            and action_name = any($3) and id <> all($4)
          order by created_at limit $5 for update skip locked
        ) as due
        where log.id = due.id
        returning log.id, log.action_name, log.input_payload::text as input, log.request_headers as headers,
          log.session_variables as variables`,
      [this.#instance, leaseSeconds, actions, busyWith, most],
    )
    return rows.map(({ id, action_name: action, input, headers, variables }) => {
      const parsed = parseJson(input, 'lossless') as TakenCall['input']
      return { id, action, input: parsed, headers, sessionVariables: variables }
    })
  }

  /** Renews leases; the answer lacks calls that belong to another instance now. */
  async renew(ids: readonly string[]): Promise<Set<string>> {
    const rows = await this.#database.rows<{ id: string }>(
      `update trellis.hdb_action_log set leased_until = clock_timestamp() + $2 * interval '1 second'
        where id = any($3) and lease = $1 and status = 'processing' returning id`,
      [this.#instance, leaseSeconds, ids],
    )
    return new Set(rows.map(({ id }) => id))
  }

  /** Records a result; false: another instance has the call, or it was deleted. */
  complete(id: string, value: unknown, signal: AbortSignal): Promise<boolean> {
    return whenBack(() => this.completeIn(this.#database, id, value), signal)
  }

  /** The same within a transaction. */
  completeIn(reader: Reader, id: string, value: unknown): Promise<boolean> {
    return this.#end(reader, id, "status = 'completed', response_payload = $3", JSON.stringify(value ?? null))
  }

  /** Records an error. */
  fail(id: string, error: unknown, signal: AbortSignal): Promise<boolean> {
    const text = storableError(error)
    return whenBack(() => this.#end(this.#database, id, "status = 'error', errors = $3", text), signal)
  }

  async #end(reader: Reader, id: string, outcome: string, text: string): Promise<boolean> {
    const rows = await reader.rows(
      `update trellis.hdb_action_log set ${outcome}, response_received_at = clock_timestamp(), lease = null, leased_until = null
        where id = $1 and lease = $2 and status = 'processing' returning id`,
      [id, this.#instance, text],
    )
    return rows.length > 0
  }

  /** Releases calls. */
  async giveBack(ids: readonly string[]): Promise<void> {
    await this.#database.rows(
      `update trellis.hdb_action_log set status = 'created', lease = null, leased_until = null
        where id = any($2) and lease = $1 and status = 'processing'`,
      [this.#instance, ids],
    )
  }

  /** Deletes results older than so many hours, in batches. */
  async clean(hours: number): Promise<void> {
    const most = 1000
    for (let deleted = most; deleted === most; ) {
      const rows = await this.#database.rows(
        `delete from trellis.hdb_action_log where id in (
          select id from trellis.hdb_action_log
          where status in ('completed', 'error') and response_received_at < now() - $1 * interval '1 hour'
          limit $2 for update skip locked
        ) returning id`,
        [hours, most],
      )
      deleted = rows.length
    }
  }
}
