// The shape of relationships from remote types in documents, where a remote schema's entry holds them.

import { compareText, parseFailed, type TSchema, Type } from '../../sdk/index.ts'
import { type DecodePart, GraphQLName } from '../../sdk/metadata.ts'
import { saysNothing } from '../../sdk/services.ts'

/** A relationship of an object type. */
export interface TypeRelationship {
  name: string
  definition: object
}

/** The relationships of an object type, by the server's name of the type. */
export interface TypeRelationships {
  type_name: string
  relationships: TypeRelationship[]
}

/** The shape of definitions, if a plugin serves them. */
export interface GivenDefinitions {
  readonly definitions: { readonly schema: TSchema } | null
}

/** The key of a remote schema's entry. */
export const relationshipsKey = 'remote_relationships'

/** The relationships in a document. Without a plugin that serves them, only an empty value is accepted. */
export function relationshipsSchema(service: GivenDefinitions) {
  const convert = (value: unknown, decodePart: DecodePart): TypeRelationships[] => {
    if (saysNothing(value)) return []
    const { definitions } = service
    if (!definitions) throw parseFailed(`unexpected key "${relationshipsKey}"`)
    return sorted(decodePart(documentShape(definitions.schema), value) as TypeRelationships[])
  }
  return Type.Unsafe<TypeRelationships[]>(Type.Unknown({ shown: documentShape(Type.Unknown()), convert }))
}

const closed = { additionalProperties: false }

const documentShape = (definition: TSchema) =>
  Type.Array(
    Type.Object(
      {
        type_name: GraphQLName,
        relationships: Type.Array(Type.Object({ name: GraphQLName, definition }, closed)),
      },
      closed,
    ),
  )

/** The relationships in the order of documents, without types that have none. */
export function sorted(all: readonly TypeRelationships[]): TypeRelationships[] {
  return all
    .filter(({ relationships }) => relationships.length > 0)
    .map(({ type_name, relationships }) => ({
      type_name,
      relationships: [...relationships].sort((a, b) => compareText(a.name, b.name)),
    }))
    .sort((a, b) => compareText(a.type_name, b.type_name))
}
