// The comparison operators, under the names that GraphQL gives them. Schema generation, permissions and the SQL printer
// read this one table; a plugin adds operators of its own with `addOperators`.

import type { PgType } from '../catalog/types.ts'
import type { ParamSource } from '../database/param.ts'
import { id, param, type Sql, sql, trusted } from '../database/sql.ts'
import type { Condition } from './plan.ts'

/**
 * What an operator is compared with: a value of the column's type, a list of those, a boolean, a text, a list of texts,
 * or a JSON value.
 */
export type OperandKind = 'scalar' | 'list' | 'boolean' | 'text' | 'texts' | 'jsonb'

export interface ComparisonOperator {
  /** As GraphQL spells it: `_eq`. */
  readonly name: string
  /** Description of the field in comparison types. */
  readonly description?: string
  readonly operand: OperandKind
  /** `pg_type.typname` of the columns it works on; absent: all. */
  readonly types?: readonly string[]
  /** `pg_type.typname` of columns that it does not work on. */
  readonly notTypes?: readonly string[]
  /** Whether columns that reference an enum table have it. */
  readonly enums?: boolean
  /** The comparison; operators of several arguments take further operands. */
  sql(column: Sql, operand: Sql, ...further: readonly Sql[]): Sql
}

const infix =
  (symbol: string): ComparisonOperator['sql'] =>
  (column, operand) =>
    sql`${column} ${trusted(symbol)} ${operand}`

const textTypes = ['varchar', 'text', 'citext']

const ordering = (name: string, symbol: string): ComparisonOperator => ({
  name,
  operand: 'scalar',
  notTypes: ['raster'],
  sql: infix(symbol),
})

const pattern = (name: string, symbol: string, description: string): ComparisonOperator => ({
  name,
  description,
  operand: 'scalar',
  types: textTypes,
  sql: infix(symbol),
})

const onJsonb = (name: string, symbol: string, operand: OperandKind, description: string): ComparisonOperator => ({
  name,
  description,
  operand,
  types: ['jsonb'],
  sql: infix(symbol),
})

const builtIn: readonly ComparisonOperator[] = [
  { name: '_eq', operand: 'scalar', enums: true, sql: infix('=') },
  { name: '_neq', operand: 'scalar', enums: true, sql: infix('<>') },
  ordering('_gt', '>'),
  ordering('_lt', '<'),
  ordering('_gte', '>='),
  ordering('_lte', '<='),
  { name: '_in', operand: 'list', enums: true, sql: (column, list) => sql`${column} = any (${list})` },
  { name: '_nin', operand: 'list', enums: true, sql: (column, list) => sql`${column} <> all (${list})` },
  { name: '_is_null', operand: 'boolean', enums: true, sql: (column, yes) => sql`(${column} is null) = ${yes}` },
  pattern('_like', 'like', 'does the column match the given pattern'),
  pattern('_nlike', 'not like', 'does the column NOT match the given pattern'),
  pattern('_ilike', 'ilike', 'does the column match the given case-insensitive pattern'),
  pattern('_nilike', 'not ilike', 'does the column NOT match the given case-insensitive pattern'),
  pattern('_similar', 'similar to', 'does the column match the given SQL regular expression'),
  pattern('_nsimilar', 'not similar to', 'does the column NOT match the given SQL regular expression'),
  onJsonb('_contains', '@>', 'jsonb', 'does the column contain the given json value at the top level'),
  onJsonb('_contained_in', '<@', 'jsonb', 'is the column contained in the given json value'),
  onJsonb('_has_key', '?', 'text', 'does the string exist as a top-level key in the column'),
  onJsonb('_has_keys_any', '?|', 'texts', 'do any of these strings exist as top-level keys in the column'),
  onJsonb('_has_keys_all', '?&', 'texts', 'do all of these strings exist as top-level keys in the column'),
]

const table = new Map<string, ComparisonOperator>()

/** Adds operators to the table; a name can only be taken once. */
export function addOperators(...operators: readonly ComparisonOperator[]): void {
  for (const operator of operators) {
    const known = table.get(operator.name)
    if (known && known !== operator) throw new Error(`there is an operator ${operator.name} already`)
    table.set(operator.name, operator)
  }
}

addOperators(...builtIn)

/** The operator of a GraphQL name. */
export const findOperator = (name: string): ComparisonOperator | undefined => table.get(name)

/** The comparison by the operator of that name. */
export function operatorSql(name: string, column: Sql, [operand, ...further]: readonly Sql[]): Sql {
  return table.get(name)!.sql(column, operand!, ...further)
}

/** Whether columns of the type have the operator. */
export function appliesTo(operator: ComparisonOperator, type: PgType): boolean {
  if (operator.notTypes?.includes(type.name)) return false
  return operator.types?.includes(type.name) ?? true
}

/** The operators that columns of the type have, in the order of the table. */
export function operatorsFor(type: PgType, references: { readonly enumTable: boolean }): ComparisonOperator[] {
  const all = [...table.values()].filter((operator) => appliesTo(operator, type))
  return references.enumTable ? all.filter(({ enums }) => enums) : all
}

/** The PostgreSQL type that an operand is cast to. */
export function operandType(operator: ComparisonOperator, type: PgType): string {
  switch (operator.operand) {
    case 'scalar':
      return type.sql
    case 'list':
      // Nested arrays are flat to `any`: a list of arrays travels as the texts of its members.
      return type.isArray ? 'text[]' : `${type.sql}[]`
    case 'boolean':
      return 'boolean'
    case 'text':
      return 'text'
    case 'texts':
      return 'text[]'
    case 'jsonb':
      return 'jsonb'
  }
}

/** The comparison of a column with a value of the request or session; for lists the value is one array. */
export function compareWithParam(
  column: { readonly name: string; readonly type: PgType },
  operator: ComparisonOperator,
  source: ParamSource,
): Condition {
  const type = operandType(operator, column.type)
  if (operator.operand === 'list' && column.type.isArray) return compareWithArrays(column, operator, source)
  return { kind: 'compare', column: column.name, operator: operator.name, operand: { kind: 'param', source, type } }
}

/** `any` and `all` over a list whose members are arrays themselves. */
function compareWithArrays(
  column: { readonly name: string; readonly type: PgType },
  operator: ComparisonOperator,
  source: ParamSource,
): Condition {
  const member = trusted(column.type.sql)
  const members = sql`select member::${member} from unnest(${param(source, 'text[]')}) as member`
  return { kind: 'sql', build: (row) => operator.sql(sql`${row}.${id(column.name)}`, members) }
}
