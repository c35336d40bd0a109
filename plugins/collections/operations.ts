// Keeping collections, and which of them are in the allow-list.

import { badRequest, within } from '../../sdk/index.ts'
import { type MetadataDocument, operation } from '../../sdk/metadata.ts'
import { findCollection, requireCollection } from './metadata.ts'
import {
  AddQueryArgs,
  AllowArgs,
  type CollectedQuery,
  CollectionArgs,
  CreateCollectionArgs,
  DropCollectionArgs,
  DropQueryArgs,
  RenameCollectionArgs,
  ScopeArgs,
} from './schema.ts'

function refuseRepeatedNames(queries: readonly CollectedQuery[]): void {
  const names = queries.map(({ name }) => name)
  const repeated = new Set(names.filter((name, i) => names.indexOf(name) !== i))
  if (repeated.size === 0) return
  const list = [...repeated].map((name) => `"${name}"`).join(', ')
  throw badRequest('not-supported', `found duplicate query names ${list}`, { path: ['definition', 'queries'] })
}

export const createQueryCollection = operation({
  type: 'create_query_collection',
  about: { summary: 'Creates a collection of named GraphQL queries.' },
  args: CreateCollectionArgs,
  handle({ metadata }, collection) {
    const { name, definition } = collection
    if (findCollection(metadata, name)) {
      throw badRequest('already-exists', `query collection with name "${name}" already exists`, { path: ['name'] })
    }
    refuseRepeatedNames(definition.queries)
    metadata.query_collections.push(collection)
  },
})

/** The allow-list follows; REST endpoints would no longer find their queries, so the consistency check refuses these. */
export const renameQueryCollection = operation({
  type: 'rename_query_collection',
  pathsNameArguments: true,
  about: { summary: 'Renames a query collection, also in the allow-list.' },
  args: RenameCollectionArgs,
  check: 'new',
  handle({ metadata }, { name, new_name }) {
    const collection = within('name', () => requireCollection(metadata, name))
    if (findCollection(metadata, new_name)) {
      throw badRequest('already-exists', `query collection with name "${new_name}" already exists`, {
        path: ['new_name'],
      })
    }
    collection.name = new_name
    for (const entry of metadata.allowlist) if (entry.collection === name) entry.collection = new_name
  },
})

/** Takes a collection off the allow-list; false when it is not on it. */
function disallow(metadata: MetadataDocument, name: string): boolean {
  const index = metadata.allowlist.findIndex(({ collection }) => collection === name)
  if (index < 0) return false
  metadata.allowlist.splice(index, 1)
  return true
}

const isAllowed = ({ allowlist }: MetadataDocument, name: string): boolean =>
  allowlist.some(({ collection }) => collection === name)

export const dropQueryCollection = operation({
  type: 'drop_query_collection',
  about: { summary: 'Drops a query collection.' },
  args: DropCollectionArgs,
  check: 'new',
  handle({ metadata }, { collection: name, cascade }) {
    const collection = within('collection', () => requireCollection(metadata, name))
    if (isAllowed(metadata, name) && !cascade) {
      const message = `query collection with name "${name}" is present in allowlist; cannot proceed to drop`
      throw badRequest('dependency-error', message, { path: ['collection'] })
    }
    disallow(metadata, name)
    metadata.query_collections.splice(metadata.query_collections.indexOf(collection), 1)
  },
})

export const addQueryToCollection = operation({
  type: 'add_query_to_collection',
  about: { summary: 'Adds a query to a collection.' },
  args: AddQueryArgs,
  handle({ metadata }, { collection_name, query_name: name, query }) {
    const { queries } = requireCollection(metadata, collection_name).definition
    if (queries.some((each) => each.name === name)) {
      const message = `query with name "${name}" already exists in collection "${collection_name}"`
      throw badRequest('already-exists', message)
    }
    queries.push({ name, query })
  },
})

export const dropQueryFromCollection = operation({
  type: 'drop_query_from_collection',
  about: { summary: 'Drops a query from a collection.' },
  args: DropQueryArgs,
  check: 'new',
  handle({ metadata }, { collection_name, query_name: name }) {
    const { definition } = requireCollection(metadata, collection_name)
    const rest = definition.queries.filter((query) => query.name !== name)
    if (rest.length === definition.queries.length) {
      throw badRequest('not-found', `query with name "${name}" not found in collection "${collection_name}"`)
    }
    definition.queries = rest
  },
})

/** The refusal of version 2 for a collection that is not in the allow-list. */
const notAllowed = (collection: string) =>
  badRequest('not-found', `collection "${collection}" doesn't exist in the allowlist`)

export const addCollectionToAllowlist = operation({
  type: 'add_collection_to_allowlist',
  pathsNameArguments: true,
  about: { summary: 'Lets roles run the queries of a collection when the allow-list is in force.' },
  args: AllowArgs,
  check: 'new',
  handle({ metadata }, { collection, scope }) {
    within('collection', () => requireCollection(metadata, collection))
    if (!isAllowed(metadata, collection)) metadata.allowlist.push({ collection, ...(scope && { scope }) })
  },
})

export const updateScopeInAllowlist = operation({
  type: 'update_scope_of_collection_in_allowlist',
  pathsNameArguments: true,
  about: { summary: 'Sets the roles that may run the queries of a collection on the allow-list.' },
  args: ScopeArgs,
  check: 'new',
  handle(context, { collection, scope }) {
    const { metadata } = context
    within('collection', () => requireCollection(metadata, collection))
    const entry = metadata.allowlist.find((each) => each.collection === collection)
    if (!entry) {
      if (context.interface === '2') throw notAllowed(collection)
      throw badRequest('not-found', `collection "${collection}" does not exist in the allowlist`, {
        path: ['collection'],
      })
    }
    entry.scope = scope
  },
})

export const dropCollectionFromAllowlist = operation({
  type: 'drop_collection_from_allowlist',
  pathsNameArguments: true,
  about: { summary: 'Drops a collection from the allow-list.' },
  args: CollectionArgs,
  check: 'new',
  handle(context, { collection }) {
    const { metadata } = context
    // In version 2, a collection that does not exist is not in the allow-list either.
    if (context.interface !== '2') within('collection', () => requireCollection(metadata, collection))
    else if (!isAllowed(metadata, collection)) throw notAllowed(collection)
    disallow(metadata, collection)
  },
})
