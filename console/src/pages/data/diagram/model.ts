// The tables that a role sees, and the relationships between them.

import { type TableName, tableKey, tableLabel } from '../../../server/names.ts'
import {
  type Metadata,
  type Relationship,
  type SourceTable,
  type TableEntry,
  tablesOf,
} from '../../../server/queries.ts'
import { permissionOf } from '../permissions/verbs.ts'
import { ruleText } from '../rule-text.ts'

/** A relationship that a foreign key makes possible, as `suggest_relationships` tells it. */
export interface KeyRelationship {
  readonly type: 'object' | 'array'
  readonly name: string
  readonly from: { readonly table: TableName }
  readonly to: { readonly table: TableName }
}

/** A table of the diagram. */
export interface DiagramTable {
  readonly key: string
  readonly table: TableName
  readonly label: string
  /** The rows that the role gets, in words. */
  readonly rule: string
  readonly rows: number | null
}

/** Two tables with the relationships between them. */
export interface DiagramLink {
  readonly key: string
  readonly from: string
  readonly to: string
  /** As `album.artist`. */
  readonly names: readonly string[]
}

/** The tables and their links. */
export interface Diagram {
  readonly tables: readonly DiagramTable[]
  readonly links: readonly DiagramLink[]
}

interface Seen {
  readonly metadata: Metadata
  readonly keys: readonly KeyRelationship[]
  readonly sources: readonly SourceTable[]
  /** Null: the administrator. */
  readonly role: string | null
}

const noTypes: ReadonlyMap<string, string> = new Map()

/** The rows of a role on a table; null: it gets none. */
function ruleOf(entry: TableEntry, role: string | null): string | null {
  if (role === null) return 'all rows'
  const permission = permissionOf(entry, role, 'select')
  if (!permission) return null
  const text = ruleText(permission['filter'] ?? {}, noTypes)
  return text === '' ? 'all rows' : (text ?? 'by rule')
}

const relationshipsOf = ({
  object_relationships = [],
  array_relationships = [],
}: TableEntry): readonly Relationship[] => [...object_relationships, ...array_relationships]

/** The target of a relationship without a foreign key; null: a key leads there. */
function manualTarget({ using }: Relationship): TableName | null {
  const { manual_configuration: manual } = (using ?? {}) as { manual_configuration?: { remote_table: TableName } }
  return manual ? manual.remote_table : null
}

/** The diagram of a role. */
export function diagramOf({ metadata, keys, sources, role }: Seen): Diagram {
  const estimates = new Map(sources.map((source) => [tableKey(source), source.estimated_rows]))
  const seen = tablesOf(metadata).flatMap((entry) => {
    const rule = ruleOf(entry, role)
    return rule === null ? [] : [{ entry, rule }]
  })
  const tables = seen.map(({ entry, rule }) => ({
    ...{ key: tableKey(entry.table), table: entry.table, label: tableLabel(entry.table), rule },
    rows: estimates.get(tableKey(entry.table)) ?? null,
  }))
  const known = new Set(tables.map(({ key }) => key))
  const targets = new Map(keys.map(({ name, from, to }) => [JSON.stringify([tableKey(from.table), name]), to.table]))
  const links = new Map<string, DiagramLink>()
  for (const { entry } of seen) {
    const from = tableKey(entry.table)
    for (const relationship of relationshipsOf(entry)) {
      const target = manualTarget(relationship) ?? targets.get(JSON.stringify([from, relationship.name]))
      const to = target && tableKey(target)
      if (to === undefined || !known.has(to)) continue
      const ends = [from, to].sort()
      const key = JSON.stringify(ends)
      const names = links.get(key)?.names ?? []
      const name = `${tableLabel(entry.table)}.${relationship.name}`
      links.set(key, { key, from: ends[0]!, to: ends[1]!, names: [...names, name] })
    }
  }
  return { tables, links: [...links.values()] }
}

/** The part of a diagram around a table. */
export function neighbourhood({ tables, links }: Diagram, centre: string, hops: number): Diagram {
  const near = new Set([centre])
  for (let hop = 0; hop < hops; hop++) {
    const reached = links.filter(({ from, to }) => near.has(from) || near.has(to))
    for (const { from, to } of reached) near.add(from).add(to)
  }
  return part({ tables, links }, (key) => near.has(key))
}

/** The part of a diagram with some tables. */
export const part = ({ tables, links }: Diagram, has: (key: string) => boolean): Diagram => ({
  tables: tables.filter(({ key }) => has(key)),
  links: links.filter(({ from, to }) => has(from) && has(to)),
})
