// What plugins know about types that extensions bring: how their values come in and go out, and what they can be taken
// for. One table for all engines of the process, as types are told by their name and what is known of them never changes.

import type { PgType } from '../catalog/types.ts'
import type { Codec } from '../database/param.ts'
import type { Sql } from '../database/sql.ts'

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

const table = new Map<string, TypeSupport>()

/** Adds types; a name can only be taken once. */
export function addTypes(...types: readonly TypeSupport[]): void {
  for (const type of types) {
    const known = table.get(type.name)
    if (known && known !== type) throw new Error(`there is a type ${type.name} already`)
    table.set(type.name, type)
  }
}

/** What a plugin knows about a type. A type of users' own, an enum say, is not meant though it may have the name. */
export const supportOf = ({ name, kind, isArray }: PgType): TypeSupport | undefined =>
  kind === 'b' && !isArray ? table.get(name) : undefined

/** Whether values of the scalar of that name are read by a plugin, as a whole. */
export const isSupported = (scalar: string): boolean => table.has(scalar)

/** The type of that name in the schema of another, for types of one extension. */
export function typeBeside({ schema, name: other, sql }: PgType, name: string): PgType {
  return { schema, name, sql: `${sql.slice(0, -other.length)}${name}`, kind: 'b', isArray: false }
}
