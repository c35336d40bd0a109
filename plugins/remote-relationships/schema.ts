// What remote relationships look like on the wire, in arguments and in the document.

import {
  compareText,
  type Dialect,
  isGraphQLName,
  parseFailed,
  type QualifiedName,
  type TProperties,
  type TSchema,
  Type,
} from '../../sdk/index.ts'
import { ColumnName, decode, ObjectName, own, TableName, type WireObject } from '../../sdk/metadata.ts'
import { jsonType } from '../../sdk/services.ts'

/** A field of a remote schema, and the way on from it: an object with its name as the only key. */
export interface RemoteField {
  [name: string]: { arguments: Record<string, unknown>; field?: RemoteField }
}

export interface RemoteRelationshipDefinition {
  remote_schema: string
  /** The columns that arguments are made of. */
  service_fields: string[]
  remote_field: RemoteField
}

export interface RemoteRelationshipEntry {
  name: string
  definition: RemoteRelationshipDefinition
}

declare module '../../sdk/registry.ts' {
  interface TableFacets {
    remote_relationships?: RemoteRelationshipEntry[]
  }
}

/** The column that a text in an argument stands for; null: it is a text. */
export const columnOf = (value: unknown): string | null =>
  typeof value === 'string' && value.startsWith('$') ? value.slice(1) : null

function checkArgument(value: unknown, path: readonly (string | number)[]): void {
  const column = columnOf(value)
  if (column !== null && !isGraphQLName(column)) throw parseFailed('Invalid variable name.', path)
  if (Array.isArray(value)) for (const [i, item] of value.entries()) checkArgument(item, [...path, i])
  else if (jsonType(value) === 'Object') checkArguments(value as WireObject, path)
}

function checkArguments(values: WireObject, path: readonly (string | number)[]): void {
  for (const [key, value] of Object.entries(values)) {
    if (!isGraphQLName(key)) throw parseFailed(`${key} is an invalid key name`, path)
    checkArgument(value, [...path, key])
  }
}

function readRemoteField(value: unknown, path: readonly (string | number)[] = []): RemoteField {
  if (jsonType(value) !== 'Object') {
    const rule = 'Remote fields should be an object that starts with the name of a field e.g. person: ...'
    throw parseFailed(rule, path)
  }
  const [entry, ...others] = Object.entries(value as object)
  if (!entry || others.length > 0) throw parseFailed('Only one field allowed, not multiple.', path)
  const [name, call] = entry
  if (!isGraphQLName(name)) throw parseFailed(`${name} is an invalid key name`, path)
  const at = [...path, name]
  if (jsonType(call) !== 'Object') {
    throw parseFailed(`parsing Object failed, expected Object, but encountered ${jsonType(call)}`, at)
  }
  const given = own(call as WireObject, 'arguments')
  if (given === undefined) throw parseFailed('key "arguments" not found', at)
  if (jsonType(given) !== 'Object')
    throw parseFailed('Remote arguments should be an object of keys.', [...at, 'arguments'])
  checkArguments(given as WireObject, [...at, 'arguments'])
  const next = own(call as WireObject, 'field') ?? null
  const field = next === null ? {} : { field: readRemoteField(next, [...at, 'field']) }
  return { [name]: { arguments: given as Record<string, unknown>, ...field } }
}

const RemoteFieldSchema = Type.Unsafe<RemoteField>(
  Type.Unknown({
    shown: Type.Record(Type.String(), Type.Unknown(), {
      examples: [{ user: { arguments: { id: '$user_id' } } }],
    }),
    convert: (value: unknown) => readRemoteField(value),
  }),
)

const ColumnNames = Type.Array(ColumnName, {
  convert: (names: string[]) => [...new Set(names)].sort(compareText),
})

/** Takes the columns from whichever key they stand under. */
function canonical({ columns, ...others }: Readonly<Record<string, unknown>>, keys: readonly string[]) {
  const [first] = keys
  const given = keys.map((key) => others[key]).find((value) => value !== undefined) ?? columns
  if (given === undefined) throw parseFailed(`the key '${first}' was not present`)
  const rest = Object.fromEntries(Object.entries(others).filter(([key]) => !keys.includes(key)))
  return { ...rest, service_fields: given }
}

/** The keys under which columns may stand: the dialect's, the neutral one, and that of later documents. */
const columnKeys = ({ remoteJoinFields }: Dialect) => [...new Set([remoteJoinFields, 'service_fields', 'lhs_fields'])]

function definitionMembers(dialect: Dialect): TProperties {
  const columns = columnKeys(dialect).map((key) => [key, Type.Optional(ColumnNames)] as const)
  return { remote_schema: ObjectName, ...Object.fromEntries(columns), remote_field: RemoteFieldSchema }
}

/** The arguments of `create_remote_relationship` and `update_remote_relationship`. */
export interface RemoteRelationshipArgs extends RemoteRelationshipDefinition {
  name: string
  table: QualifiedName
}

export const remoteRelationshipArgs = (dialect: Dialect) =>
  Type.Unsafe<RemoteRelationshipArgs>(
    Type.Object(
      { name: ObjectName, table: TableName, ...definitionMembers(dialect) },
      { convert: (given: Readonly<Record<string, unknown>>) => canonical(given, columnKeys(dialect)) },
    ),
  )

export const DeleteRemoteRelationshipArgs = Type.Object({ table: TableName, name: ObjectName })

const closed = { additionalProperties: false }

/** An entry of a document; later ones have the definition one level deeper. */
export function remoteRelationshipEntry(dialect: Dialect) {
  const convert = (given: Readonly<Record<string, unknown>>) => canonical(given, columnKeys(dialect))
  const definition = Type.Object(definitionMembers(dialect), { ...closed, convert })
  const nested = Type.Object(
    { to_remote_schema: definition },
    { ...closed, convert: ({ to_remote_schema: inner }: Readonly<Record<string, unknown>>) => inner },
  )
  const either = Type.Unknown({
    shown: Type.Union([definition, nested]),
    convert: (value: unknown) => readDefinition(value, { definition, nested }),
  })
  return Type.Unsafe<RemoteRelationshipEntry>(Type.Object({ name: ObjectName, definition: either }, closed))
}

function readDefinition(value: unknown, { definition, nested }: Readonly<Record<'definition' | 'nested', TSchema>>) {
  const isNested = jsonType(value) === 'Object' && own(value as WireObject, 'to_remote_schema') !== undefined
  return decode(isNested ? nested : definition, value)
}

/** An entry as documents of the dialect have it. */
export function writtenEntry({ name, definition }: RemoteRelationshipEntry, { remoteJoinFields }: Dialect) {
  const { remote_schema, service_fields: columns, remote_field } = definition
  return { name, definition: { remote_schema, [remoteJoinFields]: columns, remote_field } }
}
