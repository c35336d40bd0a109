// The operators with which PostgreSQL compares values. An operator outside of `pg_catalog` is written with its schema.
// Without it the search path might find no operator, or that of another type to which the value is cast implicitly.

import type { ComparisonSymbol, OperatorName, PgType } from '../../catalog/types.ts'
import { id, join, type Sql, sql, trusted } from '../../database/sql/sql.ts'

const isUsualName = (symbol: string, [schema, name]: OperatorName): boolean =>
  schema === 'pg_catalog' && name === symbol

/** Whether `pg_catalog` has all operators of the type under their usual names. */
export function isComparedAsUsual({ comparison }: PgType): boolean {
  if (!comparison) return true
  const { operators, patterns } = comparison
  if (patterns !== null && patterns !== 'pg_catalog') return false
  for (const symbol in operators) {
    if (!isUsualName(symbol, operators[symbol as ComparisonSymbol]!)) return false
  }
  return true
}

/** The operator, to be written between two values. */
export const operatorSql = ([schema, name]: OperatorName): Sql =>
  schema === 'pg_catalog' ? trusted(name) : sql`operator(${id(schema)}.${trusted(name)})`

/** The operator of a type, to be written between two of its values. */
export const comparisonSql = (symbol: ComparisonSymbol, type: PgType | undefined): Sql =>
  operatorSql(type?.comparison?.operators[symbol] ?? ['pg_catalog', symbol])

/** Whether the type has one of the operators. A type that was not read from a catalog counts as having all. */
export const hasOperator = ({ comparison }: PgType, symbols: readonly ComparisonSymbol[]): boolean =>
  !comparison || symbols.some((symbol) => comparison.operators[symbol])

/** Whether a value is not null. SQL's `is not null` would be false for a row with any null member. */
export const isThereSql = (value: Sql, isRow: boolean): Sql =>
  isRow ? sql`${value} is distinct from null` : sql`${value} is not null`

/** The negation of {@link isThereSql}. */
export const isAbsentSql = (value: Sql, isRow: boolean): Sql =>
  isRow ? sql`${value} is not distinct from null` : sql`${value} is null`

/** Whether values of the type are rows. */
export const isRowType = ({ kind, comparison }: PgType): boolean => comparison?.isRow ?? kind === 'c'

/** Compares rows member by member. */
export function rowComparisonSql(
  symbol: '<' | '<=' | '>' | '>=',
  types: readonly PgType[],
  [left, right]: readonly [left: readonly Sql[], right: readonly Sql[]],
): Sql {
  // PostgreSQL can use an index for this form.
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

/** The operator that compares values of two types for equality; null if PostgreSQL has no such operator. */
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
