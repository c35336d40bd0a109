// The plan of a mutation field, as data. `mutation-program.ts` prints it, and `mutation-run.ts` runs it in the
// operation's transaction. As in `plan.ts`, every name is resolved and every permission is merged in.

import type { PgType, StatementForm } from '../../catalog/types.ts'
import type { ParamSource } from '../../database/sql/param.ts'
import type { Sql, SqlType } from '../../database/sql/sql.ts'
import type { Path } from '../../errors/path.ts'
import type { QualifiedName } from '../../names/names.ts'
import type { DistributedTable } from './distributed.ts'
import type { Condition, Operand, Output } from './plan.ts'

/** A value that is known when the statement runs. */
export type ParamOperand = Extract<Operand, { kind: 'param' }>

/** A value in PostgreSQL's syntax. */
export const constantValue = (value: string | null, type: SqlType): ParamOperand => ({
  kind: 'param',
  source: { from: 'constant', value },
  type,
})

/** The value of a session variable. A request that lacks the variable is refused. */
export const sessionValue = (variable: string, type: SqlType): ParamOperand => ({
  kind: 'param',
  source: { from: 'session', variable },
  type,
})

/** A column with the value that a change gives it. */
export interface ColumnValue {
  readonly column: string
  readonly value: ParamOperand
}

/** A column whose values come from an array of texts; `type` is the type of each element. */
export interface ColumnValues {
  readonly column: string
  readonly source: ParamSource
  readonly type: SqlType
}

/** The rows of an insert. */
export type InsertRows =
  /** Rows with a value for each of `columns`, where null means the column's default. */
  | {
      readonly kind: 'values'
      readonly columns: readonly string[]
      readonly rows: readonly (readonly (ParamOperand | null)[])[]
    }
  /** One row for each element of the arrays; `constants` are the same in each row. */
  | { readonly kind: 'arrays'; readonly arrays: readonly ColumnValues[]; readonly constants: readonly ColumnValue[] }

/** How to handle a row that violates a constraint. */
export interface OnConflict {
  /** The name of the constraint, or the columns of a unique index; null: any constraint. */
  readonly constraint: string | readonly string[] | null
  /** Null: the row is skipped. */
  readonly update: ConflictUpdate | null
}

export interface ConflictUpdate {
  /** Columns that take their values from the row that was to be inserted. */
  readonly columns: readonly string[]
  readonly presets: readonly ColumnValue[]
  /** A condition on the existing row. If it does not hold, the new row is skipped. */
  readonly where: Condition
}

/** A condition that each written row must fulfil. */
export interface RowCheck {
  readonly kind: 'insert' | 'update'
  readonly condition: Condition
  /** The condition for rows that ON CONFLICT updated, if another one applies to them. */
  readonly updated: Condition | null
}

/** The properties of every change. */
export interface AnyChange {
  readonly table: QualifiedName
  /** The required form of the statement if rules of the table rewrite it. Absent: any form. */
  readonly form?: StatementForm
  /** Set if the rows are on several machines. The statement then returns nothing but columns. Absent: they are not. */
  readonly distributed?: DistributedTable
}

/** Inserts rows into a table. */
export interface Insert extends AnyChange {
  readonly kind: 'insert'
  readonly rows: InsertRows
  readonly onConflict: OnConflict | null
  readonly check: RowCheck | null
}

/** The change of one column; `operator` names an entry of `mutation-operators.ts`. */
export interface Assignment extends ColumnValue {
  readonly operator: string
  /** A plugin's new value, given the column. It takes the place of the operator's. */
  build?(column: Sql): Sql
}

/** Updates the rows that fulfil a condition. */
export interface Update extends AnyChange {
  readonly kind: 'update'
  readonly assignments: readonly Assignment[]
  readonly where: Condition
  readonly check: RowCheck | null
}

/** Deletes the rows that fulfil a condition. */
export interface Delete extends AnyChange {
  readonly kind: 'delete'
  readonly where: Condition
}

/** One statement that changes rows. */
export type Change = Insert | Update | Delete

/** A statement, with the inserts that must run before and after it. */
export interface MutationStep {
  readonly change: Change
  /** The path of the statement's errors; null: `$`. */
  readonly path: Path | null
  readonly before: readonly MutationStep[]
  readonly after: readonly MutationStep[]
  /** Columns of the row that other statements need, and the slot that holds them. */
  readonly returns: { readonly slot: number; readonly columns: readonly string[] } | null
  /** The error if the statement yields no row although others depend on it. */
  readonly refusal: { readonly message: string; readonly path: Path | null } | null
}

/** The step of a change that no other step depends on; its errors point at `path`. */
export const soleStep = (change: Change, path: Path | null = null): MutationStep => ({
  change,
  path,
  before: [],
  after: [],
  returns: null,
  refusal: null,
})

/** The value of a field of `T_mutation_response`. */
export type ResponseValue =
  | { readonly kind: 'affected' }
  | { readonly kind: 'returning'; readonly output: Output }
  | { readonly kind: 'json'; readonly text: string }

export interface ResponseEntry {
  readonly key: string
  readonly value: ResponseValue
}

/** The JSON answer of a mutation field. */
export type MutationAnswer =
  /** `T_mutation_response`. */
  | { readonly kind: 'response'; readonly entries: readonly ResponseEntry[] }
  /** The one row that was changed, or null. */
  | { readonly kind: 'row'; readonly output: Output }

/**
 * The slot of the answering statement's parameters. The first is the number of affected rows; an array follows for each
 * column that the answer needs, or one of whole rows.
 */
export const answerSlot = 0

/** A table, and the types of its columns. */
export interface AnsweredTable {
  readonly name: QualifiedName
  readonly columns: ReadonlyMap<string, { readonly type: PgType }>
}

/** The statements of one mutation field, and its answer. */
export interface MutationPlan {
  /** The table whose rows the answer shows. */
  readonly table: AnsweredTable
  /** In order. Without steps the answer is constant and needs no database. */
  readonly steps: readonly MutationStep[]
  readonly answer: MutationAnswer
}

/** Mutations that run in order, each on the rows that those before it left; the answer is the list of their answers. */
export interface MutationList {
  readonly list: readonly MutationPlan[]
  /** Columns whose values tell the rows of the table apart. Absent or null: unknown, so the mutations run one by one. */
  readonly key?: readonly string[] | null
}
