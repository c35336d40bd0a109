// The guarantees of a table's keys. Exclusion constraints are ignored here, and so are unique indexes without a
// constraint (partial ones, or on expressions).

import type { CatalogConstraint, CatalogTable } from './types.ts'

/** The keys of a table, the primary key first. */
export const keysOf = ({ primaryKey, uniqueConstraints }: CatalogTable): readonly CatalogConstraint[] =>
  primaryKey ? [primaryKey, ...uniqueConstraints] : uniqueConstraints

/**
 * Whether values for these columns select at most one row. Deferrable keys may be violated until the transaction ends.
 * The keys of a parent table do not cover the rows of tables that inherit from it. Equal periods overlap unless they
 * are empty, and PostgreSQL refuses empty ones.
 */
export const isUniqueBy = (table: CatalogTable, columns: Iterable<string>): boolean => {
  const given = new Set(columns)
  const picks = ({ isDeferrable, columns: key }: CatalogConstraint) =>
    !isDeferrable && key.every((each) => given.has(each))
  return !table.isInherited && keysOf(table).some(picks)
}

/** The reason why ON CONFLICT cannot use a key of the table; null if it can. */
export function conflictRefusal(table: CatalogTable, { isDeferrable, isPeriod }: CatalogConstraint): string | null {
  if (hasRulesOnConflict(table))
    return 'is of a table with rules for inserts or updates, for which PostgreSQL has no ON CONFLICT'
  if (isDeferrable) return 'is deferrable, so that no conflict is found by it'
  return isPeriod ? 'is WITHOUT OVERLAPS, so that no row can be updated by it' : null
}

/** Whether rules prevent ON CONFLICT in inserts. */
export const hasRulesOnConflict = ({ rewritten = {} }: CatalogTable): boolean =>
  rewritten.insert !== undefined || rewritten.update !== undefined
