// The relationships of a table as the metadata has them, with the columns that they join.

import { type GivenTable, type TableName, tableName } from '../../../server/names.ts'
import type { Relationship, TableEntry } from '../../../server/queries.ts'
import type { RemoteField } from '../../../server/remote-types.ts'
import type { ColumnPair } from '../column-pair.ts'
import type { TableInfo } from '../table-info.ts'

/** A relationship to a table. */
export interface TableRelationship {
  readonly name: string
  readonly kind: 'object' | 'array'
  readonly to: TableName
  readonly columns: readonly ColumnPair[]
  /** Whether no foreign key stands behind it. */
  readonly isManual: boolean
  /** Whether the metadata keep it among the remote relationships. */
  readonly isToSource?: boolean
  readonly comment?: string | undefined
}

/** A relationship to a field of a remote schema. */
export interface RemoteRelationship {
  readonly name: string
  readonly remoteSchema: string
  /** Columns that its arguments use. */
  readonly columns: readonly string[]
  readonly field: RemoteField
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const pairsOf = (mapping: unknown): readonly ColumnPair[] =>
  isObject(mapping) ? Object.entries(mapping).map(([from, to]) => [from, String(to)] as const) : []

const listOf = (value: unknown): readonly string[] => (Array.isArray(value) ? value.map(String) : [String(value)])

const isSameSet = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((each) => other.includes(each))

const isSameTable = (one: GivenTable, other: GivenTable): boolean => {
  const [a, b] = [tableName(one), tableName(other)]
  return a.schema === b.schema && a.name === b.name
}

interface Joined {
  readonly to: TableName
  readonly columns: readonly ColumnPair[]
  readonly isManual: boolean
}

/** Where a relationship leads; null: the database has no such key any more. */
function joined(using: unknown, info: TableInfo): Joined | null {
  if (!isObject(using)) return null
  const manual = using['manual_configuration']
  if (isObject(manual)) {
    const columns = pairsOf(manual['column_mapping'])
    return { to: tableName(manual['remote_table'] as GivenTable), columns, isManual: true }
  }
  const on = using['foreign_key_constraint_on']
  if (isObject(on)) {
    const there = listOf(on['columns'] ?? on['column'])
    const key = info.referenced_by.find(
      ({ table, column_mapping }) =>
        isSameTable(table, on['table'] as GivenTable) && isSameSet(Object.keys(column_mapping), there),
    )
    const columns = key ? pairsOf(key.column_mapping).map(([from, to]) => [to, from] as const) : []
    return key ? { to: key.table, columns, isManual: false } : null
  }
  const own = listOf(on)
  const key = Object.values(info.foreign_keys).find(({ column_mapping }) => isSameSet(Object.keys(column_mapping), own))
  return key ? { to: key.foreign_table, columns: pairsOf(key.column_mapping), isManual: false } : null
}

/** The relationships to tables. Those whose key is gone are among the inconsistent objects. */
export function tableRelationships(entry: TableEntry, info: TableInfo): readonly TableRelationship[] {
  const of = (kind: 'object' | 'array', list: readonly Relationship[] = []) =>
    list.flatMap(({ name, using, comment }) => {
      const found = joined(using, info)
      return found ? [{ name, kind, comment, ...found }] : []
    })
  const toSource = remoteEntries(entry).flatMap(({ name, definition = {} }): TableRelationship[] => {
    const to = definition['to_source']
    if (!isObject(to)) return []
    const kind = to['relationship_type'] === 'array' ? 'array' : 'object'
    const columns = pairsOf(to['field_mapping'])
    return [{ name, kind, to: tableName(to['table'] as GivenTable), columns, isManual: true, isToSource: true }]
  })
  return [...of('object', entry.object_relationships), ...of('array', entry.array_relationships), ...toSource]
}

interface RemoteEntry {
  readonly name: string
  readonly definition?: Readonly<Record<string, unknown>>
}

/** The remote relationships, as the metadata have them. */
export const remoteEntries = (entry: TableEntry): readonly RemoteEntry[] =>
  (entry['remote_relationships'] ?? []) as readonly RemoteEntry[]

/** The relationships to remote schemas, of either format of documents. */
export const remoteRelationships = (entry: TableEntry): readonly RemoteRelationship[] =>
  remoteEntries(entry).flatMap(({ name, definition = {} }): RemoteRelationship[] => {
    if (definition['to_source'] !== undefined) return []
    const to = (definition['to_remote_schema'] ?? definition) as Readonly<Record<string, unknown>>
    const columns = to['lhs_fields'] ?? to['service_fields'] ?? to['hasura_fields'] ?? []
    const remoteSchema = String(to['remote_schema'] ?? '')
    return [
      {
        ...{ name, remoteSchema, columns: columns as readonly string[] },
        field: (to['remote_field'] ?? {}) as RemoteField,
      },
    ]
  })

/** The columns of a relationship: `artist_id`, or `billing_city = city`. */
export const pairsText = (columns: readonly ColumnPair[]): string =>
  columns.map(([from, to]) => (from === to ? from : `${from} = ${to}`)).join(', ')

/** The name of a table's field in GraphQL that reads many rows. */
export function rootFieldOf({ table, ...entry }: TableEntry): string {
  const configuration = (entry['configuration'] ?? {}) as Readonly<Record<string, unknown>>
  const roots = (configuration['custom_root_fields'] ?? {}) as Readonly<Record<string, unknown>>
  const given = roots['select'] ?? configuration['custom_name']
  if (typeof given === 'string') return given
  const { schema, name } = tableName(table)
  return schema === 'public' ? name : `${schema}_${name}`
}
