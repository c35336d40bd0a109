// A selected field of an introspection type, and how its value is read. The values are those of graphql-js's own resolvers
// of its introspection types.

import {
  type GraphQLField,
  GraphQLInputObjectType,
  GraphQLObjectType,
  type GraphQLResolveInfo,
  getNamedType,
  getNullableType,
  isListType,
  isObjectType,
} from 'graphql'
import { compareText } from '../../names/names.ts'
import type { Arguments, BoundArguments } from '../read/arguments.ts'
import type { FieldSelection } from '../read/selection.ts'
import { partBlock } from '../tuning.ts'
import { ByteText, bytesIn, bytesOf } from './byte-text.ts'
import { ReferenceTexts } from './reference-texts.ts'

type WriteLeaf = (source: unknown, out: ByteText) => void

/** A selected field of an introspection type. */
export interface IntrospectedField {
  readonly name: string
  /** The name in the answer as JSON, and the colon. */
  readonly key: string
  /** The same after the brace or the comma that precedes it, as bytes. */
  readonly opening: Uint8Array
  readonly definition: GraphQLField<unknown, unknown> | null
  readonly parentType: string
  readonly arguments: Arguments
  /** Null for scalars and enums. */
  readonly fields: readonly IntrospectedField[] | null
  readonly isList: boolean
  /** Whether its value has no lists of objects. */
  readonly isShort: boolean
  /** Whether its value is short, or a list of few short objects. */
  readonly isBounded: boolean
  /** Whether its value is bounded, or a list of bounded objects that a type has. */
  readonly isFlat: boolean
  /** Writes a scalar or an enum. */
  readonly leaf: WriteLeaf | null
  /** The text of its objects, by their kind. */
  readonly frames: Frames | null
  /** Texts of references to types; null if a reference may differ in more than the name of the type. */
  readonly references: ReferenceTexts | null
}

/** A selected field with everything below it; `before` is the character before it in the answer. */
export function introspectedField(
  field: FieldSelection,
  argumentsOf: BoundArguments,
  before: '{' | ',' = '{',
): IntrospectedField {
  const { definition, name, parentType } = field
  const type = definition && getNamedType(definition.type)
  const isList = definition !== null && isListType(getNullableType(definition.type))
  const fields = isObjectType(type)
    ? field.fieldsOf(type).map((each, i) => introspectedField(each, argumentsOf, i === 0 ? '{' : ','))
    : null
  const ofShort = fields?.every(({ isShort }) => isShort) ?? true
  const isShort = fields === null || (!isList && ofShort)
  const isBounded = isShort || (name === 'args' && ofShort)
  const ofBounded = fields?.every((each) => each.isBounded) ?? true
  const key = `${JSON.stringify(field.responseName)}:`
  return {
    ...{ name, definition, parentType, key, fields, isList, isShort, isBounded },
    opening: bytesOf(before + key),
    arguments: argumentsOf(field),
    isFlat: isBounded || (isList && parentType === '__Type' && ofBounded),
    leaf: fields ? null : leafOf(name, definition, parentType),
    frames: fields && framesOf(fields),
    references: !isList && fields?.every(isOfReference) ? new ReferenceTexts(fields) : null,
  }
}

/** The text of objects of one kind: the fields whose values differ stand between its parts. A name needs no more quotes. */
export interface Frame {
  readonly parts: readonly (Uint8Array | IntrospectedField)[]
  /** The number of values in the text that are the same for all. */
  readonly values: number
}

/** The text of objects that occur most often. */
export interface Frames {
  /** Of fields and arguments that have only a name and a type. */
  readonly plain: Frame | null
  /** Of fields, arguments and values that are not deprecated. */
  readonly usual: Frame | null
  readonly ofObject: Frame | null
  readonly ofInput: Frame | null
}

const varying = {
  plain: new Set(['name', 'type']),
  usual: new Set(['name', 'description', 'args', 'type', 'defaultValue']),
  ofObject: new Set(['name', 'description', 'fields', 'interfaces']),
  ofInput: new Set(['name', 'description', 'inputFields', 'isOneOf']),
}

/** Objects whose other values are those of all. */
const samples = {
  plain: {},
  usual: {},
  ofObject: new GraphQLObjectType({ name: 'Sample', fields: {} }),
  ofInput: new GraphQLInputObjectType({ name: 'Sample', fields: {} }),
}

function framesOf(fields: readonly IntrospectedField[]): Frames {
  const frame = (kind: keyof Frames) => frameOf(fields, varying[kind], samples[kind])
  const parentType = fields[0]?.parentType
  const isInput = parentType === '__Field' || parentType === '__InputValue'
  const isType = parentType === '__Type' && fields.every(({ isFlat }) => isFlat)
  return {
    plain: isInput ? frame('plain') : null,
    usual: isInput || parentType === '__EnumValue' ? frame('usual') : null,
    ofObject: isType ? frame('ofObject') : null,
    ofInput: isType ? frame('ofInput') : null,
  }
}

function frameOf(fields: readonly IntrospectedField[], differing: ReadonlySet<string>, sample: unknown): Frame {
  const parts: (Uint8Array | IntrospectedField)[] = []
  let out = new ByteText(partBlock)
  let values = 0
  for (const field of fields) {
    out.bytes(field.opening)
    if (differing.has(field.name)) {
      const isName = field.name === 'name'
      if (isName) out.text('"')
      parts.push(bytesIn(out), field)
      out = new ByteText(partBlock)
      if (isName) out.text('"')
      continue
    }
    values++
    if (field.leaf) field.leaf(sample, out)
    else out.text(field.name === 'args' ? '[]' : 'null')
  }
  out.text('}')
  return { parts: [...parts, bytesIn(out)], values }
}

const referring: ReadonlySet<string> = new Set(['__typename', 'kind', 'name', 'ofType'])

/** Whether a field of a type is equal for all types of the same kind and wrappers, apart from the name. */
const isOfReference = ({ name, parentType, fields }: IntrospectedField): boolean =>
  parentType === '__Type' && referring.has(name) && (fields?.every(isOfReference) ?? true)

/** The field's name, arguments and selections as a text; equal texts have equal values. */
export function selectionText({ name, fields, arguments: given }: IntrospectedField): string {
  const below = fields ? `{${fields.map((field) => field.key + selectionText(field)).join(' ')}}` : ''
  return `${name}${JSON.stringify(given)}${below}`
}

/** The arguments of the resolvers of introspection, apart from those of the field. */
const noInfo = {} as GraphQLResolveInfo

/** The value of a field; null in the place of undefined. */
export function valueIn({ definition, arguments: given }: IntrospectedField, source: unknown): unknown {
  return definition ? (definition.resolve!(source, given, undefined, noInfo) ?? null) : null
}

/** The members of types, fields and arguments whose values can be read at once. */
export interface Described {
  readonly name?: string
  readonly description?: string | null
  readonly deprecationReason?: string | null
  readonly default?: unknown
  readonly defaultValue?: unknown
}

/** The bytes of null. */
export const nothing = bytesOf('null')
const yes = bytesOf('true')
const no = bytesOf('false')

function writeText(value: string | null | undefined, out: ByteText): void {
  if (value == null) out.bytes(nothing)
  else out.json(value)
}

/** Short cuts of the resolvers of members that occur most often. */
const leaves = new Map<string, (source: Described, out: ByteText) => void>([
  ['name', ({ name }, out) => writeText(name, out)],
  ['description', ({ description }, out) => writeText(description, out)],
  ['deprecationReason', ({ deprecationReason }, out) => writeText(deprecationReason, out)],
  ['isDeprecated', ({ deprecationReason }, out) => out.bytes(deprecationReason == null ? no : yes)],
])

function leafOf(name: string, definition: IntrospectedField['definition'], parentType: string): WriteLeaf {
  const typename = bytesOf(JSON.stringify(parentType))
  if (!definition) return (_, out) => out.bytes(typename)
  const known = leaves.get(name)
  if (known) return known as WriteLeaf
  const resolved: WriteLeaf = (source, out) => {
    const value = definition.resolve!(source, {}, undefined, noInfo) ?? null
    if (value === null) out.bytes(nothing)
    else out.text(JSON.stringify(Array.isArray(value) ? value.toSorted(compareText) : value))
  }
  if (name !== 'defaultValue') return resolved
  return (source, out) => {
    const { default: given, defaultValue } = source as Described
    if (given === undefined && defaultValue === undefined) out.bytes(nothing)
    else resolved(source, out)
  }
}
