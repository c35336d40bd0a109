// The arguments of the joined field: the part that a definition leaves to requests, and the merging of both.

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

/** Makes the types of remaining arguments. */
export interface RemainingTypes {
  readonly scope: SchemaScope
  readonly types: RoleTypes
  readonly view: RemoteView
  /** The suffix of the names of new types. */
  readonly suffix: string
}

/** The part of an argument, or a member of one, that a definition leaves to requests; null if nothing is left. */
export function remainingInput(
  input: GraphQLArgument | GraphQLInputField,
  value: unknown,
  making: RemainingTypes,
): GraphQLInputFieldConfig | null {
  const type = remainingType(input.type, value, making)
  if (!type) return null
  const { default: byDefault, ...config } = making.types.argument(input)
  if (!byDefault || value === undefined) return { ...config, type, ...(byDefault && { default: byDefault }) }
  // The defined part replaces the default, so a request may add nothing.
  const isOptional = isNonNullType(type) && !needsMembers(input.type, value, making)
  const nothing = isListType(getNullableType(type)) ? emptyList : emptyObject
  return { ...config, type, ...(isOptional && { default: { literal: nothing } }) }
}

const emptyList = parseConstValue('[]')
const emptyObject = parseConstValue('{}')

/** Whether requests must add members to an input object. */
function needsMembers(type: GraphQLInputType, value: unknown, making: RemainingTypes): boolean {
  const nullable = getNullableType(type)
  if (!isInputObjectType(nullable) || !isJsonObject(value)) return false
  const open = openFields(nullable, value, making.view)
  return open.some((field) => {
    return isRequiredInputField(field) && remainingType(field.type, own(value, field.name), making) !== null
  })
}

/** The type of the remaining part of an argument; null if nothing is left. */
function remainingType(type: GraphQLInputType, value: unknown, making: RemainingTypes): GraphQLInputType | null {
  if (value === undefined) return making.types.input(type)
  if (isNonNullType(type)) {
    const nullable = remainingType(type.ofType, value, making)
    // A list with a defined element is never empty, so requests may leave it out.
    if (nullable === null || Array.isArray(value)) return nullable
    return new GraphQLNonNull(getNullableType(nullable))
  }
  // Requests add elements to the defined ones.
  if (Array.isArray(value)) return value.length > 0 ? making.types.input(type) : null
  if (isListType(type)) {
    const remaining = remainingType(type.ofType, value, making)
    return remaining && new GraphQLList(remaining)
  }
  if (!isInputObjectType(type) || !isJsonObject(value)) return null
  return leavesMembers(type, value, making.view) ? remainingObject(type, value, making) : null
}

/** The fields that a definition may leave a part of. A `@oneOf` input keeps only the field that the definition gives. */
const openFields = (type: GraphQLInputObjectType, given: WireObject, view: RemoteView) => {
  const isDecided = type.isOneOf && Object.keys(given).length > 0
  return view.inputFields(type).filter(({ name }) => !isDecided || own(given, name) !== undefined)
}

/** Whether a definition leaves a part of an input object to requests. */
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
    // Another definition may leave other members of the same type: that is a type with another name.
    if (made.extensions['definition'] === definition) return made
  }
}

/** The value of an argument, with columns replaced by the row's values. */
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

/** For `ID`, a number that a double cannot hold is sent as a string: servers would round it otherwise. */
function columnValue(value: unknown, type: GraphQLInputType): unknown {
  if (Array.isArray(value)) return value.map((item) => columnValue(item, type))
  const isKeptAsText = typeof value === 'object' && jsonType(value) === 'Number'
  return isKeptAsText && getNamedType(type) === GraphQLID ? numberText(value) : value
}

/** Merges the request's value with the defined one: members of objects, and elements of lists, the request's first. */
export function merged(given: unknown, defined: unknown): unknown {
  if (defined === undefined) return given
  if (given === undefined || given === null) return defined
  if (Array.isArray(given) || Array.isArray(defined)) return [given, defined].flat()
  if (!isJsonObject(given) || !isJsonObject(defined)) return defined
  const names = Object.keys({ ...given, ...defined })
  return Object.fromEntries(names.map((name) => [name, merged(own(given, name), own(defined, name))]))
}

/** The rules that affect arguments besides requests and definitions. */
export interface MergingRules {
  readonly view: RemoteView
  readonly session: Session
  readonly skipsNulls: boolean
}

/** Merges like {@link merged}, with the role's presets, which definitions override, and without nulls if these are skipped. */
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
