// A rule as a sentence, in the language of the filter. A rule that a sentence cannot hold stays JSON.

import { type Condition, readFilter } from './rows/filter.ts'

const words: Readonly<Record<string, string>> = {
  ...{ _in: 'in', _nin: 'not in', _is_null: 'is null', _ceq: '= column', _cne: '!= column', _cgt: '> column' },
  ...{ _clt: '< column', _cgte: '>= column', _clte: '<= column' },
}

const signs: Readonly<Record<string, string>> = {
  ...{ _eq: '=', _neq: '!=', _lt: '<', _gt: '>', _lte: '<=', _gte: '>=', _regex: '~', _iregex: '~*', _nregex: '!~' },
  ...{ _niregex: '!~*', _like: 'like', _ilike: 'ilike', _nlike: 'not like', _nilike: 'not ilike' },
}

/** An operator as the language of the filter writes it, else its name without the underscore. */
export const operatorSign = (operator: string): string =>
  signs[operator] ?? words[operator] ?? operator.replace(/^_/, '').replaceAll('_', ' ')

const name = (text: string): string => (/^[a-z_][\w$]*$/i.test(text) ? text : `"${text.replaceAll('"', '""')}"`)

const isVariable = (value: unknown): boolean => typeof value === 'string' && /^x-[a-z]+-[\w-]+$/i.test(value)

const scalar = (value: unknown): string =>
  isVariable(value) ? String(value) : typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : String(value)

/** One condition as a sentence. */
export function testText(path: string, operator: string, value: unknown): string {
  if (operator === '_is_null') return `${path} is ${value === true ? '' : 'not '}null`
  const list = operator === '_in' ? 'in' : operator === '_nin' ? 'not in' : null
  if (list !== null && Array.isArray(value)) return `${path} ${list} (${value.map(scalar).join(', ')})`
  return `${path} ${signs[operator] ?? operator} ${scalar(value)}`
}

function printed(condition: Condition, path: readonly string[]): string {
  return Object.entries(condition)
    .map(([key, value]) => {
      if (key === '_and' || key === '_or') {
        const parts = (value as readonly Condition[]).map((part) => printed(part, path))
        return `(${parts.join(key === '_and' ? ' and ' : ' or ')})`
      }
      if (key === '_not') return `not (${printed(value as Condition, path)})`
      if (key.startsWith('_')) return testText(path.map(name).join('.'), key, value)
      return printed(value as Condition, [...path, key])
    })
    .join(' and ')
}

/** The text without parentheses that enclose all of it. */
function unwrapped(text: string): string {
  if (!text.startsWith('(')) return text
  let depth = 0
  let isQuoted = false
  for (const [at, sign] of [...text].entries()) {
    if (sign === "'") isQuoted = !isQuoted
    if (isQuoted) continue
    depth += sign === '(' ? 1 : sign === ')' ? -1 : 0
    if (depth === 0) return at === [...text].length - 1 ? text.slice(1, -1) : text
  }
  return text
}

/** The same value, whatever the order of its keys. */
function isSame(one: unknown, other: unknown): boolean {
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null)
    return Object.is(one, other)
  const keys = Object.keys(one)
  return (
    Array.isArray(one) === Array.isArray(other) &&
    keys.length === Object.keys(other).length &&
    keys.every((key) => Object.hasOwn(other, key) && isSame(one[key as never], other[key as never]))
  )
}

/** The sentence of a rule; null where reading it would give any other rule. An empty text is the rule of all rows. */
export function ruleText(rule: unknown, types: ReadonlyMap<string, string>): string | null {
  try {
    if (isSame(rule, {})) return ''
    const text = unwrapped(printed(rule as Condition, []))
    return isSame(readFilter(text, types), rule) ? text : null
  } catch {
    // A rule of another shape.
    return null
  }
}

/** The rule of a sentence. Throws `FilterFault`. */
export const ruleOf = (text: string, types: ReadonlyMap<string, string>): Condition => readFilter(text, types) ?? {}
