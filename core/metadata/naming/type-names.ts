// Names of GraphQL types: the reserved ones, and the ones that are generated for tables.

import { introspectionTypes } from 'graphql'
import type { Catalog, PgType } from '../../catalog/types.ts'
import { scalarName } from '../../compiler/types/codecs.ts'
import { elementOf } from '../../compiler/types/type-support.ts'
import { changedKeys } from '../document/list-change.ts'
import type { TableModel } from '../document/model.ts'
import { pascalCase, withoutPascalSuffix } from './casing.ts'
import { namedTables, rootFieldIndex } from './root-field-index.ts'
import { noAffixes, type SourceNaming, withoutAffixes } from './source-naming.ts'

const scalars = ['Int', 'Float', 'String', 'Boolean', 'ID']
const roots = ['query_root', 'mutation_root', 'subscription_root']
const introspection = new Set(introspectionTypes.map(({ name }) => name))
const reserved = new Set([...scalars, ...roots, 'order_by', ...introspection])

/** Whether every schema has a type of this name, so that no table can use it. */
export const isReservedType = (name: string): boolean => reserved.has(name)

/** The error about one name for two types. */
export const conflictingDefinitions = (name: string): string =>
  `found conflicting definitions for "${name}" when collecting types from the schema`

/** The schemas of a role: the standard one, and the one for Relay clients. */
export type SchemaKind = 'standard' | 'relay'

/** Type names that a plugin generates; `*` in a pattern stands for the base name. */
export interface GeneratedTypes {
  /** Generated from GraphQL names of tables, such as `*_bool_exp`. */
  readonly tables?: readonly string[]
  /** Generated from scalars of columns, such as `*_comparison_exp`. */
  readonly scalars?: readonly string[]
  /** Generated from scalars of the elements of arrays, such as `*_array_comparison_exp`. */
  readonly elements?: readonly string[]
  /** The schemas that contain them; absent: all. */
  readonly schemas?: readonly SchemaKind[]
  /** Generated regardless of the tables. */
  readonly fixed?: readonly string[]
}

type Tables = ReadonlyMap<string, TableModel>

const scalarsOfTables = new WeakMap<Tables, ReadonlyMap<string, PgType>>()

/** The scalars of columns, each with one database type that maps to it. */
export function scalarsOf(tables: Tables): ReadonlyMap<string, PgType> {
  const named = namedTables(tables)
  let scalars = scalarsOfTables.get(named)
  if (!scalars) {
    scalars = scalarsAmong(named.values())
    scalarsOfTables.set(named, scalars)
  }
  return scalars
}

function scalarsAmong(tables: Iterable<TableModel>): ReadonlyMap<string, PgType> {
  const scalars = new Map<string, PgType>()
  for (const table of tables) for (const [name, type] of scalarsOfTable(table)) scalars.set(name, type)
  return scalars
}

const scalarsByTable = new WeakMap<TableModel, ReadonlyMap<string, PgType>>()

/** The same for one table. */
export function scalarsOfTable(table: TableModel): ReadonlyMap<string, PgType> {
  let scalars = scalarsByTable.get(table)
  if (!scalars) {
    scalars = namedScalars([...table.columns.values()].map(({ type }) => type))
    scalarsByTable.set(table, scalars)
  }
  return scalars
}

const scalarsOfCatalogs = new WeakMap<Catalog['functions'], ReadonlyMap<string, PgType>>()

/** The scalars of function arguments and results. */
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

/** Whether a column is an array of a scalar. */
const isElement = (tables: Tables, name: string): boolean =>
  [...scalarsOf(tables).values()].some((type) => type.isArray && scalarName(elementOf(type)) === name)

/** The scalars of types that are not row types of tables. */
const namedScalars = (types: readonly PgType[]): ReadonlyMap<string, PgType> =>
  new Map(types.map((type) => [scalarName(type), type] as const).filter(isNamed))

/** The error about a table whose name is that of a scalar. */
export const scalarNameTaken = (name: string): string =>
  `"${name}" is a scalar of columns or functions: rename the table in GraphQL with custom_name`

const isNamed = (entry: readonly [name: string | null, type: PgType]): entry is readonly [string, PgType] =>
  entry[0] !== null

const affixes = new Map<string, readonly [prefix: string, suffix: string]>()

/** The text before and after the `*` of a pattern. */
function affixesOf(pattern: string): readonly [prefix: string, suffix: string] {
  let known = affixes.get(pattern)
  if (!known) {
    const [prefix = '', suffix = ''] = pattern.split('*')
    known = [prefix, suffix]
    affixes.set(pattern, known)
  }
  return known
}

/** The base of a name under a pattern; null when the pattern does not match. */
function baseOf(name: string, pattern: string): string | null {
  const [prefix, suffix] = affixesOf(pattern)
  const fits = name.length > prefix.length + suffix.length && name.startsWith(prefix) && name.endsWith(suffix)
  return fits ? name.slice(prefix.length, name.length - suffix.length) : null
}

/** Whether a pattern generates the name from a known base. */
const isMadeOf = (name: string, patterns: readonly string[] = [], isKnown: (base: string) => boolean): boolean =>
  patterns.some((pattern) => {
    const base = baseOf(name, pattern)
    return base !== null && isKnown(base)
  })

/** The tables whose types have names, and the names that the source gives to all of them. */
interface NamedTypes {
  readonly tables: Tables
  readonly naming: SourceNaming
}

function isMadeOfTable(name: string, { tables, naming }: NamedTypes, generated: readonly GeneratedTypes[]): boolean {
  const own = withoutAffixes(name, naming.types)
  if (naming.isCamel) {
    const isTableType = (base: string) =>
      rootFieldIndex(tables).ofType(base, { ...naming, types: noAffixes }) !== undefined
    return (
      own !== null &&
      isMadeInPascal(
        own,
        generated.flatMap((each) => each.tables ?? []),
        isTableType,
      )
    )
  }
  const isTable = (base: string) => rootFieldIndex(tables).has(base)
  return own !== null && generated.some((each) => isMadeOf(own, each.tables, isTable))
}

/** The same for a name in Pascal case. */
const isMadeInPascal = (name: string, patterns: readonly string[], isKnown: (base: string) => boolean): boolean =>
  patterns.some((pattern) => {
    const [prefix, suffix] = affixesOf(pattern)
    const start = pascalCase(prefix)
    const base = name.startsWith(start) ? withoutPascalSuffix(name.slice(start.length), suffix) : null
    return base !== null && isKnown(base)
  })

/** The bases that a name may be generated from, over the patterns of all plugins. */
interface Bases {
  readonly tables: readonly string[]
  readonly scalars: readonly string[]
  readonly isFixed: boolean
}

const endingsByPatterns = new WeakMap<readonly GeneratedTypes[], readonly string[]>()

/**
 * Suffixes of table names that cause clashes. For example, `*_order_by` and `*_max_order_by` make a table `x_max` clash
 * with a table `x`, by the suffix `_max`.
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

function basesOf(name: string, generated: readonly GeneratedTypes[]): Bases {
  const by = (patterns: readonly string[] = []) =>
    patterns.map((pattern) => baseOf(name, pattern)).filter((base) => base !== null)
  return {
    tables: endingsOf(generated).flatMap((ending) => baseOf(name, `*${ending}`) ?? []),
    scalars: generated.flatMap((each) => by(each.scalars)),
    isFixed: generated.some(({ fixed }) => fixed?.includes(name)),
  }
}

/**
 * Whether a new or changed table may share a type name with a generated type of another table or its columns. This is
 * an estimate: only the whole schema shows which types are really generated.
 */
export function mayConflict(tables: Tables, before: Tables, generated: readonly GeneratedTypes[]): boolean {
  // Names that differ by underscores may be one name in Pascal case.
  if ([...tables.values()][0]?.isCamel) return tables !== before
  if (tables === before) return false
  // Names, columns and relationships make types for an administrator; permissions do not.
  const isChanged = (key: string) => before.get(key)?.fields !== tables.get(key)?.fields
  const changed = [...changedKeys(before, tables)].filter(isChanged).flatMap((key) => tables.get(key) ?? [])
  if (changed.length === 0) return false
  const names = changed.map(({ graphqlName }) => graphqlName).filter((name) => name !== null)
  if (names.some((name) => isGeneratedName(name, tables, generated))) return true
  const index = rootFieldIndex(tables)
  const endings = endingsOf(generated)
  if (names.some((name) => endings.some((ending) => index.has(`${name}${ending}`)))) return true
  const patterns = generated.flatMap(({ scalars = [] }) => scalars)
  const scalars = [...scalarsAmong(changed).keys()]
  return patterns.some((pattern) => scalars.some((name) => index.has(pattern.replace('*', () => name))))
}

/** Whether the name of a table may be generated from another table or from a scalar. */
function isGeneratedName(name: string, tables: Tables, generated: readonly GeneratedTypes[]): boolean {
  const { isFixed, tables: others, scalars } = basesOf(name, generated)
  const index = rootFieldIndex(tables)
  return isFixed || others.some((base) => index.has(base)) || scalars.some((base) => scalarsOf(tables).has(base))
}

/** Whether a type of this name is generated, or may be after a table changes, for example into an enum table. */
export const isGeneratedType = (name: string, named: NamedTypes, generated: readonly GeneratedTypes[]): boolean =>
  isMadeOfTable(name, named, generated) ||
  (named.naming.isCamel && isGeneratedInPascal(name, named, generated)) ||
  generated.some(
    ({ scalars, elements, fixed }) =>
      fixed?.includes(name) ||
      isMadeOf(name, scalars, (base) => scalarsOf(named.tables).has(base)) ||
      isMadeOf(name, elements, (base) => isElement(named.tables, base)),
  )

function isGeneratedInPascal(name: string, { tables }: NamedTypes, generated: readonly GeneratedTypes[]): boolean {
  const scalars = new Set([...scalarsOf(tables).keys()].map(pascalCase))
  return (
    isMadeInPascal(
      name,
      generated.flatMap((each) => each.scalars ?? []),
      (base) => scalars.has(base),
    ) || generated.some(({ fixed = [] }) => fixed.some((each) => pascalCase(each) === name))
  )
}

/** Whether only a scalar of columns has this name. */
export const isScalarOfColumns = (name: string, named: NamedTypes, generated: readonly GeneratedTypes[]): boolean =>
  scalarsOf(named.tables).has(name) && !isReservedType(name) && !isMadeOfTable(name, named, generated)
