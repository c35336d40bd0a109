// Reads the operators with which PostgreSQL compares values.

import { readFileSync } from 'node:fs'
import type { Row, Transaction } from '../database/transaction.ts'
import type { ComparisonSymbol, OperatorName, TypeComparison } from './types.ts'

const query = readFileSync(new URL('./comparisons.sql', import.meta.url), 'utf8')

/** Types with a lower OID are PostgreSQL's own, and the same in all databases. */
const firstOther = 10_000

/** PostgreSQL's own types by OID, valid until the casts or operators of the database change. */
const ofPostgres = new Map<number, TypeComparison>()
let comparedBy = ''

const symbols: readonly ComparisonSymbol[] = ['=', '<>', '<', '<=', '>', '>=']

const usualOperators = Object.fromEntries(
  symbols.map((symbol): [string, OperatorName] => [symbol, ['pg_catalog', symbol]]),
)

/** All enums are compared alike. */
const enumComparison = (oid: number): TypeComparison => ({
  base: oid,
  isRow: false,
  isSorted: true,
  operators: usualOperators,
  extremes: 'pg_catalog',
  patterns: null,
  attributes: [],
  takenFor: [oid],
  equalTo: [],
})

interface ReadType {
  readonly oid: number
  readonly kind: string
  /** A fingerprint of the casts and operators in the database. */
  readonly comparedBy: string
}

/** By OID; types that no longer exist are missing. */
export async function readComparisons(
  reader: Pick<Transaction, 'rows'>,
  types: readonly ReadType[],
): Promise<ReadonlyMap<number, TypeComparison>> {
  const [first] = types
  if (first && first.comparedBy !== comparedBy) {
    ofPostgres.clear()
    comparedBy = first.comparedBy
  }
  const found = new Map<number, TypeComparison>()
  const unknown = new Set<number>()
  for (const { oid, kind } of types) {
    const known = kind === 'e' ? enumComparison(oid) : ofPostgres.get(oid)
    if (known) found.set(oid, known)
    else unknown.add(oid)
  }
  if (unknown.size === 0) return found
  const rows = await reader.rows<Row & TypeComparison & { type: number }>(query, [[...unknown]])
  for (const { type, ...comparison } of rows) {
    found.set(type, comparison)
    if (type < firstOther && first?.comparedBy === comparedBy) ofPostgres.set(type, comparison)
  }
  return found
}
