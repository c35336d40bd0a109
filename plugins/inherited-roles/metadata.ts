// The slice `inherited_roles`, and the permissions that inherited roles cannot get because their parents differ.

import { type AccessService, grantors, type RoleParents, type SharedObject } from '../../sdk/access.ts'
import { Type } from '../../sdk/index.ts'
import type { Inconsistency, ModelCheck, ObjectRef, SliceContext, SliceDefinition } from '../../sdk/metadata.ts'
import { canonicalRole, type InheritedRole, InheritedRoleEntry } from './schema.ts'
import { mostParents, mostRoles } from './tuning.ts'

declare module '../../sdk/registry.ts' {
  interface ModelSlices {
    inherited_roles: RoleParents
  }
}

const kind = 'inherited role'

/** The kind of the listed objects that no operation can remove. */
const conflictKind = 'inherited permission'

export const inheritedRoleRef = (name: string): ObjectRef => ({ kind, name })

/** The slice. */
export const inheritedRolesSlice: SliceDefinition<'inherited_roles'> = {
  schema: Type.Array(InheritedRoleEntry, { maxItems: mostRoles }),
  empty: [],
  kind: 'inherited roles',
  entryKey: ({ role_name }) => role_name,
  readEntry: (entry) => canonicalRole(entry as InheritedRole),
  resolve: resolveRoles,
  remove(draft, object) {
    // The parents keep their permissions, and the object is listed as long as these differ.
    if (object.kind === conflictKind) return true
    if (object.kind !== kind) return false
    const index = draft.inherited_roles.findIndex(({ role_name }) => role_name === object.name)
    if (index < 0) return false
    draft.inherited_roles.splice(index, 1)
    return true
  },
}

const describe = (entry: InheritedRole) => ({
  ref: inheritedRoleRef(entry.role_name),
  type: 'inherited_role',
  definition: entry,
  later: { name: `inherited role ${entry.role_name}` },
})

function resolveRoles(entries: readonly InheritedRole[], context: SliceContext): RoleParents {
  const given = new Map(entries.map(({ role_name, role_set }) => [role_name, role_set]))
  const sound = entries.filter((entry) => {
    const problem = roleProblem(entry, given)
    if (problem) context.report(describe(entry), problem)
    return !problem
  })
  return new Map(sound.map(({ role_name, role_set }) => [role_name, role_set]))
}

/** The reason why an inherited role cannot be served; null if it can. */
export function roleProblem({ role_name: name, role_set: parents }: InheritedRole, given: RoleParents): string | null {
  if (name === 'admin') return 'the role "admin" has all permissions and cannot inherit any'
  if (parents.includes('admin')) return 'the permissions of the role "admin" cannot be inherited'
  /** The roles that it inherits from, and the role by which each was found. */
  const found = new Map<string, string>()
  const waiting = [name]
  for (let role = waiting.pop(); role !== undefined; role = waiting.pop()) {
    for (const parent of given.get(role) ?? []) {
      if (parent === name) return `found cycle(s) in roles: ${JSON.stringify(wayTo(role, name, found))}`
      if (found.has(parent)) continue
      found.set(parent, role)
      if (found.size > mostParents) return `the role "${name}" inherits from more than ${mostParents} roles`
      waiting.push(parent)
    }
  }
  return null
}

function wayTo(role: string, start: string, found: ReadonlyMap<string, string>): readonly string[] {
  const way = [role]
  while (way[0] !== start) way.unshift(found.get(way[0]!)!)
  return way
}

/** The check that lists the objects about which the parents of a role differ. */
export const conflictsCheck = (access: AccessService): ModelCheck =>
  function* (model) {
    const parents = model.slices.inherited_roles
    const found: Inconsistency[] = []
    if (!parents || parents.size === 0) return found
    for (const object of access.shared(model)) {
      for (const role of parents.keys()) {
        const roles = grantors(parents, role, (each) => object.isGranted(each))
        if (roles.length > 1 && !object.agree(roles)) found.push(conflict(role, object))
        yield
      }
    }
    return found
  }

/** Nothing is open because of it, so it refuses no change. */
const conflict = (role: string, { ref, text, listed }: SharedObject): Inconsistency => ({
  ref: { ...ref, name: [ref.name, role].filter((part) => part !== undefined).join(' ') },
  type: 'inherited role permission inconsistency',
  definition: { role_name: role },
  reason: reasonOf(role, text('default')),
  isTolerated: true,
  listed: (source) => ({
    type: 'inherited role permission inconsistency',
    name: role,
    reason: reasonOf(role, text(source)),
    entity: listed(source),
  }),
})

const reasonOf = (role: string, entity: string): string =>
  `Could not inherit permission for the role '${role}' for the entity: '${entity}'`
