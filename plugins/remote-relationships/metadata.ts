// The facet `remote_relationships` of a table: fields of its rows that a remote server answers.

import { arraysAreLists } from '../../sdk/graphql.ts'
import { badRequest, type Dialect, nameText, type QualifiedName, sameName, TrellisError } from '../../sdk/index.ts'
import {
  type Facet,
  type MemberValue,
  memberValue,
  type ObjectRef,
  type PgType,
  type RelationshipModel,
  type Rename,
  type ResolveContext,
  type TableModel,
} from '../../sdk/metadata.ts'
import { isJsonObject } from '../../sdk/services.ts'
import { elementOf, type NeededColumn, scalarName } from '../../sdk/sql.ts'
import { remoteSchemaRef } from '../remote-schemas/index.ts'
import { checkedSteps, columnsOf, type JoinedMembers, type RemoteStep } from './check.ts'
import {
  columnOf,
  laterEntry,
  type RemoteField,
  type RemoteRelationshipEntry,
  type TableRelationshipEntry,
  tableRelationshipEntry,
  writtenEntry,
} from './schema.ts'
import { renamedToTableEntry, resolveToTable, type ToTableEntry, toTableRef } from './table-relationships.ts'
import { leadsToTable, writtenToTable } from './to-table.ts'

/** The join of rows or objects to a field of a remote server. */
export interface RemoteJoin {
  readonly name: string
  readonly remoteSchema: string
  /** The columns of the row, or fields of the object, that arguments use. */
  readonly columns: readonly string[]
  /** Those of them that are computed fields, with their values. */
  readonly values: readonly NeededColumn[]
  /** The path to the joined field, which is the last step. */
  readonly steps: readonly RemoteStep[]
}

/** A field of a table's rows that a remote server answers. */
export interface RemoteRelationshipModel extends RemoteJoin {
  readonly kind: 'remote_relationship'
}

declare module '../../sdk/registry.ts' {
  interface FieldKinds {
    remote_relationship: RemoteRelationshipModel
  }
}

/** The reference to a table's remote relationship in dependencies and inconsistencies. */
export const remoteRelationshipRef = (table: QualifiedName, name: string): ObjectRef => ({
  kind: 'remote relationship',
  table,
  name,
})

type TableRelationshipModel = RemoteRelationshipModel | RelationshipModel

type RemoteRelationshipFacet = Facet<TableRelationshipEntry, TableRelationshipModel> & {
  readonly key: 'remote_relationships'
}

/** The reference to an entry of a table in dependencies and inconsistencies. */
export const entryRef = (table: QualifiedName, { name, definition }: TableRelationshipEntry): ObjectRef =>
  leadsToTable(definition) ? toTableRef(table, name) : remoteRelationshipRef(table, name)

/** Whether an entry leads to rows of a table. */
const isToTable = (entry: TableRelationshipEntry): entry is ToTableEntry => leadsToTable(entry.definition)

const isRemote = (entry: TableRelationshipEntry): entry is RemoteRelationshipEntry => !isToTable(entry)

type ListingSettings = Parameters<typeof arraysAreLists>[0]

/** The facet `remote_relationships`. */
export const remoteRelationships = (dialect: Dialect, settings: ListingSettings): RemoteRelationshipFacet => ({
  key: 'remote_relationships',
  stage: 'fields',
  after: ['remote_schemas'],
  schema: tableRelationshipEntry(dialect),
  duplicates: { kind: 'remote relationships', name: ({ name }) => name },
  identify: ({ name }) => name,
  describe(table, entry) {
    const { name, definition } = entry
    const ref = entryRef(table, entry)
    const written = isRemote(entry) ? writtenEntry(entry, dialect).definition : { definition }
    const later = isRemote(entry) && { later: { definition: { table, ...laterEntry(entry) } } }
    return { ref, type: 'remote_relationship', definition: { table, name, ...written }, ...later }
  },
  read: (value, { source }) => withoutOwnSource(value as TableRelationshipEntry, source),
  write(entry, form) {
    if (isToTable(entry)) return { name: entry.name, definition: writtenToTable(entry.definition, form) }
    return isRemote(entry) && (form.formatVersion === 3 ? laterEntry(entry) : writtenEntry(entry, dialect))
  },
  resolve(entry, table, context) {
    // The message has no space there in v1.3.
    const where = `in table "${nameText(table.name)}": in remote relationship"${entry.name}"`
    if (isToTable(entry)) return located(where, () => resolveToTable(entry, table, context))
    return resolveRemoteRelationship(entry as RemoteRelationshipEntry, { table, context, where, settings })
  },
  attach(table, name, relationship) {
    table.fields.set(name, relationship)
  },
  rename: (entry, rename, { table }) =>
    isToTable(entry)
      ? renamedToTableEntry(entry, rename, table)
      : renamed(entry as RemoteRelationshipEntry, rename, table),
})

/** The entry without the name of the one source, which may get another one. */
function withoutOwnSource(entry: TableRelationshipEntry, source: string): TableRelationshipEntry {
  if (!isToTable(entry)) return entry
  const { source: given, ...toTable } = entry.definition.to_source
  const isOwn = given === undefined || given === 'default' || given === source
  return isOwn ? { name: entry.name, definition: { to_source: toTable } } : entry
}

interface Place {
  readonly table: TableModel
  readonly context: ResolveContext
  /** The beginning of messages. */
  readonly where: string
  readonly settings: ListingSettings
}

function resolveRemoteRelationship(
  { name, definition }: RemoteRelationshipEntry,
  { table, context, where, settings }: Place,
): RemoteRelationshipModel {
  const { remote_schema: remoteSchema, service_fields: given } = definition
  const computed = computedFields(given, table, context)
  const members = membersOf(table, computed, settings)
  const join = located(where, () => resolveJoin({ name, definition }, members, context))
  for (const column of join.columns) located(where, () => refuseTransformed(column, table))
  for (const each of given) {
    const kind = computed.has(each) ? 'computed field' : 'column'
    context.depend({ kind, table: table.name, name: each }, 'remote_relationship')
  }
  context.depend(remoteSchemaRef(remoteSchema), 'remote_schema')
  const values = join.columns.flatMap((name) => {
    const value = computed.get(name)
    return value ? [{ column: name, type: value.type, value: value.value }] : []
  })
  return { kind: 'remote_relationship', ...join, values }
}

type ScalarValue = Extract<MemberValue, { kind: 'scalar' }>

/** Those of some members that are computed fields with one value, which needs no arguments of the request. */
function computedFields(
  names: readonly string[],
  { columns }: TableModel,
  context: ResolveContext,
): ReadonlyMap<string, ScalarValue> {
  const found = new Map<string, ScalarValue>()
  for (const name of names) {
    const field = columns.has(name) ? undefined : context.earlierField(name)
    const value = field ? memberValue(field) : null
    if (value?.kind === 'scalar') found.set(name, value)
  }
  return found
}

/** The stored value of a transformed column goes to no other server, which could show it. */
function refuseTransformed(column: string, { columns }: TableModel): void {
  const transform = columns.get(column)?.transform
  if (transform) throw badRequest('not-supported', `the column "${column}" is transformed by "${transform.name}"`)
}

/** The join of an entry whose source has these members; throws if the entry is invalid. */
export function resolveJoin(
  { name, definition }: RemoteRelationshipEntry,
  members: JoinedMembers,
  context: Pick<ResolveContext, 'resolved'>,
): RemoteJoin {
  const steps = checkedSteps(definition, members, context.resolved('remote_schemas') ?? new Map())
  const columns = [...new Set(steps.flatMap((step) => columnsOf(step.arguments)))]
  return { name, remoteSchema: definition.remote_schema, columns, values: [], steps }
}

/** The result of `work`; `where` is added to the messages of its errors. */
export function located<T>(where: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof TrellisError)) throw error
    throw badRequest(error.code, `${where}: ${error.message}`)
  }
}

function membersOf(
  { name, columns }: TableModel,
  computed: ReadonlyMap<string, ScalarValue>,
  settings: ListingSettings,
): JoinedMembers {
  const member = (type: PgType, isEnum: boolean) => {
    const isList = type.isArray && arraysAreLists(settings)
    const item = isList ? elementOf(type) : type
    return { name: scalarName(item) ?? item.name, isEnum, depth: isList ? 1 : 0 }
  }
  return {
    text: `table "${nameText(name)}"`,
    types: new Map([
      ...[...columns].map(([column, { type, enumTable }]) => [column, member(type, Boolean(enumTable))] as const),
      ...[...computed].map(([field, { type }]) => [field, member(type, false)] as const),
    ]),
  }
}

/** An entry of `table` in which a column is renamed. */
function renamed(entry: RemoteRelationshipEntry, rename: Rename, table: QualifiedName): RemoteRelationshipEntry {
  if (rename.kind !== 'column' || !sameName(rename.table, table)) return entry
  const { service_fields: columns, remote_field: field, ...rest } = entry.definition
  const inValue = (value: unknown): unknown => {
    if (columnOf(value) === rename.from) return `$${rename.to}`
    if (Array.isArray(value)) return value.map(inValue)
    return isJsonObject(value) ? inMembers(value) : value
  }
  const inMembers = (members: object) =>
    Object.fromEntries(Object.entries(members).map(([name, value]) => [name, inValue(value)]))
  const inField = (given: RemoteField): RemoteField =>
    Object.fromEntries(
      Object.entries(given).map(([name, { arguments: args, field: next }]) => {
        return [name, { arguments: inMembers(args), ...(next && { field: inField(next) }) }]
      }),
    )
  const service_fields = columns.map((column) => (column === rename.from ? rename.to : column)).sort()
  return { ...entry, definition: { ...rest, service_fields, remote_field: inField(field) } }
}
