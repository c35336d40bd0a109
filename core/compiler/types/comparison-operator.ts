// The definition of a comparison operator, of core or of a plugin.

import type { ComparisonSymbol, PgType } from '../../catalog/types.ts'
import type { TextCheck } from '../../database/sql/param.ts'
import type { Sql } from '../../database/sql/sql.ts'

/**
 * The kind of an operand. `scalar` is a value of the column's type, `list` a list of such values, `isNull` a boolean,
 * and `jsonb` any JSON value. An {@link OperandValue} has another type than the column; an {@link OperandObject} holds
 * several values.
 */
export type OperandKind = 'scalar' | 'list' | 'isNull' | 'text' | 'texts' | 'jsonb' | OperandValue | OperandObject

/** An operand of another type than the column's. */
export interface OperandValue {
  /** Its type, given the type of the column. */
  type(column: PgType): PgType
  /** The PostgreSQL type that it is cast to, if that differs, as for a `Float` that is `double precision`. */
  readonly sqlType?: string
  /** Whether it is a list of such values. */
  readonly isList?: boolean
}

/** An operand of several values: an input object with this name. */
export interface OperandObject {
  readonly name: string
  readonly description?: string
  /** In the order in which the operator takes them. */
  readonly members: readonly OperandMember[]
}

export interface OperandMember extends OperandValue {
  readonly name: string
  readonly description?: string
  readonly required: boolean
  /** The default as JSON. A member with a default does not take null. */
  readonly default?: unknown
}

/** An operator of comparison types, such as `_eq`. */
export interface ComparisonOperator {
  /** As in GraphQL: `_eq`. */
  readonly name: string
  /** The description of the field in comparison types. */
  readonly description?: string
  readonly operand: OperandKind
  /** `pg_type.typname` of the columns that it works on; absent: all. A typed operator wins over one for all types. */
  readonly types?: readonly string[]
  /** Whether it works on arrays of all types, and on nothing else. */
  readonly arrays?: boolean
  /** Whether it compares by order, which some types lack. */
  readonly needsOrder?: boolean
  /** Operators of PostgreSQL; the column's type must have one of them. */
  readonly needs?: readonly ComparisonSymbol[]
  /** Whether columns that reference an enum table have it. */
  readonly enums?: boolean
  /** Whether boolean expressions in metadata lack it. */
  readonly onlyGraphQL?: boolean
  /** The comparison; `type` is that of the column, or the type that the column was cast to. */
  sql(column: Sql, operands: readonly Sql[], type: PgType): Sql
  /**
   * An expression of the operands alone that fails whenever the comparison would fail for some row. Each statement
   * evaluates it once, so that a failure reveals nothing about the rows. Absent: no operand makes the comparison fail.
   */
  trial?(operands: readonly Sql[], type: PgType): Sql
  /** The same check in JavaScript, for a single operand. */
  readonly check?: TextCheck
}

/** Operators by name. Those for certain types come before the one for all types. */
export type OperatorTable = ReadonlyMap<string, readonly ComparisonOperator[]>
