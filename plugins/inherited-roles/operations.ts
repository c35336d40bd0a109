// Adding and dropping inherited roles.

import { badRequest } from '../../sdk/index.ts'
import { operation } from '../../sdk/metadata.ts'
import { inheritedRoleRef, roleProblem } from './metadata.ts'
import { AddInheritedRoleArgs, canonicalRole, DropInheritedRoleArgs } from './schema.ts'
import { mostRoles } from './tuning.ts'

export const addInheritedRole = operation({
  type: 'add_inherited_role',
  about: { summary: 'Adds a role that has the permissions of other roles.' },
  args: AddInheritedRoleArgs,
  check: 'object',
  object: ({ role_name }) => inheritedRoleRef(role_name),
  handle({ metadata }, given) {
    const entry = canonicalRole(given)
    const { role_name: name } = entry
    const all = metadata.inherited_roles
    if (all.some(({ role_name }) => role_name === name)) {
      throw badRequest('already-exists', `the inherited role "${name}" already exists`)
    }
    if (all.length >= mostRoles) throw badRequest('not-supported', `there are ${mostRoles} inherited roles already`)
    const parents = new Map([...all, entry].map(({ role_name, role_set }) => [role_name, role_set]))
    const problem = roleProblem(entry, parents)
    if (problem) throw badRequest('constraint-violation', problem)
    metadata.inherited_roles = [...all, entry]
  },
})

export const dropInheritedRole = operation({
  type: 'drop_inherited_role',
  about: { summary: 'Drops an inherited role; its parents stay.' },
  args: DropInheritedRoleArgs,
  handle({ metadata }, { role_name: name }) {
    const all = metadata.inherited_roles
    const rest = all.filter(({ role_name }) => role_name !== name)
    if (rest.length === all.length) throw badRequest('not-exists', `the inherited role "${name}" does not exist`)
    metadata.inherited_roles = rest
  },
})
