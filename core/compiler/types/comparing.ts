// What PostgreSQL compares values by. An operator of a type that is not PostgreSQL's own is named with its schema: the
// search path may lead to none, or to that of another type which the value is taken for.

import type { ComparisonSymbol, OperatorName, PgType } from '../../catalog/types.ts'
import { id, join, type Sql, sql, trusted } from '../../database/sql/sql.ts'

const isUsualName = (symbol: string, [schema, name]: OperatorName): boolean =>
  schema === 'pg_catalog' && name === symbol

/** Whether values are compared by operators of PostgreSQL's own under their usual names. */
export function isComparedAsUsual({ comparison }: PgType): boolean {
  if (!comparison) return true
  const { operators, patterns } = comparison
  if (patterns !== null && patterns !== 'pg_catalog') return false
  return Object.entries(operators).every(([symbol, name]) => isUsualName(symbol, name))
}

/** The operator, to stand between two values. */
export const operatorSql = ([schema, name]: OperatorName): Sql =>
  schema === 'pg_catalog' ? trusted(name) : sql`operator(${id(schema)}.${trusted(name)})`

/** The operator of a type, to stand between two of its values. */
export const comparisonSql = (symbol: ComparisonSymbol, type: PgType | undefined): Sql =>
  operatorSql(type?.comparison?.operators[symbol] ?? ['pg_catalog', symbol])

/** Whether the type has one of the operators; of a type that was not read it is taken for granted. */
export const hasOperator = ({ comparison }: PgType, symbols: readonly ComparisonSymbol[]): boolean =>
  !comparison || symbols.some((symbol) => comparison.operators[symbol])

/** Whether a value is there. SQL's own `is not null` is false of a row as soon as one of its members is null. */
export const isThereSql = (value: Sql, isRow: boolean): Sql =>
  isRow ? sql`${value} is distinct from null` : sql`${value} is not null`

/** Whether a value is absent, see {@link isThereSql}. */
export const isAbsentSql = (value: Sql, isRow: boolean): Sql =>
  isRow ? sql`${value} is not distinct from null` : sql`${value} is null`

/** Whether values are rows. */
export const isRowType = ({ kind, comparison }: PgType): boolean => comparison?.isRow ?? kind === 'c'

/** The comparison of rows by their members, one after the other. */
export function rowComparisonSql(
  symbol: '<' | '<=' | '>' | '>=',
  types: readonly PgType[],
  [left, right]: readonly [left: readonly Sql[], right: readonly Sql[]],
): Sql {
  // Of this form an index knows.
  if (types.every(isComparedAsUsual)) return sql`(${join(left)}) ${trusted(symbol)} (${join(right)})`
  const last = types.length - 1
  const strict = symbol.startsWith('<') ? '<' : '>'
  const compared = (i: number, by: ComparisonSymbol) => sql`${left[i]!} ${comparisonSql(by, types[i])} ${right[i]!}`
  let condition = compared(last, symbol)
  for (let i = last - 1; i >= 0; i--) {
    condition = sql`(${compared(i, strict)} or (${compared(i, '=')} and ${condition}))`
  }
  return condition
}

/** The operator by which values of two types are equal; null: PostgreSQL has none. */
export function equalityOf(left: PgType, right: PgType): OperatorName | null {
  const [a, b] = [left.comparison, right.comparison]
  if (!a || !b) return ['pg_catalog', '=']
  if (a.base === b.base) return a.operators['='] ?? null
  if (a.isRow && b.isRow) return isSame(a.attributes, b.attributes) ? (a.operators['='] ?? null) : null
  const fits = a.equalTo.filter(([type]) => b.takenFor.includes(type))
  const [, schema] =
    fits.find(([type]) => type === b.base) ?? fits.find(([, each]) => each === 'pg_catalog') ?? fits[0] ?? []
  return schema === undefined ? null : [schema, '=']
}

const isSame = (a: readonly number[], b: readonly number[]): boolean =>
  a.length === b.length && a.every((type, i) => type === b[i])
