// The model of a remote schema.

import type { RemoteSchemaDefinition } from './schema.ts'
import type { RemoteTransport } from './servers/transport.ts'
import type { RemoteTypes } from './types/remote-types.ts'
import type { TypeMember } from './types/type-members.ts'
import type { RemoteView } from './types/view.ts'

/** A remote schema that is served. */
export interface RemoteSchemaModel {
  readonly name: string
  readonly transport: RemoteTransport
  readonly definition: RemoteSchemaDefinition
  /** The answer to its introspection, as received. */
  readonly introspection: object
  readonly types: RemoteTypes
  /** The view of administrators. */
  readonly whole: RemoteView
  /** The views of roles with a permission; used with `--enable-remote-schema-permissions`. */
  readonly permitted: ReadonlyMap<string, RemoteView>
  /** The texts of these permissions, by role; equal ones permit the same. */
  readonly permissionTexts: ReadonlyMap<string, string>
  /** The names of other remote schemas that it consists of. */
  readonly members: readonly string[]
  /** Whether its fields and types are served only as parts of other remote schemas. */
  readonly isHidden: boolean
  /** Fields that relationships of any remote schema add to types, by local names of types; the same for all. */
  readonly typeMembers: ReadonlyMap<string, readonly TypeMember[]>
}
