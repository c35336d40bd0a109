// Keeps the catalog in step with the document: reads new or requested objects, and drops objects that no entry names.

import { introspectFunctions } from '../../catalog/functions.ts'
import { fetchEnumValues } from '../../catalog/introspect.ts'
import type { Catalog, CatalogFunction, CatalogTable, EnumValue } from '../../catalog/types.ts'
import type { Vocabulary } from '../../compiler/types/vocabulary.ts'
import { TurnTaker } from '../../concurrency/stepwise.ts'
import type { Transaction } from '../../database/transaction.ts'
import { nameKey, type QualifiedName } from '../../names/names.ts'
import type { TableEntry } from '../document/document.ts'
import type { TableEntries } from '../document/table-entries.ts'
import { shareCatalogPart } from '../resolving/sharing.ts'
import { canExist, TableReader } from './table-reader.ts'

/** Keys of the tables and functions to read, or all of them. New objects are always read. */
export type Wanted = ReadonlySet<string> | 'all'

export interface CatalogRequest {
  readonly transaction: Transaction
  readonly previous: Catalog
  /** The tracked tables. */
  readonly entries: TableEntries
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
  const keys = wanted === 'all' ? [...entries.keys()] : [...wanted].filter((key) => entries.has(key))
  const found = await tables.read(keys.map((key) => entries.get(key)!.table))
  for (const { columns } of found) vocabulary.adopt(columns.map(({ type }) => type))
  const read = new Map<string, CatalogTable | undefined>(keys.map((key) => [key, undefined]))
  const turns = new TurnTaker()
  for (const table of found) {
    await turns.next()
    const key = nameKey(table)
    const now = await withEnumValues(transaction, entries.get(key)!, table)
    read.set(key, shareCatalogPart(previous.tables.get(key), now))
  }
  const isSameRead = [...read].every(([key, table]) => previous.tables.get(key) === table)
  if (isSameRead && hasAll(entries, previous.tables.keys())) return previous.tables
  const next = new Map<string, CatalogTable>()
  for (const key of entries.keys()) {
    const table = read.has(key) ? read.get(key) : previous.tables.get(key)
    if (table) next.set(key, table)
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

function hasAll(map: ReadonlyMap<string, unknown>, keys: Iterable<string>): boolean {
  for (const key of keys) if (!map.has(key)) return false
  return true
}

function isSame<T>(a: ReadonlyMap<string, T>, b: ReadonlyMap<string, T>): boolean {
  if (a === b) return true
  if (a.size !== b.size) return false
  for (const [key, value] of a) if (b.get(key) !== value) return false
  return true
}
