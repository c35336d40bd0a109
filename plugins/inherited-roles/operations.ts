// Adding and dropping inherited roles.

import { badRequest, type LaterWords } from '../../sdk/index.ts'
import { operation } from '../../sdk/metadata.ts'
import { inheritedRoleRef, roleProblem } from './metadata.ts'
import { AddInheritedRoleArgs, canonicalRole, DropInheritedRoleArgs, type InheritedRole } from './schema.ts'
import { mostRoles } from './tuning.ts'

/** The refusal of version 2, where it differs. */
function laterWords({ role_name, role_set }: InheritedRole, problem: string): LaterWords | undefined {
  if (role_set.includes(role_name)) {
    return { code: 'invalid-params', message: 'an inherited role name cannot be in the role combination' }
  }
  return problem.startsWith('found cycle') ? { code: 'cyclic-dependency', message: problem } : undefined
}

export const addInheritedRole = operation({
  type: 'add_inherited_role',
  about: { summary: 'Adds a role that has the permissions of other roles.' },
  args: AddInheritedRoleArgs,
  check: 'object',
  object: ({ role_name }) => inheritedRoleRef(role_name),
  handle(context, given) {
    const { metadata } = context
    const entry = canonicalRole(given)
    const { role_name: name } = entry
    // In version 2 the operation also replaces.
    const isReplacing = context.interface === '2'
    const all = metadata.inherited_roles.filter(({ role_name }) => !isReplacing || role_name !== name)
    if (all.some(({ role_name }) => role_name === name)) {
      throw badRequest('already-exists', `the inherited role "${name}" already exists`)
    }
    if (all.length >= mostRoles) throw badRequest('not-supported', `there are ${mostRoles} inherited roles already`)
    const parents = new Map([...all, entry].map(({ role_name, role_set }) => [role_name, role_set]))
    const problem = roleProblem(entry, parents)
    if (problem) throw badRequest('constraint-violation', problem, { inInterface2: laterWords(entry, problem) })
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
    if (rest.length === all.length) {
      const inInterface2 = { message: `"${name}" inherited role doesn't exist` }
      throw badRequest('not-exists', `the inherited role "${name}" does not exist`, { inInterface2 })
    }
    metadata.inherited_roles = rest
  },
})
