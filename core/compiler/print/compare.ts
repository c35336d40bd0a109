// Comparisons of a column as conditions: data for core's operators, SQL fragments for those of plugins.

import type { PgType } from '../../catalog/types.ts'
import type { ParamSource } from '../../database/sql/param.ts'
import { id, param, type Sql, sql, trusted, typed } from '../../database/sql/sql.ts'
import type { QualifiedName } from '../../names/names.ts'
import type { Comparand, Condition, SqlBuilder } from '../plan/plan.ts'
import type { Printer } from '../printer.ts'
import { codecFor, inputType } from '../types/codecs.ts'
import type { ComparisonOperator } from '../types/comparison-operator.ts'
import { findOperator, isNamedOperator } from '../types/operators.ts'
import { isComparedByMembers } from '../types/type-support.ts'
import { columnSql, comparableSql, comparandSql } from './condition-sql.ts'

/** The left side of a comparison: a column, possibly cast. */
export interface Compared {
  /** The name of the column. */
  readonly name: string
  /** The value, if it is not that of a column; the name is then used by messages only. */
  readonly value?: SqlBuilder
  /** The type of the column, or of its last cast. */
  readonly type: PgType
  /** The types that the column is cast to, in order. */
  readonly casts?: readonly PgType[]
  /** The collation of the column, if it is not deterministic. */
  readonly collation?: QualifiedName | undefined
}

/**
 * The comparison of a column. The operator may be given by its name, which the column's type must have. It takes one
 * operand or several.
 */
export function compare(
  column: Compared,
  operator: ComparisonOperator | string,
  operand: Comparand | readonly Comparand[],
): Condition {
  const operands = isSingle(operand) ? [operand] : operand
  return compareBy(column, typeof operator === 'string' ? operatorOf(column, operator) : operator, operands)
}

/** Whether the value is null, or is not. */
export function compareNull({ name, value }: Pick<Compared, 'name' | 'value'>, negated: boolean): Condition {
  if (!value) return { kind: 'null', column: name, negated }
  const build: SqlBuilder = (row, printer) =>
    negated ? sql`${value(row, printer)} is not null` : sql`${value(row, printer)} is null`
  return { kind: 'sql', build }
}

const isSingle = (operand: Comparand | readonly Comparand[]): operand is Comparand => !Array.isArray(operand)

function operatorOf({ name, type }: Compared, operator: string): ComparisonOperator {
  const found = findOperator(operator, type)
  if (!found) throw new Error(`column "${name}" of type ${type.sql} has no operator ${operator}`)
  return found
}

function compareBy(column: Compared, operator: ComparisonOperator, operands: readonly Comparand[]): Condition {
  const [operand] = operands
  const { name, type, casts = [] } = column
  if (operator.operand === 'list' && type.isArray && operand?.kind === 'param') {
    return compareWithArrays(column, operator, operand.source)
  }
  const collated = collatedTrial(column, operator)
  const isPlain = !column.value && casts.length === 0 && !type.isEnumDomain && !isComparedByMembers(type) && !collated
  if (isPlain && isNamedOperator(operator, type)) {
    return { kind: 'compare', column: name, operator: operator.name, operand: operand! }
  }
  const build = (row: Sql, printer: Printer) => {
    const printed = operands.map((each) => {
      const value = comparandSql(each, row, printer, operator.check)
      // A column is compared only with columns of its own type.
      return each.kind === 'param' ? value : comparableSql(value, type)
    })
    if (operands.every(({ kind }) => kind === 'param')) {
      for (const trial of trialsOf(operator, printed, operands, type)) printer.try(trial)
      if (collated) printer.try(collated(printed))
    }
    return operator.sql(comparedSql(column, row, printer), printed, type)
  }
  return { kind: 'sql', build }
}

/** The expressions of a comparison that can fail: decoding its operands, and the operator's own trial. */
function trialsOf(
  operator: ComparisonOperator,
  printed: readonly Sql[],
  operands: readonly Comparand[],
  type: PgType,
): Sql[] {
  const made = printed.filter((_, i) => {
    const operand = operands[i]!
    return operand.kind === 'param' && typeof operand.type !== 'string'
  })
  const trials = operator.trial ? [...made, operator.trial(printed, type)] : made
  return isComparedByMembers(type) ? [...trials, ...selfComparison(operator, printed, type)] : trials
}

/** Some patterns fail for a nondeterministic collation; null: the column has no such collation. */
function collatedTrial({ type, collation }: Compared, { types, sql: sqlOf }: ComparisonOperator) {
  if (!collation || !types?.includes('text')) return null
  const text = sql`('' collate ${id(collation.schema, collation.name)})`
  return (operands: readonly Sql[]) => sqlOf(text, operands, type)
}

/** Compares an operand with itself, which visits all its members. */
function selfComparison(operator: ComparisonOperator, printed: readonly Sql[], type: PgType): Sql[] {
  const [operand] = printed
  if (operator.operand === 'scalar') return [operator.sql(operand!, printed, type)]
  return operator.operand === 'list' ? [sql`${operand!} = ${operand!}`] : []
}

function comparedSql({ name, value, type, casts = [] }: Compared, row: Sql, printer: Printer): Sql {
  const own = value ? value(row, printer) : columnSql(row, name)
  if (casts.length === 0) return comparableSql(own, type)
  return casts.reduce((inner, cast) => sql`(${inner})::${trusted(cast.sql)}`, own)
}

/** `any` and `all` over a list whose members are arrays. */
function compareWithArrays(column: Compared, operator: ComparisonOperator, source: ParamSource): Condition {
  const { type } = column
  const member = typed(sql`member`, inputType(codecFor(type), type.sql))
  const texts = param(source, 'text[]')
  const members = sql`select ${member} from unnest(${texts}) as member`
  const all = sql`(select count(${member} = ${member}) from unnest(${texts}) as member)`
  const build = (row: Sql, printer: Printer) => {
    // Rows evaluate the members one by one, so a later member might never be checked.
    printer.try(all)
    return operator.sql(comparedSql(column, row, printer), [members], type)
  }
  return { kind: 'sql', build }
}
