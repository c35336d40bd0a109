// Parts of a document: the smallest pieces whose changes are recorded, compared and undone. A part is a value of a slice,
// an entry of a list slice, or a member of a table's entry. Members of facets are parts object by object.

import { current, isDraft } from 'immer'
import { mapSteps, type Steps } from '../../concurrency/stepwise.ts'
import { deepFreeze, memberOf, parseJson, sameJson } from '../../json/json.ts'
import type { QualifiedName } from '../../names/names.ts'
import type { MetadataDocument, TableEntry } from '../document/document.ts'
import { listChange } from '../document/list-change.ts'
import { facetEntries } from './facet-format.ts'
import { givenKey } from './given-slice.ts'
import type { PartChange, PartPlace } from './recorder.ts'
import { documentOf, type MetadataRegistry, sliceEntries, sliceValue } from './registry.ts'
import type { Facet, Slice } from './slices.ts'

const tablesKey = 'tables'

/** The parts of documents, by the declarations of plugins. */
export class DocumentParts {
  readonly #registry: MetadataRegistry

  constructor(registry: MetadataRegistry) {
    this.#registry = registry
  }

  /** The changes between two generations, which share unchanged entries. Costs as much as the entries that differ. */
  *changes(previous: MetadataDocument, next: MetadataDocument): Steps<readonly PartChange[]> {
    const changes: PartChange[] = []
    if (previous === next) return changes
    for (const slice of this.#registry.slices) {
      const [before, after] = [sliceValue(previous, slice.key), sliceValue(next, slice.key)]
      if (before === after || slice.key === givenKey) continue
      const found = slice.entryKey ? yield* this.#listChanges(slice, before, after) : wholeChange(slice, before, after)
      for (const change of found) changes.push(change)
    }
    return changes
  }

  *#listChanges(slice: Slice, before: unknown, after: unknown): Steps<readonly PartChange[]> {
    const { gone, added } = listChange(before as readonly unknown[], after as readonly unknown[])
    const keyOf = (entry: unknown) => slice.entryKey!(entry)
    const replaced = new Map(gone.map((entry) => [keyOf(entry), entry]))
    const lists = yield* mapSteps(added, (entry): readonly PartChange[] => {
      const key = keyOf(entry)
      const old = replaced.get(key)
      replaced.delete(key)
      return old !== undefined && slice.key === tablesKey
        ? this.#memberChanges(key, old as TableEntry, entry as TableEntry)
        : [{ place: placeOf(slice, entry), key, before: old, after: entry }]
    })
    const dropped = [...replaced].map(([key, entry]) => ({ place: placeOf(slice, entry), key, before: entry }))
    return [...dropped.map((change) => ({ ...change, after: undefined })), ...lists.flat()]
  }

  #memberChanges(key: string, before: TableEntry, after: TableEntry): PartChange[] {
    const table = { schema: after.table.schema, name: after.table.name }
    const members = new Set([...Object.keys(before), ...Object.keys(after)])
    return [...members].flatMap((member) => {
      const [old, now] = [memberOf(before, member), memberOf(after, member)]
      if (old === now) return []
      const facet = this.#facet(member)
      if (facet) return objectChanges(facet, { key, table }, [facetEntries(before, facet), facetEntries(after, facet)])
      if (sameJson(old, now)) return []
      return [{ place: { part: tablesKey, table, member }, key, before: old, after: now }]
    })
  }

  /** The facet whose objects the member lists; one that holds a single object is a part as a whole. */
  #facet(member: string): Facet | undefined {
    return this.#registry.facets.find(({ key, isSingle }) => key === member && !isSingle)
  }

  /** The changes whose parts no longer are as the changes left them: undoing them would undo later changes too. */
  *overlapped(edited: MetadataDocument, changes: readonly PartChange[]): Steps<readonly PartChange[]> {
    const document = isDraft(edited) ? current(edited) : edited
    const overlapped: PartChange[] = []
    for (const [part, own] of byPart(changes)) {
      const slice = this.#registry.find(part)
      const entries = slice?.entryKey ? yield* entriesByKey(slice, document) : null
      const found = yield* mapSteps(own, (change) => !slice || this.#isOverlapped(document, slice, { change, entries }))
      overlapped.push(...own.filter((_, i) => found[i]))
    }
    return overlapped
  }

  #isOverlapped(
    document: MetadataDocument,
    slice: Slice,
    { change, entries }: { readonly change: PartChange; readonly entries: ReadonlyMap<string | null, unknown> | null },
  ): boolean {
    const { place, key, after } = change
    if (!entries) return !isAsStored(sliceValue(document, slice.key), after === undefined ? slice.empty : after)
    const entry = entries.get(key)
    if (place.member === undefined) return !isAsStored(entry, after)
    return entry === undefined || !isAsStored(this.#memberIn(entry as TableEntry, place), after)
  }

  #memberIn(entry: TableEntry, { member, name }: PartPlace): unknown {
    const facet = this.#facet(member!)
    if (!facet) return memberOf(entry, member!)
    return facetEntries(entry, facet).find((each) => facet.identify(each) === name)
  }

  /** A document with the former values of the parts, none of which may be {@link overlapped}. */
  *undone(edited: MetadataDocument, changes: readonly PartChange[]): Steps<MetadataDocument> {
    const document = isDraft(edited) ? current(edited) : edited
    const values = new Map<string, unknown>()
    for (const [part, own] of byPart(changes)) {
      const slice = this.#registry.find(part)!
      values.set(part, yield* this.#undoneIn(slice, document, own))
    }
    const all = this.#registry.slices.map(
      ({ key }) => [key, values.has(key) ? values.get(key) : sliceValue(document, key)] as const,
    )
    return deepFreeze(documentOf(all))
  }

  *#undoneIn(slice: Slice, document: MetadataDocument, changes: readonly PartChange[]): Steps<unknown> {
    if (!slice.entryKey) return changes[0]!.before ?? slice.empty
    const whole = new Map<string | null, unknown>()
    const inside = new Map<string | null, PartChange[]>()
    for (const change of changes) {
      if (change.place.member === undefined) whole.set(change.key, change.before)
      else if (inside.get(change.key)?.push(change) === undefined) inside.set(change.key, [change])
    }
    const entries = yield* mapSteps(sliceEntries(document, slice.key), (entry) => {
      const key = slice.entryKey!(entry)
      const former = whole.get(key)
      if (whole.delete(key)) return former
      return inside.get(key)?.reduce((entry, change) => this.#withMember(entry, change), entry) ?? entry
    })
    return [...entries, ...whole.values()].filter((entry) => entry !== undefined)
  }

  #withMember(entry: unknown, { place: { member, name }, before }: PartChange): unknown {
    const { [member!]: old, ...others } = entry as Record<string, unknown>
    const facet = this.#facet(member!)
    if (!facet) return before === undefined ? others : { ...others, [member!]: before }
    const objects = (Array.isArray(old) ? old : []).filter((each) => facet.identify(each) !== name)
    if (before !== undefined) objects.push(before)
    return objects.length > 0 ? { ...others, [member!]: objects } : others
  }
}

function byPart(changes: readonly PartChange[]): ReadonlyMap<string, readonly PartChange[]> {
  return Map.groupBy(changes, ({ place }) => place.part)
}

function* entriesByKey(slice: Slice, document: MetadataDocument): Steps<ReadonlyMap<string | null, unknown>> {
  const entries = yield* mapSteps(
    sliceEntries(document, slice.key),
    (entry) => [slice.entryKey!(entry), entry] as const,
  )
  return new Map(entries)
}

/** Whether a value equals one that was read from the store, which has no undefined members. */
const isAsStored = (value: unknown, stored: unknown): boolean =>
  value === undefined || stored === undefined
    ? value === stored
    : sameJson(parseJson(JSON.stringify(value), 'precise'), stored)

function wholeChange(slice: Slice, before: unknown, after: unknown): PartChange[] {
  const given = (value: unknown) => (value === slice.empty ? undefined : value)
  return [{ place: { part: slice.key }, key: null, before: given(before), after: given(after) }]
}

function placeOf(slice: Slice, entry: unknown): PartPlace {
  if (slice.key !== tablesKey) return { part: slice.key, name: slice.entryName?.(entry) ?? slice.entryKey!(entry) }
  const { schema, name } = (entry as TableEntry).table
  return { part: slice.key, table: { schema, name } }
}

function objectChanges(
  facet: Facet,
  { key, table }: { readonly key: string; readonly table: QualifiedName },
  [before, after]: readonly [readonly unknown[], readonly unknown[]],
): PartChange[] {
  const old = new Map(before.map((each) => [facet.identify(each), each]))
  const now = new Map(after.map((each) => [facet.identify(each), each]))
  return [...new Set([...old.keys(), ...now.keys()])].flatMap((name) => {
    const [before, after] = [old.get(name), now.get(name)]
    if (sameJson(before, after)) return []
    return [{ place: { part: tablesKey, table, member: facet.key, name }, key, before, after }]
  })
}
