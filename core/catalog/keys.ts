// What the keys of a table promise. Unique indexes that are no constraints (partial ones, and those on expressions) and
// exclusion constraints promise nothing here.

import type { CatalogConstraint, CatalogTable } from './types.ts'

/** The keys of a table, the primary one first. */
export const keysOf = ({ primaryKey, uniqueConstraints }: CatalogTable): readonly CatalogConstraint[] =>
  primaryKey ? [primaryKey, ...uniqueConstraints] : uniqueConstraints

/**
 * Whether values for these columns pick at most one row. A deferrable key may be broken until its transaction ends, and those
 * of a table that others inherit from do not hold for their rows. Equal periods overlap, unless they are empty, which is refused.
 */
export const isUniqueBy = (table: CatalogTable, columns: Iterable<string>): boolean => {
  const given = new Set(columns)
  const picks = ({ isDeferrable, columns: key }: CatalogConstraint) =>
    !isDeferrable && key.every((each) => given.has(each))
  return !table.isInherited && keysOf(table).some(picks)
}

/** Why ON CONFLICT cannot name a key of the table; null: it can. */
export function conflictRefusal(table: CatalogTable, { isDeferrable, isPeriod }: CatalogConstraint): string | null {
  if (hasRulesOnConflict(table))
    return 'is of a table with rules for inserts or updates, for which PostgreSQL has no ON CONFLICT'
  if (isDeferrable) return 'is deferrable, so that no conflict is found by it'
  return isPeriod ? 'is WITHOUT OVERLAPS, so that no row can be updated by it' : null
}

/** Whether rules keep inserts from having ON CONFLICT. */
export const hasRulesOnConflict = ({ rewritten = {} }: CatalogTable): boolean =>
  rewritten.insert !== undefined || rewritten.update !== undefined
