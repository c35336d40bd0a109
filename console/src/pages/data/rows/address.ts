// The part of the address that says which rows are shown, and how.

import { useMemo } from 'react'
import { useUrlChange, useUrlState } from '../../../shell/navigation.tsx'
import type { TableInfo } from '../table-info.ts'
import { typesOf } from '../types.ts'
import { type Condition, FilterFault } from './filter.ts'
import { readFilterText } from './filter-text.ts'
import { argumentOf } from './save.ts'

const listOf = (text: string): readonly string[] => (text === '' ? [] : text.split(',').map(decodeURIComponent))

/** The text of a list of names. */
export const listText = (names: readonly string[]): string => names.map(encodeURIComponent).join(',')

/** The column whose values the rows are ordered by first; null: the table has no key. */
export const firstOrdered = (order: readonly string[], { primary_key: key }: TableInfo): string | null =>
  order[0] ?? key?.[0] ?? null

function conditionOf(text: string, types: ReadonlyMap<string, string>) {
  try {
    return { condition: readFilterText(text, types), fault: null }
  } catch (error) {
    if (!(error instanceof FilterFault)) throw error
    return { condition: null, fault: error }
  }
}

/** The condition of the rows from a value on, in their order. */
function fromCondition(value: string, first: string | null, types: ReadonlyMap<string, string>): Condition | null {
  if (value === '' || first === null) return null
  const name = first.replace(/^-/, '')
  return { [name]: { [first.startsWith('-') ? '_lte' : '_gte']: argumentOf(value, types.get(name)) } }
}

/** Filter, order and columns of the address. */
export function useRowsAddress(info: TableInfo) {
  const change = useUrlChange()
  const [where] = useUrlState('where')
  const [orderText] = useUrlState('order')
  const [columnText] = useUrlState('cols')
  const [pinText] = useUrlState('pin')
  const [from] = useUrlState('from')
  const types = useMemo(() => typesOf(info), [info])
  const order = useMemo(() => listOf(orderText), [orderText])
  const pins = useMemo(() => listOf(pinText), [pinText])
  const names = useMemo(() => {
    const known = info.columns.map(({ name }) => name)
    const chosen = listOf(columnText).filter((name) => known.includes(name))
    const all = chosen.length > 0 ? chosen : known
    return [...all.filter((name) => pins.includes(name)), ...all.filter((name) => !pins.includes(name))]
  }, [columnText, pins, info])
  const { condition: filter, fault } = useMemo(() => conditionOf(where, types), [where, types])
  const condition = useMemo(() => {
    const start = fromCondition(from, firstOrdered(order, info), types)
    return start === null ? filter : filter === null ? start : { _and: [filter, start] }
  }, [from, order, info, types, filter])
  return {
    ...{ order, names, types, filter, condition, fault, from, change },
    pinned: names.filter((name) => pins.includes(name)),
  }
}
