// Operations on the permissions of remote schemas.

import { badRequest } from '../../sdk/index.ts'
import { operation } from '../../sdk/metadata.ts'
import { remoteSchemaPermissionRef } from './metadata.ts'
import { requireRemoteSchema } from './operations.ts'
import { AddPermissionArgs, DropPermissionArgs } from './schema.ts'
import { permittedView } from './types/permitted-view.ts'

export const addRemoteSchemaPermissions = (isEnabled: boolean) =>
  operation({
    type: 'add_remote_schema_permissions',
    about: { summary: 'Lets a role see a part of a remote schema.' },
    args: AddPermissionArgs,
    group: 'add remote schema permissions',
    check: 'object',
    object: ({ remote_schema: name, role }) => remoteSchemaPermissionRef(name, role),
    handle(context, { remote_schema: name, ...permission }) {
      const { metadata } = context
      if (!isEnabled) {
        const rule = 'remote schema permissions can only be defined when remote schema permissions are enabled'
        throw badRequest('constraint-violation', `${rule} in the graphql-engine`)
      }
      const entry = requireRemoteSchema(metadata, name)
      const { permissions = [] } = entry
      const { role } = permission
      if (role === 'admin') {
        throw badRequest('constraint-violation', 'cannot define permission for admin role', { path: ['role'] })
      }
      if (permissions.some((each) => each.role === role)) {
        throw badRequest(
          'already-exists',
          `permissions for role: "${role}" for remote schema: "${name}" already exists`,
        )
      }
      const remote = context.interface === '2' ? context.model.slices.remote_schemas?.get(name) : undefined
      // In version 2 the text is refused by itself, before it could make an inconsistent object.
      if (remote) permittedView(remote.types, permission.definition.schema, context.dialect)
      entry.permissions = [...permissions, permission].sort((a, b) => (a.role < b.role ? -1 : 1))
    },
  })

export const dropRemoteSchemaPermissions = operation({
  type: 'drop_remote_schema_permissions',
  about: { summary: 'Removes the permission of a role on a remote schema.' },
  args: DropPermissionArgs,
  group: 'drop remote schema permissions',
  check: 'new',
  handle({ metadata, remove }, { remote_schema: name, role }) {
    requireRemoteSchema(metadata, name)
    if (remove(remoteSchemaPermissionRef(name, role))) return
    throw badRequest('not-exists', `permissions for role: "${role}" for remote schema: "${name}" doesn't exist`)
  },
})
