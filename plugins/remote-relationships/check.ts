// Whether a remote relationship fits its table and the remote schema. The wording of each refusal is the interface's.

import {
  type GraphQLInputType,
  type GraphQLObjectType,
  getNamedType,
  getNullableType,
  isInputObjectType,
  isListType,
  isObjectType,
  isScalarType,
} from 'graphql'
import { badRequest, isGraphQLName, nameText } from '../../sdk/index.ts'
import { own, type TableModel, type WireObject } from '../../sdk/metadata.ts'
import { jsonType } from '../../sdk/services.ts'
import { numberText, scalarName } from '../../sdk/sql.ts'
import type { RemoteSchemaModel } from '../remote-schemas/index.ts'
import { columnOf, type RemoteField, type RemoteRelationshipDefinition } from './schema.ts'

/** A step of the way: a field of a type of the server, and what it is called with. */
export interface RemoteStep {
  readonly type: string
  readonly field: string
  readonly arguments: Readonly<Record<string, unknown>>
}

/** What arguments may be made of. */
interface Arguments {
  readonly table: TableModel
  readonly columns: ReadonlySet<string>
}

/** The way to the joined field; throws what is wrong with it. */
export function checkedSteps(
  { service_fields: columns, remote_schema: name, remote_field: field }: RemoteRelationshipDefinition,
  table: TableModel,
  remotes: ReadonlyMap<string, RemoteSchemaModel>,
): RemoteStep[] {
  for (const column of columns) {
    if (!table.columns.has(column))
      throw broken(`field with name "${column}" not found in table "${nameText(table.name)}"`)
  }
  for (const column of table.columns.keys()) {
    if (!isGraphQLName(column)) throw broken(`"${column}" is not a valid GraphQL identifier`)
  }
  const remote = remotes.get(name)
  if (!remote) throw broken(`remote schema with name "${name}" not found`)
  return stepsOf(field, remote.types.schema.getQueryType()!, { table, columns: new Set(columns) })
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
    if (!isObjectType(next) && !isScalarType(next)) throw notObject(next.name)
    return [step]
  }
  if (!isObjectType(next)) throw notObject(next.name)
  return [step, ...stepsOf(call.field, next, from)]
}

/** The missing space is part of the message that clients know. */
const notObject = (type: string) => broken(`type "${type}"only objects or scalar types expected`)

function checkValue(value: unknown, type: GraphQLInputType, from: Arguments): void {
  const column = columnOf(value)
  if (column !== null) checkColumn(column, type, from)
  else if (value === null) throw broken('null is not allowed here')
  else if (Array.isArray(value)) checkList(value, type, from)
  else if (jsonType(value) === 'Object') checkObject(value as WireObject, type, from)
  else requireType(literalType(value), type)
}

function checkColumn(name: string, type: GraphQLInputType, { table, columns }: Arguments): void {
  const column = columns.has(name) ? table.columns.get(name) : undefined
  if (!column) throw broken(`variable "${name}" is not found`)
  if (column.enumTable) throw broken('enum value is not supported')
  requireType(scalarName(column.type) ?? column.type.name, type)
}

function literalType(value: unknown): string {
  if (typeof value === 'string') return 'String'
  if (typeof value === 'boolean') return 'Boolean'
  return /^-?\d+$/.test(numberText(value) ?? '') ? 'Int' : 'Float'
}

/** What GraphQL takes for an identifier. */
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

/** The columns that arguments are made of. */
export function columnsOf(value: unknown): string[] {
  const column = columnOf(value)
  if (column !== null) return [column]
  if (Array.isArray(value)) return value.flatMap(columnsOf)
  return jsonType(value) === 'Object' ? Object.values(value as object).flatMap(columnsOf) : []
}
