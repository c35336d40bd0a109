// A selected field of an introspection type, and how its value is read. The values are those of graphql-js's own resolvers
// of its introspection types.

import {
  type GraphQLField,
  type GraphQLResolveInfo,
  getNamedType,
  getNullableType,
  isListType,
  isObjectType,
} from 'graphql'
import { compareText } from '../../names/names.ts'
import type { Arguments, BoundArguments } from '../read/arguments.ts'
import type { FieldSelection } from '../read/selection.ts'
import { ReferenceTexts } from './reference-texts.ts'

/** A selected field of an introspection type. */
export interface IntrospectedField {
  readonly name: string
  /** The name in the answer as JSON, and the colon. */
  readonly key: string
  /** The same after the brace or the comma that precedes it. */
  readonly opening: string
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
  /** The text of a scalar or an enum. */
  readonly leaf: ((source: unknown) => string) | null
  /** The text of an object that has only a name and a type; the fields whose values it needs stand between its parts. */
  readonly plain: readonly (string | IntrospectedField)[] | null
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
    opening: before + key,
    arguments: argumentsOf(field),
    isFlat: isBounded || (isList && parentType === '__Type' && ofBounded),
    leaf: fields ? null : leafOf(name, definition, parentType),
    plain: fields && plainText(fields),
    references: !isList && fields?.every(isOfReference) ? new ReferenceTexts() : null,
  }
}

/** The parts that differ between fields, or arguments, without descriptions, arguments and defaults. */
const named: ReadonlySet<string> = new Set(['name', 'type'])

function plainText(fields: readonly IntrospectedField[]): readonly (string | IntrospectedField)[] | null {
  const [first] = fields
  if (first?.parentType !== '__Field' && first?.parentType !== '__InputValue') return null
  const parts: (string | IntrospectedField)[] = []
  let text = ''
  for (const field of fields) {
    text += field.opening
    if (named.has(field.name)) {
      parts.push(text, field)
      text = ''
    } else text += field.leaf?.({}) ?? '[]'
  }
  return [...parts, `${text}}`]
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
interface Described {
  readonly name?: string
  readonly description?: string | null
  readonly deprecationReason?: string | null
  readonly default?: unknown
  readonly defaultValue?: unknown
}

const textOf = (value: string | null | undefined): string => (value == null ? 'null' : JSON.stringify(value))

const nameText = ({ name }: Described): string => (name === undefined ? 'null' : `"${name}"`)
const descriptionText = ({ description }: Described): string => textOf(description)
const reasonText = ({ deprecationReason }: Described): string => textOf(deprecationReason)
const deprecatedText = ({ deprecationReason }: Described): string => String(deprecationReason != null)

/** Short cuts of the resolvers of members that occur most often. */
const leaves = new Map<string, (source: Described) => string>([
  ['name', nameText],
  ['description', descriptionText],
  ['deprecationReason', reasonText],
  ['isDeprecated', deprecatedText],
])

function leafOf(
  name: string,
  definition: IntrospectedField['definition'],
  parentType: string,
): (source: unknown) => string {
  const typename = JSON.stringify(parentType)
  if (!definition) return () => typename
  const known = leaves.get(name)
  if (known) return known as (source: unknown) => string
  const resolved = (source: unknown) => {
    const value = definition.resolve!(source, {}, undefined, noInfo) ?? null
    return JSON.stringify(Array.isArray(value) ? value.toSorted(compareText) : value)
  }
  if (name !== 'defaultValue') return resolved
  return (source) => {
    const { default: given, defaultValue } = source as Described
    return given === undefined && defaultValue === undefined ? 'null' : resolved(source)
  }
}
