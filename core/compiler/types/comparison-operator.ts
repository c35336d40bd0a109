// What a comparison operator is, whoever brings it.

import type { ComparisonSymbol, PgType } from '../../catalog/types.ts'
import type { TextCheck } from '../../database/sql/param.ts'
import type { Sql } from '../../database/sql/sql.ts'

/**
 * What an operator is given: a value of the column's type, a list of those, whether the column is null, a text, a list of
 * texts, a JSON value, a value of some other type, or several values as the members of an input object.
 */
export type OperandKind = 'scalar' | 'list' | 'isNull' | 'text' | 'texts' | 'jsonb' | OperandValue | OperandObject

/** A value of another type than the column's. */
export interface OperandValue {
  /** Its type, given that of the column. */
  type(column: PgType): PgType
  /** The type of PostgreSQL that it is cast to where that is another: a `Float` that is `double precision`, say. */
  readonly sqlType?: string
}

/** Values that are given together, as an input object of that name. */
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
  /** What stands for a member that is left out, as JSON; such a member takes no null. */
  readonly default?: unknown
}

export interface ComparisonOperator {
  /** As GraphQL spells it: `_eq`. */
  readonly name: string
  /** Description of the field in comparison types. */
  readonly description?: string
  readonly operand: OperandKind
  /** `pg_type.typname` of the columns that it works on; absent: all. Such an operator goes before one for all. */
  readonly types?: readonly string[]
  /** Whether it compares by the order of values, which some types have not. */
  readonly needsOrder?: boolean
  /** Operators of PostgreSQL, one of which the column's type has to have. */
  readonly needs?: readonly ComparisonSymbol[]
  /** Whether columns that reference an enum table have it. */
  readonly enums?: boolean
  /** Whether expressions of the metadata have no such operator. */
  readonly onlyGraphQL?: boolean
  /** The comparison; `type` is the column's, or the one that the column was cast to. */
  sql(column: Sql, operands: readonly Sql[], type: PgType): Sql
  /**
   * An expression of the operands alone that fails where the comparison would: each statement evaluates it once, so that
   * whether it fails tells nothing of the rows. Absent: no operand makes the comparison fail.
   */
  trial?(operands: readonly Sql[], type: PgType): Sql
  /** The same in JavaScript, for a single operand. */
  readonly check?: TextCheck
}

/** Operators by name; those for certain types stand before the one for all. */
export type OperatorTable = ReadonlyMap<string, readonly ComparisonOperator[]>
