// The log of asynchronous calls: waiting calls, leases, and results.

import { randomUUID } from 'node:crypto'
import type { Session } from '../../sdk/index.ts'
import {
  type Batches,
  deleteInBatches,
  type OutgoingHeaders,
  parseJson,
  type QueueLedger,
  type Settled,
} from '../../sdk/services.ts'
import type { Database, Transaction } from '../../sdk/sql.ts'
import type { ActionModel } from './metadata.ts'
import { cleaningBatch, leaseSeconds } from './tuning.ts'

/** A call to log. */
export interface GivenCall {
  readonly action: string
  readonly input: Readonly<Record<string, unknown>>
  readonly headers: OutgoingHeaders
  readonly sessionVariables: Session['variables']
}

/** A call that this instance holds. */
export interface TakenCall extends Omit<GivenCall, 'action'> {
  readonly id: string
  readonly action: ActionModel
  readonly size: number
}

/** The outcome of a call; `text`: the JSON of its value or error. */
export interface CallOutcome {
  readonly status: 'completed' | 'error'
  readonly text: string
}

/** The columns of a call that has ended. */
const ended = 'response_received_at = clock_timestamp(), lease = null, leased_until = null'

/** Uses the index on the time of the answer. */
const oldResults = `
  with old as materialized (
    select id from trellis.hdb_action_log
    where status in ('completed', 'error') and response_received_at < now() - $1 * interval '1 hour'
      and response_received_at >= coalesce($3::timestamptz, '-infinity')
    order by response_received_at limit $2 for update skip locked)
  , gone as (delete from trellis.hdb_action_log l using old where l.id = old.id returning l.response_received_at)
  select count(*)::int as count, max(response_received_at)::text as last from gone`

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

export interface ActionLogOptions {
  readonly database: Pick<Database, 'rows'>
  /** The asynchronous actions, by name. */
  actions(): ReadonlyMap<string, ActionModel>
  /** Milliseconds between polls. */
  readonly interval: number
}

export class ActionLog implements QueueLedger<TakenCall, CallOutcome> {
  readonly #options: ActionLogOptions
  readonly #database: Pick<Database, 'rows'>
  readonly #instance = randomUUID()

  constructor(options: ActionLogOptions) {
    this.#options = options
    this.#database = options.database
  }

  /** Claims waiting calls, oldest first, and calls whose lease has expired. */
  async claim(limit: number, held: Iterable<TakenCall>): Promise<TakenCall[]> {
    const actions = this.#options.actions()
    if (actions.size === 0) return []
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
      [this.#instance, leaseSeconds, [...actions.keys()], [...held].map(({ id }) => id), limit],
    )
    return rows.map(({ id, action_name, input, headers, variables }) => {
      const parsed = parseJson(input, 'lossless') as TakenCall['input']
      const action = actions.get(action_name)!
      return { id, action, input: parsed, headers, sessionVariables: variables, size: input.length }
    })
  }

  /** Calls that another instance has by then, or that were deleted, stay unchanged. */
  async record(settled: readonly Settled<TakenCall, CallOutcome>[]): Promise<readonly never[]> {
    const texts = [
      settled.map(({ item }) => item.id),
      settled.map(({ outcome }) => outcome.status),
      settled.map(({ outcome }) => outcome.text),
    ]
    await this.#database.rows(
      `update trellis.hdb_action_log as log set status = o.status,
          response_payload = case o.status when 'completed' then o.text::jsonb end,
          errors = case o.status when 'error' then o.text::jsonb end, ${ended}
        from unnest($2::uuid[], $3::text[], $4::text[]) as o (id, status, text)
        where log.id = o.id and log.lease = $1 and log.status = 'processing'`,
      [this.#instance, ...texts],
    )
    return []
  }

  /** Records a result in a transaction; false: another instance has the call, or it was deleted. */
  async completeIn(reader: Reader, id: string, value: unknown): Promise<boolean> {
    const rows = await reader.rows(
      `update trellis.hdb_action_log set status = 'completed', response_payload = $3, ${ended}
        where id = $1 and lease = $2 and status = 'processing' returning id`,
      [id, this.#instance, JSON.stringify(value ?? null)],
    )
    return rows.length > 0
  }

  async renew(ids: readonly string[]): Promise<string[]> {
    const rows = await this.#database.rows<{ id: string }>(
      `update trellis.hdb_action_log set leased_until = clock_timestamp() + $2 * interval '1 second'
        where id = any($3) and lease = $1 and status = 'processing' returning id`,
      [this.#instance, leaseSeconds, ids],
    )
    return rows.map(({ id }) => id)
  }

  release(ids: readonly string[]): Promise<void> {
    return this.#release('id = any($2)', ids)
  }

  releaseUnknown(known: readonly string[]): Promise<void> {
    return this.#release('id <> all($2)', known)
  }

  async #release(condition: string, ids: readonly string[]): Promise<void> {
    await this.#database.rows(
      `update trellis.hdb_action_log set status = 'created', lease = null, leased_until = null
        where ${condition} and lease = $1 and status = 'processing'`,
      [this.#instance, ids],
    )
  }

  pause(): number {
    return this.#options.interval
  }

  /** Deletes results older than a number of hours, until the signal aborts. */
  async clean(hours: number, signal: AbortSignal): Promise<void> {
    const batches: Batches = { inTransaction: (work) => work(this.#database), batchSize: cleaningBatch, signal }
    await deleteInBatches(oldResults, [hours, cleaningBatch], batches)
  }
}
