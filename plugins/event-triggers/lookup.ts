// Finding event triggers in the document, by their names, which are of the whole server.

import { isDraft, original } from 'immer'
import { badRequest } from '../../sdk/index.ts'
import type { MetadataDocument, TableEntry } from '../../sdk/metadata.ts'
import type { EventTrigger } from './schema.ts'

/** The entry of the table that has an event trigger of that name. */
export function ownerOf(metadata: MetadataDocument, name: string): TableEntry | undefined {
  // A draft of each of thousands of entries would cost more than all else.
  const tables = (isDraft(metadata.tables) && original(metadata.tables)) || metadata.tables
  return tables.find(({ event_triggers = [] }) => event_triggers.some((each) => each.name === name))
}

/** An event trigger with its table's entry; refuses one that is not there. */
export function requireEventTrigger(
  metadata: MetadataDocument,
  name: string,
): { readonly owner: TableEntry; readonly entry: EventTrigger } {
  const owner = ownerOf(metadata, name)
  const entry = owner?.event_triggers?.find((each) => each.name === name)
  if (!owner || !entry) throw noSuchTrigger(name)
  return { owner, entry }
}

export const noSuchTrigger = (name: string) => badRequest('not-exists', `event trigger "${name}" does not exist`)

export const noSuchEvent = () => badRequest('not-exists', 'event not found')
