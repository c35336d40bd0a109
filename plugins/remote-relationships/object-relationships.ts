// Remote relationships of custom object types: they join results of actions to fields of remote servers.

import type { Dialect } from '../../sdk/index.ts'
import { decode, type ObjectRef, type SliceContext } from '../../sdk/metadata.ts'
import {
  baseOf,
  nameOfType,
  type ObjectMember,
  type ObjectModel,
  type ObjectRelationshipKind,
  type OtherRelationship,
  type ResolvedType,
} from '../custom-types/index.ts'
import { type RemoteServers, remoteSchemaRef } from '../remote-schemas/index.ts'
import type { JoinedMembers, JoinedType } from './check.ts'
import { joinedField } from './graphql.ts'
import { located, resolveJoin } from './metadata.ts'
import { isRemoteEntry, objectEntryReader, remoteRelationshipEntry, writtenEntry } from './schema.ts'

/** The reference to an object's remote relationship in dependencies and inconsistencies. */
const objectRelationshipRef = (object: string, name: string): ObjectRef => ({
  kind: 'remote relationship',
  name: object,
  detail: name,
})

/** The kind of object relationships that lead to remote schemas. */
export function objectRemoteRelationships(dialect: Dialect, servers: RemoteServers): ObjectRelationshipKind {
  const stored = remoteRelationshipEntry(dialect)
  const entryOf = (entry: OtherRelationship) => decode(stored, entry)
  const write = (entry: OtherRelationship) => writtenEntry(entryOf(entry), dialect)
  return {
    owns: isRemoteEntry,
    read: objectEntryReader(dialect),
    write,
    after: ['remote_schemas'],
    describe(object, entry) {
      const { name, definition } = write(entry)
      return {
        ref: objectRelationshipRef(object, name),
        type: 'remote_relationship',
        definition: { object_type: object, name, ...definition },
      }
    },
    resolve: (entry, object, context) => resolveMember(entryOf(entry), object, { context, servers }),
  }
}

interface Resolving {
  readonly context: SliceContext
  readonly servers: RemoteServers
}

function resolveMember(
  entry: ReturnType<ReturnType<typeof objectEntryReader>>,
  object: ObjectModel,
  { context, servers }: Resolving,
): ObjectMember {
  const { name, definition } = entry
  const where = `in object type "${object.name}": in remote relationship "${name}"`
  const relationship = located(where, () => resolveJoin(entry, membersOf(object), context))
  const ref = objectRelationshipRef(object.name, name)
  context.depend(ref, remoteSchemaRef(definition.remote_schema), 'remote_schema')
  return {
    name,
    field(scope) {
      const joined = joinedField({ scope, relationship, servers, owner: object.name })
      if (!joined) return null
      return () => {
        const { planner, ...field } = joined()
        return { ...field, extensions: { member: planner } }
      }
    },
  }
}

const membersOf = ({ name, fields }: ObjectModel): JoinedMembers => ({
  text: `object type "${name}"`,
  types: new Map(fields.map((field) => [field.name, typeOf(field.type)])),
})

function typeOf(type: ResolvedType): JoinedType {
  const named = baseOf(type)
  return { name: nameOfType(named), isEnum: named.kind === 'enum', depth: depthOf(type) }
}

const depthOf = (type: ResolvedType): number => (type.kind === 'list' ? 1 + depthOf(type.of) : 0)
