// The arguments of the joined field: what a definition leaves to requests, and what becomes of both together.

import {
  type GraphQLArgument,
  GraphQLID,
  type GraphQLInputField,
  type GraphQLInputFieldConfig,
  GraphQLInputObjectType,
  type GraphQLInputType,
  GraphQLList,
  GraphQLNonNull,
  getNamedType,
  getNullableType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isRequiredInputField,
  parseConstValue,
} from 'graphql'
import type { SchemaScope } from '../../sdk/graphql.ts'
import type { Session } from '../../sdk/index.ts'
import { own, type WireObject } from '../../sdk/metadata.ts'
import { isJsonObject, jsonType } from '../../sdk/services.ts'
import { numberText } from '../../sdk/sql.ts'
import { presetValue, type RemoteView, type RoleTypes } from '../remote-schemas/index.ts'
import { columnOf } from './schema.ts'

/** Where the types of what is left are made. */
export interface RemainingTypes {
  readonly scope: SchemaScope
  readonly types: RoleTypes
  readonly view: RemoteView
  /** Ends the names of the types that are made. */
  readonly suffix: string
}

/** What a definition leaves of an argument or a member of one; null: nothing. */
export function remainingInput(
  input: GraphQLArgument | GraphQLInputField,
  value: unknown,
  making: RemainingTypes,
): GraphQLInputFieldConfig | null {
  const type = remainingType(input.type, value, making)
  if (!type) return null
  const { default: byDefault, ...config } = making.types.argument(input)
  if (!byDefault || value === undefined) return { ...config, type, ...(byDefault && { default: byDefault }) }
  // What is defined is there in place of the default, and nothing is added to it.
  const isOptional = isNonNullType(type) && !needsMembers(input.type, value, making)
  const nothing = isListType(getNullableType(type)) ? emptyList : emptyObject
  return { ...config, type, ...(isOptional && { default: { literal: nothing } }) }
}

const emptyList = parseConstValue('[]')
const emptyObject = parseConstValue('{}')

/** Whether requests have to add to an input object. */
function needsMembers(type: GraphQLInputType, value: unknown, making: RemainingTypes): boolean {
  const nullable = getNullableType(type)
  if (!isInputObjectType(nullable) || !isJsonObject(value)) return false
  const open = openFields(nullable, value, making.view)
  return open.some((field) => {
    return isRequiredInputField(field) && remainingType(field.type, own(value, field.name), making) !== null
  })
}

/** The type of what a definition leaves of an argument; null: nothing. */
function remainingType(type: GraphQLInputType, value: unknown, making: RemainingTypes): GraphQLInputType | null {
  if (value === undefined) return making.types.input(type)
  if (isNonNullType(type)) {
    const nullable = remainingType(type.ofType, value, making)
    // A list that has an element already may be left out.
    if (nullable === null || Array.isArray(value)) return nullable
    return new GraphQLNonNull(getNullableType(nullable))
  }
  // Elements of requests stand beside those that are defined.
  if (Array.isArray(value)) return value.length > 0 ? making.types.input(type) : null
  if (isListType(type)) {
    const remaining = remainingType(type.ofType, value, making)
    return remaining && new GraphQLList(remaining)
  }
  if (!isInputObjectType(type) || !isJsonObject(value)) return null
  return leavesMembers(type, value, making.view) ? remainingObject(type, value, making) : null
}

/** The fields of an input object that a definition may leave something of: beside the one of `@oneOf` there is no other. */
const openFields = (type: GraphQLInputObjectType, given: WireObject, view: RemoteView) => {
  const isDecided = type.isOneOf && Object.keys(given).length > 0
  return view.inputFields(type).filter(({ name }) => !isDecided || own(given, name) !== undefined)
}

/** Whether a definition leaves anything of an input object. */
const leavesMembers = (type: GraphQLInputObjectType, given: WireObject, view: RemoteView): boolean =>
  openFields(type, given, view).some((field) => {
    const value = own(given, field.name)
    if (value === undefined) return true
    if (Array.isArray(value)) return value.length > 0
    const named = getNamedType(field.type)
    return isInputObjectType(named) && isJsonObject(value) && leavesMembers(named, value, view)
  })

function remainingObject(type: GraphQLInputObjectType, given: WireObject, making: RemainingTypes) {
  const { scope, view, suffix } = making
  const fields = () => {
    const remaining = openFields(type, given, view).flatMap((field) => {
      const left = remainingInput(field, own(given, field.name), making)
      return left ? [[field.name, left] as const] : []
    })
    return Object.fromEntries(remaining)
  }
  const name = `${view.types.names.localType(type.name)}${suffix}`
  const description = type.description ?? undefined
  const definition = JSON.stringify(given)
  for (let n = 1; ; n++) {
    const unique = n === 1 ? name : `${name}_${n}`
    const made = scope.type(unique, () => {
      return new GraphQLInputObjectType({ name: unique, description, fields, extensions: { definition } })
    })
    // The same type may be left with other members elsewhere.
    if (made.extensions['definition'] === definition) return made
  }
}

/** The value of an argument of that type, with those of the row in the places of columns. */
export function filledIn(value: unknown, row: WireObject, type: GraphQLInputType): unknown {
  const column = columnOf(value)
  if (column !== null) return columnValue(own(row, column), type)
  const nullable = getNullableType(type)
  if (Array.isArray(value)) {
    const item = isListType(nullable) ? nullable.ofType : nullable
    return value.map((each) => filledIn(each, row, item))
  }
  if (jsonType(value) !== 'Object') return value
  const named = getNamedType(type)
  const fields = isInputObjectType(named) ? named.getFields() : {}
  const members = Object.entries(value as object)
  return Object.fromEntries(members.map(([name, member]) => [name, filledIn(member, row, fields[name]?.type ?? named)]))
}

/** As an identifier, a number that a double cannot hold is a text: servers that read it as a number would take another one. */
function columnValue(value: unknown, type: GraphQLInputType): unknown {
  if (Array.isArray(value)) return value.map((item) => columnValue(item, type))
  const isKeptAsText = typeof value === 'object' && jsonType(value) === 'Number'
  return isKeptAsText && getNamedType(type) === GraphQLID ? numberText(value) : value
}

/** What a request gives together with what is defined: members of objects, and elements of lists, the request's first. */
export function merged(given: unknown, defined: unknown): unknown {
  if (defined === undefined) return given
  if (given === undefined || given === null) return defined
  if (Array.isArray(given) || Array.isArray(defined)) return [given, defined].flat()
  if (!isJsonObject(given) || !isJsonObject(defined)) return defined
  const names = Object.keys({ ...given, ...defined })
  return Object.fromEntries(names.map((name) => [name, merged(own(given, name), own(defined, name))]))
}

/** What has a say in arguments beside requests and definitions. */
export interface MergingRules {
  readonly view: RemoteView
  readonly session: Session
  readonly skipsNulls: boolean
}

/** The same where the role has presets for members of input objects, which count less than definitions, or nulls are left out. */
export function mergedByRules(
  [given, defined]: readonly [given: unknown, defined: unknown],
  type: GraphQLInputType,
  rules: MergingRules,
): unknown {
  if (defined === undefined && (given === undefined || given === null)) return given
  const nullable = getNullableType(type)
  if (isListType(nullable)) {
    const { ofType } = nullable
    return [
      ...itemsOf(given).map((item) => mergedByRules([item, undefined], ofType, rules)),
      ...itemsOf(defined).map((item) => mergedByRules([undefined, item], ofType, rules)),
    ]
  }
  if (!isInputObjectType(nullable)) return merged(given, defined)
  const { view, session, skipsNulls } = rules
  const presets = view.inputPresets(nullable.name)
  const [ours, theirs] = [membersOf(defined), membersOf(given)]
  const members = Object.values(nullable.getFields()).flatMap((field): (readonly [string, unknown])[] => {
    const { name } = field
    const definedMember = own(ours, name)
    const preset = definedMember === undefined ? presets.get(name) : undefined
    if (preset) return [[name, presetValue(preset, field.type, session)]]
    const member = mergedByRules([own(theirs, name), definedMember], field.type, rules)
    return member === undefined || (member === null && skipsNulls) ? [] : [[name, member]]
  })
  return Object.fromEntries(members)
}

const itemsOf = (value: unknown): unknown[] => (value === undefined || value === null ? [] : [value].flat(1))

const membersOf = (value: unknown): WireObject => (isJsonObject(value) ? value : {})
