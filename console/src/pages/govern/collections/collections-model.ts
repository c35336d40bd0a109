// Query collections and the allow-list, as the metadata has them.

import type { Operation } from '../../../server/operations.ts'
import type { Metadata } from '../../../server/queries.ts'

/** A stored GraphQL document. */
export interface StoredQuery {
  readonly name: string
  readonly query: string
}

/** A named list of documents. */
export interface Collection {
  readonly name: string
  readonly comment?: string
  readonly definition: { readonly queries: readonly StoredQuery[] }
}

interface AllowEntry {
  readonly collection: string
  readonly scope?: { readonly global: boolean; readonly roles?: readonly string[] }
}

/** The roles that may use a collection: no role, every role, or some. */
export type Allowed = 'nobody' | 'everyone' | readonly string[]

/** The collections of a document. */
export const collectionsOf = ({ metadata }: Metadata): readonly Collection[] =>
  (metadata['query_collections'] ?? []) as readonly Collection[]

/** For whom the allow-list has a collection. */
export function allowedOf({ metadata }: Metadata, name: string): Allowed {
  const entry = ((metadata['allowlist'] ?? []) as readonly AllowEntry[]).find(({ collection }) => collection === name)
  if (!entry) return 'nobody'
  return entry.scope === undefined || entry.scope.global ? 'everyone' : (entry.scope.roles ?? [])
}

/** The words for it. */
export const allowedWords = (allowed: Allowed): string =>
  allowed === 'nobody'
    ? 'not in the allow-list'
    : allowed === 'everyone'
      ? 'allowed for every role'
      : `allowed for ${allowed.join(', ')}`

/** The operation that allows a collection for others than now. */
export function allowOperation(collection: string, before: Allowed, after: Allowed): Operation {
  if (after === 'nobody') return { type: 'drop_collection_from_allowlist', args: { collection } }
  const scope = after === 'everyone' ? { global: true } : { global: false, roles: after }
  const type = before === 'nobody' ? 'add_collection_to_allowlist' : 'update_scope_of_collection_in_allowlist'
  return { type, args: { collection, scope } }
}

/** A document that a role sent lately. */
export interface SentQuery {
  readonly role: string
  readonly query: string
}

/** A sent document with the collections that have it and are allowed for its role. */
export interface Verdict extends SentQuery {
  readonly allowedBy: readonly string[]
}

/** The verdicts of the allow-list on documents; `same` makes texts that are equal where the server takes documents for equal. */
export function verdictsOn(
  sent: readonly SentQuery[],
  metadata: Metadata,
  same: (query: string) => string,
): readonly Verdict[] {
  const collections = collectionsOf(metadata).map(({ name, definition }) => ({
    name,
    allowed: allowedOf(metadata, name),
    texts: new Set(definition.queries.map(({ query }) => same(query))),
  }))
  const judged = new Map<string, Verdict>()
  for (const { role, query } of sent) {
    if (role === 'admin') continue
    const text = same(query)
    const fitting = collections.filter(
      ({ allowed, texts }) =>
        texts.has(text) && allowed !== 'nobody' && (allowed === 'everyone' || allowed.includes(role)),
    )
    judged.set(JSON.stringify([role, text]), { role, query, allowedBy: fitting.map(({ name }) => name) })
  }
  return [...judged.values()].sort((a, b) => a.allowedBy.length - b.allowedBy.length)
}
