// The documents of the allow-list by name, for plugins that offer them to clients.

import type { MetadataDocument } from '../../sdk/metadata.ts'
import type { AllowedCollection, CollectedQuery } from './schema.ts'

/** A document that a role may run. */
export interface AllowedQuery extends CollectedQuery {
  readonly collection: string
}

/** The documents in the allowed collections of a role, in the order of the allow-list; an administrator may run all. */
export function allowedQueries(
  { allowlist, query_collections: collections }: Pick<MetadataDocument, 'allowlist' | 'query_collections'>,
  { role }: { readonly role: string },
): AllowedQuery[] {
  const mayRun = ({ scope }: AllowedCollection) =>
    role === 'admin' || scope?.global !== false || scope.roles.includes(role)
  return allowlist.filter(mayRun).flatMap(({ collection }) => {
    const queries = collections.find(({ name }) => name === collection)?.definition.queries ?? []
    return queries.map((query) => ({ ...query, collection }))
  })
}
