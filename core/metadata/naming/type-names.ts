// Names of GraphQL types: those that are taken before any table is tracked, and those that are generated of tables.

import { introspectionTypes } from 'graphql'
import type { Catalog, PgType } from '../../catalog/types.ts'
import { scalarName } from '../../compiler/types/codecs.ts'
import { nameKey } from '../../names/names.ts'
import type { TableModel } from '../document/model.ts'
import { rootFieldIndex } from './root-field-index.ts'

const scalars = ['Int', 'Float', 'String', 'Boolean', 'ID']
const reserved = new Set([...scalars, 'query_root', 'mutation_root', 'subscription_root', 'order_by'])

/** Whether nothing of the database can be a type of that name beside the types that every schema has. */
export const isReservedType = (name: string): boolean => reserved.has(name) || isIntrospectionType(name)

const isIntrospectionType = (name: string): boolean => introspectionTypes.some((type) => type.name === name)

/** The error about a name that stands for two types. */
export const conflictingDefinitions = (name: string): string =>
  `found conflicting definitions for "${name}" when collecting types from the schema`

/** The schemas that a role has: the usual one, and the one for clients of Relay. */
export type SchemaKind = 'standard' | 'relay'

/** Names of types that a plugin generates; in patterns `*` stands for what the name is made of. */
export interface GeneratedTypes {
  /** Made of the GraphQL names of tables, as `*_bool_exp`. */
  readonly tables?: readonly string[]
  /** Made of the scalars of columns, as `*_comparison_exp`. */
  readonly scalars?: readonly string[]
  /** The schemas in which it does; absent: all. */
  readonly schemas?: readonly SchemaKind[]
  /** Whatever the tables are. */
  readonly fixed?: readonly string[]
}

type Tables = ReadonlyMap<string, TableModel>

const scalarsOfTables = new WeakMap<Tables, ReadonlyMap<string, PgType>>()

/** The scalars of columns, with a type of the database that each stands for. */
export function scalarsOf(tables: Tables): ReadonlyMap<string, PgType> {
  let scalars = scalarsOfTables.get(tables)
  if (!scalars) {
    scalars = new Map([...tables.values()].flatMap((table) => [...scalarsOfTable(table)]))
    scalarsOfTables.set(tables, scalars)
  }
  return scalars
}

const scalarsByTable = new WeakMap<TableModel, ReadonlyMap<string, PgType>>()

/** The same of one table. */
export function scalarsOfTable(table: TableModel): ReadonlyMap<string, PgType> {
  let scalars = scalarsByTable.get(table)
  if (!scalars) {
    scalars = namedScalars([...table.columns.values()].map(({ type }) => type))
    scalarsByTable.set(table, scalars)
  }
  return scalars
}

const scalarsOfCatalogs = new WeakMap<Catalog['functions'], ReadonlyMap<string, PgType>>()

/** The scalars that functions take and give. */
export function scalarsOfFunctions(functions: Catalog['functions']): ReadonlyMap<string, PgType> {
  let scalars = scalarsOfCatalogs.get(functions)
  if (!scalars) {
    const all = [...functions.values()].flat()
    scalars = namedScalars(
      all.flatMap(({ arguments: given, returnType }) => [returnType, ...given.map(({ type }) => type)]),
    )
    scalarsOfCatalogs.set(functions, scalars)
  }
  return scalars
}

/** Those of types that are no rows of tables. */
const namedScalars = (types: readonly PgType[]): ReadonlyMap<string, PgType> =>
  new Map(types.map((type) => [scalarName(type), type] as const).filter(isNamed))

/** The error about a table that is called as values of the database are. */
export const scalarNameTaken = (name: string): string =>
  `"${name}" is a scalar of columns or functions: give the table of that name another one with custom_name`

const isNamed = (entry: readonly [name: string | null, type: PgType]): entry is readonly [string, PgType] =>
  entry[0] !== null

/** What the name is made of by a pattern; null when it isn't. */
function baseOf(name: string, pattern: string): string | null {
  const [prefix = '', suffix = ''] = pattern.split('*')
  const fits = name.length > prefix.length + suffix.length && name.startsWith(prefix) && name.endsWith(suffix)
  return fits ? name.slice(prefix.length, name.length - suffix.length) : null
}

/** Whether a name is made by one of the patterns, of something that is there. */
const isMadeOf = (name: string, patterns: readonly string[] = [], isKnown: (base: string) => boolean): boolean =>
  patterns.some((pattern) => {
    const base = baseOf(name, pattern)
    return base !== null && isKnown(base)
  })

const isMadeOfTable = (name: string, tables: Tables, generated: readonly GeneratedTypes[]): boolean =>
  generated.some((each) => isMadeOf(name, each.tables, (base) => rootFieldIndex(tables).has(base)))

/** What a name may be made of by the patterns of all plugins. */
interface Bases {
  readonly tables: readonly string[]
  readonly scalars: readonly string[]
  readonly isFixed: boolean
}

/** By the name; of the patterns of a registry. */
const basesOfNames = new WeakMap<readonly GeneratedTypes[], Map<string, Bases>>()

function basesOf(name: string, generated: readonly GeneratedTypes[]): Bases {
  const known = basesOfNames.get(generated) ?? new Map<string, Bases>()
  basesOfNames.set(generated, known)
  const bases = known.get(name) ?? basesBy(generated, name)
  known.set(name, bases)
  return bases
}

const endingsByPatterns = new WeakMap<readonly GeneratedTypes[], readonly string[]>()

/**
 * Endings of a table's name by which one of its types is called as a type of the table without the ending: `_max` where one is
 * `*_order_by` and the other `*_max_order_by`.
 */
function endingsOf(generated: readonly GeneratedTypes[]): readonly string[] {
  let endings = endingsByPatterns.get(generated)
  if (!endings) {
    const patterns = generated
      .flatMap(({ tables = [] }) => tables)
      .map((pattern) => pattern.slice(pattern.indexOf('*') + 1))
    const longer = patterns.flatMap((long) => {
      return patterns.flatMap((short) => (long.endsWith(short) ? [long.slice(0, long.length - short.length)] : []))
    })
    endings = [...new Set(longer)].filter((ending) => ending !== '')
    endingsByPatterns.set(generated, endings)
  }
  return endings
}

function basesBy(generated: readonly GeneratedTypes[], name: string): Bases {
  const by = (patterns: readonly string[] = []) =>
    patterns.map((pattern) => baseOf(name, pattern)).filter((base) => base !== null)
  return {
    tables: endingsOf(generated).flatMap((ending) => baseOf(name, `*${ending}`) ?? []),
    scalars: generated.flatMap((each) => by(each.scalars)),
    isFixed: generated.some(({ fixed }) => fixed?.includes(name)),
  }
}

/**
 * Whether a table that is not among those of before, or another one than there, may have the name of a type that is generated of
 * another table, or of its columns: what is generated in truth only the whole schema tells.
 */
export function mayConflict(tables: Tables, before: Tables, generated: readonly GeneratedTypes[]): boolean {
  const changed = new Set([...tables.values()].filter((table) => before.get(nameKey(table.name)) !== table))
  if (changed.size === 0) return false
  const index = rootFieldIndex(tables)
  const changedScalars = scalarsOf(new Map([...changed].map((table) => [nameKey(table.name), table])))
  return [...tables.values()].some((table) => {
    if (table.graphqlName === null) return false
    const bases = basesOf(table.graphqlName, generated)
    const others = bases.tables.map((base) => index.table(base)).filter((other) => other !== undefined)
    if (!changed.has(table)) {
      return others.some((other) => changed.has(other)) || bases.scalars.some((base) => changedScalars.has(base))
    }
    return bases.isFixed || others.length > 0 || bases.scalars.some((base) => scalarsOf(tables).has(base))
  })
}

/** Whether a type of that name is generated, or may be when a table becomes what it is not yet, an enum for instance. */
export const isGeneratedType = (name: string, tables: Tables, generated: readonly GeneratedTypes[]): boolean =>
  isMadeOfTable(name, tables, generated) ||
  generated.some(
    ({ scalars, fixed }) => fixed?.includes(name) || isMadeOf(name, scalars, (base) => scalarsOf(tables).has(base)),
  )

/** Whether nothing but a scalar of columns has that name. */
export const isScalarOfColumns = (name: string, tables: Tables, generated: readonly GeneratedTypes[]): boolean =>
  scalarsOf(tables).has(name) && !isReservedType(name) && !isMadeOfTable(name, tables, generated)
