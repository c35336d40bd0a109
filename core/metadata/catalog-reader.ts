// Keeps the catalog to what the document names: reads what is new or asked for, forgets what is no longer tracked.

import { fetchEnumValues, introspect } from '../catalog/introspect.ts'
import type { Catalog, CatalogTable, EnumValue } from '../catalog/types.ts'
import type { Transaction } from '../database/transaction.ts'
import { nameKey } from '../names.ts'
import type { TableEntry } from './document.ts'
import { shareCatalogTable } from './sharing.ts'

/** What to read: the tables of the given keys, or all. */
export type Wanted = ReadonlySet<string> | 'all'

export interface CatalogRequest {
  readonly transaction: Transaction
  readonly previous: Catalog
  /** The tracked tables. */
  readonly entries: readonly TableEntry[]
  readonly wanted: Wanted
}

/** The catalog of the tracked tables; the previous one itself when nothing differs. */
export async function readCatalog({ transaction, previous, entries, wanted }: CatalogRequest): Promise<Catalog> {
  const isWanted = ({ table }: TableEntry) => wanted === 'all' || wanted.has(nameKey(table))
  const found = await introspect(
    transaction,
    entries.filter(isWanted).map(({ table }) => table),
  )
  const fresh = new Map(found.map((table) => [nameKey(table), table]))
  const tables = new Map<string, CatalogTable>()
  for (const entry of entries) {
    const key = nameKey(entry.table)
    const before = previous.tables.get(key)
    const now = fresh.get(key)
    if (now) tables.set(key, shareCatalogTable(before, await withEnumValues(transaction, entry, now)))
    else if (before && !isWanted(entry)) tables.set(key, before)
  }
  return isSame(previous.tables, tables) ? previous : { ...previous, tables }
}

async function withEnumValues(transaction: Transaction, entry: TableEntry, table: CatalogTable): Promise<CatalogTable> {
  return entry.is_enum ? { ...table, enumValues: await readEnumValues(transaction, table) } : table
}

/** The values of an enum table; null when they cannot be read, for lack of a privilege for instance. */
async function readEnumValues(transaction: Transaction, table: CatalogTable): Promise<readonly EnumValue[] | null> {
  await transaction.rows('savepoint enum_values')
  try {
    return await fetchEnumValues(transaction, table)
  } catch {
    // An error of any other kind, a lost connection say, comes up again here.
    await transaction.rows('rollback to savepoint enum_values')
    return null
  } finally {
    await transaction.rows('release savepoint enum_values')
  }
}

function isSame(a: ReadonlyMap<string, CatalogTable>, b: ReadonlyMap<string, CatalogTable>): boolean {
  if (a.size !== b.size) return false
  for (const [key, table] of a) if (b.get(key) !== table) return false
  return true
}
