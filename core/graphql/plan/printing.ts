// How the statements of an operation are printed, and the facts recorded about them.

import type { PrinterOptions } from '../../compiler/printer.ts'
import { type PreparedStatement, prepare } from '../../database/sql/prepared-statement.ts'
import type { Statement } from '../../database/sql/sql.ts'
import type { PlanContext } from '../read/plan-context.ts'
import { effectfulNames } from './effectful.ts'

/** The printer's options for an operation. */
export const printerOptions = ({ schema }: PlanContext): PrinterOptions => ({
  stringifyNumbers: schema.settings.stringifyNumericTypes,
  serverVersion: schema.serverVersion,
})

/** A statement that reads. It counts as free of side effects unless it mentions a table known to be effectful. */
export function reading(statement: Statement, { schema }: PlanContext): PreparedStatement {
  // Checked in the text, which includes SQL of plugins.
  const onlyReads = !effectfulNames(schema.model).some((name) => statement.text.includes(name))
  return prepare(statement, { onlyReads })
}
