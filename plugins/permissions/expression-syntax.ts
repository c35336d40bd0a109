// The stored form of boolean expressions: which words they are made of, and their canonical spelling.

import { parseFailed, type QualifiedName, Type, within } from '../../sdk/index.ts'
import { type DecodePart, decode, TableName } from '../../sdk/metadata.ts'
import { isJsonObject, jsonType } from '../../sdk/services.ts'

/** A boolean expression as metadata holds it: a JSON object of connectives, columns and relationships. */
export type BooleanExpression = Record<string, unknown>

/** Other names of operators of the operator table. */
const aliases: Readonly<Record<string, string>> = { _ne: '_neq' }

/** Comparisons with another column, and the operator that each applies. */
const columnOperators: Readonly<Record<string, string>> = {
  _ceq: '_eq',
  _cne: '_neq',
  _cneq: '_neq',
  _cgt: '_gt',
  _clt: '_lt',
  _cgte: '_gte',
  _clte: '_lte',
}

const own = (record: Readonly<Record<string, string>>, key: string): string | undefined =>
  Object.hasOwn(record, key) ? record[key] : undefined

/** A word with its underscore: `$and` is `_and`. */
export const canonicalWord = (word: string): string => (word.startsWith('$') ? `_${word.slice(1)}` : word)

/** The operator that a word of an expression compares two columns with; undefined when it is no such word. */
export const columnOperator = (word: string): string | undefined => own(columnOperators, canonicalWord(word))

/** A column that another one is compared with. */
export interface ColumnReference {
  readonly name: string
  /** Whether it is one of the row that the whole expression is on, not of the row at hand. */
  readonly ofRoot: boolean
}

/** Reads what a column is compared with: `"column"`, or `["$", "column"]`; null: it is neither. */
export function columnReference(operand: unknown): ColumnReference | null {
  if (typeof operand === 'string') return { name: operand, ofRoot: false }
  if (!Array.isArray(operand) || operand.length !== 2) return null
  const [mark, name] = operand
  return mark === '$' && typeof name === 'string' ? { name, ofRoot: true } : null
}

/** The name in the operator table that a word of an expression stands for. */
export function operatorName(word: string): string {
  const canonical = canonicalWord(word)
  return own(aliases, canonical) ?? canonical
}

/** Whether a word is an operator's, of whatever plugin: then what it is given is a value, in which words mean nothing. */
const isOperator = (word: string): boolean => /^[_$]/.test(word)

/** The members of a JSON object; refuses anything else with the message. */
export function objectEntries(value: unknown, message: string): [string, unknown][] {
  if (!isJsonObject(value)) throw parseFailed(message)
  return Object.entries(value)
}

/** The members of a JSON array. */
export function listItems(value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw parseFailed(`parsing [] failed, expected Array, but encountered ${jsonType(value)}`)
  return value
}

/** An `_exists`, taken apart. */
export interface ExistsExpression {
  readonly table: QualifiedName
  readonly where: unknown
}

const Exists = Type.Object({ _table: TableName, _where: Type.Unknown() }, { missingKey: 'A' })

/** Reads the operand of `_exists`. */
export function readExists(value: unknown, decodePart: DecodePart = decode): ExistsExpression {
  const entries = objectEntries(value, 'expecting an Object for _exists expression')
  const canonical = entries.map(([key, member]) => [canonicalWord(key), member] as const)
  const { _table: table, _where: where } = decodePart(Exists, Object.fromEntries(canonical))
  return { table, where }
}

/** The expression with its connectives in canonical spelling; operators and their operands stay as they are given. */
export function canonicalExpression(expression: unknown, decodePart: DecodePart = decode): BooleanExpression {
  const entries = objectEntries(expression, 'expecting an Object for boolean exp')
  return Object.fromEntries(entries.map(([key, value]) => within(key, () => canonicalEntry(key, value, decodePart))))
}

function canonicalEntry(key: string, value: unknown, decodePart: DecodePart): [string, unknown] {
  const word = canonicalWord(key)
  const inner = (part: unknown) => canonicalExpression(part, decodePart)
  switch (word) {
    case '_and':
    case '_or':
      return [word, listItems(value).map((item, i) => within(i, () => inner(item)))]
    case '_not':
      return [word, inner(value)]
    case '_exists': {
      const { table, where } = readExists(value, decodePart)
      return [word, { _table: table, _where: within('_where', () => inner(where)) }]
    }
    default:
      return [key, isOperator(key) || !isJsonObject(value) ? value : inner(value)]
  }
}
