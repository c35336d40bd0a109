// Sources: what resolving needs from elsewhere, another server's schema for instance. Which there are is a matter of the
// document, what they hold is stored beside it, and resolving reads them like the catalog.

import { createHash } from 'node:crypto'
import type { TrellisError } from '../../errors/errors.ts'
import { sameJson } from '../../json/json.ts'
import type { Dialect } from '../../names/dialect.ts'
import type { MetadataDocument } from '../document/document.ts'
import { storageKey } from './storage-key.ts'

/** A kind of source, as a plugin declares it. */
export interface Source<Definition = unknown, Value = unknown> {
  readonly key: string
  /** Those that a document needs. What is stored holds for as long as the definition is the same. */
  wanted(document: MetadataDocument): readonly { readonly id: string; readonly definition: Definition }[]
  /** Fetches one: JSON. The message of what it throws is why the objects that need it are inconsistent. */
  fetch(definition: Definition, signal: AbortSignal, context: SourceContext): Promise<Value>
  /** Milliseconds after which fetching one is given up; absent: a minute. */
  readonly timeout?: number
  /** The argument of `reload_metadata` that has it fetched again, when true or a list with its id; absent: always. */
  readonly reloadedBy?: string
}

/** What fetching may look at. */
export interface SourceContext {
  readonly dialect: Dialect
  /** The value of an environment variable of the server. */
  environment(name: string): string | undefined
}

/** A source with its types forgotten. */
export interface AnySource extends Omit<Source, 'fetch'> {
  fetch(definition: never, signal: AbortSignal, context: SourceContext): Promise<unknown>
}

/** What is known of a source. */
export type SourceState =
  | {
      readonly kind: 'value'
      readonly value: unknown
      /** Why it could not be fetched again, so that it may be out of date; null: nothing is known against it. */
      readonly trouble: string | null
    }
  | { readonly kind: 'failure'; readonly reason: string }

/** A source that a document needs. */
export interface WantedSource extends Pick<Source, 'key' | 'reloadedBy'> {
  readonly id: string
  readonly definition: unknown
}

/** What is known of a source by one definition of it. */
export interface SourceContent {
  /** Of the definition. */
  readonly digest: string
  readonly state: SourceState
}

/** All that this instance knows, by {@link placeOf}. */
export interface SourceContents {
  /** Values, as they are stored. */
  readonly stored: ReadonlyMap<string, SourceContent>
  /** Why there is no value; each instance has its own. */
  readonly failures: ReadonlyMap<string, SourceContent>
}

/** What is known of the sources that a document needs, by {@link placeOf}. */
export type SourceStates = ReadonlyMap<string, SourceState>

/** What came of fetching. */
export interface FetchedSource extends SourceContent {
  readonly place: string
  /** Milliseconds, of the process. */
  readonly began: number
  /** Null when there is a value. */
  readonly error: TrellisError | null
}

export const noContents: SourceContents = { stored: new Map(), failures: new Map() }

/** Where a source's content is kept. */
export const placeOf = (key: string, id: string): string => `${key}\u0000${storageKey(id)}`

const digests = new WeakMap<object, string>()

/** Tells definitions apart. */
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

/** What is known of what is wanted; the map of before when that is the same. */
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

/** What is known of a source with that definition: a value, however old, with why there is no newer one. */
function stateOf({ stored, failures }: SourceContents, place: string, digest: string): SourceState {
  const [content, failed] = [stored.get(place), failures.get(place)]
  const failure = failed?.digest === digest ? failed.state : null
  if (content?.digest !== digest) return failure ?? unfetched
  const { state } = content
  return state.kind === 'value' && failure?.kind === 'failure' ? { ...state, trouble: failure.reason } : state
}

/** Whether what a source holds is known, by the definition that it has, and nothing is known against it. */
export function isKnown({ key, id, definition }: WantedSource, contents: SourceContents): boolean {
  const state = stateOf(contents, placeOf(key, id), digestOf(definition))
  return state.kind === 'value' && state.trouble === null
}

function sameState(a: SourceState, b: SourceState): boolean {
  if (a.kind === 'value' && b.kind === 'value') return a.value === b.value && a.trouble === b.trouble
  return a.kind === 'failure' && b.kind === 'failure' && a.reason === b.reason
}

/** The contents with what was fetched; what is the same as before is shared. */
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

/** The content of before when the next one says the same. */
export const sharedContent = (previous: SourceContent | undefined, next: SourceContent): SourceContent =>
  previous && sameJson(previous, next) ? previous : next

/** The contents that are wanted. */
export function wantedContents({ stored, failures }: SourceContents, wanted: readonly WantedSource[]): SourceContents {
  const digests = new Map(wanted.map(({ key, id, definition }) => [placeOf(key, id), digestOf(definition)]))
  const only = (contents: ReadonlyMap<string, SourceContent>) =>
    new Map([...contents].filter(([place, { digest }]) => digests.get(place) === digest))
  return { stored: only(stored), failures: only(failures) }
}
