// Values of resolved fields, cut to what was selected.

import { type GraphQLOutputType, isAbstractType, isLeafType, isListType, isNonNullType, isObjectType } from 'graphql'
import { internalError } from '../errors/errors.ts'
import { pathKeys } from '../errors/path.ts'
import type { FieldSelection } from './selection.ts'

/** The value in the response's shape: members picked by selection, lists walked, `__typename` filled in. */
export function completeValue(value: unknown, field: FieldSelection, type?: GraphQLOutputType): unknown {
  return complete(value, type ?? field.definition!.type, field)
}

function complete(value: unknown, type: GraphQLOutputType, field: FieldSelection): unknown {
  if (isNonNullType(type)) {
    const completed = complete(value, type.ofType, field)
    if (completed === null) {
      const message = `expecting not null value for field "${field.name}"`
      throw internalError(message, { path: pathKeys(field.path) })
    }
    return completed
  }
  if (value === null || value === undefined) return null
  if (isListType(type)) {
    if (!Array.isArray(value)) {
      throw internalError(`expecting a list for field "${field.name}"`, { path: pathKeys(field.path) })
    }
    return value.map((item) => complete(item, type.ofType, field))
  }
  if (isLeafType(type)) return value
  const members = value as Record<string, unknown>
  const object = isAbstractType(type) ? null : type
  if (!isObjectType(object)) {
    throw internalError(`the type of field "${field.name}" cannot be completed`, { path: pathKeys(field.path) })
  }
  const entries = field.fieldsOf(object).map((child) => {
    if (child.definition === null) return [child.responseName, object.name]
    const member = Object.hasOwn(members, child.name) ? members[child.name] : null
    return [child.responseName, complete(member, child.definition.type, child)]
  })
  return Object.fromEntries(entries)
}
