// Names of GraphQL types: those that are taken before any table is tracked, and those that are generated of tables.

import { introspectionTypes } from 'graphql'
import { scalarName } from '../compiler/codecs.ts'
import type { TableModel } from './model.ts'
import { rootFieldIndex } from './root-field-index.ts'

const scalars = ['Int', 'Float', 'String', 'Boolean', 'ID']
const reserved = new Set([...scalars, 'query_root', 'mutation_root', 'subscription_root', 'order_by'])

/** Whether nothing of the database can be a type of that name beside the types that every schema has. */
export const isReservedType = (name: string): boolean => reserved.has(name) || isIntrospectionType(name)

const isIntrospectionType = (name: string): boolean => introspectionTypes.some((type) => type.name === name)

/** The error about a name that stands for two types. */
export const conflictingDefinitions = (name: string): string =>
  `found conflicting definitions for "${name}" when collecting types from the schema`

/** Names of types that a plugin generates; in patterns `*` stands for what the name is made of. */
export interface GeneratedTypes {
  /** Made of the GraphQL names of tables, as `*_bool_exp`. */
  readonly tables?: readonly string[]
  /** Made of the scalars of columns, as `*_comparison_exp`. */
  readonly scalars?: readonly string[]
  /** Whatever the tables are. */
  readonly fixed?: readonly string[]
}

type Tables = ReadonlyMap<string, TableModel>

const scalarsOfTables = new WeakMap<Tables, ReadonlySet<string>>()

function scalarsOf(tables: Tables): ReadonlySet<string> {
  let scalars = scalarsOfTables.get(tables)
  if (!scalars) {
    const columns = [...tables.values()].flatMap((table) => [...table.columns.values()])
    scalars = new Set(columns.map(({ type }) => scalarName(type)).filter((name) => name !== null))
    scalarsOfTables.set(tables, scalars)
  }
  return scalars
}

/** What the name is made of by a pattern; null when it isn't. */
function baseOf(name: string, pattern: string): string | null {
  const [prefix = '', suffix = ''] = pattern.split('*')
  const fits = name.length > prefix.length + suffix.length && name.startsWith(prefix) && name.endsWith(suffix)
  return fits ? name.slice(prefix.length, name.length - suffix.length) : null
}

/** Whether a type of that name is generated, or may be when a table becomes what it is not yet, an enum for instance. */
export function isGeneratedType(name: string, tables: Tables, generated: readonly GeneratedTypes[]): boolean {
  const matches = (patterns: readonly string[] = [], isKnown: (base: string) => boolean) =>
    patterns.some((pattern) => {
      const base = baseOf(name, pattern)
      return base !== null && isKnown(base)
    })
  return generated.some(
    ({ tables: ofTables, scalars, fixed }) =>
      fixed?.includes(name) ||
      matches(ofTables, (base) => rootFieldIndex(tables).has(base)) ||
      matches(scalars, (base) => scalarsOf(tables).has(base)),
  )
}
