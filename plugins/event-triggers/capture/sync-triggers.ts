// Keeps the database triggers in step with the metadata: after each metadata change, at every start, and on reload, which
// also repairs triggers that others have changed.

import { messageWithCause, nameText, TrellisError } from '../../../sdk/index.ts'
import type { Model } from '../../../sdk/metadata.ts'
import {
  compile,
  deniedPrivilege,
  id,
  join,
  literal,
  type Sql,
  sql,
  type Transaction,
  trusted,
} from '../../../sdk/sql.ts'
import { notifyStatement } from '../../delivery/index.ts'
import { archive, runUnlessOutdated } from '../ledger/archive.ts'
import { listenersOf } from '../listeners/slice.ts'
import { undeclaredIn } from '../listeners/unknown.ts'
import { eventTriggersOf, inconsistentTriggers } from '../metadata.ts'
import type { ResolvedTrigger } from '../resolving.ts'
import { readBody } from './recording.ts'
import { rowOperations } from './row-operations.ts'
import { hasSettings } from './session-settings.ts'
import {
  type FoundFunction,
  type FunctionsPlace,
  functionsOf,
  readFunctions,
  servesUnserved,
  type TableFunction,
} from './table-functions.ts'
import { isAlwaysFired, sqlTriggerName } from './trigger-sql.ts'
import { readVirtualColumns, type VirtualColumns } from './virtual-columns.ts'

/** Applies a change of the model; the events of removed event triggers are archived. */
export async function followEventTriggers(
  { previous, next }: { readonly previous: Model; readonly next: Model },
  { transaction, dialect }: { readonly transaction: Transaction; readonly dialect: FunctionsPlace['dialect'] },
): Promise<void> {
  const before = eventTriggersOf(previous)
  const after = eventTriggersOf(next)
  const unserved = inconsistentTriggers(next)
  const changed = [...after.values()].filter((trigger) => before.get(trigger.name) !== trigger)
  const known = new Set([...before.keys(), ...inconsistentTriggers(previous)])
  const gone = [...known].filter((name) => !after.has(name) && !unserved.has(name))
  if (changed.length === 0 && gone.length === 0) return
  const found = await readFunctions(transaction)
  const names = new Set([...gone, ...changed.map(({ name }) => name)])
  const touched = [...found.values()].filter((each) => isOf(each, names, dialect.triggerPrefix))
  const oids = new Set([
    ...[...names].flatMap((name) => [before.get(name)?.oid ?? [], after.get(name)?.oid ?? []].flat()),
    ...touched.flatMap(({ tables }) => tables),
  ])
  const triggers = [...after.values()].filter(({ oid }) => oids.has(oid))
  const { declared } = listenersOf(next)
  const place = { found, dialect, unserved, declared, virtual: await virtualColumnsOf(triggers, transaction) }
  const byTable = Map.groupBy(triggers, ({ oid }) => oid)
  const functions = [...oids].flatMap((oid) => functionsOf(oid, byTable.get(oid) ?? [], place))
  const replaced = [...touched, ...functionsOn(oids, found)]
  const statements = [...withoutOthers(replaced, functions, place), ...functions.flatMap((each) => madeOf(each, found))]
  try {
    await run(statements, transaction)
  } catch (error) {
    throw withPrivileges(error, changed)
  }
  await followPauses(before, after, transaction)
  await archive(gone, transaction)
}

/** The error with the privileges that triggers need, if PostgreSQL refused one. */
function withPrivileges(error: unknown, triggers: readonly ResolvedTrigger[]): unknown {
  if (!(error instanceof TrellisError) || deniedPrivilege(error) === null) return error
  const names = [...new Set(triggers.map(({ table }) => `"${nameText(table)}"`))].join(', ')
  const isOwned = triggers.some(({ entry }) => entry.trigger_on_replication)
  const needed = isOwned ? 'and ownership of the table for trigger_on_replication' : 'and CREATE on schema "trellis"'
  const hint = `event triggers need TRIGGER on ${names}, ${needed}`
  return error.with({ help: () => ({ hint }) })
}

/**
 * Creates missing triggers, replaces different ones and drops those without an owner. An error of the database is reported, and the
 * others go on: a broken table must not prevent a start or a reload. Returns the recorded listeners that no plugin declares.
 */
export async function reconcileEventTriggers(
  model: Model,
  {
    transaction,
    dialect,
    report,
  }: {
    readonly transaction: Transaction
    readonly dialect: FunctionsPlace['dialect']
    report(message: string): void
  },
): Promise<ReadonlySet<string>> {
  const found = await readFunctions(transaction)
  const triggers = [...eventTriggersOf(model).values()]
  const unserved = inconsistentTriggers(model)
  const { declared } = listenersOf(model)
  const place = { found, dialect, unserved, declared, virtual: await virtualColumnsOf(triggers, transaction) }
  const byTable = Map.groupBy(triggers, ({ oid }) => oid)
  const wanted = new Set<string>()
  const work = [...byTable].map(([oid, own]) => {
    const functions = functionsOf(oid, own, place)
    for (const { name } of functions) wanted.add(name)
    const others = withoutOthers(functionsOn(new Set([oid]), found), functions, place)
    const statements = [...others, ...functions.flatMap((each) => madeOf(each, found))]
    return { names: own.map(({ name }) => name), statements }
  })
  for (const each of found.values()) {
    const isLeft = each.tables.some((oid) => byTable.has(oid))
    if (isLeft || wanted.has(each.name) || servesUnserved(each, place)) continue
    work.push({ names: [each.name], statements: [dropped(each.name)] })
  }
  for (const { names, statements } of work) {
    const refusal = await attempt(statements, transaction)
    if (refusal === null) continue
    for (const name of names) report(`event trigger "${name}" could not be brought in line in the database: ${refusal}`)
  }
  return undeclaredIn(found.values(), declared)
}

/** Whether a function writes events of one of these event triggers, or has its name. */
function isOf({ name, body }: FoundFunction, names: ReadonlySet<string>, prefix: string): boolean {
  if (readBody(body)?.recorded.some((each) => names.has(each.name))) return true
  return [...names].some((each) => rowOperations.some((operation) => sqlTriggerName(each, operation, prefix) === name))
}

const functionsOn = (oids: ReadonlySet<number>, found: ReadonlyMap<string, FoundFunction>): FoundFunction[] =>
  [...found.values()].filter(({ tables }) => tables.some((oid) => oids.has(oid)))

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

async function run(statements: readonly Sql[], transaction: Transaction): Promise<void> {
  if (statements.length > 0) await transaction.script(compile(join([...statements], ';\n')).text)
}

const dropped = (name: string): Sql => sql`drop function if exists ${id('trellis', name)}() cascade`

/** Drops functions that are not among the wanted ones, with their database triggers. */
function withoutOthers(
  replaced: readonly FoundFunction[],
  wanted: readonly TableFunction[],
  place: FunctionsPlace,
): Sql[] {
  const kept = new Set(wanted.map(({ name }) => name))
  const others = replaced.filter(
    (each) => !kept.has(each.name) && (readBody(each.body) || !servesUnserved(each, place)),
  )
  return [...new Set(others.map(({ name }) => name))].map(dropped)
}

/** The statements that make a function and its database trigger as they must be; empty if nothing differs. */
function madeOf(
  { name, operation, oid, table, body, settings }: TableFunction,
  found: ReadonlyMap<string, FoundFunction>,
): Sql[] {
  const existing = found.get(name)
  const isPlaced = existing?.mayRecord === true && existing.tables.includes(oid)
  const isSame = existing?.body === body && hasSettings(existing.settings, settings)
  if (existing && isPlaced && isSame) return firing({ name, table, body }, existing)
  const set = settings.map((each) => trusted(` set ${each.name} = ${each.value}`))
  const made = sql`create or replace function ${id('trellis', name)}() returns trigger language plpgsql security definer
    ${join(set, '')} as ${literal(body)}`
  if (isPlaced && existing?.isOurs) return [made, ...firing({ name, table, body }, existing)]
  // Servers of v1.3 leave triggers with the same name.
  const placed = sql`drop trigger if exists ${id(name)} on ${id(table.schema, table.name)};
    create trigger ${id(name)} after ${trusted(operation)} on ${id(table.schema, table.name)}
    for each row execute function ${id('trellis', name)}()`
  // The function serves another table, so the event trigger moves with everything. Or another role owns the function: the owner
  // of the schema may drop it but not replace it.
  return [...(existing ? [dropped(name)] : []), made, placed, ...firing({ name, table, body })]
}

/** Turns on or off that a database trigger fires for replication. A state that an administrator chose stays. */
function firing(
  { name, table, body }: Pick<TableFunction, 'name' | 'table' | 'body'>,
  existing?: FoundFunction,
): Sql[] {
  const state = existing ? existing.firing : 'O'
  const [isAlways, wasAlways] = [isAlwaysFired(body), existing !== undefined && isAlwaysFired(existing.body)]
  const enable = (how: string) => [sql`alter table ${id(table.schema, table.name)} ${trusted(how)} trigger ${id(name)}`]
  if (isAlways && state === 'O') return enable('enable always')
  return wasAlways && !isAlways && state === 'A' ? enable('enable') : []
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
    const parked = sql`
      update trellis.event_log as e set next_retry_at = ${literal(isPaused ? 'infinity' : 'now')}
      from (
        select id from trellis.event_log where trigger_name = ${literal(name)} and not delivered and not error and not archived
        for update skip locked) as free
      where e.id = free.id`
    await runUnlessOutdated(parked, transaction)
    if (!isPaused) await transaction.rows(notifyStatement, ['events'])
  }
}

const disabledOnes = `
  select p.proname as name, t.tgrelid::regclass::text as table
  from pg_catalog.pg_trigger t join pg_catalog.pg_proc p on p.oid = t.tgfoid
  where p.pronamespace = to_regnamespace('trellis') and p.proname = any ($1) and not t.tgisinternal and t.tgenabled in ('D', 'R')
  order by 1, 2 limit 100`

/**
 * Database triggers that are disabled, for example for a bulk load. They stay disabled because that may be intended. The server warns
 * of them, because an interrupted restore may have left them, and changes are lost silently meanwhile.
 */
export class DisabledTriggers {
  #reported = ''

  /** Reports the disabled triggers of a model, unless the last report was the same. */
  async warn(model: Model, transaction: Transaction, report: (message: string) => void): Promise<void> {
    const names = [...eventTriggersOf(model).values()].flatMap(({ sql }) => sql.map(({ name }) => name))
    if (names.length === 0) return
    const rows = await transaction.rows<{ name: string; table: string }>(disabledOnes, [names])
    const list = rows.map(({ name, table }) => `"${name}" on ${table}`).join(', ')
    if (list !== '' && list !== this.#reported) report(`changes are not recorded while triggers are disabled: ${list}`)
    this.#reported = list
  }
}
