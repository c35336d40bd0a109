// The source of documents of format 3: one entry that holds the tables. Its name and its settings are kept for exports.

import { Type } from '@sinclair/typebox'
import { badRequest } from '../../errors/errors.ts'
import type { PathKey } from '../../errors/path.ts'
import type { MetadataDocument } from '../document/document.ts'
import type { StoredSource } from '../document/given-document.ts'
import type { Slice } from './slices.ts'

declare module '../../../sdk/registry.ts' {
  interface DocumentSlices {
    /** Null: no document has named the source. */
    source: StoredSource | null
  }
}

/** The key of the slice; documents on the wire have no such key. */
export const sourceKey = 'source'

/** The name that always means the one source. */
export const defaultSource = 'default'

/** The name under which the source was given. */
export const sourceName = ({ source }: Pick<MetadataDocument, 'source'>): string => source?.name ?? defaultSource

/** Keeps the source; a document of format 2 resets it. */
export const sourceSlice: Slice = {
  key: sourceKey,
  isInternal: true,
  schema: Type.Unknown(),
  empty: null,
  // Clients go on to use the name after `clear_metadata`.
  cleared: (value) => value,
}

/** Refuses the name of a source that does not exist; null or absent: the one that exists. */
export function requireSource(
  document: Pick<MetadataDocument, 'source'>,
  name: string | null | undefined,
  path: readonly PathKey[] = [],
): void {
  if (name === null || name === undefined || name === defaultSource || name === sourceName(document)) return
  throw badRequest('not-exists', `source with name "${name}" does not exist`, { path })
}
