// INSERT, UPDATE and DELETE as PostgreSQL runs them: conditions see the rows before the statement.

import { sameStored } from '../aggregates.ts'
import { conflicting, ownViolation, uniqueViolation, type Violation, withGenerated } from '../constraints.ts'
import { dataText } from '../json.ts'
import { Undetermined } from '../rows.ts'
import type { TypeName } from '../types.ts'
import {
  baseOf,
  type Column,
  columnOf,
  isThere,
  isWritable,
  type Row,
  type Stored,
  type Table,
  tableOf,
  type Unique,
  uniquesOf,
  viewRow,
  type World,
} from '../world.ts'
import { type Assignment, assigned } from './assignments.ts'
import { enforceForeignKeys, type RowChange, refuseOwn } from './foreign-keys.ts'
import type { UpdateOperator } from './mutation.ts'
import { databaseError, Refused } from './refusal.ts'
import type { Store } from './store.ts'

/** Values by column; absent columns get their defaults. */
export type Tuple = ReadonlyMap<string, Stored>

/** A condition on a row, evaluated in the world before the statement. */
export type Condition = (row: Row, world: World) => boolean

export interface Insert {
  readonly table: string
  readonly tuples: readonly Tuple[]
  readonly conflict: {
    readonly unique: Unique
    /** Null: the row is skipped. */
    readonly update: {
      readonly columns: readonly string[]
      readonly presets: Tuple
      readonly where: Condition
    } | null
  } | null
  readonly check: Condition
  /** For rows that existed before; null: the same. */
  readonly updatedCheck: Condition | null
}

const checkViolation = (kind: 'insert' | 'update'): Violation => ({
  code: 'permission-error',
  message: `Check constraint violation. ${kind} check constraint failed`,
})

/** Inserts rows one after the other; returns those that were inserted or updated, in order. */
export function insert(store: Store, statement: Insert): readonly Row[] {
  const { tuples, conflict, check, updatedCheck, id, shown } = onBase(store.world, statement)
  const before = store.world
  const changes: RowChange[] = []
  refuseUnwritable(tuples, store.table(id))
  for (const tuple of tuples) {
    const table = store.table(id)
    const row = completed(tuple, table, store)
    refuseOwn(row, table)
    const existing = conflict && conflicting(conflict.unique, row, table.rows, table)
    if (!existing) {
      refuseDuplicates(row, null, table)
      store.add(id, row)
      if (!check(shown(row), before)) throw new Refused([checkViolation('insert')])
      changes.push({ table: id, before: null, after: row })
      store.happened(conflict ? 'on_conflict had no conflict' : 'a row was inserted')
      continue
    }
    const { update } = conflict
    if (!update) {
      store.happened('on_conflict skipped a row')
      continue
    }
    // ON CONFLICT DO UPDATE cannot affect a row a second time.
    if (changes.some(({ after }) => after === existing)) throw new Refused([databaseError])
    if (!update.where(existing, before)) {
      store.happened(isThere(existing, table) ? 'on_conflict left a row alone' : 'on_conflict left a hidden row alone')
      continue
    }
    const values = update.columns.map((column) => [column, row[column] ?? null] as const)
    const after = withGenerated({ ...existing, ...Object.fromEntries([...values, ...update.presets]) }, table)
    refuseOwn(after, table)
    refuseDuplicates(after, existing, table)
    store.replace(id, existing, after)
    const holds = (updatedCheck ?? check)(shown(after), before)
    if (!holds) throw new Refused([checkViolation(updatedCheck ? 'update' : 'insert')])
    changes.push({ table: id, before: existing, after })
    store.happened('on_conflict updated a row')
  }
  enforce(store, changes)
  return changes.map(({ after }) => shown(after!))
}

/** An insert into a view, rewritten for its table; `shown` returns rows as the view shows them. */
function onBase(world: World, { table: given, tuples, ...rest }: Insert) {
  const { table, column } = baseOf(world, given)
  const mapped = tuples.map((tuple): Tuple => new Map([...tuple].map(([id, stored]) => [column(id), stored])))
  return { ...rest, id: table.id, tuples: mapped, shown: showing(world, given) }
}

/** How a table shows rows; the rows of a view belong to another table. */
function showing(world: World, id: string): (row: Row) => Row {
  const { view } = tableOf(world, id)
  return (row) => (view ? viewRow(view, row) : row)
}

/** Relationships may determine columns that PostgreSQL does not let anyone write. */
function refuseUnwritable(tuples: readonly Tuple[], { columns }: Table): void {
  const unwritable = columns.filter((column) => !isWritable(column))
  if (unwritable.some(({ id }) => tuples.some((tuple) => tuple.has(id)))) throw new Refused([databaseError])
}

/** The row that is inserted for a tuple. */
function completed(tuple: Tuple, table: Table, store: Store): Row {
  const row: { [column: string]: Stored } = {}
  for (const column of table.columns) {
    const given = tuple.get(column.id)
    row[column.id] = given === undefined ? defaultOf(column, store) : given
  }
  return withGenerated(row, table)
}

function defaultOf({ id, default: value }: Column, store: Store): Stored {
  if (value) store.happened(`a default by ${value.kind}`)
  if (value?.kind === 'constant') return { datum: value.datum }
  return value?.kind === 'sequence' ? { datum: store.next(id) } : null
}

function refuseDuplicates(row: Row, replaced: Row | null, table: Table): void {
  const others = table.rows.filter((other) => other !== replaced)
  const violated = uniquesOf(table).find((unique) => conflicting(unique, row, others, table))
  if (violated) throw new Refused([uniqueViolation(violated)])
}

export interface Update {
  readonly table: string
  readonly where: Condition
  readonly assignments: readonly Assignment[]
  readonly check: Condition
}

/** The event that an operator changed a value of a type. */
export const changeEvent = (operator: UpdateOperator, type: TypeName): string => `${operator} changed a ${type}`

/** Updates the matching rows; returns them after the update, unordered. */
export function update(store: Store, { table: given, where, check, ...rest }: Update): readonly Row[] {
  const before = store.world
  const { table, column: baseColumn } = baseOf(before, given)
  const { id } = table
  const shown = showing(before, given)
  const assignments = rest.assignments.map((assignment) => {
    return { ...assignment, column: columnOf(before, baseColumn(assignment.column.id)) }
  })
  const found = table.rows.filter((row) => where(shown(row), before))
  const attempts = found.map((row) => attempt(() => changedRow(row, assignments, table)))
  const changed = attempts.flatMap(({ value }, i) => (value ? [{ before: found[i]!, after: value }] : []))
  const refusals = [
    ...attempts.flatMap((each) => each.refusals),
    ...rowRefusals(table, changed, (row) => (check(shown(row), before) ? [] : [checkViolation('update')])),
  ]
  if (refusals.length > 0) throw new Refused(refusals)
  for (const pair of changed) {
    store.replace(id, pair.before, pair.after)
    for (const { column, operator } of assignments) {
      const isSame = () => sameStored(pair.before[column.id] ?? null, pair.after[column.id] ?? null, column.type)
      if (operator === '_set' || !isSame()) store.happened(changeEvent(operator, column.type))
    }
  }
  enforce(
    store,
    changed.map((pair) => ({ table: id, ...pair })),
  )
  return changed.map(({ after }) => shown(after))
}

function changedRow(row: Row, assignments: readonly Assignment[], table: Table): Row {
  const attempts = assignments.map((assignment) =>
    attempt(() => assigned(assignment, row[assignment.column.id] ?? null)),
  )
  const refusals = attempts.flatMap((each) => each.refusals)
  if (refusals.length > 0) throw new Refused(refusals)
  const values = assignments.map(({ column }, i) => [column.id, attempts[i]!.value] as const)
  const changed = withGenerated({ ...row, ...Object.fromEntries(values) }, table)
  const violation = ownViolation(changed, table)
  if (violation) throw new Refused([violation])
  return changed
}

/** The outcome of work that may be refused. */
export function attempt<T>(run: () => T): { readonly value: T | null; readonly refusals: readonly Violation[] } {
  try {
    return { value: run(), refusals: [] }
  } catch (error) {
    if (!(error instanceof Refused)) throw error
    return { value: null, refusals: error.refusals }
  }
}

type Change = { readonly before: Row; readonly after: Row }

/**
 * Possible violations of updated rows. The order of updates is unknown, and each row must differ from all others at its
 * turn. So a value that another row is about to lose causes an error only possibly.
 */
function rowRefusals(
  table: Table,
  changes: readonly Change[],
  checked: (row: Row) => readonly Violation[],
): readonly Violation[] {
  const rest = table.rows.filter((row) => !changes.some(({ before }) => before === row))
  const perhaps: Violation[] = []
  const surely = changes.flatMap(({ before, after }) => {
    const others = changes.filter((change) => change.before !== before)
    const clashes = (rows: readonly Row[]) => uniquesOf(table).filter((one) => conflicting(one, after, rows, table))
    const withRest = clashes(rest)
    const withNew = clashes(others.map((change) => change.after))
    perhaps.push(...clashes(others.map((change) => change.before)).map(uniqueViolation))
    return [...[...withRest, ...withNew].map(uniqueViolation), ...(withRest.length > 0 ? [] : checked(after))]
  })
  if (surely.length === 0 && perhaps.length > 0) throw new Undetermined('values move from row to row')
  return surely.length === 0 ? [] : [...surely, ...perhaps]
}

/** Deletes the matching rows; returns them as they were, unordered. */
export function remove(store: Store, given: string, where: Condition): readonly Row[] {
  const before = store.world
  const { id, rows } = baseOf(before, given).table
  const shown = showing(before, given)
  const found = rows.filter((row) => where(shown(row), before))
  for (const row of found) store.remove(id, row)
  enforce(
    store,
    found.map((row) => ({ table: id, before: row, after: null })),
  )
  return found.map(shown)
}

/** Runs foreign keys; outcomes that depend on the order of the rows are undetermined. */
function enforce(store: Store, changes: readonly RowChange[]): void {
  const { world, deferred } = store
  const run = (ordered: readonly RowChange[], isReversed: boolean) => {
    store.reset({ world, deferred })
    const { refusals } = attempt(() => enforceForeignKeys(store, ordered, isReversed))
    return { refusals, world: store.world }
  }
  // Each row comes first once, so that each possible first error occurs.
  const rotated = changes.map((_, i) => run([...changes.slice(i), ...changes.slice(0, i)], false))
  const outcomes = [...rotated, run(changes.toReversed(), true), run(changes, false)]
  const refusals = outcomes.flatMap((outcome) => outcome.refusals)
  if (refusals.length === 0) {
    if (outcomes.some((outcome) => !sameRows(outcome.world, store.world))) {
      throw new Undetermined('the order of the rows matters')
    }
    return
  }
  if (outcomes.some((outcome) => outcome.refusals.length === 0)) {
    throw new Undetermined('the order of the rows decides about an error')
  }
  throw new Refused(refusals)
}

/** Whether two worlds hold the same rows, in any order. */
function sameRows(a: World, b: World): boolean {
  const texts = ({ rows }: Table) => dataText(rows.map(dataText).sort())
  return a.tables.every((table, i) => table.rows === b.tables[i]!.rows || texts(table) === texts(b.tables[i]!))
}
