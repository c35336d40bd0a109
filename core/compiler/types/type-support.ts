// Plugins' support for types of extensions: encoding, decoding and casts. The support belongs to one engine, so each
// type that an engine reads from its catalog is tied to that engine's vocabulary.

import type { PgType } from '../../catalog/types.ts'
import type { Codec } from '../../database/sql/param.ts'
import type { Sql } from '../../database/sql/sql.ts'
import type { OperatorTable } from './comparison-operator.ts'

/** A base type of an extension. It is found by its name, in any schema. */
export interface TypeSupport {
  /** `pg_type.typname`, which is also the name of the scalar. */
  readonly name: string
  /** Encodes JSON values as texts, and decodes those texts in SQL. */
  codec(type: PgType): Codec
  /** The value as JSON text, NULL for NULL; absent: as `to_json` prints it. */
  json?(value: Sql, type: PgType): Sql
  /** Whether `_gt` and the other order operators work on the type; absent: yes. */
  readonly ordered?: boolean
  /** Types of the same schema, by `typname`, to which boolean expressions may cast a column. */
  readonly casts?: readonly string[]
}

/** The types that an engine knows, including those of its plugins. */
export interface KnownTypes {
  /** The plugins' support, by the name of the type. */
  readonly types: ReadonlyMap<string, TypeSupport>
  readonly operators: OperatorTable
  /** Whether columns offer operators and orders that PostgreSQL lacks for their types, as in v1.3. */
  readonly offersAll: boolean
}

/**
 * Types come from the catalog, which knows no vocabulary. The tie is made once, when an engine reads them. As an argument it
 * would accompany the type through every function that compares, orders or prints values.
 */
const vocabularies = new WeakMap<PgType, KnownTypes>()

/** The vocabulary of the engine that read the type; undefined if no engine has read it. */
export const vocabularyOf = (type: PgType): KnownTypes | undefined => vocabularies.get(type)

/** Ties a type to an engine's vocabulary. */
export function adoptType(type: PgType, vocabulary: KnownTypes): void {
  vocabularies.set(type, vocabulary)
}

/** A plugin's support for a type. A user's own type of the same name, such as an enum, has no support. */
export const supportOf = (type: PgType): TypeSupport | undefined =>
  type.kind === 'b' && !type.isArray ? vocabularyOf(type)?.types.get(type.name) : undefined

/** Whether rows can be sorted and deduplicated by values of the type. */
export const isOrdered = (type: PgType): boolean =>
  supportOf(type)?.ordered !== false && type.comparison?.isSorted !== false

/** Whether the API lets rows be sorted by a column of the type. */
export const offersOrder = (type: PgType): boolean => vocabularyOf(type)?.offersAll === true || isOrdered(type)

/**
 * Whether PostgreSQL compares values member by member, and fails only when it meets members that it cannot compare,
 * such as `json`. Arrays of built-in types are excluded: whether they can be compared is known.
 */
export function isComparedByMembers(type: PgType): boolean {
  if (type.isArray) return type.schema !== 'pg_catalog' || !isOrdered(type)
  return type.kind === 'c' || type.kind === 'd'
}

/** The type of an array's elements; PostgreSQL puts an underscore before its name. */
export const elementOf = (array: PgType): PgType =>
  baseTypeBeside(array, { name: array.name.slice(1), sql: array.sql.replace(/\[\]$/, '') })

/** Whether a plugin reads the elements of the array type. */
export const hasSupportedElements = (type: PgType): boolean =>
  vocabularyOf(type)?.types.has(type.name.slice(1)) === true

/**
 * The types to which boolean expressions may cast columns of a type, by the name of the cast: those of the plugin's
 * support, and text for `jsonb`.
 */
export function castsOf(type: PgType): ReadonlyMap<string, PgType> {
  const isJson = type.name === 'jsonb' && type.schema === 'pg_catalog'
  if (isJson) return new Map([['String', typeBeside(type, 'text')]])
  return new Map((supportOf(type)?.casts ?? []).map((name) => [name, typeBeside(type, name)]))
}

/** The type of that name in the same schema as another type. */
export const typeBeside = (beside: PgType, name: string): PgType =>
  baseTypeBeside(beside, { name, sql: `${beside.sql.slice(0, -beside.name.length)}${name}` })

function baseTypeBeside(beside: PgType, named: Pick<PgType, 'name' | 'sql'>): PgType {
  const type = { ...named, schema: beside.schema, kind: 'b', isArray: false }
  const vocabulary = vocabularyOf(beside)
  if (vocabulary) adoptType(type, vocabulary)
  return type
}
