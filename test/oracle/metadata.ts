// The metadata document of a world.

import type { Comparison, Entry, Expression, Operand } from './expressions.ts'
import { type Json, Num } from './json.ts'
import {
  columnOf,
  type Preset,
  type Relationship,
  relationshipOf,
  type Table,
  type TableFunction,
  tableOf,
  type World,
} from './world.ts'

type Metadata = { readonly [key: string]: unknown }

/** The name of the function of a computed field. */
export const computedFunction = ({ schema, name }: Table, field: string): string => `${schema}_${name}_${field}`

const tableName = ({ schema, name }: Table) => ({ schema, name })

/** The metadata document. It has an endpoint for each stored text. */
export function metadataOf(world: World, stored: readonly string[] = []): Metadata {
  return {
    version: 2,
    tables: world.tables.map((table) => tableEntry(table, world)),
    functions: world.functions.map(functionEntry),
    inherited_roles: world.roles.flatMap(({ name, parents }) =>
      parents ? [{ role_name: name, role_set: parents }] : [],
    ),
    ...(stored.length === 0 ? {} : endpointsOf(stored)),
  }
}

/** An endpoint `/api/rest/N` for each text. */
const endpointsOf = (texts: readonly string[]): Metadata => ({
  query_collections: [
    { name: 'stored', definition: { queries: texts.map((query, i) => ({ name: `query_${i}`, query })) } },
  ],
  rest_endpoints: texts.map((_text, i) => ({
    name: `endpoint_${i}`,
    url: String(i),
    methods: ['POST'],
    definition: { query: { collection_name: 'stored', query_name: `query_${i}` } },
  })),
})

const functionEntry = ({ name, roles }: TableFunction): Metadata => ({
  function: { schema: 'public', name },
  ...(roles === null ? {} : { permissions: roles.map((role) => ({ role })) }),
})

function tableEntry(table: Table, world: World): Metadata {
  const names = table.columns.flatMap(({ name, customName }) => (customName === null ? [] : [[name, customName]]))
  const own = world.relationships.filter((relationship) => relationship.table === table.id)
  const relationships = (type: Relationship['type']) =>
    own
      .filter((relationship) => relationship.type === type && !isToSource(relationship))
      .map((relationship) => ({ name: relationship.name, using: usingOf(relationship, world) }))
  return {
    table: tableName(table),
    ...(table.isEnum ? { is_enum: true } : {}),
    ...(world.entities && table.primaryKey.length > 0 ? { apollo_federation_config: { enable: 'v1' } } : {}),
    configuration: { custom_root_fields: table.customRoots, custom_column_names: Object.fromEntries(names) },
    object_relationships: relationships('object'),
    array_relationships: relationships('array'),
    remote_relationships: own.filter(isToSource).map((relationship) => toSource(relationship, world)),
    computed_fields: (table.computed ?? []).map(({ name }) => ({
      name,
      definition: { function: { schema: 'public', name: computedFunction(table, name) } },
    })),
    ...permissionsOf(table, world),
  }
}

/** Whether a relationship is given in the form of those between sources; every other one that can be. */
const isToSource = ({ id, type, byForeignKey, after }: Relationship): boolean =>
  !byForeignKey && (type === 'array' || !after) && Number(id.split('#')[1]) % 2 === 1

function toSource({ name, type, mapping, target }: Relationship, world: World): Metadata {
  const field_mapping = Object.fromEntries(
    mapping.map(([from, to]) => [columnOf(world, from).name, columnOf(world, to).name]),
  )
  const to_source = { relationship_type: type, table: tableName(tableOf(world, target)), field_mapping }
  return { name, definition: { to_source } }
}

function usingOf({ type, byForeignKey, mapping, target, after }: Relationship, world: World): Metadata {
  const pairs = mapping.map(([from, to]) => [columnOf(world, from).name, columnOf(world, to).name] as const)
  const remote = tableName(tableOf(world, target))
  if (!byForeignKey) {
    const order = type === 'array' ? {} : { insertion_order: after ? 'after_parent' : 'before_parent' }
    return { manual_configuration: { remote_table: remote, column_mapping: Object.fromEntries(pairs), ...order } }
  }
  const [own, other] = pairs[0]!
  return { foreign_key_constraint_on: after ? { table: remote, column: other } : own }
}

function permissionsOf(table: Table, world: World): Metadata {
  const columnNames = (columns: readonly string[]) =>
    columns.length === table.columns.length ? '*' : columns.map((id) => columnOf(world, id).name)
  const filter = (expression: Expression) => filterJson(expression, world)
  const set = (presets: readonly Preset[]) => (presets.length === 0 ? {} : { set: presetsJson(presets, world) })
  const entries = <P extends { readonly table: string }>(
    pick: (role: World['roles'][number]) => readonly P[],
    permission: (permission: P) => Metadata,
  ) =>
    world.roles.flatMap((role) =>
      pick(role)
        .filter((granted) => granted.table === table.id)
        .map((granted) => ({ role: role.name, permission: permission(granted) })),
    )
  return {
    select_permissions: entries(
      ({ selects }) => selects,
      (granted) => ({
        columns: columnNames(granted.columns),
        computed_fields: (granted.computed ?? []).map((id) => columnOf(world, id).name),
        filter: filter(granted.filter),
        allow_aggregations: granted.aggregations,
        ...(granted.limit === null ? {} : { limit: granted.limit }),
      }),
    ),
    insert_permissions: entries(
      ({ inserts }) => inserts,
      (granted) => ({
        columns: columnNames(granted.columns),
        check: filter(granted.check),
        ...set(granted.presets),
      }),
    ),
    update_permissions: entries(
      ({ updates }) => updates,
      (granted) => ({
        columns: columnNames(granted.columns),
        filter: filter(granted.filter),
        ...(granted.check === null ? {} : { check: filter(granted.check) }),
        ...set(granted.presets),
      }),
    ),
    delete_permissions: entries(
      ({ deletes }) => deletes,
      (granted) => ({ filter: filter(granted.filter) }),
    ),
  }
}

const presetsJson = (presets: readonly Preset[], world: World): Json =>
  Object.fromEntries(
    presets.map(({ column, value }) => {
      return [columnOf(world, column).name, value.kind === 'session' ? value.variable : value.leaf.input]
    }),
  )

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
    case 'counted': {
      const { relationship, filter, operator, count } = entry
      const where = filter && { filter: filterJson(filter, world) }
      return [
        `${relationshipOf(world, relationship).name}_aggregate`,
        { count: { ...where, predicate: { [operator]: new Num(String(count)) } } },
      ]
    }
    case 'exists':
      return ['_exists', { _table: tableName(tableOf(world, entry.table)), _where: filterJson(entry.where, world) }]
    case 'column':
      return [columnOf(world, entry.column).name, comparisonsJson(entry.comparisons, world)]
  }
}

/** A single comparison may be written as its value. */
function comparisonsJson(comparisons: readonly Comparison[], world: World): Json {
  const [first, second] = comparisons
  if (first?.spelling === 'bare' && !second) return operandJson(first.operand, world)
  return Object.fromEntries(
    comparisons.map((comparison) => [wordOf(comparison), operandJson(comparison.operand, world)]),
  )
}

function wordOf({ operator, spelling }: Comparison): string {
  if (spelling === 'dollar') return operator.replace('_', '$')
  return spelling === 'alias' ? '_ne' : operator
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
