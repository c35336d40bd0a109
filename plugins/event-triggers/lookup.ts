// Finds event triggers in the document by their names, which are unique in the server.

import { isDraft, original } from 'immer'
import { badRequest } from '../../sdk/index.ts'
import type { MetadataDocument, Model, OperationContext, TableEntry } from '../../sdk/metadata.ts'
import { listenersOf } from './listeners/slice.ts'
import type { EventTrigger } from './schema.ts'

/** The table entry with an event trigger of this name. */
export function ownerOf(metadata: MetadataDocument, name: string): TableEntry | undefined {
  // Reading the original document is cheap; immer would create a draft for each of thousands of entries.
  const tables = (isDraft(metadata.tables) && original(metadata.tables)) || metadata.tables
  return tables.find(({ event_triggers = [] }) => event_triggers.some((each) => each.name === name))
}

/** An event trigger with its table entry; refuses an unknown name. */
export function requireEventTrigger(
  metadata: MetadataDocument,
  name: string,
): { readonly owner: TableEntry; readonly entry: EventTrigger } {
  const owner = ownerOf(metadata, name)
  const entry = owner?.event_triggers?.find((each) => each.name === name)
  if (!owner || !entry) throw noSuchTrigger(name)
  return { owner, entry }
}

/** The names of all event triggers and listeners. */
export const knownTriggers = ({ metadata, model }: Pick<OperationContext, 'metadata' | 'model'>): readonly string[] => [
  ...(metadata.tables ?? []).flatMap(({ event_triggers = [] }) => event_triggers.map(({ name }) => name)),
  ...listenersOf(model).declared.keys(),
]

/** Refuses a name that neither an event trigger nor a listener of a plugin has. */
export function requireKnownTrigger(
  { metadata, model }: Pick<OperationContext, 'metadata' | 'model'>,
  name: string,
): void {
  if (!listenersOf(model).declared.has(name)) requireEventTrigger(metadata, name)
}

/** Refuses the name of a listener. */
export function refuseListener(model: Model, name: string): void {
  if (!listenersOf(model).declared.has(name)) return
  throw badRequest('not-supported', `"${name}" is a row listener, which its plugin declares`)
}

/** The error for the name of a listener that another server may have. */
export const listenerElsewhere = (name: string) =>
  badRequest('already-exists', `"${name}" is a row listener, whose plugin this server does not have`)

export const noSuchTrigger = (name: string) => badRequest('not-exists', `event trigger "${name}" does not exist`)

export const noSuchEvent = () => badRequest('not-exists', 'event not found')
