// Keeps the triggers in the database in step with the metadata: whatever operation changed that, and at every start.

import type { Model } from '../../sdk/metadata.ts'
import { compile, id, literal, type Sql, sql, type Transaction, trusted } from '../../sdk/sql.ts'
import { eventTriggersOf, inconsistentTriggers, type ResolvedTrigger } from './metadata.ts'
import { rowOperations } from './schema.ts'
import { type SqlTrigger, sqlTriggerName } from './trigger-sql.ts'

/** Follows a change of the model; event triggers that went have their events archived. */
export async function followEventTriggers(
  { previous, next }: { readonly previous: Model; readonly next: Model },
  { transaction, prefix }: { readonly transaction: Transaction; readonly prefix: string },
): Promise<void> {
  const before = eventTriggersOf(previous)
  const after = eventTriggersOf(next)
  const kept = inconsistentTriggers(next)
  const changed = [...after.values()].filter((trigger) => before.get(trigger.name) !== trigger)
  const known = new Set([...before.keys(), ...inconsistentTriggers(previous)])
  const gone = [...known].filter((name) => !after.has(name) && !kept.has(name))
  if (changed.length === 0 && gone.length === 0) return
  const found = await readFunctions(transaction)
  for (const name of gone) await dropTriggers(name, [], { transaction, found, prefix })
  for (const trigger of changed) await makeTriggers(trigger, { transaction, found, prefix })
  await archive(gone, transaction)
}

/** Makes what is missing, changes what differs and drops what nobody owns. */
export async function reconcileEventTriggers(
  model: Model,
  { transaction, prefix }: { readonly transaction: Transaction; readonly prefix: string },
): Promise<void> {
  const found = await readFunctions(transaction)
  const triggers = eventTriggersOf(model)
  for (const trigger of triggers.values()) await makeTriggers(trigger, { transaction, found, prefix })
  const owned = new Set([...triggers.keys(), ...inconsistentTriggers(model)])
  const names = new Set([...owned].flatMap((name) => rowOperations.map((each) => sqlTriggerName(name, each, prefix))))
  for (const name of found.keys()) if (!names.has(name)) await drop(name, transaction)
}

/** A function in the schema of the catalog that writes to the event log. */
interface FoundFunction {
  readonly body: string
  /** The tables with a trigger that calls it. */
  readonly tables: readonly number[]
}

interface Place {
  readonly transaction: Transaction
  readonly found: ReadonlyMap<string, FoundFunction>
  readonly prefix: string
}

async function readFunctions(transaction: Transaction): Promise<ReadonlyMap<string, FoundFunction>> {
  const rows = await transaction.rows<{ name: string; body: string; tables: string[] }>(`
    select p.proname as name, p.prosrc as body, array_remove(array_agg(t.tgrelid::int8), null)::text[] as tables
    from pg_catalog.pg_proc p left join pg_catalog.pg_trigger t on t.tgfoid = p.oid
    where p.pronamespace = to_regnamespace('trellis') and p.prorettype = 'pg_catalog.trigger'::regtype
      and strpos(p.prosrc, 'trellis.record_event(') > 0
    group by p.oid`)
  return new Map(rows.map(({ name, body, tables }) => [name, { body, tables: tables.map(Number) }]))
}

const run = (transaction: Transaction, statement: Sql) => transaction.script(compile(statement).text)

const drop = (name: string, transaction: Transaction) =>
  run(transaction, sql`drop function if exists ${id('trellis', name)}() cascade`)

/** Drops what an event trigger has in the database but for those operations. */
async function dropTriggers(name: string, kept: readonly SqlTrigger[], { transaction, found, prefix }: Place) {
  for (const operation of rowOperations) {
    if (kept.some((each) => each.operation === operation)) continue
    const own = sqlTriggerName(name, operation, prefix)
    if (found.has(own)) await drop(own, transaction)
  }
}

async function makeTriggers(trigger: ResolvedTrigger, place: Place): Promise<void> {
  await dropTriggers(trigger.name, trigger.sql, place)
  for (const each of trigger.sql) await makeTrigger(trigger, each, place)
}

async function makeTrigger({ table, oid }: ResolvedTrigger, trigger: SqlTrigger, { transaction, found }: Place) {
  const { name, operation, body } = trigger
  const existing = found.get(name)
  const isPlaced = existing?.tables.includes(oid) ?? false
  // It is on another table: whoever takes an event trigger there takes all of it along.
  if (existing && !isPlaced) await drop(name, transaction)
  if (!isPlaced || existing?.body !== body) {
    await run(
      transaction,
      sql`create or replace function ${id('trellis', name)}() returns trigger language plpgsql security definer
        set search_path = pg_catalog, pg_temp as ${literal(body)}`,
    )
  }
  if (isPlaced) return
  const event = trusted(operation)
  await run(
    transaction,
    sql`create trigger ${id(name)} after ${event} on ${id(table.schema, table.name)}
      for each row execute function ${id('trellis', name)}()`,
  )
}

/** What was not delivered never will be. */
async function archive(names: readonly string[], transaction: Transaction): Promise<void> {
  if (names.length === 0) return
  await transaction.rows(
    `update trellis.event_log set archived = true, locked = null, locked_by = null
     where trigger_name = any($1) and not delivered and not archived`,
    [names],
  )
}
