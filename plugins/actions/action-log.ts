// The log of asynchronous calls: what waits for a handler, who is at it, and what came of it.

import { randomUUID } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { type Session, TrellisError } from '../../sdk/index.ts'
import { type OutgoingHeaders, parseJson } from '../../sdk/services.ts'
import type { Database, Transaction } from '../../sdk/sql.ts'
import { storableError } from './described-error.ts'

/** A call that this instance is at. */
export interface TakenCall {
  readonly id: string
  readonly action: string
  readonly input: Readonly<Record<string, unknown>>
  readonly headers: OutgoingHeaders
  readonly sessionVariables: Session['variables']
}

/** A call to be written down. */
export type GivenCall = Omit<TakenCall, 'id'>

/** Seconds that a call is left to the instance which took it, unless that says again that it is at it. */
export const leaseSeconds = 15

type Reader = Pick<Transaction, 'rows'>

/** Writes a call down in the transaction of its mutation; its id. */
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

/** Milliseconds between two attempts to write down what came of a call. */
const pause = 1000

/** Whether it is what was to be written that the database does not take. */
const isRefusal = (error: unknown): boolean => !(error instanceof TrellisError) || error.status < 500

/**
 * Runs work on the database; again as long as that is away, busy or takes no changes, lest a call be made again, or be told as failed,
 * whose answer is known. Another instance may have the call by then: the signal says so.
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

  /** Takes calls that wait, the oldest first, and those whose instance has not been heard of; nobody else gets them. */
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

  /** Says that this instance is still at calls; those that are its own no more are missing in the answer. */
  async renew(ids: readonly string[]): Promise<Set<string>> {
    const rows = await this.#database.rows<{ id: string }>(
      `update trellis.hdb_action_log set leased_until = clock_timestamp() + $2 * interval '1 second'
        where id = any($3) and lease = $1 and status = 'processing' returning id`,
      [this.#instance, leaseSeconds, ids],
    )
    return new Set(rows.map(({ id }) => id))
  }

  /** Keeps what a call came to; false: it is another instance's by now, or has been cleared. */
  complete(id: string, value: unknown, signal: AbortSignal): Promise<boolean> {
    return whenBack(() => this.completeIn(this.#database, id, value), signal)
  }

  /** The same in a transaction. */
  completeIn(reader: Reader, id: string, value: unknown): Promise<boolean> {
    return this.#end(reader, id, "status = 'completed', response_payload = $3", JSON.stringify(value ?? null))
  }

  /** Keeps the error of a call. */
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

  /** Leaves calls to whoever takes them next. */
  async giveBack(ids: readonly string[]): Promise<void> {
    await this.#database.rows(
      `update trellis.hdb_action_log set status = 'created', lease = null, leased_until = null
        where id = any($2) and lease = $1 and status = 'processing'`,
      [this.#instance, ids],
    )
  }

  /** Deletes what was answered so many hours ago, some rows at a time. */
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
