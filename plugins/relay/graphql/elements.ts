// The values in ids and cursors, which clients may make by hand.

import type { PgType } from '../../../sdk/metadata.ts'
import { comparisonSql, integer, isComparedByMembers, type Printer, type Sql, sql, trusted } from '../../../sdk/sql.ts'

/**
 * Elements of an array of texts, each as a value of its type. An element must fail if its text is not a value of the type,
 * or if the value cannot be compared. The rows to compare it with must not matter.
 */
export const elementsAs = (texts: Sql, types: readonly PgType[], printer: Printer): Sql[] =>
  types.map((type, i) => {
    const value = sql`(${texts})[${integer(i + 1)}]::${trusted(type.sql)}`
    printer.try(isComparedByMembers(type) ? sql`${value} ${comparisonSql('>=', type)} ${value}` : value)
    return value
  })
