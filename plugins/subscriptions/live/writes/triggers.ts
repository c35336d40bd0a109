// Triggers that notify of writes to tables, once per statement. All servers of a database share them; those that listen use them.
// They are removed by the last server that stops, or by one that starts without them.

import type { Database } from '../../../../sdk/sql.ts'
import { lockTimeoutMillis } from '../../tuning.ts'
import type { ObservedCommit, ReadTable } from './reads.ts'

type TriggerDatabase = Pick<Database, 'listen' | 'rows' | 'transaction'>

export interface TriggerWatchOptions {
  readonly database: TriggerDatabase
  onCommit(commit: ObservedCommit): void
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

/** Tables of the database with the trigger. */
const triggered = `
  select format('%I.%I', n.nspname, c.relname) as name from pg_catalog.pg_trigger t
  join pg_catalog.pg_class c on c.oid = t.tgrelid join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  where t.tgname = '${triggerName}' and not t.tgisinternal`

/** Whether the function is left over: it exists and no session listens. A listening connection shows LISTEN as its last query. */
const leftOver = `
  select from pg_catalog.pg_proc p join pg_catalog.pg_namespace n on n.oid = p.pronamespace
  where n.nspname = 'trellis' and p.proname = '${functionName}' and not exists (
    select from pg_catalog.pg_stat_activity
    where datname = pg_catalog.current_database() and query ~ '(^|; )LISTEN "?${channel}"?($|;)' and pid <> pg_catalog.pg_backend_pid())`

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

  /** Creates the function and listens; rejects if that is impossible, or if notifications do not arrive. */
  async start(onLost: () => void): Promise<{ stop(): Promise<void> }> {
    const { database, onCommit } = this.#options
    this.#watched.clear()
    await database.rows(makeFunction)
    const heard = Promise.withResolvers<void>()
    let isStarted = false
    const listening = database.listen(channel, {
      onNotify: (table) => onCommit({ tables: new Set([table]), transaction: null }),
      onHeard: () => heard.resolve(),
      onLost: (error) => {
        heard.reject(error)
        if (!isStarted) return
        // Another server may have removed the triggers meanwhile, so everything starts anew.
        void listening.stop()
        onLost()
      },
    })
    try {
      await heard.promise
      isStarted = true
      return listening
    } catch (error) {
      await listening.stop()
      throw error
    }
  }

  /** Creates the trigger on tables, where permitted. */
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
        // PostgreSQL has quoted the name.
        await change(database, `create trigger ${triggerName} after ${events} on ${name} ${call}`)
      }
      this.#watched.add(oid)
    } catch {
      // Without the right to create a trigger, or while the table is locked for long, its subscribers poll.
    }
  }

  /** Removes all triggers and their function, unless a server uses them. */
  static async remove(database: Pick<Database, 'rows' | 'transaction'>): Promise<void> {
    if ((await database.rows(leftOver)).length === 0) return
    const tables = await database.rows<{ name: string }>(triggered)
    for (const { name } of tables)
      await change(database, `drop trigger if exists ${triggerName} on ${name}`).catch(() => {})
    await database.rows(`drop function if exists trellis.${functionName}() restrict`).catch(() => {})
  }
}

/** Changes a table; gives up if it is locked for long, because waiting for the lock would block others. */
const change = (database: Pick<Database, 'transaction'>, statement: string): Promise<unknown> =>
  database.transaction(async (run) => {
    await run.rows(`set local lock_timeout = '${lockTimeoutMillis}ms'`)
    await run.rows(statement)
  })
