// The world in a real database, and its metadata.

import type { TestTrellis } from '../support/trellis.ts'
import type { Entry, Expression, Operand } from './expressions.ts'
import type { Json } from './json.ts'
import { type ColumnType, columnTypes } from './types.ts'
import { columnOf, type Relationship, type Role, relationshipOf, type Table, tableOf, type World } from './world.ts'

/** Schemas that worlds use. */
export const schemas = ['public', 'shop'] as const

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`

const qualified = ({ schema, name }: Table): string => `${quoted(schema)}.${quoted(name)}`

/** The statements that make the tables. */
export function tableSql(world: World): string[] {
  return world.tables.map((table) => {
    const parts = table.columns.map(({ name, type, nullable }) => {
      return `${quoted(name)} ${columnTypes[type].sql}${nullable ? '' : ' not null'}`
    })
    const name = (column: string) => quoted(columnOf(world, column).name)
    if (table.primaryKey.length > 0) parts.push(`primary key (${table.primaryKey.map(name).join(', ')})`)
    for (const { column, table: id, target } of table.foreignKeys) {
      parts.push(`foreign key (${name(column)}) references ${qualified(tableOf(world, id))} (${name(target)})`)
    }
    return `create table ${qualified(table)} (${parts.join(', ')})`
  })
}

/** The statement that fills a table, its values apart; null when there are none. */
export function rowsSql(table: Table): { readonly text: string; readonly values: readonly (string | null)[] } | null {
  if (table.rows.length === 0 || table.columns.length === 0) return null
  const values: (string | null)[] = []
  const rows = table.rows.map((row) => {
    const places = table.columns.map(({ id, type }) => {
      const stored = row[id] ?? null
      values.push(stored && columnTypes[type].text(stored.datum))
      return `$${values.length}::text::${bareType(columnTypes[type])}`
    })
    return `(${places.join(', ')})`
  })
  const columns = table.columns.map(({ name }) => quoted(name)).join(', ')
  return { text: `insert into ${qualified(table)} (${columns}) values ${rows.join(', ')}`, values }
}

const bareType = ({ sql }: ColumnType): string => sql.replace(/ collate .*/, '')

type Metadata = { readonly [key: string]: unknown }

const tableName = ({ schema, name }: Table) => ({ schema, name })

/** The metadata document. */
export function metadataOf(world: World): Metadata {
  return { version: 2, tables: world.tables.map((table) => tableEntry(table, world)) }
}

function tableEntry(table: Table, world: World): Metadata {
  const names = table.columns.flatMap(({ name, customName }) => (customName === null ? [] : [[name, customName]]))
  const relationships = (type: Relationship['type']) =>
    world.relationships
      .filter((relationship) => relationship.table === table.id && relationship.type === type)
      .map((relationship) => ({ name: relationship.name, using: usingOf(relationship, world) }))
  return {
    table: tableName(table),
    configuration: { custom_root_fields: table.customRoots, custom_column_names: Object.fromEntries(names) },
    object_relationships: relationships('object'),
    array_relationships: relationships('array'),
    select_permissions: world.roles.flatMap((role) => permissionsOf(role, table, world)),
  }
}

function usingOf({ type, byForeignKey, mapping, target }: Relationship, world: World): Metadata {
  const pairs = mapping.map(([from, to]) => [columnOf(world, from).name, columnOf(world, to).name] as const)
  const remote = tableName(tableOf(world, target))
  if (!byForeignKey) {
    return { manual_configuration: { remote_table: remote, column_mapping: Object.fromEntries(pairs) } }
  }
  const [own, other] = pairs[0]!
  return { foreign_key_constraint_on: type === 'object' ? own : { table: remote, column: other } }
}

function permissionsOf(role: Role, table: Table, world: World): readonly Metadata[] {
  return role.permissions
    .filter((permission) => permission.table === table.id)
    .map(({ columns, filter, limit, aggregations }) => {
      const permission = {
        columns: columns.length === table.columns.length ? '*' : columns.map((id) => columnOf(world, id).name),
        filter: filterJson(filter, world),
        allow_aggregations: aggregations,
        ...(limit === null ? {} : { limit }),
      }
      return { role: role.name, permission }
    })
}

const filterJson = (expression: Expression, world: World): Json =>
  Object.fromEntries(expression.map((entry) => entryJson(entry, world)))

function entryJson(entry: Entry, world: World): readonly [string, Json] {
  switch (entry.kind) {
    case 'and':
    case 'or':
      return [`_${entry.kind}`, entry.of.map((part) => filterJson(part, world))]
    case 'not':
      return ['_not', filterJson(entry.of, world)]
    case 'related':
      return [relationshipOf(world, entry.relationship).name, filterJson(entry.where, world)]
    case 'exists':
      return ['_exists', { _table: tableName(tableOf(world, entry.table)), _where: filterJson(entry.where, world) }]
    case 'column': {
      const comparisons = entry.comparisons.map(
        ({ operator, operand }) => [operator, operandJson(operand, world)] as const,
      )
      return [columnOf(world, entry.column).name, Object.fromEntries(comparisons)]
    }
  }
}

function operandJson(operand: Operand, world: World): Json {
  switch (operand.kind) {
    case 'value':
      return operand.leaf.input
    case 'list':
      return operand.leaves.map(({ input }) => input)
    case 'column':
      return columnOf(world, operand.column).name
    case 'session':
      return operand.variable
    case 'null':
      return null
  }
}

/** Puts a world in the place of the one before. */
export async function deploy(world: World, { op, sql }: TestTrellis): Promise<void> {
  await op('clear_metadata', {})
  for (const schema of schemas) await sql(`drop schema if exists ${schema} cascade; create schema ${schema}`)
  await sql(tableSql(world).join(';'))
  for (const table of world.tables) {
    const insert = rowsSql(table)
    if (insert) await sql(insert.text, insert.values)
  }
  await op('reload_metadata', {})
  await op('replace_metadata', metadataOf(world))
}
