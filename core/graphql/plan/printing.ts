// How the statements of an operation are printed, and what is known of them.

import type { PrinterOptions } from '../../compiler/printer.ts'
import { type PreparedStatement, prepare } from '../../database/sql/prepared-statement.ts'
import type { Statement } from '../../database/sql/sql.ts'
import type { PlanContext } from '../read/plan-context.ts'
import { effectfulNames } from './effectful.ts'

/** How the statements of an operation are printed. */
export const printerOptions = ({ schema }: PlanContext): PrinterOptions => ({
  stringifyNumbers: schema.settings.stringifyNumericTypes,
  serverVersion: schema.serverVersion,
})

/** A statement that reads, and does nothing else unless what it reads of is known to be effectful. */
export function reading(statement: Statement, { schema }: PlanContext): PreparedStatement {
  // By its text, which holds what plugins print as well.
  const onlyReads = !effectfulNames(schema.model).some((name) => statement.text.includes(name))
  return prepare(statement, { onlyReads })
}
