// Reads `@preset(value:, static:)` on an argument or input field in the text of a permission.

import {
  type ConstDirectiveNode,
  type ConstValueNode,
  coerceInputLiteral,
  type GraphQLInputType,
  getNamedType,
  getNullableType,
  isInputObjectType,
  isListType,
  isRequiredInputField,
  isScalarType,
  Kind,
} from 'graphql'
import { type Dialect, sessionVariableName, TrellisError } from '../../../sdk/index.ts'
import type { Preset, SessionValue } from './view.ts'

/** An argument or input field of the remote schema. */
export interface PresetPlace {
  /** Its name in messages. */
  readonly what: string
  readonly type: GraphQLInputType
  readonly dialect: Dialect
}

/** The preset in the directives; null without one. A string is the message of an error. */
export function readPreset(
  directives: readonly ConstDirectiveNode[],
  { what, type, dialect }: PresetPlace,
): Preset | string | null {
  const [directive, ...others] = directives.filter(({ name }) => name.value === 'preset')
  if (!directive) return null
  if (others.length > 0) return `found multiple preset directives at ${what}`
  const values = new Map((directive.arguments ?? []).map(({ name, value }) => [name.value, value]))
  const unknown = [...values.keys()].find((name) => name !== 'value' && name !== 'static')
  if (unknown !== undefined) return `the preset of ${what} has an argument "${unknown}", and may have value and static`
  const value = values.get('value')
  if (!value) return `the preset of ${what} has no value`
  const isStatic = values.get('static')
  if (isStatic && isStatic.kind !== Kind.BOOLEAN) return `"static" of the preset of ${what} is not a Boolean`
  const isLiteral = isStatic?.kind === Kind.BOOLEAN && isStatic.value
  const given = isLiteral ? ({ kind: 'constant', node: value } as const) : presetOf(value, dialect)
  if (typeof given === 'string') return given
  if (!fits(given, type)) return `the preset of ${what} is not a value of type ${type}`
  return given.kind === 'constant' ? { kind: 'value', node: value } : { kind: 'session', value: given }
}

/** The value of a preset; a string is the message of an error. */
function presetOf(node: ConstValueNode, dialect: Dialect): SessionValue | string {
  try {
    return sessionValue(node, dialect)
  } catch (error) {
    if (error instanceof TrellisError) return error.message
    throw error
  }
}

/** The value, with strings that name session variables told apart from constants. */
function sessionValue(node: ConstValueNode, dialect: Dialect): SessionValue {
  const constant: SessionValue = { kind: 'constant', node }
  if (node.kind === Kind.STRING) {
    const name = sessionVariableName(dialect, node.value)
    return name === null ? constant : { kind: 'variable', name }
  }
  if (node.kind === Kind.LIST) {
    const items = node.values.map((item) => sessionValue(item, dialect))
    return items.every(({ kind }) => kind === 'constant') ? constant : { kind: 'list', items }
  }
  if (node.kind !== Kind.OBJECT) return constant
  const members = node.fields.map(({ name, value }) => [name.value, sessionValue(value, dialect)] as const)
  return members.every(([, { kind }]) => kind === 'constant') ? constant : { kind: 'object', members }
}

/** Whether the value fits the type, as far as that is known without a session. */
function fits(value: SessionValue, type: GraphQLInputType): boolean {
  if (value.kind === 'constant') return coerceInputLiteral(value.node, type) !== undefined
  if (value.kind === 'variable') return !isInputObjectType(getNamedType(type))
  const nullable = getNullableType(type)
  if (value.kind === 'list') {
    return isListType(nullable) ? value.items.every((item) => fits(item, nullable.ofType)) : isScalarType(nullable)
  }
  if (isListType(nullable)) return fits(value, nullable.ofType)
  if (!isInputObjectType(nullable)) return isScalarType(nullable)
  const given = new Map(value.members)
  const fields = Object.values(nullable.getFields())
  return (
    value.members.every(([name]) => fields.some((field) => field.name === name)) &&
    fields.every((field) => {
      const member = given.get(field.name)
      return member ? fits(member, field.type) : !isRequiredInputField(field)
    })
  )
}
