// Triggers that notify of writes to tables, once per statement. They are there for all servers of a database that use them,
// which are those that listen; the last one to end, or one that starts without them, takes them away.

import { randomUUID } from 'node:crypto'
import type { Database } from '../../../../sdk/sql.ts'
import type { HeardCommit, ReadTable } from './reads.ts'

type TriggerDatabase = Pick<Database, 'listen' | 'rows' | 'transaction'>

export interface TriggerWatchOptions {
  readonly database: TriggerDatabase
  onCommit(commit: HeardCommit): void
}

const channel = 'trellis_changes'
const functionName = 'notify_of_change'
const triggerName = 'trellis_change'

const makeFunction = `
  create or replace function trellis.${functionName}() returns trigger language plpgsql as $$
  begin
    perform pg_catalog.pg_notify('${channel}', pg_catalog.format('%I.%I', tg_table_schema, tg_table_name));
    return null;
  end $$`

/** Tables of the database that have the trigger. */
const triggered = `
  select format('%I.%I', n.nspname, c.relname) as name from pg_catalog.pg_trigger t
  join pg_catalog.pg_class c on c.oid = t.tgrelid join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  where t.tgname = '${triggerName}' and not t.tgisinternal`

/** Whether what servers made is there, and none of them uses it: the connection that listens says last what it listens to. */
const leftOver = `
  select from pg_catalog.pg_proc p join pg_catalog.pg_namespace n on n.oid = p.pronamespace
  where n.nspname = 'trellis' and p.proname = '${functionName}' and not exists (
    select from pg_catalog.pg_stat_activity
    where datname = pg_catalog.current_database() and query ~ '(^|; )LISTEN "?${channel}"?($|;)' and pid <> pg_catalog.pg_backend_pid())`

/** Milliseconds to hear a notification of one's own, and to get the lock of a table. */
const hearingMillis = 3000
const lockMillis = 1000

export class TriggerWatch {
  readonly #options: TriggerWatchOptions
  readonly #watched = new Set<string>()
  readonly #adding = new Map<string, Promise<void>>()

  constructor(options: TriggerWatchOptions) {
    this.#options = options
  }

  has(tables: readonly ReadTable[]): boolean {
    return tables.every(({ oid }) => this.#watched.has(oid))
  }

  /** Makes the function and listens; rejects where either is impossible, or notifications do not come through. */
  async start(onLost: () => void): Promise<{ stop(): Promise<void> }> {
    const { database, onCommit } = this.#options
    this.#watched.clear()
    await database.rows(makeFunction)
    const token = `heard ${randomUUID()}`
    const heard = Promise.withResolvers<void>()
    const listening = await database.listen(
      channel,
      (payload) => {
        if (payload === token) heard.resolve()
        else if (!payload.startsWith('heard ')) onCommit({ tables: new Set([payload]), transaction: null })
      },
      onLost,
    )
    const late = setTimeout(() => heard.reject(new Error('notifications do not come through')), hearingMillis)
    try {
      await database.rows('select pg_catalog.pg_notify($1, $2)', [channel, token])
      await heard.promise
      return listening
    } catch (error) {
      await listening.stop()
      throw error
    } finally {
      clearTimeout(late)
    }
  }

  /** Gives tables the trigger; those that may not have one stay without. */
  async add(tables: readonly ReadTable[]): Promise<void> {
    for (const table of tables) {
      if (this.#watched.has(table.oid)) continue
      let adding = this.#adding.get(table.oid)
      if (!adding) {
        adding = this.#addOne(table).finally(() => this.#adding.delete(table.oid))
        this.#adding.set(table.oid, adding)
      }
      await adding
    }
  }

  async #addOne({ oid, name }: ReadTable): Promise<void> {
    const { database } = this.#options
    const exists = `select from pg_catalog.pg_trigger where tgrelid = $1::oid and tgname = '${triggerName}'`
    try {
      if ((await database.rows(exists, [oid])).length === 0) {
        const events = 'insert or update or delete or truncate'
        const call = `for each statement execute function trellis.${functionName}()`
        // PostgreSQL itself has quoted the name.
        await change(database, `create trigger ${triggerName} after ${events} on ${name} ${call}`)
      }
      this.#watched.add(oid)
    } catch {
      // Somebody else's table, or one that is locked for long: it is asked for as without triggers.
    }
  }

  /** Takes all triggers away, and what they call, unless a server uses them. */
  static async remove(database: Pick<Database, 'rows' | 'transaction'>): Promise<void> {
    if ((await database.rows(leftOver)).length === 0) return
    const tables = await database.rows<{ name: string }>(triggered)
    for (const { name } of tables)
      await change(database, `drop trigger if exists ${triggerName} on ${name}`).catch(() => {})
    await database.rows(`drop function if exists trellis.${functionName}() restrict`).catch(() => {})
  }
}

/** Changes a table; gives up when it is locked for long, so that nobody has to wait behind. */
const change = (database: Pick<Database, 'transaction'>, statement: string): Promise<unknown> =>
  database.transaction(async (run) => {
    await run.rows(`set local lock_timeout = '${lockMillis}ms'`)
    await run.rows(statement)
  })
