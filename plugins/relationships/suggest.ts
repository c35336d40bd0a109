// Relationships that follow from foreign keys between tracked tables.

import { nameKey, type QualifiedName, type Static, sameName, Type, within } from '../../sdk/index.ts'
import {
  type CatalogForeignKey,
  isUniqueBy,
  type MetadataDocument,
  type Model,
  type OperationContext,
  operation,
  SourceName,
  type TableModel,
  TableName,
} from '../../sdk/metadata.ts'
import { requireTable } from '../tables/index.ts'
import { relationshipsOf } from './operations.ts'
import type { RelationshipEntry, RelationshipType, Using } from './schema.ts'

/** A relationship that a foreign key makes possible. */
interface Candidate {
  readonly type: RelationshipType
  readonly table: TableModel
  readonly columns: readonly string[]
  readonly target: TableModel
  readonly targetColumns: readonly string[]
  readonly constraint: string
  /** The wished name, and a longer one that says by which columns rows are related. */
  readonly names: readonly [short: string, long: string]
  readonly using: Using
}

/** The keys of tracked tables that lead to tracked tables; a PERIOD does not link rows by equal values. */
function linksOf(model: Model): { table: TableModel; target: TableModel; key: CatalogForeignKey }[] {
  return [...model.tables.values()].flatMap((table) =>
    table.catalog.foreignKeys.flatMap((key) => {
      const target = model.tables.get(nameKey(key.target))
      return target && !key.isPeriod ? [{ table, target, key }] : []
    }),
  )
}

const isSameSet = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((each) => b.includes(each))

const manual = (target: TableModel, from: readonly string[], to: readonly string[]): Using => ({
  manual_configuration: {
    remote_table: target.name,
    column_mapping: Object.fromEntries(from.map((column, i) => [column, to[i]!])),
  },
})

/** Both directions of each key. */
function candidatesOf(model: Model): Candidate[] {
  return linksOf(model).flatMap(({ table, target, key }) => {
    const { columns, targetColumns, name: constraint } = key
    const keys = table.catalog.foreignKeys
    const onColumns = keys.filter((other) => isSameSet(other.columns, columns))
    const toTarget = keys.filter((other) => sameName(other.target, target.name))
    const own = columns.length === 1 ? columns[0]! : [...columns]
    const there = { table: table.name, ...(columns.length === 1 ? { column: columns[0]! } : { columns: [...columns] }) }
    const type = isUniqueBy(table.catalog, columns) ? 'object' : 'array'
    const back = type === 'object' ? objectName([], table.name.name) : arrayName(table.name.name)
    const forth = objectName(columns, target.name.name)
    const isOneOfMany = toTarget.length > 1
    const isAmbiguous = onColumns.filter((other) => sameName(other.target, target.name)).length > 1
    const reverse = { type, table: target, columns: targetColumns, target: table, targetColumns: columns } as const
    return [
      {
        ...{ type: 'object', table, columns, target, targetColumns, constraint },
        names: [forth, nameBy(target.name.name, columns)],
        using: onColumns.length > 1 ? manual(target, columns, targetColumns) : { foreign_key_constraint_on: own },
      },
      {
        ...{ ...reverse, constraint },
        names: [isOneOfMany ? nameBy(back, columns) : back, nameBy(back, columns)],
        using: isAmbiguous
          ? manual(table, targetColumns, columns)
          : { foreign_key_constraint_on: there as Using<'array'>['foreign_key_constraint_on'] & object },
      },
    ] satisfies Candidate[]
  })
}

const isPair = (candidate: Candidate, left: string, right: string): boolean =>
  candidate.columns.some((column, i) => column === left && candidate.targetColumns[i] === right)

/** The relationship of the same columns, if the table has it. */
function existing(candidate: Candidate): string | null {
  for (const field of candidate.table.fields.values()) {
    if (field.kind !== 'relationship' || !sameName(field.target, candidate.target.name)) continue
    if (field.mapping.length !== candidate.columns.length) continue
    if (field.mapping.every(([left, right]) => isPair(candidate, left, right))) return field.name
  }
  return null
}

/** The names that members of a table's rows have, those of inconsistent relationships included. */
function takenNames({ fields, columns }: TableModel, metadata: MetadataDocument, table: QualifiedName): Set<string> {
  const entry = requireTable(metadata, table)
  const stored = [...(entry.object_relationships ?? []), ...(entry.array_relationships ?? [])].map(({ name }) => name)
  return new Set([...fields.keys(), ...columns.keys(), ...stored])
}

function freeName({ names: [short, long], type }: Candidate, taken: Set<string>): string {
  const isFree = (name: string) => !taken.has(name) && !(type === 'array' && taken.has(`${name}_aggregate`))
  let name = isFree(short) ? short : long
  for (let i = 2; !isFree(name); i++) name = `${long}_${i}`
  taken.add(name)
  if (type === 'array') taken.add(`${name}_aggregate`)
  return name
}

/** A relationship with its name; `isNew` unless the table has it. */
interface Suggestion extends Candidate {
  readonly name: string
  readonly isNew: boolean
}

function suggestionsFor({ model, metadata }: OperationContext, wanted: ReadonlySet<string> | null): Suggestion[] {
  const taken = new Map<string, Set<string>>()
  const seen = new Set<string>()
  return candidatesOf(model)
    .filter(({ table }) => wanted === null || wanted.has(nameKey(table.name)))
    .flatMap((candidate): Suggestion[] => {
      const { table, target, columns, targetColumns } = candidate
      const key = nameKey(table.name)
      const link = JSON.stringify([key, nameKey(target.name), columns.map((column, i) => [column, targetColumns[i]])])
      const name = existing(candidate)
      if (name !== null) return [{ ...candidate, name, isNew: false }]
      // Two keys on the same columns link the same rows.
      if (seen.has(link)) return []
      seen.add(link)
      if (!taken.has(key)) taken.set(key, takenNames(table, metadata, table.name))
      return [{ ...candidate, name: freeName(candidate, taken.get(key)!), isNew: true }]
    })
}

const SuggestRelationshipsArgs = Type.Object({
  tables: Type.Optional(Type.Array(TableName)),
  omit_tracked: Type.Optional(Type.Boolean()),
  apply: Type.Optional(Type.Boolean()),
  source: SourceName,
})

const End = Type.Object({
  table: Type.Object({ schema: Type.String(), name: Type.String() }),
  columns: Type.Array(Type.String()),
  constraint_name: Type.Optional(Type.String()),
})

const SuggestRelationshipsResult = Type.Object({
  relationships: Type.Array(
    Type.Object({
      type: Type.Union([Type.Literal('object'), Type.Literal('array')]),
      name: Type.String(),
      from: End,
      to: End,
    }),
  ),
  operations: Type.Array(Type.Object({ type: Type.String(), args: Type.Unknown() })),
})

const shown = ({ type, name, table, columns, constraint, target, targetColumns }: Suggestion) => ({
  ...{ type, name },
  from: { table: table.name, columns, constraint_name: constraint },
  to: { table: target.name, columns: targetColumns },
})

function create(metadata: MetadataDocument, { type, table, name, using }: Suggestion): void {
  relationshipsOf(requireTable(metadata, table.name), type).push({ name, using } as RelationshipEntry<typeof type>)
}

/** Suggests relationships; creates them with `apply`. */
function suggest(
  context: OperationContext,
  { tables, omit_tracked = true, apply = false }: Static<typeof SuggestRelationshipsArgs>,
) {
  for (const [i, table] of (tables ?? []).entries()) {
    within('tables', () => within(i, () => requireTable(context.metadata, table)))
  }
  const found = suggestionsFor(context, tables ? new Set(tables.map(nameKey)) : null)
  const fresh = found.filter(({ isNew }) => isNew)
  if (apply) for (const each of fresh) create(context.metadata, each)
  return {
    relationships: (omit_tracked ? fresh : found).map(shown),
    operations: fresh.map(({ type, table, name, using }) => ({
      type: `create_${type}_relationship`,
      args: { table: table.name, name, using },
    })),
  }
}

const summary = 'Lists the relationships that follow from foreign keys, and creates them if asked.'

const shared = {
  args: SuggestRelationshipsArgs,
  access: ({ apply = false }: Static<typeof SuggestRelationshipsArgs>) => (apply ? 'READ WRITE' : 'any'),
  editsMetadata: ({ apply = false }: Static<typeof SuggestRelationshipsArgs>) => apply,
  check: 'new',
} as const

export const suggestRelationships = operation({
  ...shared,
  type: 'suggest_relationships',
  about: { summary, result: SuggestRelationshipsResult },
  handle: suggest,
})

/** The name of the operation in later engines, which also lists the relationships that exist. */
export const pgSuggestRelationships = operation({
  ...shared,
  type: 'pg_suggest_relationships',
  about: {
    summary: 'Another name of suggest_relationships; lists existing relationships too.',
    result: SuggestRelationshipsResult,
  },
  handle: (context, { omit_tracked = false, ...args }) => suggest(context, { omit_tracked, ...args }),
})

/** The name of the related row: by the column without its `_id`, or else by the other table. */
function objectName(columns: readonly string[], target: string): string {
  const [column] = columns
  const base = columns.length === 1 ? /^(.+?)(?:_id|_fk|Id|ID)$/.exec(column!)?.[1] : undefined
  return graphqlName(base ?? target)
}

/** The name of the related rows: the table's, in the plural. */
const arrayName = (table: string): string => graphqlName(plural(table))

/** A name that also says by which columns rows are related. */
const nameBy = (name: string, columns: readonly string[]): string => graphqlName(`${name}_by_${columns.join('_')}`)

function plural(name: string): string {
  if (/s$/i.test(name)) return name
  if (/(?:x|z|ch|sh)$/i.test(name)) return `${name}es`
  return /[^aeiou]y$/i.test(name) ? `${name.slice(0, -1)}ies` : `${name}s`
}

function graphqlName(name: string): string {
  const safe = name.replaceAll(/[^A-Za-z0-9_]/g, '_')
  return /^(?:\d|__|$)/.test(safe) ? `r_${safe}` : safe
}
