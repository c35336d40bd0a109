// A rule as a tree that a form can edit. Members that the form does not know stay as they are, so that nothing is lost.

import { isObject } from '../../../base/objects.ts'

/** A boolean expression, or a part of one. */
export type Expression = Readonly<Record<string, unknown>>

/** A comparison of a column; the operator null stands for a bare value, which is compared by `_eq`. */
export interface RuleTest {
  readonly operator: string | null
  readonly value: unknown
}

/** A member of an expression; `key` is its spelling. */
export type RulePart =
  | { readonly kind: 'list'; readonly key: string; readonly items: readonly Expression[] }
  | { readonly kind: 'not'; readonly key: string; readonly of: Expression }
  | { readonly kind: 'exists'; readonly key: string; readonly table: unknown; readonly where: Expression }
  | { readonly kind: 'related'; readonly key: string; readonly of: Expression }
  | { readonly kind: 'column'; readonly key: string; readonly tests: readonly RuleTest[] }
  | { readonly kind: 'json'; readonly key: string; readonly value: unknown }

/** The meaning of a name on a table; undefined: it is not known. */
export type Meaning = (name: string) => 'column' | 'related' | undefined

/** Whether a value names a table. */
export const isTableName = (value: unknown): value is string | { readonly schema?: string; readonly name: string } =>
  typeof value === 'string' || (isObject(value) && typeof value['name'] === 'string')

const has = (value: Expression, ...names: readonly string[]): boolean =>
  Object.keys(value).length === names.length && names.every((name) => Object.hasOwn(value, name))

function partOf(key: string, value: unknown, meaning: Meaning): RulePart {
  const kind = meaning(key)
  if (kind === 'column') {
    const tests = isObject(value)
      ? Object.entries(value).map(([operator, operand]) => ({ operator, value: operand }))
      : [{ operator: null, value }]
    return { kind, key, tests }
  }
  const word = key.replace(/^\$/, '_')
  if ((word === '_and' || word === '_or') && Array.isArray(value) && value.every(isObject)) {
    return { kind: 'list', key, items: value }
  }
  if (isObject(value)) {
    if (kind === 'related') return { kind, key, of: value }
    if (word === '_not') return { kind: 'not', key, of: value }
    const where = value['_where']
    const table = value['_table']
    if (word === '_exists' && has(value, '_table', '_where') && isTableName(table) && isObject(where)) {
      return { kind: 'exists', key, table, where }
    }
  }
  return { kind: 'json', key, value }
}

/** The parts of an expression, which hold together; null: it is not an object. */
export const readRule = (rule: unknown, meaning: Meaning): readonly RulePart[] | null =>
  isObject(rule) ? Object.entries(rule).map(([key, value]) => partOf(key, value, meaning)) : null

function memberValue(part: RulePart): unknown {
  switch (part.kind) {
    case 'list':
      return part.items
    case 'not':
    case 'related':
      return part.of
    case 'exists':
      return { _table: part.table, _where: part.where }
    case 'column': {
      const [only] = part.tests
      if (only && part.tests.length === 1 && only.operator === null) return only.value
      return Object.fromEntries(part.tests.map(({ operator, value }) => [operator ?? '_eq', value]))
    }
    case 'json':
      return part.value
  }
}

/** The expression of parts. Parts of the same key become members of an `_and`. */
export function writeRule(parts: readonly RulePart[]): Expression {
  const entries = parts.map((part) => [part.key, memberValue(part)] as const)
  if (new Set(parts.map(({ key }) => key)).size === parts.length) return Object.fromEntries(entries)
  return { _and: entries.map(([key, value]) => Object.fromEntries([[key, value]])) }
}

/** The parts with another one in the place of one, or without it. */
export const replaced = <T>(list: readonly T[], at: number, ...by: readonly T[]): readonly T[] => [
  ...list.slice(0, at),
  ...by,
  ...list.slice(at + 1),
]

/** The words for groups: how their members belong together. */
export type GroupWord = '_and' | '_or' | '_not' | '_exists'

const expressionsIn = (part: RulePart): readonly Expression[] => {
  if (part.kind === 'list') return part.items
  if (part.kind === 'not') return [part.of]
  return part.kind === 'exists' ? [] : [Object.fromEntries([[part.key, memberValue(part)]])]
}

const together = (items: readonly Expression[]): Expression => (items.length === 1 ? items[0]! : { _and: items })

/** A part as a group of another word, with the same members as far as they have a meaning there. */
export function regrouped(part: RulePart, word: GroupWord, table: unknown): RulePart {
  const items = expressionsIn(part)
  if (word === '_not') return { kind: 'not', key: word, of: items.length === 0 ? {} : together(items) }
  if (word === '_exists') return { kind: 'exists', key: word, table, where: {} }
  return { kind: 'list', key: word, items }
}
