// Checks how members merge their types. Each message names the place in the definition.

import {
  type GraphQLField,
  type GraphQLFieldMap,
  type GraphQLInputType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isAbstractType,
  isInputObjectType,
  isInterfaceType,
  isLeafType,
  isListType,
  isObjectType,
} from 'graphql'
import { badRequest, type TrellisError } from '../../sdk/index.ts'
import { keyFields } from './keys.ts'
import type { MergeDefinition } from './schema.ts'

/** A member with its types. */
export interface MemberTypes {
  readonly name: string
  /** Its index in the definition. */
  readonly index: number
  readonly schema: GraphQLSchema
  readonly merge: Readonly<Record<string, MergeDefinition>>
  /** The place of its SDL with directives in the definition, which then has no `merge`; null: it has none. */
  readonly directivesAt: string | null
}

/** A member with the names of the types that it merges. */
export interface MergingMember extends MemberTypes {
  readonly merged: ReadonlySet<string>
}

/** The error in a definition of a stitched schema. */
export const invalid = (message: string): TrellisError => badRequest('remote-schema-error', message)

/** Throws if a merge names a field that a member does not have, or takes a key of another type. */
export function checkMerges(member: MemberTypes): void {
  for (const [typeName, merge] of Object.entries(member.merge)) checkMerge(typeName, merge, member)
}

function checkMerge(typeName: string, merge: MergeDefinition, { name, index, schema }: MemberTypes): void {
  const at = `stitch[${index}].merge.${typeName}`
  const type = schema.getType(typeName)
  if (!type) throw invalid(`${at}: "${name}" has no type "${typeName}"`)
  if (!isObjectType(type) && !isInterfaceType(type)) throw invalid(`${at}: "${typeName}" is no object or interface`)
  const keys = keyFields(merge).map((key) => [key, keyType(key, type.getFields(), { at, typeName, name })] as const)
  const field = lookupField(merge, schema)
  if (!field) throw invalid(`${at}.field: "${name}" has no root field "${merge.field}"`)
  const given = getNamedType(field.type)
  const isOfType = given === type || (isAbstractType(given) && isObjectType(type) && schema.isSubType(given, type))
  if (!isOfType) throw invalid(`${at}.field: "${merge.field}" of "${name}" is of type ${field.type}, not ${typeName}`)
  checkArguments(merge, { keys, field, at, name })
}

/** The root field that looks up values of a merged type. */
const lookupField = ({ field }: MergeDefinition, schema: GraphQLSchema) => schema.getQueryType()?.getFields()[field]

const givesList = ({ type }: GraphQLField<unknown, unknown>): boolean => isListType(getNullableType(type))

/** Whether a merge of a checked member looks up the values for a list of keys at once. */
export function looksUpLists(merge: MergeDefinition, schema: GraphQLSchema): boolean {
  const field = lookupField(merge, schema)
  return field !== undefined && givesList(field)
}

function keyType(
  key: string,
  fields: GraphQLFieldMap<unknown, unknown>,
  { at, typeName, name }: { readonly at: string; readonly typeName: string; readonly name: string },
): GraphQLOutputType {
  const field = Object.hasOwn(fields, key) ? fields[key] : undefined
  if (!field) throw invalid(`${at}.key: the type "${typeName}" of "${name}" has no field "${key}"`)
  if (isLeafType(getNullableType(field.type))) return field.type
  throw invalid(`${at}.key: the field "${key}" is of type ${field.type}, which is no scalar or enum`)
}

interface Arguments {
  readonly keys: readonly (readonly [string, GraphQLOutputType])[]
  readonly field: GraphQLField<unknown, unknown>
  readonly at: string
  readonly name: string
}

function checkArguments({ key: givenKey, argument, field: fieldName }: MergeDefinition, given: Arguments): void {
  const { keys, field, name } = given
  const at = `${given.at}.argument`
  const typeAt = (path: string) => {
    const [first = '', ...rest] = path.split('.')
    let type: GraphQLInputType | undefined = field.args.find((each) => each.name === first)?.type
    if (!type) throw invalid(`${at}: "${fieldName}" of "${name}" has no argument "${first}"`)
    for (const step of rest) type = memberType(type, step, at)
    return type
  }
  if (typeof argument === 'string') {
    const type = getNullableType(typeAt(argument))
    const isList = isListType(type)
    if (isList !== givesList(field)) {
      const [one, other] = isList ? ['a list', 'one value'] : ['one value', 'a list']
      throw invalid(`${at}: "${argument}" takes ${one}, and "${fieldName}" gives ${other}`)
    }
    const taken = isList ? type.ofType : type
    const isBare = typeof givenKey === 'string'
    for (const [key, keyed] of keys) requireKey([key, keyed], isBare ? taken : memberType(taken, key, at), at)
    return
  }
  if (givesList(field)) throw invalid(`${at}: "${fieldName}" gives a list, so it needs one argument`)
  for (const field of Object.keys(argument)) {
    if (!keys.some(([key]) => key === field)) throw invalid(`${at}: "${field}" is not a field of the key`)
  }
  for (const [key, type] of keys) {
    const path = Object.hasOwn(argument, key) ? argument[key] : undefined
    if (path === undefined) throw invalid(`${at}: the field "${key}" of the key has no argument`)
    requireKey([key, type], typeAt(path), at)
  }
}

function memberType(type: GraphQLInputType, member: string, at: string): GraphQLInputType {
  const object = getNullableType(type)
  const fields = isInputObjectType(object) ? object.getFields() : {}
  const found = Object.hasOwn(fields, member) ? fields[member] : undefined
  if (found) return found.type
  throw invalid(`${at}: the type ${object} has no field "${member}"`)
}

/** The types of keys that GraphQL accepts as `ID`. */
const identifiers = new Set(['ID', 'String', 'Int', 'bigint', 'uuid', 'smallint', 'BigInt', 'UUID'])

function requireKey([key, type]: readonly [string, GraphQLOutputType], taken: GraphQLInputType, at: string): void {
  const [from, to] = [getNamedType(type).name, getNullableType(taken)]
  if (!isListType(to) && (to.name === from || (to.name === 'ID' && identifiers.has(from)))) return
  throw invalid(`${at}: the field "${key}" of the key is of type ${type}, but the argument takes ${taken}`)
}
