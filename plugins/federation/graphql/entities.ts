// The entities of a role: tables with the setting whose primary key the role may select.

import { GraphQLScalarType, GraphQLUnionType } from 'graphql'
import { columnCodec, type SchemaScope } from '../../../sdk/graphql.ts'
import { builtInType, type ColumnModel, type Model, type TableModel } from '../../../sdk/metadata.ts'
import { codecFor, columnPair, type Mapping } from '../../../sdk/sql.ts'
import { keyColumns, rowType, showsRootField } from '../../tables/graphql.ts'
import { facetKey } from '../metadata.ts'

export interface Entity {
  readonly table: TableModel
  /** The columns of the key by GraphQL name, in key order. */
  readonly key: ReadonlyMap<string, ColumnModel>
  /** Ties a row with the values of the key, under the names of its columns, to that of the table. */
  readonly mapping: Mapping
}

const tablesOfModels = new WeakMap<Model, readonly TableModel[]>()

/** The tables with the setting; few of thousands have it. */
function entityTables(model: Model): readonly TableModel[] {
  let tables = tablesOfModels.get(model)
  if (!tables) {
    tables = [...model.tables.values()].filter((table) => table.graphqlName !== null && table.extensions.has(facetKey))
    tablesOfModels.set(model, tables)
  }
  return tables
}

/** Whether a gateway may ask for the field of a column as part of a key: as one value, and without arguments. */
function fitsKey(scope: SchemaScope, column: ColumnModel): boolean {
  const { type } = column
  return !type.isArray && type.name !== 'json' && type.name !== 'jsonb' && !columnCodec(scope, column).decode
}

function mappingOf(key: Iterable<ColumnModel>): Mapping | null {
  const pairs = [...key].map(({ name, type }) => columnPair([name, name], [type, type]))
  return pairs.every((pair) => pair !== null) ? pairs : null
}

/** The entity of a table; null if the role has none. */
function entityOf(scope: SchemaScope, table: TableModel): Entity | null {
  const select = scope.access(table.name)?.select
  if (!select || !showsRootField(select, 'query', 'select_by_pk')) return null
  const key = keyColumns(scope, table)
  if (!key || ![...key.values()].every((column) => fitsKey(scope, column))) return null
  const mapping = mappingOf(key.values())
  return mapping && { table, key, mapping }
}

/** Entities by the names of their types. */
export type Entities = ReadonlyMap<string, Entity>

const entitiesOfScopes = new WeakMap<SchemaScope, Entities>()

/** The entities of a role. */
export function entitiesOf(scope: SchemaScope): Entities {
  let entities = entitiesOfScopes.get(scope)
  if (!entities) {
    const found = entityTables(scope.model).flatMap((table) => entityOf(scope, table) ?? [])
    entities = new Map(found.map((entity) => [scope.sourceTypeName(entity.table.graphqlName!), entity]))
    entitiesOfScopes.set(scope, entities)
  }
  return entities
}

/** The names of the types beside those of tables. */
export const ownTypes = ['_Any', '_Entity', '_Service'] as const

/** `union _Entity`: the row types of all entities. */
export const entityUnion = (scope: SchemaScope): GraphQLUnionType =>
  scope.type('_Entity', () => {
    const types = () => [...entitiesOf(scope).values()].map(({ table }) => rowType(scope, table))
    return new GraphQLUnionType({ name: '_Entity', types })
  })

/** `scalar _Any`: the representation of an entity. */
export const anyScalar = (scope: SchemaScope): GraphQLScalarType =>
  scope.type('_Any', () => {
    const description = 'the type name of an entity and the fields of its key'
    return new GraphQLScalarType({
      name: '_Any',
      description,
      extensions: { codec: { ...codecFor(builtInType('jsonb')), type: '_Any' } },
    })
  })
