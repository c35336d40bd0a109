// GraphQL types of column values.

import { GraphQLEnumType, GraphQLScalarType, specifiedScalarTypes } from 'graphql'
import type { PgType } from '../../catalog/types.ts'
import { codecFor, enumCodec, scalarName } from '../../compiler/types/codecs.ts'
import { elementOf, supportOf } from '../../compiler/types/type-support.ts'
import type { Codec } from '../../database/sql/param.ts'
import type { ColumnModel, TableModel } from '../../metadata/document/model.ts'
import { rootFieldIndex } from '../../metadata/naming/root-field-index.ts'
import { isReservedType, scalarsOf } from '../../metadata/naming/type-names.ts'
import { nameKey } from '../../names/names.ts'
import { ArrayType } from '../read/array-type.ts'
import type { SchemaScope } from './contribution.ts'

const standardScalars = new Map(specifiedScalarTypes.map((scalar) => [scalar.name, scalar]))

/** The scalar of a PostgreSQL type; null if its name is not a GraphQL name. Such a column is left out. */
export function scalarType(scope: SchemaScope, type: PgType): GraphQLScalarType | null {
  const generated = scalarName(type)
  if (generated === null) return null
  const standard = standardScalars.get(generated)
  if (standard && type.schema === 'pg_catalog') return standard
  // Tables cannot have the name of a scalar of columns or functions; any other scalar yields to the table's types.
  const isTaken = isReservedType(generated) || rootFieldIndex(scope.model.tables).has(generated)
  const name = isTaken ? `${generated}_scalar` : generated
  return scope.type(name, () => {
    const extensions = { codec: codecFor(type), isReadWhole: supportOf(type) !== undefined }
    return new GraphQLScalarType({ name, extensions })
  })
}

/** Whether clients know PostgreSQL's arrays as lists. */
export const arraysAreLists = ({
  graphqlInterface,
  disablePostgresArrays,
}: Pick<SchemaScope['settings'], 'graphqlInterface' | 'disablePostgresArrays'>): boolean =>
  graphqlInterface === '2' && !disablePostgresArrays

/**
 * The GraphQL type of a PostgreSQL type's values: its scalar, or a list for an array in interface 2. Null if a name is not
 * a GraphQL name.
 */
export function valueType(scope: SchemaScope, type: PgType): GraphQLScalarType | ArrayType | null {
  if (!type.isArray || !arraysAreLists(scope.settings)) return scalarType(scope, type)
  const element = scalarType(scope, elementOf(type))
  return element && new ArrayType(element, codecFor(type))
}

/** The name of a type of values within names of types: `String`, and `String_array` for lists of it. */
export const valueTypeName = (type: GraphQLScalarType | GraphQLEnumType | ArrayType): string =>
  type instanceof ArrayType ? `${type.element.name}_array` : type.name

/** The scalar of columns with this name; null when columns have no such scalar. */
export function scalarOfColumns(scope: SchemaScope, name: string): GraphQLScalarType | null {
  const type = scalarsOf(scope.model.tables).get(name)
  const scalar = type ? scalarType(scope, type) : null
  return scalar?.name === name ? scalar : null
}

/** The type of a column's values: an enum for references to enum tables, otherwise that of its PostgreSQL type. */
export function columnType(
  scope: SchemaScope,
  column: ColumnModel,
): GraphQLScalarType | GraphQLEnumType | ArrayType | null {
  return enumType(scope, column) ?? valueType(scope, column.type)
}

/** The codec of a column's values. */
export function columnCodec(scope: SchemaScope, column: ColumnModel): Codec {
  const type = enumType(scope, column)
  return (type?.extensions.codec as Codec | undefined) ?? codecFor(column.type)
}

/** The values of an enum table by their names in capitals; null: they have their own names, or would share some. */
export function enumCapitals({ isCamel, enumValues }: TableModel): ReadonlyMap<string, string> | null {
  if (!isCamel || !enumValues) return null
  const capitals = new Map(enumValues.map(({ value }) => [value.toUpperCase(), value]))
  const isChanged = [...capitals].some(([name, value]) => name !== value)
  return isChanged && capitals.size === enumValues.length ? capitals : null
}

/** Whether requests see the values of a column in capitals. */
export function isInCapitals(scope: SchemaScope, { enumTable }: ColumnModel): boolean {
  const table = enumTable && scope.model.tables.get(nameKey(enumTable))
  return table ? enumCapitals(table) !== null : false
}

function capitalCodec(type: string, capitals: ReadonlyMap<string, string>): Codec {
  const names = enumCodec(
    type,
    [...capitals.keys()].map((value) => ({ value, comment: null })),
  )
  return {
    ...names,
    encode(given, literal) {
      const name = names.encode(given, literal)
      return capitals.get(name) ?? name
    },
  }
}

function enumType(scope: SchemaScope, column: ColumnModel): GraphQLEnumType | null {
  const table = column.enumTable && scope.model.tables.get(nameKey(column.enumTable))
  if (!table?.enumValues || table.graphqlName === null) return null
  const name = scope.sourceTypeName(`${table.graphqlName}_enum`)
  const rows = table.enumValues
  const capitals = enumCapitals(table)
  return scope.type(name, () => {
    const nameOf = (value: string) => (capitals ? value.toUpperCase() : value)
    const values = rows.map(({ value, comment }) => [nameOf(value), { description: comment }])
    return new GraphQLEnumType({
      name,
      values: Object.fromEntries(values),
      extensions: { codec: capitals ? capitalCodec(name, capitals) : enumCodec(name, rows) },
    })
  })
}
