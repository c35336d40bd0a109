// Roles that have the permissions of other roles, their parents.

import { definePlugin } from '../../sdk/index.ts'
import { conflictsCheck, inheritedRolesSlice } from './metadata.ts'
import { addInheritedRole, dropInheritedRole } from './operations.ts'

export default definePlugin({
  name: 'inherited-roles',
  dependencies: ['metadata'],
  register(engine) {
    const { access, metadata, operations } = engine
    metadata.slice('inherited_roles', inheritedRolesSlice)
    metadata.check(conflictsCheck(access))
    operations.add(addInheritedRole, dropInheritedRole)
    access.compose(({ slices }) => slices.inherited_roles ?? null)
  },
})
