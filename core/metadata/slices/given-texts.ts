// The members of received documents in exports: a part that still says the same is exported as it was given, and a part
// that has changed keeps its other members. A restored part is only exported if it reads as the stored one.

import { mapSteps, type Steps } from '../../concurrency/stepwise.ts'
import { isJsonObject, memberOf, parseJson, sameJson, saysNothing } from '../../json/json.ts'
import type { UnknownKeys } from '../../wire/decode.ts'
import type { MetadataDocument } from '../document/document.ts'
import { isOfSource, own, type WireObject } from '../document/given-document.ts'
import type { GivenText } from './given-slice.ts'
import { sourceName } from './given-source.ts'
import { type MetadataRegistry, sliceEntries } from './registry.ts'
import { readOne, sortedEntries, writeOne } from './slice-forms.ts'
import type { FormatContext, Slice } from './slices.ts'

/** The context of reading and writing the format that has these texts. */
interface Forms {
  readonly context: FormatContext
  readonly unknownKeys: UnknownKeys
}

/** A key of an object; with a value if the canonical form lacks the key. */
type FrameMember = readonly [key: string, value?: unknown]

/** The order of keys and entries in a document, and its members that the canonical form lacks. */
interface Frame {
  readonly document: readonly FrameMember[]
  readonly source: readonly FrameMember[]
  /** The keys of entries, by slice, where their order is not that of exports. */
  readonly orders: Readonly<Record<string, readonly string[]>>
}

const frameKey = ''

const textKey = (slice: Slice, entry: string): string => JSON.stringify([slice.key, entry])

/** A text that was parsed, with its canonical form. */
interface ParsedText {
  readonly given: unknown
  /** Undefined: it cannot be read. */
  readonly canonical: unknown
}

export class GivenTexts {
  readonly #registry: MetadataRegistry
  readonly #forms: (source: string) => Forms
  readonly #parsed = new WeakMap<GivenText, ParsedText>()

  constructor(registry: MetadataRegistry, forms: (source: string) => Forms) {
    this.#registry = registry
    this.#forms = forms
  }

  /** The texts of a received document that differ from those of its canonical form. */
  *record(wire: WireObject, document: MetadataDocument, canonical: WireObject): Steps<GivenText[]> {
    const source = sourceName(document)
    const texts: GivenText[] = []
    const orders: Record<string, readonly string[]> = {}
    for (const slice of this.#slices) {
      const [given, now] = [partIn(wire, slice.key), partIn(canonical, slice.key)]
      if (given === undefined || given === null || now === undefined) continue
      if (!slice.entryKey) {
        if (!sameText(given, now)) texts.push({ key: textKey(slice, ''), text: JSON.stringify(given), source })
        continue
      }
      if (sameText(given, now)) continue
      const entries = yield* this.#entriesOf(slice, given as readonly unknown[], source)
      const keys = entries.map(({ key }) => key)
      if (!sameText(keys, this.#keysOf(slice, document, now as readonly unknown[]))) orders[slice.key] = keys
      for (const { key, given, canonical } of entries) {
        if (canonical === undefined || sameText(given, canonical)) continue
        texts.push({ key: textKey(slice, key), text: JSON.stringify(given), source })
      }
    }
    const frame = {
      document: membersOf(wire, canonical),
      source: membersOf(sourceIn(wire), sourceIn(canonical)),
      orders,
    }
    const isFramed = sameText(Object.keys(wire), Object.keys(canonical)) && Object.keys(orders).length === 0
    if (isFramed && sameText(Object.keys(sourceIn(wire)), Object.keys(sourceIn(canonical)))) return texts
    return [...texts, { key: frameKey, text: JSON.stringify(frame), source }]
  }

  /** The document for an export: its canonical form with the members of the texts. */
  restore({ given, ...document }: MetadataDocument, canonical: WireObject): Record<string, unknown> {
    if (given.length === 0) return canonical
    const source = sourceName(document)
    const texts = new Map(given.filter((each) => each.source === source).map((each) => [each.key, each]))
    const frame = frameOf(texts.get(frameKey))
    const restored = (key: string, value: unknown) =>
      this.#restorePart(key, value, { document: document as MetadataDocument, texts, order: frame?.orders[key] })
    const map = (object: WireObject) =>
      Object.fromEntries(Object.entries(object).map(([key, value]) => [key, restored(key, value)]))
    const { sources, ...others } = canonical
    const inside = framed(map(sourceIn(canonical)), frame?.source ?? [])
    return framed({ version: canonical['version'], sources: [inside], ...map(others) }, frame?.document ?? [])
  }

  #restorePart(
    key: string,
    value: unknown,
    {
      document,
      texts,
      order,
    }: {
      readonly document: MetadataDocument
      readonly texts: ReadonlyMap<string, GivenText>
      readonly order: readonly string[] | undefined
    },
  ): unknown {
    const slice = this.#slices.find((each) => each.key === key)
    if (!slice) return value
    if (!slice.entryKey || !Array.isArray(value)) return this.#restoreOne(slice, texts.get(textKey(slice, '')), value)
    const prefix = `${JSON.stringify([key]).slice(0, -1)},`
    const isGiven = order !== undefined || [...texts.keys()].some((each) => each.startsWith(prefix))
    if (!isGiven) return value
    const keys = this.#keysOf(slice, document, value)
    const restored = value.map((entry, i) => this.#restoreOne(slice, texts.get(textKey(slice, keys[i]!)), entry))
    if (!order) return restored
    const byKey = new Map(keys.map((each, i) => [each, restored[i]]))
    return placed(order, keys, (each) => byKey.has(each)).map((each) => byKey.get(each))
  }

  #restoreOne(slice: Slice, text: GivenText | undefined, now: unknown): unknown {
    if (!text) return now
    const { given, canonical } = this.#parse(slice, text)
    if (canonical === undefined) return now
    if (sameJson(canonical, now)) return given
    const merged = merge({ given, canonical, now })
    return sameJson(this.#canonicalOf(slice, merged, text.source), now) ? merged : now
  }

  #parse(slice: Slice, text: GivenText): ParsedText {
    const known = this.#parsed.get(text)
    if (known) return known
    const given = parseJson(text.text, 'precise')
    const parsed = { given, canonical: this.#canonicalOf(slice, given, text.source) }
    this.#parsed.set(text, parsed)
    return parsed
  }

  /** The canonical form of a part; undefined if it cannot be read. */
  #canonicalOf(slice: Slice, wire: unknown, source: string): unknown {
    const { context, unknownKeys } = this.#forms(source)
    try {
      return writeOne(slice, readOne(slice, wire, context, unknownKeys), context, source)
    } catch {
      return undefined
    }
  }

  *#entriesOf(slice: Slice, given: readonly unknown[], source: string) {
    const { context, unknownKeys } = this.#forms(source)
    return yield* mapSteps(given, (wire) => {
      const stored = readOne(slice, wire, context, unknownKeys)
      return { key: slice.entryKey!(stored), given: wire, canonical: writeOne(slice, stored, context, source) }
    })
  }

  /** The keys of the entries that a canonical list shows. */
  #keysOf(slice: Slice, document: MetadataDocument, list: readonly unknown[]): readonly string[] {
    if (!slice.write)
      return sortedEntries(slice, sliceEntries(document, slice.key)).map((entry) => slice.entryKey!(entry))
    const { context, unknownKeys } = this.#forms(sourceName(document))
    return list.map((wire) => slice.entryKey!(readOne(slice, wire, context, unknownKeys)))
  }

  get #slices(): readonly Slice[] {
    return this.#registry.slices.filter(({ isInternal }) => !isInternal)
  }
}

/** A part that was given, its canonical form then, and its canonical form now. */
interface Versions {
  readonly given: unknown
  readonly canonical: unknown
  readonly now: unknown
}

/** The part as it is now, with the members of the given one that have not changed. */
function merge({ given, canonical, now }: Versions): unknown {
  if (sameJson(canonical, now)) return given
  if (isJsonObject(given) && isJsonObject(canonical) && isJsonObject(now)) {
    // A key that the given object lacks is another spelling, whose own key says something.
    const isPlain = Object.keys(canonical).every((key) => Object.hasOwn(given, key))
    const isExtra = (key: string) => !Object.hasOwn(canonical, key) && (isPlain || saysNothing(given[key]))
    const keys = placed(Object.keys(given), Object.keys(now), (key) => Object.hasOwn(now, key) || isExtra(key))
    const value = (key: string) => {
      if (!Object.hasOwn(now, key)) return given[key]
      const isKnown = Object.hasOwn(given, key) && Object.hasOwn(canonical, key)
      return isKnown ? merge({ given: given[key], canonical: canonical[key], now: now[key] }) : now[key]
    }
    return Object.fromEntries(keys.map((key) => [key, value(key)]))
  }
  if (Array.isArray(given) && Array.isArray(canonical) && Array.isArray(now)) return mergeLists(given, canonical, now)
  return now
}

function mergeLists(given: readonly unknown[], canonical: readonly unknown[], now: readonly unknown[]): unknown {
  const [givenById, canonicalById, nowById] = [byName(given), byName(canonical), byName(now)]
  if (!givenById || !canonicalById || !nowById) return now
  const names = placed([...givenById.keys()], [...nowById.keys()], (name) => nowById.has(name))
  return names.map((name) => {
    const isKnown = givenById.has(name) && canonicalById.has(name)
    const versions = { given: givenById.get(name), canonical: canonicalById.get(name), now: nowById.get(name) }
    return isKnown ? merge(versions) : versions.now
  })
}

/** The objects of a list by their names or roles; null if some have none, or the same. */
function byName(list: readonly unknown[]): ReadonlyMap<string, unknown> | null {
  const names = list.map((each) => (isJsonObject(each) ? (own(each, 'name') ?? own(each, 'role')) : undefined))
  if (!names.every((name) => typeof name === 'string') || new Set(names).size < names.length) return null
  return new Map(names.map((name, i) => [name, list[i]]))
}

/** The given keys that are kept, and after its predecessor each other key of `now`. */
function placed(given: readonly string[], now: readonly string[], isKept: (key: string) => boolean): readonly string[] {
  const keys = given.filter(isKept)
  const present = new Set(keys)
  for (const [i, key] of now.entries()) {
    if (present.has(key)) continue
    keys.splice(i === 0 ? 0 : keys.indexOf(now[i - 1]!) + 1, 0, key)
    present.add(key)
  }
  return keys
}

const membersOf = (given: WireObject, canonical: WireObject): FrameMember[] =>
  Object.entries(given).map(([key, value]) => (Object.hasOwn(canonical, key) ? [key] : [key, value]))

function framed(canonical: WireObject, members: readonly FrameMember[]): Record<string, unknown> {
  const given = new Map(members.map(([key, value]) => [key, value]))
  const keys = members.map(([key]) => key)
  const isKept = (key: string) => Object.hasOwn(canonical, key) || given.get(key) !== undefined
  const all = placed(keys, Object.keys(canonical), isKept)
  return Object.fromEntries(all.map((key) => [key, Object.hasOwn(canonical, key) ? canonical[key] : given.get(key)]))
}

function frameOf(text: GivenText | undefined): Frame | undefined {
  return text && (parseJson(text.text, 'precise') as Frame)
}

const sameText = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)

/** The source of a document, without one an empty object. */
function sourceIn(wire: WireObject): WireObject {
  const sources = own(wire, 'sources')
  const [source] = Array.isArray(sources) ? sources : []
  return isJsonObject(source) ? source : {}
}

const partIn = (wire: WireObject, key: string): unknown => memberOf(isOfSource(key) ? sourceIn(wire) : wire, key)
