// The differences between two documents, by place.

import { isJsonObject, sameJson } from '../../core/json/json.ts'
import { isDefault } from '../project/defaults.ts'
import type { Json } from '../project/parts.ts'

/** A difference: a line that begins with `+`, `-` or `~`. */
export type Difference = string

/** The members that name an item of a list. */
const names = ['name', 'table', 'function', 'role', 'collection', 'value'] as const

function nameOf(item: unknown): string | null {
  if (!isJsonObject(item)) return null
  const key = names.find((each) => item[each] !== undefined && item[each] !== null)
  if (key === undefined) return null
  const value = item[key]
  if (isJsonObject(value)) return `${value['schema'] ?? 'public'}.${value['name']}`
  return String(value)
}

const text = (value: unknown): string => JSON.stringify(value) ?? 'nothing'

/** The differences from one document to another; empty values count as absent. */
export function differencesOf(from: unknown, to: unknown, place = ''): readonly Difference[] {
  const key = /\.(\w+)$/.exec(place)?.[1] ?? null
  if (sameJson(from, to) || (isDefault(key, from) && isDefault(key, to))) return []
  if (isJsonObject(from) && isJsonObject(to)) return inObjects(from, to, place)
  if (Array.isArray(from) && Array.isArray(to)) {
    const byName = [namedItems(from), namedItems(to)] as const
    if (byName[0] !== null && byName[1] !== null) return inLists(byName[0], byName[1], place)
    if (sameSet(from, to) && /\.(columns|computed_fields|roles|role_set|methods)$/.test(place)) return []
  }
  if (from === undefined) return [`+ ${place}: ${text(to)}`]
  if (to === undefined) return [`- ${place}: ${text(from)}`]
  return [`~ ${place}: ${text(from)} -> ${text(to)}`]
}

function inObjects(from: Json, to: Json, place: string): readonly Difference[] {
  const keys = [...new Set([...Object.keys(from), ...Object.keys(to)])]
  return keys.flatMap((key) => differencesOf(from[key], to[key], place === '' ? key : `${place}.${key}`))
}

function namedItems(list: readonly unknown[]): ReadonlyMap<string, unknown> | null {
  const items = new Map<string, unknown>()
  for (const item of list) {
    const name = nameOf(item)
    if (name === null || items.has(name)) return null
    items.set(name, item)
  }
  return items
}

function inLists(
  from: ReadonlyMap<string, unknown>,
  to: ReadonlyMap<string, unknown>,
  place: string,
): readonly Difference[] {
  return [...new Set([...from.keys(), ...to.keys()])].flatMap((name) => {
    const inner = `${place}[${name}]`
    if (!to.has(name)) return [`- ${inner}`]
    return from.has(name) ? differencesOf(from.get(name), to.get(name), inner) : [`+ ${inner}`]
  })
}

function sameSet(from: readonly unknown[], to: readonly unknown[]): boolean {
  const [one, other] = [from, to].map((list) => list.map(text).sort())
  return sameJson(one, other)
}
