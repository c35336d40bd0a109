// Keeps the catalog in step with the document: reads new or requested objects, and drops objects that no entry names.

import { introspectFunctions } from '../../catalog/functions.ts'
import { fetchEnumValues } from '../../catalog/introspect.ts'
import type { Catalog, CatalogFunction, CatalogTable, EnumValue } from '../../catalog/types.ts'
import type { Vocabulary } from '../../compiler/types/vocabulary.ts'
import type { Transaction } from '../../database/transaction.ts'
import { nameKey, type QualifiedName } from '../../names/names.ts'
import type { TableEntry } from '../document/document.ts'
import { shareCatalogPart } from '../resolving/sharing.ts'
import { canExist, TableReader } from './table-reader.ts'

/** Keys of the tables and functions to read, or all of them. New objects are always read. */
export type Wanted = ReadonlySet<string> | 'all'

export interface CatalogRequest {
  readonly transaction: Transaction
  readonly previous: Catalog
  /** The tracked tables. */
  readonly entries: readonly TableEntry[]
  /** The functions that the document names. */
  readonly functions: readonly QualifiedName[]
  readonly wanted: Wanted
  /** The vocabulary of the engine, which owns the types. */
  readonly vocabulary: Vocabulary
  /** Absent: the tables are read directly. */
  readonly tables?: TableReader
}

/** The catalog of the objects that the document names; returns the previous object if nothing differs. */
export async function readCatalog(request: CatalogRequest): Promise<Catalog> {
  const { previous } = request
  const tables = await readTables(request)
  const functions = await readFunctions(request)
  const isSameCatalog = isSame(previous.tables, tables) && isSame(previous.functions, functions)
  return isSameCatalog ? previous : { ...previous, tables, functions }
}

async function readTables(request: CatalogRequest): Promise<Catalog['tables']> {
  const { transaction, previous, entries, wanted, vocabulary, tables = new TableReader(transaction) } = request
  const isWanted = ({ table }: TableEntry) => wanted === 'all' || wanted.has(nameKey(table))
  const found = await tables.read(entries.filter(isWanted).map(({ table }) => table))
  for (const { columns } of found) vocabulary.adopt(columns.map(({ type }) => type))
  const fresh = new Map(found.map((table) => [nameKey(table), table]))
  const next = new Map<string, CatalogTable>()
  for (const entry of entries) {
    const key = nameKey(entry.table)
    const before = previous.tables.get(key)
    const now = fresh.get(key)
    if (now) next.set(key, shareCatalogPart(before, await withEnumValues(transaction, entry, now)))
    else if (before && !isWanted(entry)) next.set(key, before)
  }
  return next
}

async function readFunctions(request: CatalogRequest): Promise<Catalog['functions']> {
  const { transaction, previous, functions: names, wanted, vocabulary } = request
  const known = previous.functions
  const isWanted = (key: string) => wanted === 'all' || wanted.has(key) || !known.has(key)
  const fresh = await introspectFunctions(transaction, names.filter((name) => isWanted(nameKey(name))).filter(canExist))
  for (const { returnType, arguments: given } of [...fresh.values()].flat()) {
    vocabulary.adopt([returnType, ...given.map(({ type }) => type)])
  }
  const functions = new Map<string, readonly CatalogFunction[]>()
  for (const key of names.map(nameKey)) {
    const before = known.get(key)
    functions.set(key, shareCatalogPart(before, fresh.get(key) ?? before ?? []))
  }
  return isSame(known, functions) ? known : functions
}

/** Whether the catalog holds exactly the functions of these names. */
export const hasFunctions = ({ functions }: Catalog, names: readonly QualifiedName[]): boolean =>
  functions.size === names.length && names.every((name) => functions.has(nameKey(name)))

async function withEnumValues(transaction: Transaction, entry: TableEntry, table: CatalogTable): Promise<CatalogTable> {
  return entry.is_enum ? { ...table, enumValues: await readEnumValues(transaction, table) } : table
}

/** The values of an enum table; null when they cannot be read, for example without the privilege. */
async function readEnumValues(transaction: Transaction, table: CatalogTable): Promise<readonly EnumValue[] | null> {
  await transaction.rows('savepoint enum_values')
  try {
    return await fetchEnumValues(transaction, table)
  } catch {
    // An error of another kind, such as a lost connection, surfaces again here.
    await transaction.rows('rollback to savepoint enum_values')
    return null
  } finally {
    await transaction.rows('release savepoint enum_values')
  }
}

function isSame<T>(a: ReadonlyMap<string, T>, b: ReadonlyMap<string, T>): boolean {
  if (a.size !== b.size) return false
  for (const [key, value] of a) if (b.get(key) !== value) return false
  return true
}
