// Changes of tables whose rows Citus places on several machines. Those that it cannot run are refused with the reason.

import { isDeepStrictEqual } from 'node:util'
import { readsOtherRows } from '../compiler/plan/distributed.ts'
import type { Change, Insert, InsertRows, OnConflict, RowCheck } from '../compiler/plan/mutation-plan.ts'
import { badRequest, type TrellisError } from '../errors/errors.ts'
import type { TableModel } from '../metadata/document/model.ts'
import { nameText } from '../names/names.ts'

/** The change in the form for distributed tables; other tables keep theirs. Throws if the change cannot be run. */
export function distributedChange(change: Change, { name, columns, catalog }: TableModel): Change {
  const { distribution } = catalog
  if (!distribution) return change
  const table = nameText(name)
  if (distribution.kind === 'view') {
    throw refused(`view "${table}" reads a distributed table: change that table itself`)
  }
  const { column } = distribution
  const types = new Map([...columns.values()].map(({ name, type }) => [name, { type }]))
  const distributed = { column, columns: types }
  if (change.kind === 'delete') return { ...change, distributed }
  if (change.kind === 'update') {
    if (change.assignments.some((assignment) => assignment.column === column)) throw movesRows(table, column!)
    return { ...change, distributed }
  }
  if (column !== null) requirePlace(change.rows, { table, column, catalog })
  if (change.onConflict) refuseConflict(change.onConflict, table, column)
  return { ...change, check: checkOf(change, table), distributed }
}

const refused = (message: string): TrellisError => badRequest('not-supported', message)

const movesRows = (table: string, column: string): TrellisError =>
  refused(
    `"${column}" decides where the rows of the distributed table "${table}" are, so it cannot be updated: insert the row anew and delete the old one`,
  )

interface PlacedTable extends Pick<TableModel, 'catalog'> {
  readonly table: string
  readonly column: string
}

/** Refuses rows without a value for the column that places them. */
function requirePlace(rows: InsertRows, { table, column, catalog }: PlacedTable): void {
  const own = catalog.columns.find(({ name }) => name === column)
  if (own?.hasDefault || own?.identity) return
  if (isGiven(rows, column)) return
  throw refused(`each row of the distributed table "${table}" needs a value for "${column}", which decides where it is`)
}

function isGiven(rows: InsertRows, column: string): boolean {
  if (rows.kind === 'arrays') return [...rows.arrays, ...rows.constants].some((given) => given.column === column)
  const place = rows.columns.indexOf(column)
  return place >= 0 && rows.rows.every((row) => row[place] !== null)
}

function refuseConflict({ update }: OnConflict, table: string, column: string | null): void {
  if (!update) return
  if (update.presets.some((preset) => preset.column === column)) throw movesRows(table, column!)
  if (readsOtherRows(update.where)) {
    throw refused(
      `an upsert of the distributed table "${table}" can filter by its own columns only: give the update permission such a filter, or insert and update in two fields`,
    )
  }
}

/** The returned rows do not tell which of them were updated, so one check has to apply to all. */
function checkOf({ check }: Insert, table: string): RowCheck | null {
  if (!check?.updated) return check
  if (isDeepStrictEqual(check.condition, check.updated)) return { ...check, updated: null }
  throw refused(
    `an upsert of the distributed table "${table}" needs the same check in the insert and the update permission: make them equal, or insert and update in two fields`,
  )
}
