// Inherited roles in the document and in arguments.

import { Type } from '../../sdk/index.ts'
import { ObjectName } from '../../sdk/metadata.ts'
import { mostParents } from './tuning.ts'

/** A role with the permissions of others. */
export interface InheritedRole {
  role_name: string
  /** Its parents. */
  role_set: string[]
}

declare module '../../sdk/registry.ts' {
  interface DocumentSlices {
    inherited_roles: InheritedRole[]
  }
}

const members = { role_name: ObjectName, role_set: Type.Array(ObjectName, { maxItems: mostParents }) }

/** An entry of `inherited_roles`. */
export const InheritedRoleEntry = Type.Object(members, { additionalProperties: false })

/** The arguments of `add_inherited_role`. */
export const AddInheritedRoleArgs = Type.Object(members)

/** The arguments of `drop_inherited_role`. */
export const DropInheritedRoleArgs = Type.Object({ role_name: ObjectName })

/** The entry in its stored form: each parent once. */
export const canonicalRole = ({ role_name, role_set }: InheritedRole): InheritedRole => ({
  role_name,
  role_set: [...new Set(role_set)],
})
