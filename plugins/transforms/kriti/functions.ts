// The functions of templates. Each takes one value; a list stands for several.

import { isJsonObject, jsonType } from '../../../sdk/services.ts'
import { isNumber, numberOf } from './values.ts'

/** A value that a function does not take. */
export class FunctionRefusal extends Error {
  override readonly name = 'FunctionRefusal'
}

type TemplateFunction = (value: unknown) => unknown

const refused = (value: unknown, expected: string): FunctionRefusal =>
  new FunctionRefusal(`Expected ${expected}, but got ${jsonType(value)}.`)

function text(value: unknown): string {
  if (typeof value !== 'string') throw refused(value, 'String')
  return value
}

const characters = (value: string): string[] => [...value]

/** The first character, which may be two units of a text. */
const first = (value: string): string => (value === '' ? '' : String.fromCodePoint(value.codePointAt(0) ?? 0))

/** The number of characters; those of two units count once. */
function length(value: string): number {
  let pairs = 0
  for (const _ of value.matchAll(/[\ud800-\udbff][\udc00-\udfff]/g)) pairs++
  return value.length - pairs
}

const isEmpty: TemplateFunction = (value) => {
  if (value === null || value === '') return true
  if (typeof value === 'string') return false
  if (Array.isArray(value)) return value.length === 0
  if (isNumber(value)) return numberOf(value) === 0
  if (isJsonObject(value)) return Object.keys(value).length === 0
  throw refused(value, 'Object, Array, String, Number or Null')
}

const size: TemplateFunction = (value) => {
  if (value === null) return 0
  if (typeof value === 'boolean') return value ? 1 : 0
  if (typeof value === 'string') return length(value)
  if (isNumber(value)) return value
  return Array.isArray(value) ? value.length : Object.keys(value as object).length
}

const inverse: TemplateFunction = (value) => {
  if (value === null) return null
  if (typeof value === 'boolean') return !value
  if (typeof value === 'string') return characters(value).reverse().join('')
  if (Array.isArray(value)) return value.toReversed()
  if (isNumber(value) && numberOf(value) !== 0) return 1 / numberOf(value)
  throw refused(value, 'Array, String, Boolean, Null or a Number other than 0')
}

const head: TemplateFunction = (value) => {
  if (typeof value !== 'string' && !Array.isArray(value)) throw refused(value, 'Array or String')
  if (value.length === 0) throw new FunctionRefusal('Expected a value that is not empty.')
  return typeof value === 'string' ? first(value) : value[0]
}

const tail: TemplateFunction = (value) => {
  if (typeof value === 'string') return value.slice(first(value).length)
  if (!Array.isArray(value)) throw refused(value, 'Array or String')
  return value.slice(1)
}

const toTitle = (value: unknown): string =>
  text(value).replace(/\p{L}[\p{L}\p{M}\p{N}'’]*/gu, (word) => {
    const initial = first(word)
    return initial.toUpperCase() + word.slice(initial.length).toLowerCase()
  })

const fromPairs: TemplateFunction = (value) => {
  if (!Array.isArray(value)) throw refused(value, 'Array')
  return Object.fromEntries(
    value.map((pair) => {
      if (!Array.isArray(pair) || pair.length !== 2) throw refused(pair, 'Array of a key and a value')
      return [text(pair[0]), pair[1]]
    }),
  )
}

const toPairs: TemplateFunction = (value) => {
  if (!isJsonObject(value)) throw refused(value, 'Object')
  return Object.entries(value)
}

const removeNulls: TemplateFunction = (value) => {
  if (Array.isArray(value)) return value.filter((item) => item !== null)
  if (isJsonObject(value)) return Object.fromEntries(Object.entries(value).filter(([, item]) => item !== null))
  throw refused(value, 'Array or Object')
}

const concat: TemplateFunction = (value) => {
  if (!Array.isArray(value)) throw refused(value, 'Array')
  if (value.every((item) => typeof item === 'string')) return value.join('')
  if (value.every(Array.isArray)) return value.flat()
  if (value.every(isJsonObject)) return Object.fromEntries(value.flatMap((item) => Object.entries(item)))
  throw new FunctionRefusal('Expected an Array of only Strings, only Arrays or only Objects.')
}

const not: TemplateFunction = (value) => {
  if (typeof value !== 'boolean') throw refused(value, 'Boolean')
  return !value
}

const escapeUri: TemplateFunction = (value) => encodeURIComponent(text(value).toWellFormed())

/** The functions that every template knows. */
export const templateFunctions: ReadonlyMap<string, TemplateFunction> = new Map<string, TemplateFunction>([
  ['empty', isEmpty],
  ['size', size],
  ['inverse', inverse],
  ['head', head],
  ['tail', tail],
  ['toCaseFold', (value) => text(value).toLowerCase()],
  ['toLower', (value) => text(value).toLowerCase()],
  ['toUpper', (value) => text(value).toUpperCase()],
  ['toTitle', toTitle],
  ['fromPairs', fromPairs],
  ['toPairs', toPairs],
  ['removeNulls', removeNulls],
  ['concat', concat],
  ['not', not],
  ['escapeUri', escapeUri],
])
