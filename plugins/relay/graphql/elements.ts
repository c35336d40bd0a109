// The values in ids and cursors, which clients may make by hand.

import type { PgType } from '../../../sdk/metadata.ts'
import { comparisonSql, integer, isComparedByMembers, type Printer, type Sql, sql, trusted } from '../../../sdk/sql.ts'

/**
 * Elements of an array of texts, each as a value of its type. What is none of its type, or cannot be compared, is to fail
 * whatever rows there are to compare it with.
 */
export const elementsAs = (texts: Sql, types: readonly PgType[], printer: Printer): Sql[] =>
  types.map((type, i) => {
    const value = sql`(${texts})[${integer(i + 1)}]::${trusted(type.sql)}`
    printer.try(isComparedByMembers(type) ? sql`${value} ${comparisonSql('>=', type)} ${value}` : value)
    return value
  })
