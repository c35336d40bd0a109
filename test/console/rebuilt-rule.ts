// Rules that are read and written by the builder of the console.

import { type Meaning, readRule, writeRule } from '../../console/src/pages/data/rules/rule-tree.ts'

/** A rule through the builder, all levels of it. */
export function rebuilt(rule: unknown, meaning: Meaning): unknown {
  const parts = readRule(rule, meaning)
  if (!parts) return rule
  const inner = (value: object) => rebuilt(value, meaning) as Readonly<Record<string, unknown>>
  return writeRule(
    parts.map((part) => {
      if (part.kind === 'list') return { ...part, items: part.items.map(inner) }
      if (part.kind === 'not' || part.kind === 'related') return { ...part, of: inner(part.of) }
      return part.kind === 'exists' ? { ...part, where: inner(part.where) } : part
    }),
  )
}
