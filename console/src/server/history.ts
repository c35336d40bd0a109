// The history of the metadata.

import { infiniteQueryOptions } from '@tanstack/react-query'
import type { PartChange } from './metadata-patch.ts'
import { partTitle, partVerb } from './metadata-patch.ts'
import { run } from './operations.ts'

/** A version of the metadata with its author and its changes. */
export interface Version {
  readonly version: number
  readonly at: string
  readonly by: {
    readonly role: string | null
    readonly secret?: string
    readonly subject?: string
    readonly agent?: string
    readonly plugin?: string
  }
  readonly request_id: string | null
  readonly operations: readonly string[]
  /** Null: it was too large to be kept. */
  readonly patch: readonly PartChange[] | null
}

interface HistoryAnswer {
  readonly versions: readonly Version[]
  readonly next: number | null
}

/** The part of the metadata that a history is about. */
export interface Place {
  readonly part: string
  readonly table?: { readonly schema: string; readonly name: string }
  readonly member?: string
  readonly name?: string
}

/** `get_metadata_history`, the newest version first; of one part of the metadata, where it is given. */
export const historyQuery = (object?: Place) =>
  infiniteQueryOptions({
    queryKey: ['metadata-history', ...(object ? [object] : [])],
    initialPageParam: null as number | null,
    queryFn: ({ pageParam, signal }) =>
      run<HistoryAnswer>(
        'get_metadata_history',
        { ...(pageParam !== null && { before: pageParam }), ...(object && { object }) },
        { signal },
      ),
    getNextPageParam: ({ next }) => next,
  })

/** The change in a sentence. */
export function sentenceOf({ patch, operations }: Version): string {
  if (!patch) return operations.join(', ') || 'a change too large to be kept'
  const [first, ...others] = patch
  if (!first) return operations.join(', ')
  const more = others.length === 1 ? ' and 1 more change' : ` and ${others.length} more changes`
  return `${partTitle(first)} ${partVerb(first)}${others.length > 0 ? more : ''}`
}

/** The author in a few words. */
export const authorOf = ({ by }: Version): string =>
  [by.subject ?? by.secret ?? by.plugin ?? by.role ?? 'unknown', by.agent?.split(' ')[0]].filter(Boolean).join(', ')
