// Checks a remote relationship against the table or object that has it, and against the remote schema. The messages are those of
// v1.3.

import {
  type GraphQLInputType,
  type GraphQLObjectType,
  getNamedType,
  getNullableType,
  isInputObjectType,
  isListType,
  isObjectType,
} from 'graphql'
import { badRequest, isGraphQLName } from '../../sdk/index.ts'
import { own, type WireObject } from '../../sdk/metadata.ts'
import { isJsonObject } from '../../sdk/services.ts'
import { numberText } from '../../sdk/sql.ts'
import type { RemoteSchemaModel } from '../remote-schemas/index.ts'
import { columnOf, type RemoteField, type RemoteRelationshipDefinition } from './schema.ts'

/** A step of the path: a field of a remote type, with the arguments in the definition. */
export interface RemoteStep {
  readonly type: string
  readonly field: string
  readonly arguments: Readonly<Record<string, unknown>>
}

/** The GraphQL type of a column or field that arguments may use. */
export interface JoinedType {
  readonly name: string
  readonly isEnum: boolean
  /** The number of lists around it. */
  readonly depth: number
}

/** The source of a relationship: the columns of a table's rows, or the fields of an object. */
export interface JoinedMembers {
  /** Its name in messages, such as `table "book"`. */
  readonly text: string
  readonly types: ReadonlyMap<string, JoinedType>
}

/** The members that arguments may use. */
interface Arguments {
  readonly members: JoinedMembers
  readonly names: ReadonlySet<string>
}

/** The path to the joined field; throws if it is invalid. */
export function checkedSteps(
  { service_fields: names, remote_schema: name, remote_field: field }: RemoteRelationshipDefinition,
  members: JoinedMembers,
  remotes: ReadonlyMap<string, RemoteSchemaModel>,
): RemoteStep[] {
  const { text, types } = members
  for (const each of names) {
    if (!types.has(each)) throw broken(`field with name "${each}" not found in ${text}`)
  }
  for (const each of types.keys()) {
    if (!isGraphQLName(each)) throw broken(`"${each}" is not a valid GraphQL identifier`)
  }
  const remote = remotes.get(name)
  if (!remote) throw broken(`remote schema with name "${name}" not found`)
  if (remote.isHidden) throw broken(`remote schema with name "${name}" is hidden`)
  return stepsOf(field, remote.types.schema.getQueryType()!, { members, names: new Set(names) })
}

const broken = (reason: string) => badRequest('constraint-violation', reason)

function stepsOf(field: RemoteField, type: GraphQLObjectType, from: Arguments): RemoteStep[] {
  const [name, call] = Object.entries(field)[0]!
  const fields = type.getFields()
  const found = Object.hasOwn(fields, name) ? fields[name] : undefined
  if (!found) throw broken(`remote field with name "${name}" and type "${type.name}" not found`)
  for (const [argument, value] of Object.entries(call.arguments)) {
    const known = found.args.find((each) => each.name === argument)
    if (!known) throw broken(`argument with name "${argument}" not found in remote schema`)
    checkValue(value, known.type, from)
  }
  const step = { type: type.name, field: name, arguments: call.arguments }
  const next = getNamedType(found.type)
  if (!call.field) {
    return [step]
  }
  if (!isObjectType(next)) throw notObject(next.name)
  return [step, ...stepsOf(call.field, next, from)]
}

/** The message has no space there in v1.3. */
const notObject = (type: string) => broken(`type "${type}"only objects or scalar types expected`)

function checkValue(value: unknown, type: GraphQLInputType, from: Arguments): void {
  const column = columnOf(value)
  if (column !== null) checkColumn(column, type, from)
  else if (value === null) throw broken('null is not allowed here')
  else if (Array.isArray(value)) checkList(value, type, from)
  else if (isJsonObject(value)) checkObject(value, type, from)
  else requireType(literalType(value), type)
}

function checkColumn(name: string, type: GraphQLInputType, { members, names }: Arguments): void {
  const given = names.has(name) ? members.types.get(name) : undefined
  if (!given) throw broken(`variable "${name}" is not found`)
  if (given.isEnum) throw broken('enum value is not supported')
  requireType(given.name, type)
  const depth = depthOf(type)
  if (given.depth === 0 || given.depth === depth) return
  throw broken(
    `expected type "${listText(getNamedType(type).name, depth)}" but got "${listText(given.name, given.depth)}"`,
  )
}

const listText = (name: string, depth: number): string => `${'['.repeat(depth)}${name}${']'.repeat(depth)}`

function depthOf(type: GraphQLInputType): number {
  const nullable = getNullableType(type)
  return isListType(nullable) ? 1 + depthOf(nullable.ofType) : 0
}

function literalType(value: unknown): string {
  if (typeof value === 'string') return 'String'
  if (typeof value === 'boolean') return 'Boolean'
  return /^-?\d+$/.test(numberText(value) ?? '') ? 'Int' : 'Float'
}

/** The types whose values GraphQL accepts as `ID`. */
const identifiers = new Set(['String', 'Int', 'bigint', 'smallint', 'uuid'])

function requireType(actual: string, type: GraphQLInputType): void {
  const { name: expected } = getNamedType(type)
  if (actual === expected || (expected === 'ID' && identifiers.has(actual))) return
  throw broken(`expected type "${expected}" but got "${actual}"`)
}

function checkList(items: readonly unknown[], type: GraphQLInputType, from: Arguments): void {
  const list = getNullableType(type)
  if (items.length > 1) throw broken('multiple elements in list value is not supported')
  if (!isListType(list)) throw broken(`type "${getNamedType(type)}"is not a list type`)
  for (const item of items) checkValue(item, list.ofType, from)
}

function checkObject(members: WireObject, type: GraphQLInputType, from: Arguments): void {
  const named = getNamedType(type)
  if (!isInputObjectType(named)) throw broken(`type "${named}"not an input object type`)
  const fields = named.getFields()
  for (const name of Object.keys(members)) {
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined
    if (!field) throw broken(`argument with name "${name}" not found in remote schema`)
    checkValue(own(members, name), field.type, from)
  }
}

/** The columns that arguments use. */
export function columnsOf(value: unknown): string[] {
  const column = columnOf(value)
  if (column !== null) return [column]
  if (Array.isArray(value)) return value.flatMap(columnsOf)
  return isJsonObject(value) ? Object.values(value).flatMap(columnsOf) : []
}
