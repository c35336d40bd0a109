// The shapes of remote relationships in arguments of operations and in documents.

import {
  compareText,
  type Dialect,
  isGraphQLName,
  parseFailed,
  type QualifiedName,
  type TProperties,
  type TSchema,
  Type,
  within,
} from '../../sdk/index.ts'
import {
  ColumnName,
  type DecodePart,
  decode,
  GraphQLName,
  ObjectName,
  own,
  SourceName,
  TableName,
  type WireObject,
} from '../../sdk/metadata.ts'
import { isJsonObject } from '../../sdk/services.ts'
import { leadsToTable, type ToTableDefinition, toTableSchema } from './to-table.ts'

/** A field of a remote schema, with the path from there: an object whose only key is the field's name. */
export interface RemoteField {
  [name: string]: { arguments: Record<string, unknown>; field?: RemoteField }
}

/** A relationship to a field of a remote schema. */
export interface RemoteRelationshipDefinition {
  remote_schema: string
  /** The columns that arguments use. */
  service_fields: string[]
  remote_field: RemoteField
}

/** A relationship to a remote schema in a table entry. */
export interface RemoteRelationshipEntry {
  name: string
  definition: RemoteRelationshipDefinition
}

/** The definition of a table's relationship: to a field of a remote schema, or to rows of a table. */
export type TableRelationshipDefinition = RemoteRelationshipDefinition | ToTableDefinition

/** An entry of a table. */
export interface TableRelationshipEntry {
  name: string
  definition: TableRelationshipDefinition
}

declare module '../../sdk/registry.ts' {
  interface TableFacets {
    remote_relationships?: TableRelationshipEntry[]
  }
}

/** The column that an argument's string refers to; null for other values. */
export const columnOf = (value: unknown): string | null =>
  typeof value === 'string' && value.startsWith('$') ? value.slice(1) : null

function checkArgument(value: unknown, path: readonly (string | number)[]): void {
  const column = columnOf(value)
  if (column !== null && !isGraphQLName(column)) throw parseFailed('Invalid variable name.', path)
  if (Array.isArray(value)) for (const [i, item] of value.entries()) checkArgument(item, [...path, i])
  else if (isJsonObject(value)) checkArguments(value, path)
}

function checkArguments(values: WireObject, path: readonly (string | number)[]): void {
  for (const [key, value] of Object.entries(values)) {
    if (!isGraphQLName(key)) throw parseFailed(`${key} is an invalid key name`, path)
    checkArgument(value, [...path, key])
  }
}

const RemoteCall = Type.Object({ arguments: Type.Unknown(), field: Type.Optional(Type.Unknown()) }, { missingKey: 'A' })

function readRemoteField(value: unknown, decodePart: DecodePart): RemoteField {
  if (!isJsonObject(value)) {
    throw parseFailed('Remote fields should be an object that starts with the name of a field e.g. person: ...')
  }
  const [entry, ...others] = Object.entries(value)
  if (!entry || others.length > 0) throw parseFailed('Only one field allowed, not multiple.')
  const [name, call] = entry
  if (!isGraphQLName(name)) throw parseFailed(`${name} is an invalid key name`)
  return { [name]: within(name, () => readRemoteCall(call, decodePart)) }
}

function readRemoteCall(call: unknown, decodePart: DecodePart): RemoteField[string] {
  const { arguments: given, field } = decodePart(RemoteCall, call)
  if (!isJsonObject(given)) throw parseFailed('Remote arguments should be an object of keys.', ['arguments'])
  checkArguments(given, ['arguments'])
  if (field === undefined) return { arguments: given }
  return { arguments: given, field: within('field', () => readRemoteField(field, decodePart)) }
}

const RemoteFieldSchema = Type.Unsafe<RemoteField>(
  Type.Unknown({
    shown: Type.Record(Type.String(), Type.Unknown(), {
      examples: [{ user: { arguments: { id: '$user_id' } } }],
    }),
    convert: (value: unknown, decodePart: DecodePart) => readRemoteField(value, decodePart),
  }),
)

const ColumnNames = Type.Array(ColumnName, {
  convert: (names: string[]) => [...new Set(names)].sort(compareText),
})

/** The columns under the key that the caller used, whose schemas are all `ColumnNames`. */
function columnsIn(given: WireObject, keys: readonly string[]): string[] {
  const [first] = keys
  const columns = [...keys, 'columns'].map((key) => given[key]).find((value) => value !== undefined)
  if (columns === undefined) throw parseFailed(`the key '${first}' was not present`)
  return columns as string[]
}

/** Moves the columns to `service_fields`. */
function canonical(given: WireObject, keys: readonly string[]) {
  const others = Object.entries(given).filter(([key]) => key !== 'columns' && !keys.includes(key))
  return { ...Object.fromEntries(others), service_fields: columnsIn(given, keys) }
}

/** The keys for columns: the dialect's, the neutral one, and that of later engines' documents. */
const columnKeys = ({ remoteJoinFields }: Dialect) => [...new Set([remoteJoinFields, 'service_fields', 'lhs_fields'])]

function definitionMembers(dialect: Dialect): TProperties {
  const columns = columnKeys(dialect).map((key) => [key, Type.Optional(ColumnNames)] as const)
  return { remote_schema: ObjectName, ...Object.fromEntries(columns), remote_field: RemoteFieldSchema }
}

/** The arguments of `create_remote_relationship` and `update_remote_relationship`. */
export interface RemoteRelationshipArgs extends TableRelationshipEntry {
  table: QualifiedName
}

/** An entry in the flat form. */
type FlatEntry = { name: string } & RemoteRelationshipDefinition

/** Its members as the caller gave them; the columns may have other keys. */
type FlatArgs = Omit<FlatEntry, 'service_fields'> & { table: QualifiedName } & WireObject

/** The arguments; later engines nest those of the definition one level deeper. */
export function remoteRelationshipArgs(dialect: Dialect) {
  const head = { name: ObjectName, table: TableName, source: SourceName }
  const flat = Type.Object(
    { ...head, ...definitionMembers(dialect) },
    {
      convert: (given: FlatArgs) => {
        const { name, table, remote_schema, remote_field } = given
        const service_fields = columnsIn(given, columnKeys(dialect))
        return { table, ...entryOf({ name, remote_schema, remote_field, service_fields }) }
      },
    },
  )
  const nested = Type.Object({ ...head, definition: tableDefinitionSchema(dialect, false) })
  const isDefined = (args: unknown) => isJsonObject(args) && own(args, 'definition') !== undefined
  return Type.Unsafe<RemoteRelationshipArgs>(
    Type.Unknown({
      shown: Type.Union([flat, nested]),
      convert: (args: unknown, decodePart: DecodePart) => decodePart(isDefined(args) ? nested : flat, args),
    }),
  )
}

export const DeleteRemoteRelationshipArgs = Type.Object({ table: TableName, name: ObjectName })

const closed = { additionalProperties: false }

/** A definition in a document; later engines nest it one level deeper. */
export function definitionSchema(dialect: Dialect) {
  const convert = (given: WireObject) => canonical(given, columnKeys(dialect))
  const definition = Type.Object(definitionMembers(dialect), { ...closed, convert })
  const nested = Type.Object(
    { to_remote_schema: definition },
    { ...closed, convert: ({ to_remote_schema: inner }: Readonly<Record<string, unknown>>) => inner },
  )
  return Type.Unknown({
    shown: Type.Union([definition, nested]),
    convert: (value: unknown, decodePart: DecodePart) => decodePart(isNested(value) ? nested : definition, value),
  })
}

/** A definition of a table's relationship. */
function tableDefinitionSchema(dialect: Dialect, isDocument: boolean) {
  const [toTable, toRemoteSchema] = [toTableSchema(isDocument), definitionSchema(dialect)]
  return Type.Unknown({
    shown: Type.Union([toTable, toRemoteSchema]),
    convert: (value: unknown, decodePart: DecodePart) =>
      decodePart<TSchema>(leadsToTable(value) ? toTable : toRemoteSchema, value),
  })
}

/** An entry of a table in a document. */
export const tableRelationshipEntry = (dialect: Dialect) =>
  Type.Unsafe<TableRelationshipEntry>(
    Type.Object({ name: ObjectName, definition: tableDefinitionSchema(dialect, true) }, closed),
  )

/** An entry that leads to a remote schema, in a document. */
export const remoteRelationshipEntry = (dialect: Dialect) =>
  Type.Unsafe<RemoteRelationshipEntry>(Type.Object({ name: ObjectName, definition: definitionSchema(dialect) }, closed))

/** Whether an entry of an object's relationships is a remote one. */
export const isRemoteEntry = (entry: object): boolean =>
  isJsonObject(entry) && (own(entry, 'definition') !== undefined || own(entry, 'remote_schema') !== undefined)

/** Reads an entry in the nested form of documents, or in the flat form of operations. */
export function objectEntryReader(dialect: Dialect): (given: object) => RemoteRelationshipEntry {
  // The remote field's type decides between object and array, so `type` is ignored.
  const named = { name: GraphQLName, type: Type.Optional(Type.Union([Type.Literal('object'), Type.Literal('array')])) }
  const flat = Type.Unsafe<FlatEntry>(
    Type.Object(
      { ...named, ...definitionMembers(dialect) },
      { ...closed, convert: (given: Readonly<Record<string, unknown>>) => canonical(given, columnKeys(dialect)) },
    ),
  )
  const deep = Type.Unsafe<RemoteRelationshipEntry>(
    Type.Object({ ...named, definition: definitionSchema(dialect) }, closed),
  )
  return (given) => {
    if (isJsonObject(given) && own(given, 'definition') !== undefined) {
      const { name, definition } = decode(deep, given)
      return { name, definition }
    }
    return entryOf(decode(flat, given))
  }
}

/** The entry for the flat form. */
const entryOf = ({ name, remote_schema, service_fields, remote_field }: FlatEntry): RemoteRelationshipEntry => ({
  name,
  definition: { remote_schema, service_fields, remote_field },
})

const isNested = (definition: unknown): boolean =>
  isJsonObject(definition) && own(definition, 'to_remote_schema') !== undefined

/** An entry in the form of the dialect's documents. */
export function writtenEntry({ name, definition }: RemoteRelationshipEntry, { remoteJoinFields }: Dialect) {
  const { remote_schema, service_fields: columns, remote_field } = definition
  return { name, definition: { remote_schema, [remoteJoinFields]: columns, remote_field } }
}

/** An entry in the form of documents with sources. */
export function laterEntry({ name, definition }: RemoteRelationshipEntry) {
  const { remote_schema, service_fields: lhs_fields, remote_field } = definition
  return { name, definition: { to_remote_schema: { remote_schema, lhs_fields, remote_field } } }
}
