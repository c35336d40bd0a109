// Operations that create, update and drop actions, and their permissions.

import { badRequest } from '../../sdk/index.ts'
import { type MetadataDocument, operation } from '../../sdk/metadata.ts'
import { actionRef, findAction } from './metadata.ts'
import {
  type ActionEntry,
  type ActionSchemas,
  CreateActionPermissionArgs,
  DropActionArgs,
  DropActionPermissionArgs,
} from './schema.ts'

function requireAction(metadata: MetadataDocument, name: string): ActionEntry {
  const action = findAction(metadata, name)
  if (action) return action
  throw badRequest('not-exists', `action with name "${name}" does not exist`)
}

/** The operations that take definitions. */
export function definingOperations({ action: args }: Pick<ActionSchemas, 'action'>) {
  const createAction = operation({
    type: 'create_action',
    about: { summary: 'Adds a field that a webhook answers.' },
    args,
    check: 'object',
    object: ({ name }) => actionRef(name),
    handle({ metadata }, action) {
      if (findAction(metadata, action.name)) {
        throw badRequest('already-exists', `action with name "${action.name}" already exists`)
      }
      metadata.actions.push(action)
    },
  })
  const updateAction = operation({
    type: 'update_action',
    about: { summary: 'Replaces the definition of an action.' },
    args,
    check: 'object',
    object: ({ name }) => actionRef(name),
    handle({ metadata }, { name, definition, comment }) {
      const action = findAction(metadata, name)
      if (!action) throw badRequest('not-exists', `action with name "${name}" not exists`)
      action.definition = definition
      if (comment !== undefined) action.comment = comment
    },
  })
  return [createAction, updateAction]
}

export const dropAction = operation({
  type: 'drop_action',
  about: { summary: 'Drops an action, with the log of its asynchronous calls.' },
  args: DropActionArgs,
  check: 'new',
  async handle({ metadata, transaction }, { name, clear_data: clearsData = true }) {
    const action = requireAction(metadata, name)
    metadata.actions.splice(metadata.actions.indexOf(action), 1)
    if (clearsData) await transaction.rows('delete from trellis.hdb_action_log where action_name = $1', [name])
  },
})

export const createActionPermission = operation({
  type: 'create_action_permission',
  about: { summary: 'Lets a role call an action.' },
  args: CreateActionPermissionArgs,
  check: 'object',
  object: ({ action }) => actionRef(action),
  handle({ metadata }, { action: name, role, comment }) {
    const action = requireAction(metadata, name)
    const permissions = action.permissions ?? []
    if (permissions.some((permission) => permission.role === role)) {
      throw badRequest('already-exists', `permission for role "${role}" is already defined on "${name}"`)
    }
    action.permissions = [...permissions, { role, ...(comment !== undefined && { comment }) }]
  },
})

export const dropActionPermission = operation({
  type: 'drop_action_permission',
  about: { summary: 'Drops the permission of a role to call an action.' },
  args: DropActionPermissionArgs,
  check: 'object',
  object: ({ action }) => actionRef(action),
  handle({ metadata }, { action: name, role }) {
    const action = requireAction(metadata, name)
    const rest = (action.permissions ?? []).filter((permission) => permission.role !== role)
    if (rest.length === (action.permissions ?? []).length) {
      throw badRequest('not-exists', `permission for role: "${role}" is not defined on "${name}"`)
    }
    if (rest.length > 0) action.permissions = rest
    else delete action.permissions
  },
})
