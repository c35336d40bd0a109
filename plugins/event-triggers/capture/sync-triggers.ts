// Keeps the triggers in the database in step with the metadata: whatever operation changed that, and whatever became of
// them otherwise, at every start and whenever everything is read again.

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
 * Makes what is missing, changes what differs and drops what nobody owns. What the database refuses is told, and the rest goes
 * on: a server starts, and the metadata is read again, whatever became of a table.
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

/** Runs statements, all or none of them; why not, or null. */
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

/** A function in the schema of the catalog that writes to the event log. */
interface FoundFunction {
  readonly body: string
  /** What it sets for itself, each as `name=value`. */
  readonly settings: readonly string[]
  /** The tables with a trigger that calls it; not partitions, which have those of their tables. */
  readonly tables: readonly number[]
  /** Whether the role that it runs as may write to the log: tables may have been given to another role, and functions not. */
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

/** Drops what an event trigger has in the database but for those operations. */
const withoutOthers = (
  name: string,
  kept: readonly SqlTrigger[],
  { found, prefix }: Pick<Place, 'found' | 'prefix'>,
): Sql[] =>
  rowOperations.flatMap((operation) => {
    const own = sqlTriggerName(name, operation, prefix)
    return kept.some((each) => each.operation === operation) || !found.has(own) ? [] : [dropped(own)]
  })

/** What brings the database in line with an event trigger; nothing when it is. */
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
  // Servers of v1.3 leave triggers of the same name.
  const placed = sql`drop trigger if exists ${id(name)} on ${id(table.schema, table.name)};
    create trigger ${id(name)} after ${trusted(operation)} on ${id(table.schema, table.name)}
    for each row execute function ${id('trellis', name)}()`
  // It is on another table: whoever takes an event trigger there takes all of it along. Or it is another role's:
  // the schema's owner may drop it, and not replace it.
  return [...(existing ? [dropped(name)] : []), made, placed]
}

/**
 * What is open of a trigger waits while it is paused; whoever is at work on one of its events ends that. Nobody is waited for, who
 * might wait for this in turn: what is passed over when a trigger is paused no claim takes, and when it goes on, a look for what is
 * parked finds it. So it is with all of it where others have changed some since this transaction's snapshot.
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
