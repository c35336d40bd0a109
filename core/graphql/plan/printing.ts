// How the statements of an operation are printed, and the facts recorded about them.

import { effectMark } from '../../compiler/plan/call-plan.ts'
import { tableSql } from '../../compiler/print/condition-sql.ts'
import type { PrinterOptions } from '../../compiler/printer.ts'
import { type PreparedStatement, prepare } from '../../database/sql/prepared-statement.ts'
import { compile, type Statement } from '../../database/sql/sql.ts'
import type { Model } from '../../metadata/document/model.ts'
import type { PlanContext } from '../read/plan-context.ts'
import { queryComment } from './query-comment.ts'

/** The printer's options for an operation. */
export function printerOptions(context: PlanContext): PrinterOptions {
  const { settings, serverVersion } = context.schema
  const comment = queryComment(context)
  return {
    stringifyNumbers: settings.stringifyNumericTypes,
    serverVersion,
    ...(comment !== null && { comment }),
  }
}

/**
 * A statement that reads. It counts as free of side effects unless it mentions a table known to be effectful, or a
 * function that is volatile.
 */
export function reading(statement: Statement, { schema }: PlanContext): PreparedStatement {
  // Checked in the text, which includes SQL of plugins.
  const { text } = statement
  const onlyReads = !text.includes(effectMark) && !effectfulNames(schema.model).some((name) => text.includes(name))
  return prepare(statement, { onlyReads })
}

const effectfulByTables = new WeakMap<Model['tables'], readonly string[]>()

/** The printed names of the effectful tables of a model. */
function effectfulNames({ tables }: Model): readonly string[] {
  let names = effectfulByTables.get(tables)
  if (!names) {
    const effectful = [...tables.values()].filter(({ catalog }) => catalog.isEffectful)
    names = effectful.map(({ name }) => compile(tableSql(name)).text)
    effectfulByTables.set(tables, names)
  }
  return names
}
