// The difference of two metadata documents, object by object.

import { canonical, isObject, type JsonObject } from '../base/objects.ts'
import { singularOf, wordsOf } from './member-words.ts'
import { type GivenTable, tableLabel } from './names.ts'

/** An object that differs. */
export interface ObjectChange {
  /** A text that two objects never share. */
  readonly key: string
  /** Where it is in a document: names of members, and of objects in lists. */
  readonly place: readonly string[]
  /** As `table album: select permission user`. */
  readonly title: string
  /** Absent: it is new. */
  readonly before?: unknown
  /** Absent: it goes. */
  readonly after?: unknown
}

/** The name of an object in a list of a document; null: such objects have no names. */
export function nameIn(value: unknown): string | null {
  if (!isObject(value)) return null
  const named = value['table'] ?? value['function'] ?? value['name'] ?? value['role'] ?? value['role_name']
  const name = named ?? value['collection'] ?? value['function_name'] ?? (value['remote_schema'] as unknown)
  if (typeof name === 'string') return name
  return isObject(name) && typeof name['name'] === 'string' ? tableLabel(name as unknown as GivenTable) : null
}

const areNamed = (list: unknown): list is readonly unknown[] => {
  if (!Array.isArray(list)) return false
  const names = list.map(nameIn)
  return names.every((name) => name !== null) && new Set(names).size === names.length
}

interface Pair {
  readonly place: readonly string[]
  readonly titles: readonly string[]
  readonly before: unknown
  readonly after: unknown
}

const change = ({ place, titles, before, after }: Pair): ObjectChange => ({
  ...{ key: JSON.stringify(place), place, title: titles.join(': ') },
  ...(before !== undefined && { before }),
  ...(after !== undefined && { after }),
})

/** Lists of named objects one by one; an object's own lists of named objects in the same way; anything else as a whole. */
function compare({ place, titles, before, after }: Pair): readonly ObjectChange[] {
  if (canonical(before) === canonical(after)) return []
  if ((before === undefined || areNamed(before)) && (after === undefined || areNamed(after))) {
    const old = new Map((before ?? []).map((each) => [nameIn(each)!, each]))
    const now = new Map((after ?? []).map((each) => [nameIn(each)!, each]))
    const kind = singularOf(place.at(-1) ?? '')
    return [...new Set([...old.keys(), ...now.keys()])].sort().flatMap((name) => {
      const pair = { before: old.get(name), after: now.get(name) }
      return compareObject({ place: [...place, name], titles: [...titles, `${kind} ${name}`], ...pair })
    })
  }
  return [change({ place, titles, before, after })]
}

function compareObject(pair: Pair): readonly ObjectChange[] {
  const { before, after, place, titles } = pair
  if (canonical(before) === canonical(after)) return []
  if (!isObject(before) || !isObject(after)) return [change(pair)]
  const members = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort()
  // An object is shown whole unless it has objects of its own, as a table has.
  const isNested = members.some((member) => member.includes('permissions') || member.includes('relationships'))
  if (!isNested && !('table' in before)) return [change(pair)]
  return members.flatMap((member) => {
    const inner = { before: before[member], after: after[member], place: [...place, member] }
    const isList = areNamed(inner.before ?? inner.after) && (inner.before ?? inner.after) !== undefined
    return compare({ ...inner, titles: isList ? titles : [...titles, wordsOf(member)] })
  })
}

/** The objects in which two documents differ. */
export function diffDocuments(before: JsonObject, after: JsonObject): readonly ObjectChange[] {
  const members = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  return members
    .filter((member) => member !== 'version' && member !== 'resource_version')
    .flatMap((member) => {
      const pair = { before: before[member], after: after[member], place: [member] }
      return compare({ ...pair, titles: areNamed(pair.before ?? pair.after) ? [] : [wordsOf(member)] })
    })
}

/** A document with the chosen changes alone. */
export function withChanges(document: JsonObject, changes: readonly ObjectChange[]): JsonObject {
  const copy = structuredClone(document) as Record<string, unknown>
  for (const { place, after } of changes) put(copy, place, after)
  return copy
}

function put(holder: Record<string, unknown>, place: readonly string[], after: unknown): void {
  const [member = '', name, ...rest] = place
  if (name === undefined) {
    if (after === undefined) delete holder[member]
    else define(holder, member, after)
    return
  }
  const list = Array.isArray(holder[member]) ? (holder[member] as unknown[]) : []
  const at = list.findIndex((each) => nameIn(each) === name)
  if (rest.length > 0 && at >= 0) put(list[at] as Record<string, unknown>, rest, after)
  else if (after === undefined) list.splice(at, at < 0 ? 0 : 1)
  else if (at >= 0) list[at] = after
  else list.push(after)
  if (list.length === 0) delete holder[member]
  else define(holder, member, list)
}

/** Sets a member of any name, `__proto__` included. */
const define = (holder: object, member: string, value: unknown): void => {
  Object.defineProperty(holder, member, { value, configurable: true, enumerable: true, writable: true })
}

/** The members that documents of format 3 have in their source. */
const ofSource = ['tables', 'functions']

/** A document with its tables at the top, as format 2 has them. */
export function flatDocument(document: JsonObject): JsonObject {
  const { sources, ...others } = document
  const [source] = Array.isArray(sources) ? (sources as readonly JsonObject[]) : []
  if (!source) return document
  const moved = ofSource.filter((member) => source[member] !== undefined)
  return { ...others, ...Object.fromEntries(moved.map((member) => [member, source[member]])) }
}

/** A flat document in the format of another one. */
export function restoredDocument(like: JsonObject, flat: JsonObject): JsonObject {
  const sources = like['sources']
  const [source] = Array.isArray(sources) ? (sources as readonly JsonObject[]) : []
  if (!source) return flat
  const members = Object.entries(flat)
  const inside = Object.fromEntries(members.filter(([member]) => ofSource.includes(member)))
  const { tables: _, functions: __, ...kept } = source
  return {
    ...Object.fromEntries(members.filter(([member]) => !ofSource.includes(member))),
    sources: [{ ...kept, tables: [], ...inside }],
  }
}
