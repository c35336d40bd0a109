// The comparison operators, by their GraphQL names. Each engine has one table, with core's operators and those of its
// plugins. The schema, permissions and the SQL printer all read it.

import { builtInType, type ComparisonSymbol, type PgType } from '../../catalog/types.ts'
import type { TextCheck } from '../../database/sql/param.ts'
import { id, type Sql, sql, trusted } from '../../database/sql/sql.ts'
import { badRequest } from '../../errors/errors.ts'
import { isCoreType } from './codecs.ts'
import { comparisonSql, hasOperator, isComparedAsUsual } from './comparing.ts'
import type { ComparisonOperator, OperandKind, OperandObject, OperatorTable } from './comparison-operator.ts'
import { checkJsonPath } from './json-path.ts'
import { supportOf, vocabularyOf } from './type-support.ts'

/** Whether an operator takes several values, as an input object. */
export const isOperandObject = (operand: OperandKind): operand is OperandObject =>
  typeof operand === 'object' && 'members' in operand

/** An operator of PostgreSQL's own types; other types may have it under another name. */
interface CoreOperator extends Omit<ComparisonOperator, 'sql' | 'trial'> {
  /** Without a type, it compares as PostgreSQL's own types do. */
  print(column: Sql, operand: Sql, type?: PgType): Sql
  /** Whether some operands fail, whatever the column holds. */
  readonly mayFail?: boolean
}

const infix =
  (symbol: string): CoreOperator['print'] =>
  (column, operand) =>
    sql`${column} ${trusted(symbol)} ${operand}`

const textTypes = ['varchar', 'text', 'citext', 'bpchar']

const compared =
  (symbol: ComparisonSymbol): CoreOperator['print'] =>
  (column, operand, type) =>
    sql`${column} ${comparisonSql(symbol, type)} ${operand}`

/** Some types have only `=`. */
const isUnequal = (type: PgType | undefined): boolean => !type || hasOperator(type, ['<>'])

const equal = compared('=')
const unequal = compared('<>')

const isAmong: CoreOperator['print'] = (column, list, type) => sql`${column} ${comparisonSql('=', type)} any (${list})`

const isNotAmong: CoreOperator['print'] = (column, list, type) =>
  isUnequal(type)
    ? sql`${column} ${comparisonSql('<>', type)} all (${list})`
    : sql`not (${isAmong(column, list, type)})`

const isOther: CoreOperator['print'] = (column, operand, type) =>
  isUnequal(type) ? unequal(column, operand, type) : sql`not (${equal(column, operand, type)})`

const ordering = (name: string, symbol: ComparisonSymbol): CoreOperator => ({
  name,
  operand: 'scalar',
  needsOrder: true,
  needs: [symbol],
  print: compared(symbol),
})

/** A pattern operator: `words` is its SQL syntax, `symbol` the name of the operator that extension types may define. */
const pattern = (name: string, words: string, symbol: string, description: string): CoreOperator => ({
  name,
  description,
  operand: 'scalar',
  types: textTypes,
  print(column, operand, type) {
    const own = ownPatterns(type)
    return own ? sql`${column} operator(${own}.${trusted(symbol)}) ${operand}` : infix(words)(column, operand)
  },
})

/** The schema of the type's own pattern operators; null: the operators of `text` apply. */
function ownPatterns(type: PgType | undefined): Sql | null {
  const schema = type?.comparison?.patterns ?? null
  return schema === null || schema === 'pg_catalog' ? null : id(schema)
}

/** A `like`. Its pattern fails only for texts that match up to the pattern's end. */
const likePattern = (name: string, words: string, symbol: string, description: string): CoreOperator => ({
  ...pattern(name, words, symbol, description),
  check: checkLikePattern,
})

const expression = (name: string, symbol: string, description: string): CoreOperator => ({
  ...pattern(name, symbol, symbol, description),
  mayFail: true,
})

/** An SQL expression (`similar to`), which its operator takes as a POSIX expression. */
const sqlExpression = (name: string, words: string, symbol: string, description: string): CoreOperator => ({
  ...expression(name, symbol, description),
  print(column, operand, type) {
    const own = ownPatterns(type)
    if (!own) return infix(words)(column, operand)
    return sql`${column} operator(${own}.${trusted(symbol)}) similar_escape(${operand}, null)`
  },
})

/** Refuses a trailing escape character, as PostgreSQL does. */
function checkLikePattern(text: string): void {
  let escapes = 0
  while (text[text.length - 1 - escapes] === '\\') escapes++
  if (escapes % 2 === 0) return
  throw badRequest('bad-request', 'LIKE pattern must not end with escape character')
}

const onJsonb = (name: string, symbol: string, operand: OperandKind, description: string): CoreOperator => ({
  name,
  description,
  operand,
  types: ['jsonb'],
  print: infix(symbol),
})

/** A path in the language of SQL/JSON; PostgreSQL suppresses the errors that values cause, so no operand fails. */
const jsonPath = (name: string, symbol: string, description: string): CoreOperator => ({
  ...onJsonb(name, symbol, { type: () => builtInType('text'), sqlType: 'jsonpath' }, description),
  check: checkJsonPath,
})

const builtIn: readonly CoreOperator[] = [
  { name: '_eq', operand: 'scalar', enums: true, needs: ['='], print: equal },
  { name: '_neq', operand: 'scalar', enums: true, needs: ['<>', '='], print: isOther },
  ordering('_gt', '>'),
  ordering('_lt', '<'),
  ordering('_gte', '>='),
  ordering('_lte', '<='),
  { name: '_in', operand: 'list', enums: true, needs: ['='], print: isAmong },
  { name: '_nin', operand: 'list', enums: true, needs: ['<>', '='], print: isNotAmong },
  { name: '_is_null', operand: 'isNull', enums: true, print: (column, yes) => sql`(${column} is null) = ${yes}` },
  likePattern('_like', 'like', '~~', 'does the column match the given pattern'),
  likePattern('_nlike', 'not like', '!~~', 'does the column NOT match the given pattern'),
  likePattern('_ilike', 'ilike', '~~*', 'does the column match the given case-insensitive pattern'),
  likePattern('_nilike', 'not ilike', '!~~*', 'does the column NOT match the given case-insensitive pattern'),
  sqlExpression('_similar', 'similar to', '~', 'does the column match the given SQL regular expression'),
  sqlExpression('_nsimilar', 'not similar to', '!~', 'does the column NOT match the given SQL regular expression'),
  expression('_regex', '~', 'does the column match the given POSIX regular expression, case sensitive'),
  expression('_iregex', '~*', 'does the column match the given POSIX regular expression, case insensitive'),
  expression('_nregex', '!~', 'does the column NOT match the given POSIX regular expression, case sensitive'),
  expression('_niregex', '!~*', 'does the column NOT match the given POSIX regular expression, case insensitive'),
  onJsonb('_contains', '@>', 'jsonb', 'does the column contain the given json value at the top level'),
  onJsonb('_contained_in', '<@', 'jsonb', 'is the column contained in the given json value'),
  onJsonb('_has_key', '?', 'text', 'does the string exist as a top-level key in the column'),
  onJsonb('_has_keys_any', '?|', 'texts', 'do any of these strings exist as top-level keys in the column'),
  onJsonb('_has_keys_all', '?&', 'texts', 'do all of these strings exist as top-level keys in the column'),
  jsonPath('_jsonb_path_exists', '@?', 'does the JSON path return any item for the specified JSON value'),
  jsonPath('_jsonb_path_match', '@@', 'is the JSON path predicate true for the specified JSON value'),
]

/** An operator on arrays of any type. Its schema is written, since extensions have operators of that name with other rules. */
const onArrays = (name: string, symbol: string, description: string): ComparisonOperator => ({
  name,
  description,
  operand: 'scalar',
  arrays: true,
  needs: ['='],
  sql: (column, [operand]) => sql`${column} operator(pg_catalog.${trusted(symbol)}) ${operand!}`,
})

const arrayOperators: readonly ComparisonOperator[] = [
  onArrays('_contains', '@>', 'does the array contain the given value'),
  onArrays('_contained_in', '<@', 'is the array contained in the given array value'),
]

/**
 * The table with one more operator. Two operators with one name cannot share a type: one for all types has those of core,
 * and leaves the others to plugins.
 */
export function withOperator(table: OperatorTable, operator: ComparisonOperator): OperatorTable {
  const known = table.get(operator.name) ?? []
  if (known.some((other) => isOfSameType(operator, other))) {
    throw new Error(`the operator ${operator.name} already exists`)
  }
  const all = [...known, operator]
  const ordered = [...all.filter(({ types }) => types), ...all.filter(({ types }) => !types)]
  return new Map(table).set(operator.name, ordered)
}

function isOfSameType({ types }: ComparisonOperator, { types: others, arrays }: ComparisonOperator): boolean {
  if (types && !others && !arrays) return types.some(isCoreType)
  return types && others ? types.some((name) => others.includes(name)) : types === others
}

function comparisonOf(operator: CoreOperator): ComparisonOperator {
  const { print, mayFail, ...rest } = operator
  const sqlOf: ComparisonOperator['sql'] = (column, [operand], type) => print(column, operand!, type)
  return { ...rest, sql: sqlOf, ...(mayFail && { trial: ([operand], type) => print(sql`''`, operand!, type) }) }
}

const core: ReadonlyMap<ComparisonOperator, CoreOperator> = new Map(
  builtIn.map((operator) => [comparisonOf(operator), operator]),
)

/** Core's operators, without those of plugins. */
export const coreOperators: OperatorTable = [...core.keys(), ...arrayOperators].reduce<OperatorTable>(
  withOperator,
  new Map(),
)

const tableOf = (type: PgType): OperatorTable => vocabularyOf(type)?.operators ?? coreOperators

/** Whether plans refer to the operator by name: core's operators on types that have it under its usual name. */
export const isNamedOperator = (operator: ComparisonOperator, type: PgType): boolean =>
  core.has(operator) && isComparedAsUsual(type) && (isUnequal(type) || operator.needs?.includes('<>') !== true)

const printers = new Map(builtIn.map((operator) => [operator.name, operator]))

/** The comparison with the core operator of that name. */
export const coreOperatorSql = (name: string, column: Sql, operand: Sql): Sql =>
  printers.get(name)!.print(column, operand)

/** The check for the operand of the core operator of that name. */
export const coreOperatorCheck = (name: string): TextCheck | undefined => printers.get(name)!.check

/** The expression of that comparison which each statement must evaluate once; null: no operand fails. */
export function coreOperatorTrial(name: string, operand: Sql): Sql | null {
  const { print, mayFail } = printers.get(name)!
  return mayFail ? print(sql`''`, operand) : null
}

/** The operators of that GraphQL name in the type's engine. There may be several, each for other types. */
export const operatorsNamed = (name: string, type: PgType): readonly ComparisonOperator[] =>
  tableOf(type).get(name) ?? []

/** The operator of that GraphQL name for columns of the type. */
export const findOperator = (name: string, type: PgType): ComparisonOperator | undefined =>
  operatorsNamed(name, type).find((operator) => appliesTo(operator, type))

/** Whether columns of the type have the operator. */
function appliesTo({ types, arrays, needsOrder, needs }: ComparisonOperator, type: PgType): boolean {
  if (arrays && !type.isArray) return false
  if (types) return type.kind === 'b' && types.includes(type.name)
  if (needsOrder && supportOf(type)?.ordered === false) return false
  return !needs || vocabularyOf(type)?.offersAll === true || hasOperator(type, needs)
}

/** The operators of columns of the type, in the order of the table. */
export function operatorsFor(type: PgType, references: { readonly enumTable: boolean }): ComparisonOperator[] {
  const all = [...tableOf(type).keys()].flatMap((name) => findOperator(name, type) ?? [])
  return references.enumTable ? all.filter(({ enums }) => enums) : all
}
