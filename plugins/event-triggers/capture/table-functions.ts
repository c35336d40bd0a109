// The functions of the database triggers of a table. Event triggers that do the same on a change share one, with the name of the first.

import type { Dialect, QualifiedName } from '../../../sdk/index.ts'
import type { ResolvedTrigger } from '../metadata.ts'
import { type Recorded, readBody, tailOf } from './recording.ts'
import { type RowOperation, rowOperations } from './row-operations.ts'
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
}

interface Group extends Omit<TableFunction, 'name' | 'body'> {
  readonly head: string
  readonly recorded: Recorded[]
}

/** The functions of a table with these event triggers. */
export function functionsOf(oid: number, triggers: readonly ResolvedTrigger[], place: FunctionsPlace): TableFunction[] {
  const groups: Group[] = []
  for (const { name, table, entry, sql } of triggers) {
    for (const { operation, settings, head: headFor } of sql) {
      const head = headFor(place.virtual.get(oid) ?? [])
      const known = groups.find((each) => each.operation === operation && each.head === head)
      const { recorded } = known ?? added(groups, { oid, table, operation, settings, head, recorded: [] })
      recorded.push({ name, paused: entry.paused ?? false })
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

/** Adds the inconsistent event triggers of a function. */
function keepUnserved(groups: Group[], found: FoundFunction, { unserved }: FunctionsPlace): void {
  const { head, recorded } = readBody(found.body) ?? { head: '', recorded: [] }
  const kept = recorded.filter(({ name }) => unserved.has(name))
  const operation = rowOperations.find((each) => found.name.endsWith(`_${each.toUpperCase()}`))
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

/** Whether a function writes events of inconsistent event triggers. */
export function servesUnserved({ name, body }: FoundFunction, { unserved, dialect }: FunctionsPlace): boolean {
  const known = readBody(body)
  if (known) return known.recorded.some((each) => unserved.has(each.name))
  const named = (trigger: string) =>
    rowOperations.some((operation) => sqlTriggerName(trigger, operation, dialect.triggerPrefix) === name)
  return [...unserved].some(named)
}
