// What plugins know about types that extensions bring: how their values come in and go out, and what they can be taken
// for. It belongs to an engine: a type that was read from its catalog is remembered together with what the engine knows.

import type { PgType } from '../../catalog/types.ts'
import type { Codec } from '../../database/sql/param.ts'
import type { Sql } from '../../database/sql/sql.ts'
import type { OperatorTable } from './comparison-operator.ts'

/** A base type of an extension; columns of it are found by its name, in whatever schema it is. */
export interface TypeSupport {
  /** `pg_type.typname`, which is the scalar's name too. */
  readonly name: string
  /** How JSON values become texts, and those values of the type. */
  codec(type: PgType): Codec
  /** The value as JSON text, NULL where it is NULL; absent: as `to_json` has it. */
  json?(value: Sql, type: PgType): Sql
  /** Whether `_gt` and its like compare values of the type; absent: they do. */
  readonly ordered?: boolean
  /** Types of the same schema, by `typname`, as which boolean expressions may see a column of this one. */
  readonly casts?: readonly string[]
}

/** What an engine knows, its plugins included. */
export interface KnownTypes {
  /** What plugins know about types, by the type's name. */
  readonly types: ReadonlyMap<string, TypeSupport>
  readonly operators: OperatorTable
  /** Whether columns have operators, and orders, that PostgreSQL lacks for their types, as in v1.3. */
  readonly offersAll: boolean
}

const vocabularies = new WeakMap<PgType, KnownTypes>()

/** The vocabulary of the engine that a type belongs to; undefined of types that no engine has read. */
export const vocabularyOf = (type: PgType): KnownTypes | undefined => vocabularies.get(type)

/** Has a type belong to an engine. */
export function adoptType(type: PgType, vocabulary: KnownTypes): void {
  vocabularies.set(type, vocabulary)
}

/** What a plugin knows about a type. A type of users' own, an enum say, is not meant though it may have the name. */
export const supportOf = (type: PgType): TypeSupport | undefined =>
  type.kind === 'b' && !type.isArray ? vocabularyOf(type)?.types.get(type.name) : undefined

/** Whether rows can be sorted by values of the type, and told apart by them. */
export const isOrdered = (type: PgType): boolean =>
  supportOf(type)?.ordered !== false && type.comparison?.isSorted !== false

/** Whether rows of a column of the type are offered to be sorted. */
export const offersOrder = (type: PgType): boolean => vocabularyOf(type)?.offersAll === true || isOrdered(type)

/**
 * Whether PostgreSQL compares values of the type member by member, and finds out with the first ones whether members can be
 * compared: those of type `json` cannot. Of arrays of its own types it is known.
 */
export function isComparedByMembers(type: PgType): boolean {
  if (type.isArray) return type.schema !== 'pg_catalog' || !isOrdered(type)
  return type.kind === 'c' || type.kind === 'd'
}

/** Whether values of an array type's elements are read by a plugin. */
export const hasSupportedElements = (type: PgType): boolean =>
  vocabularyOf(type)?.types.has(type.name.slice(1)) === true

/** The type of that name in the schema of another, for types of one extension. */
export function typeBeside(beside: PgType, name: string): PgType {
  const { schema, name: other, sql } = beside
  const type = { schema, name, sql: `${sql.slice(0, -other.length)}${name}`, kind: 'b', isArray: false }
  const vocabulary = vocabularyOf(beside)
  if (vocabulary) adoptType(type, vocabulary)
  return type
}
