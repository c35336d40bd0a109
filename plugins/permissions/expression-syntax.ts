// The stored form of boolean expressions: their words and the canonical spelling.

import { parseFailed, type QualifiedName, Type, within } from '../../sdk/index.ts'
import { type DecodePart, decode, TableName } from '../../sdk/metadata.ts'
import { isJsonObject, jsonType } from '../../sdk/services.ts'

/** A boolean expression as metadata holds it: a JSON object of connectives, columns and relationships. */
export type BooleanExpression = Record<string, unknown>

/** Aliases of operators. */
const aliases: Readonly<Record<string, string>> = { _ne: '_neq' }

/** Operators that compare with another column, and the operator that each applies. */
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

/** The operator of a word that compares two columns; undefined for other words. */
export const columnOperator = (word: string): string | undefined => own(columnOperators, canonicalWord(word))

/** The column to compare with. */
export interface ColumnReference {
  readonly name: string
  /** Whether it belongs to the row that the whole expression filters, not to the current row. */
  readonly ofRoot: boolean
}

/** Reads the column to compare with: `"column"`, or `["$", "column"]`; null: neither. */
export function columnReference(operand: unknown): ColumnReference | null {
  if (typeof operand === 'string') return { name: operand, ofRoot: false }
  if (!Array.isArray(operand) || operand.length !== 2) return null
  const [mark, name] = operand
  return mark === '$' && typeof name === 'string' ? { name, ofRoot: true } : null
}

/** The name of a word in the operator table. */
export function operatorName(word: string): string {
  const canonical = canonicalWord(word)
  return own(aliases, canonical) ?? canonical
}

/** Whether a word is an operator of any plugin: its operand is a value, in which words have no meaning. */
const isOperator = (word: string): boolean => word.startsWith('_') || word.startsWith('$')

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

/** The parts of an `_exists`. */
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

/**
 * The expression with connectives in canonical spelling; operators and operands stay as given. Parts that need no change
 * are not copied: a request may hold half a million of them.
 */
export function canonicalExpression(expression: unknown, decodePart: DecodePart = decode): BooleanExpression {
  if (!isJsonObject(expression)) throw parseFailed('expecting an Object for boolean exp')
  let changed: Map<string, [string, unknown]> | null = null
  for (const key in expression) {
    const value = expression[key]
    const word = canonicalConnective(key)
    const part = within(key, () => canonicalPart(word, value, decodePart))
    if (word === key && part === value) continue
    changed ??= new Map()
    changed.set(key, [word, part])
  }
  if (!changed) return expression
  const entries = changed
  return Object.fromEntries(Object.entries(expression).map((entry) => entries.get(entry[0]) ?? entry))
}

/** The canonical spelling of a connective; other keys as given. */
function canonicalConnective(key: string): string {
  switch (key) {
    case '$and':
    case '$or':
    case '$not':
    case '$exists':
      return canonicalWord(key)
    default:
      return key
  }
}

function canonicalPart(word: string, value: unknown, decodePart: DecodePart): unknown {
  switch (word) {
    case '_and':
    case '_or':
      return canonicalItems(listItems(value), decodePart)
    case '_not':
      return canonicalExpression(value, decodePart)
    case '_exists': {
      const { table, where } = readExists(value, decodePart)
      return { _table: table, _where: within('_where', () => canonicalExpression(where, decodePart)) }
    }
    default:
      return isOperator(word) || !isJsonObject(value) ? value : canonicalExpression(value, decodePart)
  }
}

function canonicalItems(items: readonly unknown[], decodePart: DecodePart): readonly unknown[] {
  let isChanged = false
  const parts = items.map((item, i) => {
    const part = within(i, () => canonicalExpression(item, decodePart))
    isChanged ||= part !== item
    return part
  })
  return isChanged ? parts : items
}
