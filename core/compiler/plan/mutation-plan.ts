// What a mutation field does, as data: printed by `mutation-program.ts`, run by `mutation-run.ts` inside the operation's
// transaction. As in `plan.ts`, every name is resolved and every permission merged in.

import type { PgType, StatementForm } from '../../catalog/types.ts'
import type { ParamSource } from '../../database/sql/param.ts'
import type { SqlType } from '../../database/sql/sql.ts'
import type { Path } from '../../errors/path.ts'
import type { QualifiedName } from '../../names/names.ts'
import type { Condition, Operand, Output } from './plan.ts'

/** A value that is known when the statement runs. */
export type ParamOperand = Extract<Operand, { kind: 'param' }>

/** A value in PostgreSQL's syntax. */
export const constantValue = (value: string | null, type: SqlType): ParamOperand => ({
  kind: 'param',
  source: { from: 'constant', value },
  type,
})

/** The value of a session variable; requests without it are refused. */
export const sessionValue = (variable: string, type: SqlType): ParamOperand => ({
  kind: 'param',
  source: { from: 'session', variable },
  type,
})

export interface ColumnValue {
  readonly column: string
  readonly value: ParamOperand
}

/** A column whose values are the elements of an array of texts; `type` says what each becomes. */
export interface ColumnValues {
  readonly column: string
  readonly source: ParamSource
  readonly type: SqlType
}

export type InsertRows =
  /** Rows as they were written: a value for each of `columns`, null for the column's default. */
  | {
      readonly kind: 'values'
      readonly columns: readonly string[]
      readonly rows: readonly (readonly (ParamOperand | null)[])[]
    }
  /** As many rows as the arrays have elements; `constants` are the same in each. */
  | { readonly kind: 'arrays'; readonly arrays: readonly ColumnValues[]; readonly constants: readonly ColumnValue[] }

/** What becomes of a row that violates a constraint. */
export interface OnConflict {
  /** The constraint's name, or the columns of a unique index; null: whichever is violated. */
  readonly constraint: string | readonly string[] | null
  /** Null: the row is skipped. */
  readonly update: ConflictUpdate | null
}

export interface ConflictUpdate {
  /** Columns that take the values of the row that could not be inserted. */
  readonly columns: readonly string[]
  readonly presets: readonly ColumnValue[]
  /** On the row that is there; where it does not hold, the new row is skipped. */
  readonly where: Condition
}

/** What must hold for each row that a statement wrote. */
export interface RowCheck {
  readonly kind: 'insert' | 'update'
  readonly condition: Condition
  /** What must hold instead for rows that ON CONFLICT updated. */
  readonly updated: Condition | null
}

/** What all changes have. */
export interface AnyChange {
  readonly table: QualifiedName
  /** Where the statement has to stand, since rules of the table rewrite it. Absent: anywhere. */
  readonly form?: StatementForm
}

export interface Insert extends AnyChange {
  readonly kind: 'insert'
  readonly rows: InsertRows
  readonly onConflict: OnConflict | null
  readonly check: RowCheck | null
}

/** A change of one column; `operator` names an entry of `mutation-operators.ts`. */
export interface Assignment extends ColumnValue {
  readonly operator: string
}

export interface Update extends AnyChange {
  readonly kind: 'update'
  readonly assignments: readonly Assignment[]
  readonly where: Condition
  readonly check: RowCheck | null
}

export interface Delete extends AnyChange {
  readonly kind: 'delete'
  readonly where: Condition
}

/** One statement that changes rows. */
export type Change = Insert | Update | Delete

/** A statement together with the inserts that have to come before and after it. */
export interface MutationStep {
  readonly change: Change
  /** Where errors of the statement point; null: `$`. */
  readonly path: Path | null
  readonly before: readonly MutationStep[]
  readonly after: readonly MutationStep[]
  /** Columns of the row that other statements need, and the slot that they are put into. */
  readonly returns: { readonly slot: number; readonly columns: readonly string[] } | null
  /** The error when no row comes of the statement though others depend on it. */
  readonly refusal: { readonly message: string; readonly path: Path | null } | null
}

/** The step of a change that has nothing to do with others; errors point at `path`. */
export const soleStep = (change: Change, path: Path | null = null): MutationStep => ({
  change,
  path,
  before: [],
  after: [],
  returns: null,
  refusal: null,
})

/** What a member of `T_mutation_response` becomes. */
export type ResponseValue =
  | { readonly kind: 'affected' }
  | { readonly kind: 'returning'; readonly output: Output }
  | { readonly kind: 'json'; readonly text: string }

export interface ResponseEntry {
  readonly key: string
  readonly value: ResponseValue
}

/** The JSON that a mutation field answers with. */
export type MutationAnswer =
  /** `T_mutation_response`. */
  | { readonly kind: 'response'; readonly entries: readonly ResponseEntry[] }
  /** The one row that was changed, or null. */
  | { readonly kind: 'row'; readonly output: Output }

/**
 * The slot of the answer's own parameters: the number of affected rows, and behind it an array for each column of theirs that
 * the answer needs, or one of the rows themselves.
 */
export const answerSlot = 0

/** A table, and the types of its columns. */
export interface AnsweredTable {
  readonly name: QualifiedName
  readonly columns: ReadonlyMap<string, { readonly type: PgType }>
}

export interface MutationPlan {
  /** Whose rows `answer` is made of. */
  readonly table: AnsweredTable
  /** In order. Without any the answer is known and the database is left alone. */
  readonly steps: readonly MutationStep[]
  readonly answer: MutationAnswer
}
