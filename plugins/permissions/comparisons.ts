// The comparisons of one column in a boolean expression.

import { comparisonCost, equalityOperators } from '../../sdk/access.ts'
import {
  badRequest,
  graphqlBaseName,
  parseFailed,
  type QualifiedName,
  sessionVariableName,
  within,
} from '../../sdk/index.ts'
import type { ColumnModel, ColumnTransform, EnumValue, PgType, TableModel } from '../../sdk/metadata.ts'
import { isJsonObject, jsonType } from '../../sdk/services.ts'
import {
  allOf,
  type Codec,
  type ComparisonOperator,
  type Condition,
  castsOf,
  codecFor,
  compare,
  compareNull,
  encodeArray,
  encodedCodec,
  findOperator,
  inputType,
  listInputType,
  type OperandObject,
  type OperandReader,
  operatorsNamed,
  type ParamOperand,
  type ParamSource,
  readOperands,
  type SqlBuilder,
  stringCodec,
  type TextEncoding,
  textLiteralCodec,
} from '../../sdk/sql.ts'
import { requireColumn, visibleColumns } from './columns.ts'
import type { ExpressionContext } from './expression-context.ts'
import { columnOperator, columnReference, listItems, objectEntries, operatorName } from './expression-syntax.ts'

const unexpected = (message: string) => badRequest('unexpected-payload', message)

/** A column or another value of a row, possibly seen through casts. */
interface Subject {
  /** Null: it is not a column. */
  readonly column: ColumnModel | null
  readonly value?: SqlBuilder
  readonly table: TableModel
  readonly name: string
  readonly type: PgType
  readonly casts: readonly PgType[]
  readonly collation?: QualifiedName | undefined
}

/** A comparison, and whether it holds a literal of the column's type. */
interface Comparison {
  readonly condition: Condition
  readonly literal: boolean
}

/** The condition that `{operator: operand, ...}` or a bare literal puts on a column. */
export function resolveComparisons(
  column: ColumnModel,
  value: unknown,
  table: TableModel,
  context: ExpressionContext,
): Condition {
  const { transform } = column
  if (transform && isJsonObject(value)) {
    for (const word of Object.keys(value))
      within(word, () => checkTransformed(transform, operatorName(word), column, context))
  } else if (transform) checkTransformed(transform, '_eq', column, context)
  if (column.type.name === 'json') throw unexpected('JSON column can not be part of where clause')
  const { name, type } = column
  const subject = { column, table, name, type, casts: [], collation: column.column.collation }
  const comparisons = comparisonsOf(value, subject, context)
  const reason = comparisons.some(({ literal }) => literal) ? 'on_type' : 'session_variable'
  context.depend({ kind: 'column', table: table.name, name: column.name }, reason)
  return allOf(comparisons.map(({ condition }) => condition))
}

/** The same for a value that is not a column's. */
export function resolveValueComparisons(
  member: { readonly name: string; readonly type: PgType; readonly value: SqlBuilder },
  value: unknown,
  table: TableModel,
  context: ExpressionContext,
): Condition {
  const comparisons = comparisonsOf(value, { ...member, column: null, table, casts: [] }, context)
  return allOf(comparisons.map(({ condition }) => condition))
}

const comparisonsOf = (value: unknown, subject: Subject, context: ExpressionContext): Comparison[] =>
  isJsonObject(value) ? resolveOperators(value, subject, context) : [resolveOperator('_eq', value, subject, context)]

function resolveOperators(operators: object, subject: Subject, context: ExpressionContext): Comparison[] {
  const entries = Object.entries(operators)
  context.reader?.cost.add(comparisonCost * entries.length)
  return entries.map(([word, operand]) => within(word, () => resolveOperator(word, operand, subject, context)))
}

function resolveOperator(word: string, operand: unknown, subject: Subject, context: ExpressionContext): Comparison {
  if (operatorName(word) === '_cast') return resolveCasts(operand, subject, context)
  const betweenColumns = columnOperator(word)
  if (betweenColumns) return compareColumns(betweenColumns, operand, subject, context)
  const known = operatorsNamed(operatorName(word), subject.type).filter(({ onlyGraphQL }) => !onlyGraphQL)
  if (known.length === 0) throw unexpected(`Unknown operator : ${word}`)
  return compareWithValue(requireOperator(operatorName(word), subject.type), operand, subject, context)
}

/** The operator of a name that there is, for columns of the type. The message of v1.3 leaves out `bpchar`, which it did not serve. */
function requireOperator(name: string, type: PgType): ComparisonOperator {
  const operator = findOperator(name, type)
  if (operator) return operator
  const known = operatorsNamed(name, type)
  const general = known.find(({ types, arrays }) => !types && !arrays)
  if (general) {
    const lack = general.needsOrder ? 'whose values have no order' : 'whose values PostgreSQL cannot compare'
    throw unexpected(` is of type "${typeText(type)}", ${lack}`)
  }
  const list = known
    .flatMap(({ types = [] }) => types.filter((each) => each !== 'bpchar').map((each) => `"${each}"`))
    .join('/')
  throw unexpected(` is of type "${typeText(type)}"; this operator works only on columns of type ${list}`)
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

function resolveCasts(value: unknown, subject: Subject, context: ExpressionContext): Comparison {
  const targets = objectEntries(value, `parsing Object failed, expected Object, but encountered ${jsonType(value)}`)
  const comparisons = targets.flatMap(([target, operators]) => {
    const cast = () => castSubject(subject, target)
    // A request's refusal points at the cast, that of a permission at the type.
    const casted = context.reader ? cast() : within(target, cast)
    return within(target, () => resolveOperators(asObject(operators), casted, context))
  })
  const condition = allOf(comparisons.map((comparison) => comparison.condition))
  return { condition, literal: comparisons.some(({ literal }) => literal) }
}

function asObject(value: unknown): Readonly<Record<string, unknown>> {
  if (isJsonObject(value)) return value
  throw parseFailed(`parsing Object failed, expected Object, but encountered ${jsonType(value)}`)
}

function castSubject(subject: Subject, target: string): Subject {
  const { type } = subject
  const casts = castsOf(type)
  // Documents name the type of PostgreSQL, GraphQL its scalar.
  const cast = casts.get(target) ?? [...casts.values()].find(({ name }) => name === target)
  if (!cast) throw unexpected(`cannot cast column of type "${typeText(type)}" to type "${target}"`)
  return { ...subject, type: cast, casts: [...subject.casts, cast] }
}

function compareColumns(operator: string, other: unknown, subject: Subject, context: ExpressionContext): Comparison {
  const { type } = subject
  const { table, name, kind } = comparedColumn(other, subject, context)
  const hint = 'column operators can only compare postgres columns'
  const visible = visibleColumns(table, context)
  if (!table.columns.has(name) && !table.fields.has(name)) context.reader?.checkUnknown(table, name)
  const right = requireColumn(table, name, { missing: `"${name}" does not exist`, hint, visible })
  context.reader?.checkColumn(table, name)
  const transform = subject.column?.transform ?? right.transform
  if (transform && (transform.write || context.reader)) {
    throw unexpected(`a column that "${transform.name}" transforms cannot be compared with another one`)
  }
  if (right.type.sql !== type.sql) throw unexpected(`incompatible column types : "${subject.name}", "${name}"`)
  if (subject.column) context.depend({ kind: 'column', table: subject.table.name, name: subject.name }, 'on_type')
  context.depend({ kind: 'column', table: table.name, name }, 'on_type')
  const condition = compare(subject, requireOperator(operator, type), [{ kind, column: name }])
  return { condition, literal: true }
}

/** The column on the right side of a comparison: of the current row, or of the row of the whole expression. */
function comparedColumn(other: unknown, { table }: Subject, { root }: ExpressionContext) {
  const reference = columnReference(other)
  if (!reference || (reference.ofRoot && !root)) {
    throw parseFailed(`parsing Text failed, expected String, but encountered ${jsonType(other)}`)
  }
  const { name, ofRoot } = reference
  if (!ofRoot || !root) return { table, name, kind: 'column' } as const
  root.isUsed = true
  return { table: root.table, name, kind: 'rootColumn' } as const
}

function compareWithValue(
  operator: ComparisonOperator,
  value: unknown,
  subject: Subject,
  context: ExpressionContext,
): Comparison {
  const { type } = subject
  const { operand } = operator
  if (operand === 'isNull') return { condition: nullCheck(subject, value), literal: false }
  const isEquality = operator.name === '_eq' || operator.name === '_neq'
  if (value === null && isEquality) {
    return { condition: compareNull(subject, operator.name === '_neq'), literal: true }
  }
  const codec = operator.types ? codecFor(type) : literalCodec(subject, context)
  const transform = subject.column?.transform
  const reader = readerOf(
    value,
    context,
    transform?.compareAs && ((text) => transform.compareAs!(text, { table: subject.table.name, column: subject.name })),
  )
  const operands = readOperands(operator, { type, codec }, reader)
  const literal = operands.some(({ source }) => source.from === 'constant')
  const condition = compare(subject, operator, operands)
  const isNullUnequal = operator.name === '_neq' && context.dialect.nullsDiffer
  return { condition: isNullUnequal ? orNull(condition, subject) : condition, literal }
}

const orNull = (condition: Condition, subject: Subject): Condition => ({
  kind: 'or',
  of: [condition, compareNull(subject, false)],
})

/**
 * Refuses a comparison of stored values with given ones if these have another form, or if it would reveal stored values
 * to a caller.
 */
function checkTransformed(
  { name, write, compareAs }: ColumnTransform,
  operator: string,
  column: ColumnModel,
  { reader }: ExpressionContext,
): void {
  if (!write && !reader) return
  const isEquality = equalityOperators.has(operator) && (!write || compareAs !== undefined)
  if (operator === '_is_null' || isEquality) return
  throw unexpected(`the column "${column.name}" is transformed by "${name}" and has no operator "${operator}"`)
}

const literalCodec = ({ column, type }: Subject, context: ExpressionContext): Codec =>
  column ? columnCodec(column, type, context) : typeCodec(type, context)

/** A JSON value as an operand: a session variable, or a literal in PostgreSQL's syntax. Null is a literal. */
const readerOf = (
  value: unknown,
  context: ExpressionContext,
  compareAs?: TextEncoding,
): OperandReader<ParamOperand> => ({
  param: (codec, sqlType) => ({
    kind: 'param',
    source: valueSource(value, codec, { context, compareAs }),
    type: inputType(codec, sqlType),
  }),
  listParam: (codec, elementType) => ({
    kind: 'param',
    source: listSource(value, codec, { context, compareAs }),
    type: listInputType(codec, elementType),
  }),
  required() {
    return this
  },
  members: (operand) => memberReaders(operand, asObject(value), context),
})

/** Unlike in GraphQL, members with a default are required. */
function memberReaders(
  { members }: OperandObject,
  given: Readonly<Record<string, unknown>>,
  context: ExpressionContext,
): ReadonlyMap<string, OperandReader<ParamOperand>> {
  const readers = new Map<string, OperandReader<ParamOperand>>()
  for (const { name, required, default: byDefault } of members) {
    if (Object.hasOwn(given, name)) readers.set(name, readerAt(name, readerOf(given[name], context)))
    else if (required || byDefault !== undefined) throw parseFailed(`key "${name}" not found`)
  }
  return readers
}

const readerAt = (name: string, reader: OperandReader<ParamOperand>): OperandReader<ParamOperand> => ({
  ...reader,
  param: (codec, sqlType) => within(name, () => reader.param(codec, sqlType)),
})

function nullCheck(subject: Subject, value: unknown): Condition {
  if (typeof value !== 'boolean') {
    throw parseFailed(`parsing Bool failed, expected Boolean, but encountered ${jsonType(value)}`)
  }
  return compareNull(subject, !value)
}

interface OperandContext {
  readonly context: ExpressionContext
  /** Turns an operand into the stored text that it is compared with. */
  readonly compareAs: TextEncoding | undefined
}

function valueSource(value: unknown, codec: Codec, { context: { dialect }, compareAs }: OperandContext): ParamSource {
  const variable = typeof value === 'string' ? sessionVariableName(dialect, value) : null
  const encoding = compareAs && { encode: compareAs }
  if (variable !== null) return { from: 'session', variable, ...encoding }
  return { from: 'constant', value: encode(codec, value), ...encoding }
}

/** A list, or one variable that holds an array; inside of lists everything is a literal. */
function listSource(value: unknown, codec: Codec, { context: { dialect }, compareAs }: OperandContext): ParamSource {
  const variable = typeof value === 'string' ? sessionVariableName(dialect, value) : null
  if (variable !== null && compareAs) throw unexpected('a session variable cannot be a list of a transformed column')
  if (variable !== null) return { from: 'session', variable }
  const itemCodec = compareAs ? encodedCodec(codec, compareAs) : codec
  const items = listItems(value).map((item, i) => within(i, () => encode(itemCodec, item)))
  return { from: 'constant', value: encodeArray(items) }
}

const encode = (codec: Codec, value: unknown): string | null => (value === null ? null : codec.encode(value))

/** The codec of a column's literals: values of the enum table that it references, or those of its type. */
export function columnCodec(column: ColumnModel, type: PgType, context: ExpressionContext): Codec {
  const values = column.enumTable && context.table(column.enumTable)?.enumValues
  if (values) return enumValueCodec(graphqlBaseName(column.enumTable!), values)
  return typeCodec(type, context)
}

const typeCodec = (type: PgType, { dialect }: ExpressionContext): Codec =>
  dialect.textLiterals ? textLiteralCodec(codecFor(type)) : codecFor(type)

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
