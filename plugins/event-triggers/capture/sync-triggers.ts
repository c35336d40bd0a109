// Keeps the database triggers in step with the metadata: after each metadata change, at every start, and on reload, which
// also repairs triggers that others have changed.

import { messageWithCause } from '../../../sdk/index.ts'
import type { Model } from '../../../sdk/metadata.ts'
import { compile, id, join, literal, type Row, type Sql, sql, type Transaction, trusted } from '../../../sdk/sql.ts'
import { notifyStatement } from '../../delivery/index.ts'
import { archive } from '../ledger/archive.ts'
import { eventTriggersOf, inconsistentTriggers, type ResolvedTrigger, storedTriggers } from '../metadata.ts'
import { rowOperations } from './row-operations.ts'
import { hasSettings } from './session-settings.ts'
import { type SqlTrigger, sqlTriggerName } from './trigger-sql.ts'
import { readVirtualColumns, type VirtualColumns } from './virtual-columns.ts'

/** Applies a change of the model; the events of removed event triggers are archived. */
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
  const place = { found, prefix, virtual: await virtualColumnsOf(changed, transaction) }
  const statements = [
    ...gone.flatMap((name) => withoutOthers(name, [], place)),
    ...changed.flatMap((trigger) => statementsFor(trigger, place)),
  ]
  await run(statements, transaction)
  await followPauses(before, after, transaction)
  await archive(gone, transaction)
}

/**
 * Creates missing triggers, replaces different ones and drops those without an owner. An error of the database is reported, and the
 * others go on: a broken table must not prevent a start or a reload.
 */
export async function reconcileEventTriggers(
  model: Model,
  {
    transaction,
    prefix,
    report,
  }: { readonly transaction: Transaction; readonly prefix: string; report(message: string): void },
): Promise<void> {
  const found = await readFunctions(transaction)
  const triggers = eventTriggersOf(model)
  const owned = storedTriggers(model)
  const names = new Set([...owned].flatMap((name) => rowOperations.map((each) => sqlTriggerName(name, each, prefix))))
  const virtual = await virtualColumnsOf([...triggers.values()], transaction)
  const work = [...triggers.values()].map((trigger) => ({
    name: trigger.name,
    statements: statementsFor(trigger, { found, prefix, virtual }),
  }))
  for (const name of found.keys()) if (!names.has(name)) work.push({ name, statements: [dropped(name)] })
  for (const { name, statements } of work) {
    const refusal = await attempt(statements, transaction)
    if (refusal !== null) report(`event trigger "${name}" could not be brought in line in the database: ${refusal}`)
  }
}

const virtualColumnsOf = (triggers: readonly ResolvedTrigger[], transaction: Transaction): Promise<VirtualColumns> =>
  readVirtualColumns([...new Set(triggers.map(({ oid }) => oid))], transaction)

/** Runs all statements or none; gives the error, or null. */
async function attempt(statements: readonly Sql[], transaction: Transaction): Promise<string | null> {
  if (statements.length === 0) return null
  await transaction.script('savepoint event_trigger')
  try {
    await run(statements, transaction)
    await transaction.script('release savepoint event_trigger')
    return null
  } catch (error) {
    await transaction.script('rollback to savepoint event_trigger')
    return messageWithCause(error)
  }
}

/** A function in the catalog's schema that writes to the event log. */
interface FoundFunction {
  readonly body: string
  /** Its settings, each as `name=value`. */
  readonly settings: readonly string[]
  /** The tables with a trigger that calls it, without partitions, which inherit the trigger. */
  readonly tables: readonly number[]
  /** Whether its owner may write to the log: a dump may be restored with other owners. */
  readonly mayRecord: boolean
  /** Whether this server's role may replace it. */
  readonly isOurs: boolean
}

interface Place {
  readonly found: ReadonlyMap<string, FoundFunction>
  readonly prefix: string
  readonly virtual: VirtualColumns
}

interface FoundRow extends Row {
  readonly name: string
  readonly body: string
  readonly settings: string[] | null
  readonly tables: string[]
  readonly may_record: boolean
  readonly is_ours: boolean
}

async function readFunctions(transaction: Transaction): Promise<ReadonlyMap<string, FoundFunction>> {
  const rows = await transaction.rows<FoundRow>(`
    select p.proname as name, p.prosrc as body, p.proconfig as settings,
      array_remove(array_agg(t.tgrelid::int8), null)::text[] as tables,
      has_schema_privilege(p.proowner, p.pronamespace, 'USAGE') and has_table_privilege(p.proowner, 'trellis.event_log', 'INSERT')
        and coalesce(has_sequence_privilege(p.proowner, pg_get_serial_sequence('trellis.event_log', 'seq'), 'USAGE'), true)
        as may_record,
      pg_has_role(p.proowner, 'USAGE') as is_ours
    from pg_catalog.pg_proc p left join pg_catalog.pg_trigger t on t.tgfoid = p.oid
      and not t.tgisinternal and coalesce(pg_catalog.to_jsonb(t) ->> 'tgparentid', '0') = '0'
    where p.pronamespace = to_regnamespace('trellis') and p.prorettype = 'pg_catalog.trigger'::regtype
      and strpos(p.prosrc, 'trellis.record_event(') > 0
    group by p.oid, p.proname, p.prosrc, p.proconfig, p.proowner, p.pronamespace`)
  return new Map(
    rows.map(({ name, body, settings, tables, may_record: mayRecord, is_ours: isOurs }) => [
      name,
      { body, settings: settings ?? [], tables: tables.map(Number), mayRecord, isOurs },
    ]),
  )
}

async function run(statements: readonly Sql[], transaction: Transaction): Promise<void> {
  if (statements.length > 0) await transaction.script(compile(join([...statements], ';\n')).text)
}

const dropped = (name: string): Sql => sql`drop function if exists ${id('trellis', name)}() cascade`

/** Drops the database triggers of an event trigger, except for these operations. */
const withoutOthers = (
  name: string,
  kept: readonly SqlTrigger[],
  { found, prefix }: Pick<Place, 'found' | 'prefix'>,
): Sql[] =>
  rowOperations.flatMap((operation) => {
    const own = sqlTriggerName(name, operation, prefix)
    return kept.some((each) => each.operation === operation) || !found.has(own) ? [] : [dropped(own)]
  })

/** The statements that update the database for an event trigger; empty if nothing differs. */
const statementsFor = (trigger: ResolvedTrigger, place: Place): Sql[] => [
  ...withoutOthers(trigger.name, trigger.sql, place),
  ...trigger.sql.flatMap((each) => statementsForOne(trigger, each, place)),
]

function statementsForOne({ table, oid }: ResolvedTrigger, trigger: SqlTrigger, { found, virtual }: Place): Sql[] {
  const { name, operation } = trigger
  const body = trigger.body(virtual.get(oid) ?? [])
  const existing = found.get(name)
  const isPlaced = existing?.mayRecord === true && existing.tables.includes(oid)
  if (existing && isPlaced && existing.body === body && hasSettings(existing.settings, trigger.settings)) return []
  const settings = trigger.settings.map(({ name, value }) => trusted(` set ${name} = ${value}`))
  const made = sql`create or replace function ${id('trellis', name)}() returns trigger language plpgsql security definer
    ${join(settings, '')} as ${literal(body)}`
  if (isPlaced && existing?.isOurs) return [made]
  // Servers of v1.3 leave triggers with the same name.
  const placed = sql`drop trigger if exists ${id(name)} on ${id(table.schema, table.name)};
    create trigger ${id(name)} after ${trusted(operation)} on ${id(table.schema, table.name)}
    for each row execute function ${id('trellis', name)}()`
  // The function serves another table, so the event trigger moves with everything. Or another role owns the function: the owner
  // of the schema may drop it but not replace it.
  return [...(existing ? [dropped(name)] : []), made, placed]
}

/**
 * Parks the open events of a paused trigger; an attempt in flight may still end. Locked rows are skipped, because waiting here could
 * deadlock. Skipped rows cannot be claimed while the trigger is paused, and the unpark job finds them when it resumes. The same
 * holds for all rows if another transaction has changed some since this snapshot.
 */
async function followPauses(
  before: ReadonlyMap<string, ResolvedTrigger>,
  after: ReadonlyMap<string, ResolvedTrigger>,
  transaction: Transaction,
): Promise<void> {
  for (const { name, entry } of after.values()) {
    const isPaused = entry.paused ?? false
    const wasPaused = before.get(name)?.entry.paused ?? false
    if (isPaused === wasPaused) continue
    const { text: body } = compile(sql`
      begin
        update trellis.event_log as e set next_retry_at = ${literal(isPaused ? 'infinity' : 'now')}
        from (
          select id from trellis.event_log where trigger_name = ${literal(name)} and not delivered and not error and not archived
          for update skip locked) as free
        where e.id = free.id;
      exception when serialization_failure then
        null;
      end`)
    await run([sql`do ${literal(body)}`], transaction)
    if (!isPaused) await transaction.rows(notifyStatement, ['events'])
  }
}
