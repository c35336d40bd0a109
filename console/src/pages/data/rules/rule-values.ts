// Values of conditions as texts that people type.

import { isExactNumber, parseExactly } from '../../../base/json.ts'

/** Operators whose value is a list. */
const lists = new Set(['_in', '_nin', '_has_keys_any', '_has_keys_all'])
/** Operators whose value is an object. */
const objects = new Set(['_cast', '_contains', '_contained_in', '_st_d_within', '_st_3d_d_within'])

/** Types whose values are numbers or booleans of JSON; others keep their digits as texts. */
const plain = new Set(['int2', 'int4', 'bool', 'float4', 'float8'])

/** A value as a text: texts as they are, all others as JSON. */
export const valueText = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))

interface Typed {
  readonly operator: string
  /** PostgreSQL's name of the column's type. */
  readonly type: string
  /** The value before. */
  readonly old: unknown
}

/** The value that a typed text means. Lists and objects are JSON once they are whole. */
export function typedValue(text: string, { operator, type, old }: Typed): unknown {
  const isList = lists.has(operator)
  const isStructured = isList || objects.has(operator) || /^jsonb?$/.test(type) || type.endsWith('[]')
  const isScalar = plain.has(type) && /^(?:true|false|-?(?:0|[1-9]\d{0,14})(?:\.\d{1,10})?)$/.test(text)
  const wasOther = typeof old !== 'string' && typeof old !== 'undefined'
  if (!isStructured && !isScalar && !wasOther) return text
  try {
    const value = parseExactly(text)
    // A number keeps its digits, as a text where JavaScript has too few.
    if (isExactNumber(value) || (typeof value === 'number' && String(value) !== text)) return text
    return isStructured && !isList && typeof value === 'string' ? text : value
  } catch {
    return text
  }
}

/** A beginning for the value of an operator, when the old one does not fit. */
export function valueFor(operator: string, old: unknown): unknown {
  if (operator === '_is_null') return typeof old === 'boolean' ? old : true
  if (lists.has(operator)) return Array.isArray(old) || typeof old === 'string' ? old : [old]
  if (operator === '_cast') return typeof old === 'object' && old !== null ? old : { String: { _eq: '' } }
  if (typeof old === 'boolean' || Array.isArray(old)) return Array.isArray(old) && old.length > 0 ? old[0] : ''
  return old
}
