// The plan of a call of a function that may change the database, as data.

import { param, type Sql, sql, trusted } from '../../database/sql/sql.ts'
import type { Path } from '../../errors/path.ts'
import type { QualifiedName } from '../../names/names.ts'
import { answerSlot } from './mutation-plan.ts'
import type { From, RootOutput, SqlBuilder } from './plan.ts'

/** A call, and an answer from the rows of a table that it returns. */
export interface CallPlan {
  /** The table whose rows the function returns. */
  readonly table: QualifiedName
  readonly call: SqlBuilder
  /** Selects from {@link returnedRows}. It runs after the call, so that it sees all of its changes. */
  readonly output: RootOutput
  /** The path of the call's errors; null: `$`. */
  readonly path: Path | null
}

/** The rows that the call of a {@link CallPlan} has returned. */
export const returnedRows = (table: QualifiedName): From => ({
  kind: 'sql',
  build(_row, printer) {
    printer.follow(table)
    return sql`unnest(${param({ from: 'slot', slot: answerSlot, column: 0 }, rowsType(table))})`
  },
})

/** The type of a list of a table's rows. */
export const rowsType = ({ schema, name }: QualifiedName): string => `${quoted(schema)}.${quoted(name)}[]`

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`

/** Stands in the text of statements that call volatile functions. */
export const effectMark = '/* may have effects */'

/** A call that may have effects although its statement reads: it then runs once, and apart from other statements. */
export const effectful = (call: Sql): Sql => sql`${trusted(effectMark)} ${call}`
