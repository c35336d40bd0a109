// The functions of the database triggers of a table. Event triggers that do the same on a change share one, with the name of the first.

import type { Dialect, QualifiedName } from '../../../sdk/index.ts'
import type { Row, Transaction } from '../../../sdk/sql.ts'
import type { ResolvedTrigger } from '../resolving.ts'
import { type Recorded, readBody, tailOf } from './recording.ts'
import { operationOf, type RowOperation, rowOperations } from './row-operations.ts'
import { hasSettings, type SessionSetting } from './session-settings.ts'
import { sqlTriggerName } from './trigger-sql.ts'
import type { VirtualColumns } from './virtual-columns.ts'

/** A function in the catalog's schema that writes to the event log. */
export interface FoundFunction {
  readonly name: string
  readonly body: string
  /** Its settings, each as `name=value`. */
  readonly settings: readonly string[]
  /** The tables with a trigger that calls it, without partitions, which inherit the trigger. */
  readonly tables: readonly number[]
  /** The name of the first of them. */
  readonly table: QualifiedName | null
  /** When the trigger of the first one fires, as `pg_trigger.tgenabled` has it: `O` ordinarily, `A` for replication, too. */
  readonly firing: string | null
  /** Whether its owner may write to the log: a dump may be restored with other owners. */
  readonly mayRecord: boolean
  /** Whether this server's role may replace it. */
  readonly isOurs: boolean
}

/** A function as it must be, and its database trigger, which has the same name. */
export interface TableFunction {
  readonly name: string
  readonly oid: number
  readonly table: QualifiedName
  readonly operation: RowOperation
  readonly settings: readonly SessionSetting[]
  readonly body: string
}

export interface FunctionsPlace {
  readonly found: ReadonlyMap<string, FoundFunction>
  readonly dialect: Pick<Dialect, 'triggerPrefix' | 'userSetting' | 'traceSetting'>
  readonly virtual: VirtualColumns
  /** The inconsistent event triggers: their events are written as before. */
  readonly unserved: ReadonlySet<string>
  /** The listeners that plugins of this server declare; those of others are written as before. */
  readonly declared: ReadonlySet<string>
}

interface Group extends Omit<TableFunction, 'name' | 'body'> {
  readonly head: string
  readonly recorded: Recorded[]
}

/** The functions of a table with these event triggers. */
export function functionsOf(oid: number, triggers: readonly ResolvedTrigger[], place: FunctionsPlace): TableFunction[] {
  const groups: Group[] = []
  for (const { name, table, entry, isListener, sql } of triggers) {
    for (const { operation, settings, head: headFor } of sql) {
      const head = headFor(place.virtual.get(oid) ?? [])
      const known = groups.find((each) => each.operation === operation && each.head === head)
      const { recorded } = known ?? added(groups, { oid, table, operation, settings, head, recorded: [] })
      recorded.push({ name, paused: entry.paused ?? false, isListener })
    }
  }
  for (const found of place.found.values()) if (found.tables.includes(oid)) keepUnserved(groups, found, place)
  const { triggerPrefix } = place.dialect
  return groups.map(({ head, recorded, ...group }) => {
    const { operation } = group
    const sorted = recorded.toSorted((a, b) => (a.name < b.name ? -1 : 1))
    const name = sqlTriggerName(sorted[0]!.name, operation, triggerPrefix)
    return { ...group, name, body: `${head}${tailOf(sorted, operation, place.dialect)}` }
  })
}

function added(groups: Group[], group: Group): Group {
  groups.push(group)
  return group
}

/** Whether events are written as before, although the event trigger is not served here. */
const isKept = ({ name, isListener }: Recorded, { unserved, declared }: FunctionsPlace): boolean =>
  unserved.has(name) || (isListener && !declared.has(name))

/** Adds the event triggers of a function that are not served here. */
function keepUnserved(groups: Group[], found: FoundFunction, place: FunctionsPlace): void {
  const { head, recorded } = readBody(found.body) ?? { head: '', recorded: [] }
  const kept = recorded.filter((each) => isKept(each, place))
  const operation = operationOf(found.name)
  const { table, tables } = found
  if (kept.length === 0 || !operation || !table) return
  const known = groups.find((each) => each.operation === operation && each.head === head)
  if (known && hasSettings(found.settings, known.settings)) known.recorded.push(...kept)
  else {
    const settings = found.settings.map((text) => {
      const [name = '', ...value] = text.split('=')
      return { name, value: value.join('=') }
    })
    groups.push({ oid: tables[0]!, table, operation, settings, head, recorded: kept })
  }
}

/** Whether a function writes events of event triggers that are not served here. */
export function servesUnserved({ name, body }: FoundFunction, place: FunctionsPlace): boolean {
  const { unserved, dialect } = place
  const known = readBody(body)
  if (known) return known.recorded.some((each) => isKept(each, place))
  const named = (trigger: string) =>
    rowOperations.some((operation) => sqlTriggerName(trigger, operation, dialect.triggerPrefix) === name)
  return [...unserved].some(named)
}

interface FoundRow extends Row {
  readonly name: string
  readonly body: string
  readonly settings: string[] | null
  readonly tables: string[]
  readonly table_schema: string | null
  readonly table_name: string | null
  readonly firing: string | null
  readonly may_record: boolean
  readonly is_ours: boolean
}

/** The functions in the catalog's schema that write to the event log, by name. */
export async function readFunctions(transaction: Transaction): Promise<ReadonlyMap<string, FoundFunction>> {
  const rows = await transaction.rows<FoundRow>(`
    select p.proname as name, p.prosrc as body, p.proconfig as settings,
      array_remove(array_agg(t.tgrelid::int8 order by t.tgrelid), null)::text[] as tables,
      (array_agg(n.nspname::text order by t.tgrelid))[1] as table_schema, (array_agg(c.relname::text order by t.tgrelid))[1] as table_name,
      (array_agg(t.tgenabled order by t.tgrelid))[1]::text as firing,
      has_schema_privilege(p.proowner, p.pronamespace, 'USAGE') and has_table_privilege(p.proowner, 'trellis.event_log', 'INSERT')
        and coalesce(has_sequence_privilege(p.proowner, pg_get_serial_sequence('trellis.event_log', 'seq'), 'USAGE'), true)
        as may_record,
      pg_has_role(p.proowner, 'USAGE') as is_ours
    from pg_catalog.pg_proc p left join pg_catalog.pg_trigger t on t.tgfoid = p.oid
      and not t.tgisinternal and coalesce(pg_catalog.to_jsonb(t) ->> 'tgparentid', '0') = '0'
      left join pg_catalog.pg_class c on c.oid = t.tgrelid left join pg_catalog.pg_namespace n on n.oid = c.relnamespace
    where p.pronamespace = to_regnamespace('trellis') and p.prorettype = 'pg_catalog.trigger'::regtype
      and p.prosrc ~ 'trellis\\.record_events?\\('
    group by p.oid, p.proname, p.prosrc, p.proconfig, p.proowner, p.pronamespace`)
  return new Map(
    rows.map(({ name, body, settings, tables, table_schema: schema, table_name, firing, ...rights }) => [
      name,
      {
        ...{ name, body, settings: settings ?? [], tables: tables.map(Number) },
        table: schema === null || table_name === null ? null : { schema, name: table_name },
        firing,
        ...{ mayRecord: rights.may_record, isOurs: rights.is_ours },
      },
    ]),
  )
}
