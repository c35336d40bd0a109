// Row sets: the rows that a field's arguments select, and their order as far as it is determined.

import { aggregateKey, type Key, type KeyOrder, sameStored } from './aggregates.ts'
import { holds, relatedRows, type Scope } from './conditions.ts'
import { type Arguments, datumOf, type OrderEntry, type Run } from './request.ts'
import { compareData, type Datum } from './types.ts'
import type { View } from './view.ts'
import { Invalid, type Row, type Stored } from './world.ts'

/** Thrown when the interface does not determine the answer. */
export class Undetermined extends Error {}

/** A position in a row set: one of these rows occupies it. */
export type Slot = readonly Row[]

export interface RowSet {
  /** In order; the order within a group is undetermined. */
  readonly groups: readonly (readonly Slot[])[]
  readonly offset: number
  readonly limit: number
}

/** The scope of a request's own expressions. */
export const scopeOf = (view: View, run: Run): Scope => ({ world: view.world, view, run, coverage: view.coverage })

/** The rows among `candidates` that arguments select. */
export function selectRows(table: string, candidates: readonly Row[], args: Arguments, scope: Scope): RowSet {
  const { where, orderBy, distinctOn, limit, offset } = args
  const { run } = scope
  const kept = where ? candidates.filter((row) => holds(where.expression, row, scope)) : candidates
  const order = orderBy ? flattenOrder(table, orderBy.objects.flat(), scope) : []
  const groups = sortedGroups(kept, order)
  const columns = distinctOn?.map((leaf) => datumOf(leaf, run)) ?? []
  if (columns.length > 0) checkDistinct(columns, order)
  return {
    groups:
      columns.length > 0 ? distinctGroups(groups, columns, scope) : groups.map((rows) => rows.map((row) => [row])),
    offset: offset ? datumOf(offset, run) : 0,
    limit: limit ? datumOf(limit, run) : Infinity,
  }
}

interface OrderElement {
  /** The column's id if it is a plain column. */
  readonly column: string | null
  readonly direction: string
  readonly nullsFirst: boolean
  readonly order: KeyOrder
  key(row: Row): Key
}

function flattenOrder(table: string, entries: readonly OrderEntry[], scope: Scope): readonly OrderElement[] {
  return entries.flatMap((entry) => orderElements(table, entry, scope))
}

function orderElements(table: string, entry: OrderEntry, scope: Scope): readonly OrderElement[] {
  const view = scope.view!
  switch (entry.kind) {
    case 'column': {
      const column = view.requireColumn(entry.column)
      const order: KeyOrder = (a, b) => compareData(column.type, a as Datum, b as Datum)
      return [{ ...directed(entry, scope), column: column.id, order, key: (row) => columnKey(view.value(row, column)) }]
    }
    case 'aggregate': {
      const relationship = view.requireRelationship(entry.relationship, table, 'array')
      const column = entry.column === null ? null : view.requireColumn(entry.column)
      const { order, key } = aggregateKey(entry.operator, column)
      const related = (row: Row) => key(relatedRows(relationship, row, scope))
      return [{ ...directed(entry, scope), column: null, order, key: related }]
    }
    case 'related': {
      const relationship = view.requireRelationship(entry.relationship, table, 'object')
      return flattenOrder(relationship.target, entry.of, scope).map((element) => ({
        ...element,
        column: null,
        key(row) {
          const [related, second] = relatedRows(relationship, row, scope)
          if (second) throw new Undetermined('several rows to order by')
          return related ? element.key(related) : null
        },
      }))
    }
  }
}

const columnKey = (stored: Stored): Key => stored && { value: stored.datum }

function directed(entry: Extract<OrderEntry, { direction: unknown }>, { run }: Scope) {
  const direction = datumOf(entry.direction, run)
  const nullsFirst = direction === 'desc' || direction.endsWith('nulls_first')
  return { direction: direction.startsWith('desc') ? 'desc' : 'asc', nullsFirst }
}

function sortedGroups(rows: readonly Row[], order: readonly OrderElement[]): readonly (readonly Row[])[] {
  const keyed = rows.map((row) => ({ row, keys: order.map((element) => element.key(row)) }))
  const compare = (a: { keys: Key[] }, b: { keys: Key[] }): number => {
    for (const [i, element] of order.entries()) {
      const result = compareKeys(a.keys[i]!, b.keys[i]!, element)
      if (result !== 0) return result
    }
    return 0
  }
  keyed.sort(compare)
  const groups: (typeof keyed)[] = []
  for (const item of keyed) {
    const last = groups.at(-1)
    if (last && compare(last[0]!, item) === 0) last.push(item)
    else groups.push([item])
  }
  return groups.map((group) => group.map(({ row }) => row))
}

function compareKeys(a: Key, b: Key, { direction, nullsFirst, order }: OrderElement): number {
  if (a === null || b === null) {
    const nullsLast = Number(a === null) - Number(b === null)
    return nullsFirst ? -nullsLast : nullsLast
  }
  const result = order(a.value, b.value)
  if (Number.isNaN(result)) throw new Undetermined('the numbers to order by are too near')
  return direction === 'desc' ? -result : result
}

/** With an order, its first columns must be the distinct ones. */
function checkDistinct(columns: readonly string[], order: readonly OrderElement[]): void {
  if (order.length === 0) return
  const initial = order.slice(0, columns.length).map(({ column }) => column)
  if (columns.some((column) => !initial.includes(column))) throw new Invalid('distinct_on does not match order_by')
}

/** One position for every combination of values; one of its first rows occupies it. */
function distinctGroups(
  groups: readonly (readonly Row[])[],
  columns: readonly string[],
  scope: Scope,
): readonly (readonly Slot[])[] {
  const types = columns.map((id) => [id, scope.view!.requireColumn(id).type] as const)
  const isSame = (a: Row, b: Row): boolean =>
    types.every(([id, type]) => sameStored(a[id] ?? null, b[id] ?? null, type))
  const slots: { readonly rows: Row[]; readonly group: number }[] = []
  for (const [i, group] of groups.entries()) {
    for (const row of group) {
      const slot = slots.find(({ rows }) => isSame(rows[0]!, row))
      if (!slot) slots.push({ rows: [row], group: i })
      else if (slot.group === i) slot.rows.push(row)
    }
  }
  const places = groups.map((_, i) => slots.filter(({ group }) => group === i).map(({ rows }) => rows))
  return places.filter((group) => group.length > 0)
}

/** Applies a further limit. */
export const limited = (set: RowSet, limit: number | null): RowSet => ({
  ...set,
  limit: Math.min(set.limit, limit ?? Infinity),
})

/** The number of rows within offset and limit. */
export function countRows({ groups, offset, limit }: RowSet): number {
  const total = groups.reduce((sum, group) => sum + group.length, 0)
  return Math.max(0, Math.min(limit, total - offset))
}

/** The rows within offset and limit, unordered. */
export function certainRows({ groups, offset, limit }: RowSet): readonly Row[] {
  const end = offset + limit
  const rows: Row[] = []
  let start = 0
  for (const group of groups) {
    const first = start
    const last = first + group.length
    start = last
    if (last <= offset || first >= end) continue
    if (first < offset || last > end) throw new Undetermined('which rows are inside the limit')
    for (const slot of group) {
      if (slot.length > 1) throw new Undetermined('which row is the distinct one')
      rows.push(slot[0]!)
    }
  }
  return rows
}
