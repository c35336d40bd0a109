// The sources that a request needs fetched before it locks anything.

import type { PathKey } from '../errors/path.ts'
import type { MetadataDocument } from '../metadata/document/document.ts'
import type { DocumentParts } from '../metadata/slices/parts.ts'
import {
  type AnySource,
  isKnown,
  type SourceContents,
  type WantedSource,
  wantedSources,
} from '../metadata/slices/sources.ts'
import type { Call } from './envelope.ts'
import type { SourcesContext } from './operation.ts'

/** A source to fetch, and the call whose arguments request it. */
export interface RequestedSource extends WantedSource {
  readonly isOptional: boolean
  readonly path: readonly PathKey[]
}

interface Known {
  readonly sources: ReadonlyMap<string, AnySource>
  /** The document before the request. */
  readonly metadata: MetadataDocument
  readonly contents: SourceContents
  readonly parts: DocumentParts
}

/**
 * The sources that a call and its members request. Undefined sources are skipped: the operation itself reports them.
 */
export async function requestedSources(
  call: Call,
  { sources, metadata, contents, parts }: Known,
): Promise<RequestedSource[]> {
  if (sources.size === 0) return []
  const wanted = (document: MetadataDocument) => wantedSources(sources.values(), document)
  const present = wanted(metadata)
  const collect = async (
    { operation, args, members }: Call,
    at: readonly PathKey[],
    { context, isKept }: { readonly context: SourcesContext; readonly isKept: boolean },
  ): Promise<RequestedSource[]> => {
    const path = [...at, 'args']
    const requested: RequestedSource[] = []
    for (const { key, id, definition, isOptional = false } of (await operation.sources?.(args, context)) ?? []) {
      const known = definition === undefined ? present.find((each) => each.key === key && each.id === id) : undefined
      if (definition === undefined && !known) continue
      const mayFail = isOptional || isKept
      requested.push({ key, id, definition: definition ?? known?.definition, isOptional: mayFail, path })
    }
    const inside = { context, isKept: isKept || operation.keepsGoing === true }
    for (const member of members ?? []) requested.push(...(await collect(member, [...path, ...member.at], inside)))
    return requested
  }
  const context: SourcesContext = { metadata, wanted, parts, isKnown: (source) => isKnown(source, contents) }
  return collect(call, [], { context, isKept: false })
}
