// The comparisons of one column in a boolean expression.

import type { EnumValue, PgType } from '../../core/catalog/types.ts'
import { codecFor, encodeArray, stringCodec } from '../../core/compiler/codecs.ts'
import { appliesTo, type ComparisonOperator, compareWithParam, findOperator } from '../../core/compiler/operators.ts'
import { allOf, type Condition } from '../../core/compiler/plan.ts'
import type { Codec, ParamSource } from '../../core/database/param.ts'
import { sessionVariableName } from '../../core/dialect.ts'
import { badRequest, parseFailed, within } from '../../core/errors.ts'
import { jsonType } from '../../core/json.ts'
import type { ColumnModel, TableModel } from '../../core/metadata/model.ts'
import { graphqlBaseName } from '../../core/names.ts'
import type { ExpressionContext } from './boolean-expression.ts'
import { requireColumn } from './columns.ts'
import { columnOperator, listItems, objectEntries, operatorName } from './expression-syntax.ts'

const unexpected = (message: string) => badRequest('unexpected-payload', message)

/** A column, possibly seen through a cast. */
interface Subject {
  readonly column: ColumnModel
  readonly table: TableModel
  readonly type: PgType
  readonly cast?: string
}

/** A comparison, and whether it holds a literal of the column's type. */
interface Comparison {
  readonly condition: Condition
  readonly literal: boolean
}

/** What `{operator: operand, ...}` or a bare literal asks of a column. */
export function resolveComparisons(
  column: ColumnModel,
  value: unknown,
  table: TableModel,
  context: ExpressionContext,
): Condition {
  if (column.type.name === 'json') throw unexpected('JSON column can not be part of where clause')
  const subject = { column, table, type: column.type }
  const comparisons = isObject(value)
    ? resolveOperators(value, subject, context)
    : [resolveOperator('_eq', value, subject, context)]
  const reason = comparisons.some(({ literal }) => literal) ? 'on_type' : 'session_variable'
  context.depend({ kind: 'column', table: table.name, name: column.name }, reason)
  return allOf(comparisons.map(({ condition }) => condition))
}

const isObject = (value: unknown): value is object => jsonType(value) === 'Object'

const resolveOperators = (operators: object, subject: Subject, context: ExpressionContext): Comparison[] =>
  Object.entries(operators).map(([word, operand]) =>
    within(word, () => resolveOperator(word, operand, subject, context)),
  )

function resolveOperator(word: string, operand: unknown, subject: Subject, context: ExpressionContext): Comparison {
  if (operatorName(word) === '_cast') return resolveCasts(operand, subject, context)
  const betweenColumns = columnOperator(word)
  if (betweenColumns) return compareColumns(betweenColumns, operand, subject, context)
  const operator = findOperator(operatorName(word))
  if (!operator) throw unexpected(`Unknown operator : ${word}`)
  if (!appliesTo(operator, subject.type)) throw wrongType(operator, subject.type)
  return compareWithValue(operator, operand, subject, context)
}

/** Types that these messages call by another name than the catalog does. */
const typeTexts: ReadonlyMap<string, string> = new Map([
  ['int2', 'smallint'],
  ['int4', 'integer'],
  ['int8', 'bigint'],
  ['float4', 'real'],
  ['bool', 'boolean'],
])

const typeText = (type: PgType): string => typeTexts.get(type.name) ?? type.name

function wrongType(operator: ComparisonOperator, type: PgType) {
  const types = (operator.types ?? []).map((name) => `"${name}"`).join('/')
  return unexpected(` is of type "${typeText(type)}"; this operator works only on columns of type ${types}`)
}

/** The types that a column of a type may be cast to. */
const casts: ReadonlyMap<string, string> = new Map([
  ['geometry', 'geography'],
  ['geography', 'geometry'],
])

function resolveCasts(value: unknown, subject: Subject, context: ExpressionContext): Comparison {
  const targets = objectEntries(value, `parsing Object failed, expected Object, but encountered ${jsonType(value)}`)
  const comparisons = targets.flatMap(([target, operators]) =>
    within(target, () => resolveOperators(asOperators(operators), castSubject(subject, target), context)),
  )
  const condition = allOf(comparisons.map((comparison) => comparison.condition))
  return { condition, literal: comparisons.some(({ literal }) => literal) }
}

function asOperators(value: unknown): object {
  if (isObject(value)) return value
  throw parseFailed(`parsing Object failed, expected Object, but encountered ${jsonType(value)}`)
}

function castSubject(subject: Subject, target: string): Subject {
  const { type } = subject
  if (subject.cast || casts.get(type.name) !== target) {
    throw unexpected(`cannot cast column of type "${typeText(type)}" to type "${target}"`)
  }
  // Both types belong to one extension, hence to one schema.
  const cast = `${type.sql.slice(0, -type.name.length)}${target}`
  return { ...subject, type: { ...type, name: target, sql: cast }, cast }
}

function compareColumns(operator: string, other: unknown, subject: Subject, context: ExpressionContext): Comparison {
  const { column, table, type, cast } = subject
  if (typeof other !== 'string') {
    throw parseFailed(`parsing Text failed, expected String, but encountered ${jsonType(other)}`)
  }
  const hint = 'column operators can only compare postgres columns'
  const right = requireColumn(table, other, `"${other}" does not exist`, hint)
  context.reader?.checkColumn(table, other)
  if (right.type.sql !== type.sql) throw unexpected(`incompatible column types : "${column.name}", "${other}"`)
  for (const { name } of [column, right]) context.depend({ kind: 'column', table: table.name, name }, 'on_type')
  const condition: Condition = {
    kind: 'compare',
    column: column.name,
    operator,
    operand: { kind: 'column', column: other },
    ...(cast && { cast }),
  }
  return { condition, literal: true }
}

function compareWithValue(
  operator: ComparisonOperator,
  value: unknown,
  subject: Subject,
  context: ExpressionContext,
): Comparison {
  const { name } = subject.column
  if (operator.operand === 'boolean') return { condition: nullCheck(name, value), literal: false }
  const isEquality = operator.name === '_eq' || operator.name === '_neq'
  if (value === null && isEquality) {
    return { condition: { kind: 'null', column: name, negated: operator.name === '_neq' }, literal: true }
  }
  const source = operandSource(operator, value, subject, context)
  const condition = compareWithParam({ name, type: subject.type }, operator, source)
  const { cast } = subject
  return {
    condition: cast && condition.kind === 'compare' ? { ...condition, cast } : condition,
    literal: source.from === 'constant',
  }
}

function nullCheck(column: string, value: unknown): Condition {
  if (typeof value !== 'boolean') {
    throw parseFailed(`parsing Bool failed, expected Boolean, but encountered ${jsonType(value)}`)
  }
  return { kind: 'null', column, negated: !value }
}

/** Where an operand comes from: a session variable, or the literal in PostgreSQL's syntax. */
function operandSource(
  operator: ComparisonOperator,
  value: unknown,
  subject: Subject,
  context: ExpressionContext,
): ParamSource {
  const variable = typeof value === 'string' ? sessionVariableName(context.dialect, value) : null
  if (variable !== null) return { from: 'session', variable }
  const codec = operandCodec(operator, subject, context)
  const isList = operator.operand === 'list' || operator.operand === 'texts'
  if (isList) {
    const items = listItems(value).map((item, i) => within(i, () => encode(codec, item)))
    return { from: 'constant', value: encodeArray(items) }
  }
  return { from: 'constant', value: encode(codec, value) }
}

const encode = (codec: Codec, value: unknown): string | null => (value === null ? null : codec.encode(value))

const jsonb: PgType = { schema: 'pg_catalog', name: 'jsonb', sql: 'jsonb', kind: 'b', isArray: false }

function operandCodec(operator: ComparisonOperator, subject: Subject, context: ExpressionContext): Codec {
  if (operator.operand === 'text' || operator.operand === 'texts') return stringCodec
  if (operator.operand === 'jsonb') return codecFor(jsonb)
  return operator.types ? codecFor(subject.type) : columnCodec(subject.column, subject.type, context)
}

/** The codec of a column's literals: values of the enum table that it references, or those of its type. */
export function columnCodec(column: ColumnModel, type: PgType, context: ExpressionContext): Codec {
  const values = column.enumTable && context.table(column.enumTable)?.enumValues
  return values ? enumValueCodec(graphqlBaseName(column.enumTable!), values) : codecFor(type)
}

function enumValueCodec(type: string, values: readonly EnumValue[]): Codec {
  const names = values.map(({ value }) => `"${value}"`)
  return {
    type,
    encode(value) {
      const text = stringCodec.encode(value)
      if (names.includes(`"${text}"`)) return text
      throw unexpected(`expected one of the values ${names.join(', ')} for type "${type}", given "${text}"`)
    },
  }
}
