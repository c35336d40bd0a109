// Sources: input of resolving from outside the database, for example another server's schema. The document decides
// which sources exist. Their content is stored next to the document, and resolving reads it like the catalog.

import { createHash } from 'node:crypto'
import type { TrellisError } from '../../errors/errors.ts'
import { sameJson } from '../../json/json.ts'
import type { Dialect } from '../../names/dialect.ts'
import type { MetadataDocument } from '../document/document.ts'
import { storageKey } from './storage-key.ts'

/** A kind of source, as a plugin declares it. */
export interface Source<Definition = unknown, Value = unknown> {
  readonly key: string
  /** The sources that a document needs. Stored content is valid as long as the definition is unchanged. */
  wanted(document: MetadataDocument): readonly { readonly id: string; readonly definition: Definition }[]
  /**
   * Fetches one source, as JSON. The message of an error becomes the inconsistency's reason for objects that need the
   * source.
   */
  fetch(definition: Definition, signal: AbortSignal, context: SourceContext): Promise<Value>
  /** Timeout of a fetch in milliseconds; absent: a minute. */
  readonly timeout?: number
  /**
   * The argument of `reload_metadata` that refetches the source, if it is true or lists its id; absent: it is always
   * refetched.
   */
  readonly reloadedBy?: string
}

/** The context of a fetch. */
export interface SourceContext {
  readonly dialect: Dialect
  /** The value of an environment variable of the server. */
  environment(name: string): string | undefined
}

/** A source without its types. */
export interface AnySource extends Omit<Source, 'fetch'> {
  fetch(definition: never, signal: AbortSignal, context: SourceContext): Promise<unknown>
}

/** The state of a source. */
export type SourceState =
  | {
      readonly kind: 'value'
      readonly value: unknown
      /** The error of the last refetch, after which the value may be out of date; null: no refetch failed. */
      readonly trouble: string | null
    }
  | { readonly kind: 'failure'; readonly reason: string }

/** A source that a document needs. */
export interface WantedSource extends Pick<Source, 'key' | 'reloadedBy'> {
  readonly id: string
  readonly definition: unknown
}

/** The content of a source for one definition. */
export interface SourceContent {
  /** The digest of the definition. */
  readonly digest: string
  readonly state: SourceState
}

/** All contents that this instance has, by {@link placeOf}. */
export interface SourceContents {
  /** Stored values. */
  readonly stored: ReadonlyMap<string, SourceContent>
  /** Reasons for missing values; each instance has its own. */
  readonly failures: ReadonlyMap<string, SourceContent>
}

/** The states of the sources that a document needs, by {@link placeOf}. */
export type SourceStates = ReadonlyMap<string, SourceState>

/** The result of a fetch. */
export interface FetchedSource extends SourceContent {
  readonly place: string
  /** When the fetch began, in milliseconds of the process clock. */
  readonly began: number
  /** Null when there is a value. */
  readonly error: TrellisError | null
}

export const noContents: SourceContents = { stored: new Map(), failures: new Map() }

/** The key of a source's content. */
export const placeOf = (key: string, id: string): string => `${key}\u0000${storageKey(id)}`

const digests = new WeakMap<object, string>()

/** A digest that distinguishes definitions. */
export function digestOf(definition: unknown): string {
  const isFrozen = typeof definition === 'object' && definition !== null && Object.isFrozen(definition)
  const known = isFrozen ? digests.get(definition) : undefined
  if (known !== undefined) return known
  const digest = createHash('sha256')
    .update(JSON.stringify(sorted(definition)) ?? '')
    .digest('base64url')
  if (isFrozen) digests.set(definition, digest)
  return digest
}

function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || JSON.isRawJSON(value)) return value
  if (Array.isArray(value)) return value.map(sorted)
  const members = Object.entries(value).map(([key, member]): [string, unknown] => [key, sorted(member)])
  return Object.fromEntries(members.sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** The sources that a document needs. */
export const wantedSources = (sources: Iterable<AnySource>, document: MetadataDocument): WantedSource[] =>
  [...sources].flatMap(({ key, reloadedBy, ...source }) =>
    source.wanted(document).map(({ id, definition }) => ({ key, id, definition, reloadedBy })),
  )

const unfetched: SourceState = { kind: 'failure', reason: 'it has not been fetched yet' }

/** The states of the wanted sources; returns the previous map if nothing changed. */
export function statesOf(
  wanted: readonly WantedSource[],
  contents: SourceContents,
  previous: SourceStates,
): SourceStates {
  const states = new Map<string, SourceState>()
  for (const { key, id, definition } of wanted) {
    const place = placeOf(key, id)
    const state = stateOf(contents, place, digestOf(definition))
    const known = previous.get(place)
    states.set(place, known && sameState(known, state) ? known : state)
  }
  const isSame = states.size === previous.size && [...states].every(([place, state]) => previous.get(place) === state)
  return isSame ? previous : states
}

/** The state of a source for a definition: the latest value, and the error of the last refetch. */
function stateOf({ stored, failures }: SourceContents, place: string, digest: string): SourceState {
  const [content, failed] = [stored.get(place), failures.get(place)]
  const failure = failed?.digest === digest ? failed.state : null
  if (content?.digest !== digest) return failure ?? unfetched
  const { state } = content
  return state.kind === 'value' && failure?.kind === 'failure' ? { ...state, trouble: failure.reason } : state
}

/** Whether the content of a source is known for its current definition, without a failed refetch. */
export function isKnown({ key, id, definition }: WantedSource, contents: SourceContents): boolean {
  const state = stateOf(contents, placeOf(key, id), digestOf(definition))
  return state.kind === 'value' && state.trouble === null
}

function sameState(a: SourceState, b: SourceState): boolean {
  if (a.kind === 'value' && b.kind === 'value') return a.value === b.value && a.trouble === b.trouble
  return a.kind === 'failure' && b.kind === 'failure' && a.reason === b.reason
}

/** The contents updated by the results of fetches; equal contents are shared. */
export function withFetched(contents: SourceContents, fetched: readonly FetchedSource[]): SourceContents {
  const stored = new Map(contents.stored)
  const failures = new Map(contents.failures)
  for (const { place, digest, state } of fetched) {
    if (state.kind === 'failure') failures.set(place, { digest, state })
    else {
      failures.delete(place)
      stored.set(place, sharedContent(stored.get(place), { digest, state }))
    }
  }
  return { stored, failures }
}

/** Returns the previous content if the next one is equal. */
export const sharedContent = (previous: SourceContent | undefined, next: SourceContent): SourceContent =>
  previous && sameJson(previous, next) ? previous : next

/** The contents of the wanted sources. */
export function wantedContents({ stored, failures }: SourceContents, wanted: readonly WantedSource[]): SourceContents {
  const digests = new Map(wanted.map(({ key, id, definition }) => [placeOf(key, id), digestOf(definition)]))
  const only = (contents: ReadonlyMap<string, SourceContent>) =>
    new Map([...contents].filter(([place, { digest }]) => digests.get(place) === digest))
  return { stored: only(stored), failures: only(failures) }
}
