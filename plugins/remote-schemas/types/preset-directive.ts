// Reads `@preset(value:, static:)` on an argument or input field in the text of a permission.

import {
  type ConstDirectiveNode,
  type ConstValueNode,
  coerceInputLiteral,
  type GraphQLInputType,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isRequiredInputField,
  isScalarType,
  Kind,
  print,
} from 'graphql'
import { type Dialect, sessionVariableName, TrellisError } from '../../../sdk/index.ts'
import type { Preset, SessionValue } from './view.ts'

/** An argument or input field of the remote schema. */
export interface PresetPlace {
  readonly name: string
  /** Its name in messages, with its place. */
  readonly what: string
  readonly type: GraphQLInputType
  readonly dialect: Dialect
}

/** The preset in the directives; null without one. A string is the message of an error. */
export function readPreset(
  directives: readonly ConstDirectiveNode[],
  { name, what, type, dialect }: PresetPlace,
): Preset | string | null {
  const [directive, ...others] = directives.filter(({ name }) => name.value === 'preset')
  if (!directive) return null
  if (others.length > 0) return `found multiple preset directives at ${what}`
  const values = new Map((directive.arguments ?? []).map(({ name, value }) => [name.value, value]))
  const unknown = [...values.keys()].find((name) => name !== 'value' && name !== 'static')
  if (unknown !== undefined) return `the preset of ${what} has an argument "${unknown}", and may have value and static`
  const value = values.get('value')
  if (values.size === 0) return 'no arguments found in the preset directive'
  if (!value) return `preset argument "value" not found at "${name}"`
  const isStatic = values.get('static')
  if (isStatic && isStatic.kind !== Kind.BOOLEAN) return 'expected preset static value to be a Boolean value'
  const isLiteral = isStatic?.kind === Kind.BOOLEAN && isStatic.value
  const given = isLiteral ? ({ kind: 'constant', node: value } as const) : presetOf(value, dialect)
  if (typeof given === 'string') return given
  if (!fits(given, type)) {
    const asValue = (node: ConstValueNode) => (isLiteral ? constant(node) : sessionValue(node, dialect))
    return misfit(value, type, asValue) ?? `the preset of ${what} is not a value of type ${type}`
  }
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

const constant = (node: ConstValueNode): SessionValue => ({ kind: 'constant', node })

/** The value, with strings that name session variables told apart from constants. */
function sessionValue(node: ConstValueNode, dialect: Dialect): SessionValue {
  if (node.kind === Kind.STRING) {
    const name = sessionVariableName(dialect, node.value)
    return name === null ? constant(node) : { kind: 'variable', name }
  }
  if (node.kind === Kind.LIST) {
    const items = node.values.map((item) => sessionValue(item, dialect))
    return items.every(({ kind }) => kind === 'constant') ? constant(node) : { kind: 'list', items }
  }
  if (node.kind !== Kind.OBJECT) return constant(node)
  const members = node.fields.map(({ name, value }) => [name.value, sessionValue(value, dialect)] as const)
  return members.every(([, { kind }]) => kind === 'constant') ? constant(node) : { kind: 'object', members }
}

/** The part of a value that is of another kind than its type; null: it is of the kind, but not of the type. */
function misfit(
  node: ConstValueNode,
  type: GraphQLInputType,
  asValue: (node: ConstValueNode) => SessionValue,
): string | null {
  const nullable = getNullableType(type)
  const expected = (kind: string) => `expected preset value "${print(node)}" of type "${nullable}" to be ${kind} value`
  if (isListType(nullable)) {
    const items = node.kind === Kind.LIST ? node.values : [node]
    const wrong = items.find((item) => !fits(asValue(item), nullable.ofType))
    return wrong ? misfit(wrong, nullable.ofType, asValue) : null
  }
  if (isInputObjectType(nullable)) {
    if (node.kind !== Kind.OBJECT) return expected('an input object')
    for (const { name, value } of node.fields) {
      const field = nullable.getFields()[name.value]
      if (!field) return `"${name.value}" does not exist in the input object "${nullable}"`
      if (!fits(asValue(value), field.type)) return misfit(value, field.type, asValue)
    }
    return null
  }
  if (isEnumType(nullable)) {
    return node.kind === Kind.ENUM ? `"${node.value}" not found in the enum: "${nullable}"` : expected('an enum')
  }
  const isScalar = node.kind !== Kind.LIST && node.kind !== Kind.OBJECT && node.kind !== Kind.ENUM
  return isScalar ? null : expected('a scalar')
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
