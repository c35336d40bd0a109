// The changes that a script made to tracked tables, which are matched by OID, and columns by number, to follow renames.

import { nameKey, type QualifiedName, sameName } from '../../sdk/index.ts'
import { type CatalogColumn, type CatalogForeignKey, type CatalogTable, introspect } from '../../sdk/metadata.ts'
import type { Transaction } from '../../sdk/sql.ts'

/** A table that still exists, before and after. */
export interface SurvivingTable {
  readonly before: CatalogTable
  readonly after: CatalogTable
}

export interface CatalogChanges {
  readonly dropped: readonly CatalogTable[]
  readonly surviving: readonly SurvivingTable[]
}

/** The tables of a catalog that the database still has. */
export async function presentTables(
  transaction: Transaction,
  tables: Iterable<CatalogTable>,
): Promise<readonly CatalogTable[]> {
  const known = [...tables]
  const oids = [known.map(({ oid }) => oid)]
  const rows = await transaction.rows<{ oid: number }>(
    'select oid from pg_catalog.pg_class where oid = any($1::oid[])',
    oids,
  )
  const present = new Set(rows.map(({ oid }) => oid))
  return known.filter(({ oid }) => present.has(oid))
}

/** Reads the state of tables after the script. */
export async function readChanges(transaction: Transaction, before: Iterable<CatalogTable>): Promise<CatalogChanges> {
  const tables = [...before]
  const names = await transaction.rows<{ oid: number; schema: string; name: string }>(
    `select c.oid, n.nspname as schema, c.relname as name
      from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
      where c.oid = any($1::oid[])`,
    [tables.map(({ oid }) => oid)],
  )
  const after = new Map((await introspect(transaction, names)).map((table) => [table.oid, table]))
  const surviving = tables.flatMap((table) => {
    const now = after.get(table.oid)
    return now ? [{ before: table, after: now }] : []
  })
  return { dropped: tables.filter(({ oid }) => !after.has(oid)), surviving }
}

/** The columns that a table lost. */
export const droppedColumns = ({ before, after }: SurvivingTable): readonly CatalogColumn[] =>
  before.columns.filter(({ number }) => !columnAfter(after, number))

/** The foreign keys that a table lost: no key of any name pairs the same columns now. */
export function droppedForeignKeys(table: SurvivingTable, { surviving }: CatalogChanges): CatalogForeignKey[] {
  const { before, after } = table
  const oids = new Set(after.foreignKeys.map(({ oid }) => oid))
  const lost = before.foreignKeys.filter(({ oid }) => !oids.has(oid))
  if (lost.length === 0) return lost
  const present = new Set(after.foreignKeys.map(pairing))
  return lost.filter((key) => {
    const columns = key.columns.map((name) => nameAfter(table, name))
    const target = surviving.find((other) => sameName(other.before, key.target))
    if (!target) return !present.has(pairing({ ...key, columns }))
    const targetColumns = key.targetColumns.map((name) => nameAfter(target, name))
    return !present.has(pairing({ target: target.after, columns, targetColumns }))
  })
}

interface KeyColumns {
  readonly target: QualifiedName
  readonly columns: readonly (string | undefined)[]
  readonly targetColumns: readonly (string | undefined)[]
}

/** The column pairs of a key, independent of their order. */
const pairing = ({ target, columns, targetColumns }: KeyColumns): string =>
  JSON.stringify([nameKey(target), columns.map((column, i) => JSON.stringify([column, targetColumns[i]])).sort()])

const nameAfter = ({ before, after }: SurvivingTable, name: string): string | undefined => {
  const column = before.columns.find((candidate) => candidate.name === name)
  return column && columnAfter(after, column.number)?.name
}

const columnAfter = (table: CatalogTable, number: number): CatalogColumn | undefined =>
  table.columns.find((column) => column.number === number)

/** A column before and after. */
export interface SurvivingColumn {
  readonly before: CatalogColumn
  readonly after: CatalogColumn
}

const survivingColumns = ({ before, after }: SurvivingTable): readonly SurvivingColumn[] =>
  before.columns.flatMap((column) => {
    const now = columnAfter(after, column.number)
    return now ? [{ before: column, after: now }] : []
  })

/** The columns whose type changed; a renamed type counts as the same. */
export const retypedColumns = (table: SurvivingTable): readonly CatalogColumn[] =>
  survivingColumns(table)
    .filter(({ before, after }) => before.type.oid !== after.type.oid)
    .map(({ before }) => before)

/** A changed name. */
export interface NameChange<T> {
  readonly from: T
  readonly to: T
}

export const renamedColumns = (table: SurvivingTable): readonly NameChange<string>[] =>
  survivingColumns(table)
    .map(({ before, after }) => ({ from: before.name, to: after.name }))
    .filter(({ from, to }) => from !== to)

export const renamedTables = ({ surviving }: CatalogChanges): readonly NameChange<QualifiedName>[] =>
  surviving
    .map(({ before, after }) => ({ from: plainName(before), to: plainName(after) }))
    .filter(({ from, to }) => !sameName(from, to))

const plainName = ({ schema, name }: QualifiedName): QualifiedName => ({ schema, name })

/**
 * The changes in an order in which no new name is still in use as an old one. Names that are swapped take a detour
 * through the name that `detour` makes.
 */
export function inSafeOrder<T>(
  changes: readonly NameChange<T>[],
  { key, detour }: { key(name: T): string; detour(name: T): T },
): NameChange<T>[] {
  const pending = [...changes]
  const taken = new Set(pending.map(({ from }) => key(from)))
  const ordered: NameChange<T>[] = []
  while (pending.length > 0) {
    const next = pending.findIndex(({ to }) => !taken.has(key(to)))
    const { from, to } = pending.splice(Math.max(next, 0), 1)[0]!
    taken.delete(key(from))
    if (next >= 0) {
      ordered.push({ from, to })
      continue
    }
    const between = detour(from)
    taken.add(key(between))
    ordered.push({ from, to: between })
    pending.push({ from: between, to })
  }
  return ordered
}
