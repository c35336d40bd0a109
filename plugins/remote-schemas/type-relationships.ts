// Relationships from the objects of a remote schema. The document holds them with the remote schema; another plugin defines
// their targets.

import { badRequest, type TSchema } from '../../sdk/index.ts'
import {
  type MetadataDocument,
  type ObjectDescription,
  type ObjectRef,
  objectKey,
  type Rename,
  requireSource,
  type SliceContext,
} from '../../sdk/metadata.ts'
import type { RemoteSchemaModel } from './model.ts'
import { relationshipsKey, sorted, type TypeRelationship, type TypeRelationships } from './type-relationship-shapes.ts'
import type { TypeMember } from './types/type-members.ts'

/** The place of a relationship. */
export interface TypeRelationshipPlace {
  readonly remoteSchema: string
  /** The server's name of the type. */
  readonly typeName: string
}

/** A relationship whose targets are to be looked up. */
export interface ResolvingRelationship {
  readonly relationship: TypeRelationship
  readonly remote: RemoteSchemaModel
  readonly typeName: string
  /** All remote schemas that are served. */
  readonly remotes: ReadonlyMap<string, RemoteSchemaModel>
  readonly ref: ObjectRef
  readonly context: SliceContext
}

/** The definitions of relationships. */
export interface RelationshipDefinitions {
  readonly schema: TSchema
  /** The name of the source that a definition gives. */
  source(definition: object): string | undefined
  /** The form of documents. */
  write(definition: object, form: WrittenForm): object
  /** Throws a TrellisError if the relationship is broken: then only this one is left out, and listed. */
  resolve(given: ResolvingRelationship): TypeMember
  /** The definition with the new name instead of the old one. */
  rename(definition: object, rename: Rename): object
}

/** The form of a document. */
export interface WrittenForm {
  readonly formatVersion: number
  readonly source: string
}

/** The service to which one plugin gives the definitions. */
export class RelationshipsOfTypes {
  definitions: RelationshipDefinitions | null = null
}

/** The reference to a relationship in dependencies and inconsistencies. */
export const typeRelationshipRef = ({ remoteSchema, typeName }: TypeRelationshipPlace, name: string): ObjectRef => ({
  kind: 'remote relationship',
  name: remoteSchema,
  detail: `${typeName}.${name}`,
})

/** Refuses names that occur twice, and unknown sources; `path` is that of the remote schema. */
export function checkRelationships(
  all: readonly TypeRelationships[],
  { definitions }: RelationshipsOfTypes,
  { document, path }: { readonly document: MetadataDocument; readonly path: readonly (string | number)[] },
): void {
  refuseRepeated(
    all.map(({ type_name }) => type_name),
    'types with remote relationships',
    path,
  )
  for (const { type_name, relationships } of all) {
    const names = relationships.map(({ name }) => name)
    refuseRepeated(names, `remote relationships of type "${type_name}"`, path)
    for (const { definition } of relationships) requireSource(document, definitions?.source(definition), path)
  }
}

function refuseRepeated(names: readonly string[], kind: string, path: readonly (string | number)[]): void {
  const repeated = new Set(names.filter((name, i) => names.indexOf(name) !== i))
  if (repeated.size === 0) return
  const list = [...repeated].map((name) => `"${name}"`).join(', ')
  throw badRequest('already-exists', `multiple declarations exist for the following ${kind} : ${list}`, { path })
}

/** The relationships in the form of documents. */
export const writtenRelationships = (
  all: readonly TypeRelationships[],
  { definitions }: RelationshipsOfTypes,
  form: WrittenForm,
): object[] =>
  all.map(({ type_name, relationships }) => ({
    type_name,
    relationships: relationships.map(({ name, definition }) => ({
      name,
      definition: definitions ? definitions.write(definition, form) : definition,
    })),
  }))

/** Adds or replaces a relationship. */
export function withRelationship(
  all: readonly TypeRelationships[],
  type_name: string,
  relationship: TypeRelationship,
): TypeRelationships[] {
  const known = all.find((each) => each.type_name === type_name)?.relationships ?? []
  const relationships = [...known.filter(({ name }) => name !== relationship.name), relationship]
  return sorted([...all.filter((each) => each.type_name !== type_name), { type_name, relationships }])
}

/** The relationships without one; the same list if it does not have that one. */
export function withoutRelationship(
  all: TypeRelationships[],
  { remoteSchema, object }: { readonly remoteSchema: string; readonly object: ObjectRef },
): TypeRelationships[] {
  const isMeant = (typeName: string, name: string) =>
    objectKey(typeRelationshipRef({ remoteSchema, typeName }, name)) === objectKey(object)
  if (!all.some(({ type_name, relationships }) => relationships.some(({ name }) => isMeant(type_name, name))))
    return all
  return sorted(
    all.map(({ type_name, relationships }) => ({
      type_name,
      relationships: relationships.filter(({ name }) => !isMeant(type_name, name)),
    })),
  )
}

/** The relationships with the new name of a table or column instead of the old one. */
export const renamedRelationships = (
  all: readonly TypeRelationships[],
  { definitions }: RelationshipsOfTypes,
  rename: Rename,
): TypeRelationships[] =>
  all.map(({ type_name, relationships }) => ({
    type_name,
    relationships: relationships.map(({ name, definition }) => ({
      name,
      definition: definitions ? definitions.rename(definition, rename) : definition,
    })),
  }))

/** The description of a relationship in lists of inconsistencies. */
function describe(
  place: TypeRelationshipPlace,
  { name, definition: stored }: TypeRelationship,
  { definitions }: RelationshipsOfTypes,
): ObjectDescription {
  const { remoteSchema: remote_schema, typeName: type_name } = place
  // Lists of inconsistencies have no source: they are made when the metadata are resolved.
  const definition = definitions?.write(stored, { formatVersion: 2, source: '' }) ?? stored
  return {
    ref: typeRelationshipRef(place, name),
    type: 'remote_schema_remote_relationship',
    definition: { remote_schema, type_name, name, definition },
    later: { name: `${name} on type ${type_name} in remote schema ${remote_schema}` },
  }
}

/** The parts that {@link resolveRelationships} reads. */
export interface ResolvingRelationships {
  readonly service: RelationshipsOfTypes
  readonly context: SliceContext
  /** The remote schemas that are served, with the relationships in their entries. */
  readonly remotes: ReadonlyMap<string, RemoteSchemaModel>
  readonly relationshipsOf: (remoteSchema: string) => readonly TypeRelationships[]
  /** The result of `work`; null if it throws: then the object is listed. */
  readonly attempt: <T>(object: ObjectDescription, work: () => T) => T | null
}

/** The fields for the relationships of all remote schemas, by local names of types. */
export function resolveRelationships(given: ResolvingRelationships): ReadonlyMap<string, readonly TypeMember[]> {
  const { service, context, remotes, relationshipsOf, attempt } = given
  const members = new Map<string, TypeMember[]>()
  const { definitions } = service
  for (const [remoteSchema, remote] of remotes) {
    for (const { type_name: typeName, relationships } of relationshipsOf(remoteSchema)) {
      const local = remote.types.names.localType(typeName)
      for (const relationship of relationships) {
        const object = describe({ remoteSchema, typeName }, relationship, service)
        const member = attempt(object, () => {
          if (!definitions) throw badRequest('not-supported', `"${relationshipsKey}" of remote schemas is not served`)
          const others = members.get(local) ?? []
          if (others.some(({ name }) => name === relationship.name)) {
            throw badRequest('already-exists', `another remote schema has "${relationship.name}" for type "${local}"`)
          }
          return definitions.resolve({ relationship, remote, typeName, remotes, context, ref: object.ref })
        })
        if (member) members.set(local, [...(members.get(local) ?? []), member])
      }
    }
  }
  return members
}
