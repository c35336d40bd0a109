// The wire format of query collections, in arguments and in the document.

import { parseText } from '../../sdk/graphql.ts'
import { type ObjectOptions, parseFailed, Type } from '../../sdk/index.ts'
import { ObjectName } from '../../sdk/metadata.ts'

/** A named GraphQL document; its text is kept as it was written. */
export interface CollectedQuery {
  name: string
  query: string
}

/** A query collection in the metadata. */
export interface QueryCollection {
  name: string
  definition: { queries: CollectedQuery[] }
  comment?: string
}

/** An entry of the allow-list: for every role, unless its scope names some. */
export interface AllowedCollection {
  collection: string
  scope?: { global: true } | { global: false; roles: string[] }
}

declare module '../../sdk/registry.ts' {
  interface DocumentSlices {
    query_collections: QueryCollection[]
    allowlist: AllowedCollection[]
  }
}

function checkSyntax(text: string): string {
  if (parseText(text)) return text
  throw parseFailed('parsing the graphql query failed')
}

const QueryText = Type.String({
  message: 'expecting String for GraphQL query',
  convert: checkSyntax,
  examples: ['{ __typename }'],
})

const collection = (options: ObjectOptions) => {
  const query = Type.Object({ name: ObjectName, query: QueryText }, options)
  const definition = Type.Object({ queries: Type.Array(query) }, options)
  return Type.Object({ name: ObjectName, definition, comment: Type.Optional(Type.String()) }, options)
}

/** The arguments of `create_query_collection`. */
export const CreateCollectionArgs = collection({})

/** The arguments of `rename_query_collection`. */
export const RenameCollectionArgs = Type.Object({ name: ObjectName, new_name: ObjectName })

export const DropCollectionArgs = Type.Object({ collection: ObjectName, cascade: Type.Boolean() })

export const AddQueryArgs = Type.Object({ collection_name: ObjectName, query_name: ObjectName, query: QueryText })

export const DropQueryArgs = Type.Object({ collection_name: ObjectName, query_name: ObjectName })

/** The arguments of `drop_collection_from_allowlist`. */
export const CollectionArgs = Type.Object({ collection: ObjectName })

const closed = { additionalProperties: false }

type Scope = NonNullable<AllowedCollection['scope']>

const Roles = Type.Array(ObjectName, { minItems: 1 })

function checkScope({ global, roles }: { readonly global: boolean; readonly roles?: string[] }): Scope {
  if (global) {
    if (roles) throw parseFailed('a scope that is global has no roles', ['roles'])
    return { global }
  }
  if (!roles) throw parseFailed("the key 'roles' was not present")
  return { global, roles }
}

const Scope = Type.Unsafe<Scope>(
  Type.Object(
    { global: Type.Boolean(), roles: Type.Optional(Roles) },
    {
      ...closed,
      convert: checkScope,
      shown: Type.Union([
        Type.Object({ global: Type.Literal(true) }, closed),
        Type.Object({ global: Type.Literal(false), roles: Roles }, closed),
      ]),
    },
  ),
)

/** The arguments of `add_collection_to_allowlist`. */
export const AllowArgs = Type.Object({ collection: ObjectName, scope: Type.Optional(Scope) })

/** The arguments of `update_scope_of_collection_in_allowlist`. */
export const ScopeArgs = Type.Object({ collection: ObjectName, scope: Scope })

/** `query_collections` and `allowlist` of a document. */
export const documentSchemas = {
  collections: Type.Array(collection(closed)),
  allowlist: Type.Array(Type.Object({ collection: ObjectName, scope: Type.Optional(Scope) }, closed)),
}
