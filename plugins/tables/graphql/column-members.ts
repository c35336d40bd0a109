// Members of types that stand for columns. Types with the same columns share them: introspection then writes them once.

import type { GraphQLEnumValueConfigMap, GraphQLInputFieldConfigMap } from 'graphql'
import { columnType, type SchemaScope, shared } from '../../../sdk/graphql.ts'
import { isEnumValueName } from '../../../sdk/index.ts'
import type { ColumnModel } from '../../../sdk/metadata.ts'

/** A function of a role's columns by GraphQL name that computes each result once, on its first call. */
function perColumns<T>(
  compute: (columns: ReadonlyMap<string, ColumnModel>, scope: SchemaScope) => T,
): (columns: ReadonlyMap<string, ColumnModel>, scope: SchemaScope) => T {
  const results = new WeakMap<ReadonlyMap<string, ColumnModel>, T>()
  return (columns, scope) => {
    const known = results.get(columns)
    if (known) return known
    const result = compute(columns, scope)
    results.set(columns, result)
    return result
  }
}

/** A field of an input object for each of a role's columns, with the column's own type. */
export const columnInputs = perColumns((columns, scope): GraphQLInputFieldConfigMap => {
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
export const columnValues = perColumns((columns): GraphQLEnumValueConfigMap => {
  return shared(valuesNamed([...columns.keys()].filter(isEnumValueName)))
})
