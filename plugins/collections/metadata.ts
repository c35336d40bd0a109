// The slices `query_collections` and `allowlist`. Allowed collections are resolved into the fingerprints of
// their documents, which the check of requests compares.

import { type ParsedDocument, parseText } from '../../sdk/graphql.ts'
import { badRequest, isAdmin, type Session, within } from '../../sdk/index.ts'
import type { MetadataDocument, Model, ObjectRef, SliceDefinition } from '../../sdk/metadata.ts'
import type { AroundSync, DocumentWork } from '../../sdk/services.ts'
import { fingerprint } from './fingerprint.ts'
import { type AllowedCollection, type CollectedQuery, documentSchemas, type QueryCollection } from './schema.ts'

declare module '../../sdk/registry.ts' {
  interface ModelSlices {
    /** The documents that roles may run, by their fingerprints. */
    allowlist: ReadonlyMap<string, AllowedRoles>
  }
}

/** The roles that may run a document. */
export type AllowedRoles = 'all' | ReadonlySet<string>

/** The collection of that name. */
export const findCollection = (
  { query_collections }: Pick<MetadataDocument, 'query_collections'>,
  name: string,
): QueryCollection | undefined => query_collections.find((collection) => collection.name === name)

/** The collection of that name; refuses one that is not there. */
export function requireCollection(
  document: Pick<MetadataDocument, 'query_collections'>,
  name: string,
): QueryCollection {
  const found = findCollection(document, name)
  if (!found) throw badRequest('not-exists', `query collection with name "${name}" does not exists`)
  return found
}

/** By entry of the document, which is shared between generations for as long as it does not change. */
const fingerprints = new WeakMap<CollectedQuery, string>()

/** Empty for a text that is not GraphQL, which nothing is equal to. */
function queryFingerprint(query: CollectedQuery): string {
  let known = fingerprints.get(query)
  if (known === undefined) {
    const document = parseText(query.query)
    known = document ? fingerprint(document) : ''
    fingerprints.set(query, known)
  }
  return known
}

function allowedDocuments(
  allowlist: readonly AllowedCollection[],
  collections: readonly QueryCollection[],
): ReadonlyMap<string, AllowedRoles> {
  const listed = new Map(allowlist.map((entry) => [entry.collection, entry]))
  const allowed = new Map<string, AllowedRoles>()
  for (const { name, definition } of collections) {
    const entry = listed.get(name)
    if (!entry) continue
    const roles = entry.scope?.global === false ? new Set(entry.scope.roles) : 'all'
    for (const query of definition.queries) {
      const key = queryFingerprint(query)
      allowed.set(key, eitherOf(allowed.get(key), roles))
    }
  }
  return allowed
}

/** A document in several collections is allowed where any of them allows it. */
function eitherOf(known: AllowedRoles | undefined, more: AllowedRoles): AllowedRoles {
  if (known === undefined) return more
  return known === 'all' || more === 'all' ? 'all' : new Set([...known, ...more])
}

/** A query of a collection, as inconsistencies name it. */
export const queryRef = (collection: string, query: string): ObjectRef => ({
  kind: 'query_collections',
  name: `${query} in ${collection}`,
})

/** Takes a query out of a draft; false when there is no such query. */
function removeQuery({ query_collections }: MetadataDocument, { kind, name: wanted }: ObjectRef): boolean {
  for (const { name, definition } of query_collections) {
    const index = definition.queries.findIndex((query) => {
      const ref = queryRef(name, query.name)
      return ref.kind === kind && ref.name === wanted
    })
    if (index < 0) continue
    definition.queries.splice(index, 1)
    return true
  }
  return false
}

export const queryCollectionsSlice: SliceDefinition<'query_collections', (typeof documentSchemas)['collections']> = {
  schema: documentSchemas.collections,
  empty: [],
  entryKey: ({ name }: QueryCollection) => name,
  remove: removeQuery,
}

export const allowlistSlice: SliceDefinition<'allowlist', (typeof documentSchemas)['allowlist']> = {
  schema: documentSchemas.allowlist,
  kind: 'allow list',
  laterKind: 'allowlist entries',
  empty: [],
  entryKey: ({ collection }: AllowedCollection) => collection,
  // Documents of version 2 always tell the scope.
  writeEntry: (entry, { formatVersion }) => {
    const { collection, scope = { global: true } } = entry
    return formatVersion === 3 ? { collection, scope } : entry
  },
  validate(entries, document) {
    for (const [i, { collection }] of entries.entries()) within(i, () => requireCollection(document, collection))
  },
  resolve: (entries, context) => allowedDocuments(entries, context.slice('query_collections')),
}

/** Whether a session may run a text; true for all texts where the allow-list is not in force. */
export type DocumentGate = (text: string, session: Session) => boolean

/** The gate of the allow-list, for lists of the documents that a session may run. */
export const allowListGate =
  (model: () => Model): DocumentGate =>
  (text, session) => {
    if (isAdmin(session)) return true
    const document = parseText(text)
    const roles = document && model().slices.allowlist?.get(fingerprint(document))
    return roles === 'all' || roles?.has(session.role) === true
  }

/** Refuses the documents of roles that are in no collection of the allow-list. */
export function allowListCheck(model: () => Model): AroundSync<DocumentWork> {
  const known = new WeakMap<ParsedDocument, string>()
  return ({ document, session }, run) => {
    if (isAdmin(session)) return run()
    let own = known.get(document)
    if (own === undefined) {
      own = fingerprint(document.node)
      known.set(document, own)
    }
    const roles = model().slices.allowlist?.get(own)
    if (roles === 'all' || roles?.has(session.role)) return run()
    const internal = { message: 'query is not in any of the allowlists' }
    throw badRequest('validation-failed', 'query is not allowed', { internal })
  }
}
