// Comparisons of a column as conditions: by an operator of core's they are data, by one of a plugin's a fragment of SQL.

import type { PgType } from '../catalog/types.ts'
import type { ParamSource } from '../database/param.ts'
import { param, type Sql, sql, trusted, typed } from '../database/sql.ts'
import { codecFor, inputType } from './codecs.ts'
import { columnSql, operandSql } from './condition-sql.ts'
import { type ComparisonOperator, isCoreOperator } from './operators.ts'
import type { Condition, Operand } from './plan.ts'

/** What is compared: a column, or what it becomes when it is cast. */
export interface Compared {
  /** The column's. */
  readonly name: string
  /** Of the column, or of what it was cast to last. */
  readonly type: PgType
  /** The types that the column is cast to, one after the other. */
  readonly casts?: readonly PgType[]
}

/** The comparison of a column with operands, as many as the operator takes. */
export function compare(column: Compared, operator: ComparisonOperator, operands: readonly Operand[]): Condition {
  const [operand] = operands
  const { name, type, casts = [] } = column
  if (operator.operand === 'list' && type.isArray && operand?.kind === 'param') {
    return compareWithArrays(column, operator, operand.source)
  }
  if (isCoreOperator(operator) && casts.length === 0) {
    return { kind: 'compare', column: name, operator: operator.name, operand: operand! }
  }
  const printed = (row: Sql) => operands.map((each) => operandSql(each, row))
  return { kind: 'sql', build: (row) => operator.sql(comparedSql(column, row), printed(row), type) }
}

const comparedSql = ({ name, casts = [] }: Compared, row: Sql): Sql =>
  casts.reduce((value, type) => sql`(${value})::${trusted(type.sql)}`, columnSql(row, name))

/** `any` and `all` over a list whose members are arrays themselves. */
function compareWithArrays(column: Compared, operator: ComparisonOperator, source: ParamSource): Condition {
  const { type } = column
  const member = typed(sql`member`, inputType(codecFor(type), type.sql))
  const members = sql`select ${member} from unnest(${param(source, 'text[]')}) as member`
  return { kind: 'sql', build: (row) => operator.sql(comparedSql(column, row), [members], type) }
}
