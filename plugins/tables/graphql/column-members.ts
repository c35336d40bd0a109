// Members of types that stand for columns. Types with the same columns share them: introspection then writes them once.

import type { GraphQLEnumValueConfigMap, GraphQLInputFieldConfigMap } from 'graphql'
import { columnType, type SchemaScope, shared } from '../../../sdk/graphql.ts'
import { isEnumValueName } from '../../../sdk/index.ts'
import type { ColumnModel } from '../../../sdk/metadata.ts'

/** A function of columns by GraphQL name that computes the result of a schema once, on its first call. */
function perColumns<T>(
  compute: (scope: SchemaScope, columns: ReadonlyMap<string, ColumnModel>) => T,
): (scope: SchemaScope, columns: ReadonlyMap<string, ColumnModel>) => T {
  const scopes = new WeakMap<SchemaScope, WeakMap<ReadonlyMap<string, ColumnModel>, T>>()
  return (scope, columns) => {
    const results = scopes.get(scope) ?? new WeakMap()
    scopes.set(scope, results)
    const known = results.get(columns)
    if (known !== undefined) return known
    const result = compute(scope, columns)
    results.set(columns, result)
    return result
  }
}

/** A field of an input object for each column, with the column's own type. */
export const columnInputs = perColumns((scope, columns): GraphQLInputFieldConfigMap => {
  const fields = Array.from(columns, ([field, column]) => {
    return [field, { type: columnType(scope, column)!, description: column.comment }] as const
  })
  return shared(Object.fromEntries(fields))
})

const value = { description: 'column name' }

/** An enum value for each of the names. */
export const valuesNamed = (names: readonly string[]): GraphQLEnumValueConfigMap =>
  Object.fromEntries(names.map((name) => [name, value]))

/** An enum value for each column whose name an enum can hold. */
export const columnValues = perColumns((_, columns): GraphQLEnumValueConfigMap => {
  return shared(valuesNamed([...columns.keys()].filter(isEnumValueName)))
})
