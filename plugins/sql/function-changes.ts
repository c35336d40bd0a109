// The changes that a script made to functions that the metadata names.

import { nameKey, type QualifiedName } from '../../sdk/index.ts'
import { type Catalog, type CatalogFunction, introspectFunctions } from '../../sdk/metadata.ts'
import type { Transaction } from '../../sdk/sql.ts'

/** A function that was the only one of its name, and the functions of that name afterwards. */
export interface FunctionChange {
  readonly before: CatalogFunction
  readonly after: readonly CatalogFunction[]
  /** Whether it was dropped rather than renamed. */
  readonly dropped: boolean
}

/** Functions that changed in a way that matters to the metadata, by `nameKey`. */
export type FunctionChanges = ReadonlyMap<string, FunctionChange>

/** The functions of a catalog that have a unique name and still exist. */
export async function presentFunctions(
  transaction: Transaction,
  { functions }: Catalog,
): Promise<readonly CatalogFunction[]> {
  const known = [...functions.values()].flatMap((overloads) => (overloads.length === 1 ? overloads : []))
  const present = await presentOids(transaction, known)
  return known.filter(({ oid }) => present.has(oid))
}

/** Finds functions that were dropped, overloaded or made VOLATILE. */
export async function readFunctionChanges(
  transaction: Transaction,
  before: readonly CatalogFunction[],
): Promise<FunctionChanges> {
  const present = await presentOids(transaction, before)
  const after = await introspectFunctions(transaction, before)
  const changes = before.map((each) => {
    return { before: each, after: after.get(nameKey(each)) ?? [], dropped: !present.has(each.oid) }
  })
  const relevant = changes.filter((change) => isLost(change) || isOverloaded(change) || isNowVolatile(change))
  return new Map(relevant.map((change) => [nameKey(change.before), change]))
}

async function presentOids(
  transaction: Transaction,
  functions: readonly CatalogFunction[],
): Promise<ReadonlySet<number>> {
  if (functions.length === 0) return new Set()
  const rows = await transaction.rows<{ oid: number }>(
    'select oid from pg_catalog.pg_proc where oid = any($1::oid[])',
    [functions.map(({ oid }) => oid)],
  )
  return new Set(rows.map(({ oid }) => oid))
}

/** Whether the name no longer means this function, because it was dropped or renamed. */
export const isLost = ({ before, after }: FunctionChange): boolean => !after.some(({ oid }) => oid === before.oid)

/** Whether the name means another function with other arguments. */
export const isReplaced = (change: FunctionChange): boolean =>
  isLost(change) &&
  change.after.length > 0 &&
  !change.after.some((other) => argumentText(other) === argumentText(change.before))

const argumentText = ({ arguments: given }: CatalogFunction): string =>
  JSON.stringify(given.map(({ declaredType: { schema, name } }) => [schema, name]))

/** Whether a name now stands for several functions. */
export const isOverloaded = ({ after }: FunctionChange): boolean => after.length > 1

/** Whether the function still exists and has become VOLATILE. */
export const isNowVolatile = ({ before, after }: FunctionChange): boolean =>
  !before.volatile && after.some(({ oid, volatile }) => oid === before.oid && volatile)

/** The change of the function of that name; undefined without such a change. */
export const changeOf = (changes: FunctionChanges, name: QualifiedName): FunctionChange | undefined =>
  changes.get(nameKey(name))
