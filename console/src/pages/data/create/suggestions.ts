// Types and defaults that the form of a new table suggests.

import type { Suggestion } from '../../../parts/suggestion.ts'
import { sqlText } from '../sql-names.ts'
import { identity } from './new-table.ts'

/** A type of the database. */
export interface DatabaseType {
  /** As SQL names it. */
  readonly name: string
  /** As `enum` or `domain`. */
  readonly kind: string
  /** The values of an enum. */
  readonly labels: readonly string[]
}

const common: readonly Suggestion[] = [
  { value: 'text', note: 'any length' },
  { value: 'integer', note: '4 bytes' },
  { value: 'bigint', note: '8 bytes' },
  { value: 'smallint', note: '2 bytes' },
  { value: 'numeric', note: 'exact' },
  { value: 'numeric(10, 2)', note: 'exact' },
  { value: 'double precision', note: '8 bytes, rounded' },
  { value: 'real', note: '4 bytes, rounded' },
  { value: 'boolean', note: 'true, false' },
  { value: 'uuid', note: '128 bits' },
  { value: 'timestamptz', note: 'a moment' },
  { value: 'timestamp', note: 'no time zone' },
  { value: 'date', note: 'a day' },
  { value: 'time', note: 'of a day' },
  { value: 'interval', note: 'a duration' },
  { value: 'jsonb', note: 'JSON, indexed' },
  { value: 'json', note: 'JSON as written' },
  { value: 'varchar(255)', note: 'a limit' },
  { value: 'char(2)', note: 'fixed length' },
  { value: 'bytea', note: 'bytes' },
  { value: 'text[]', note: 'a list' },
  { value: 'integer[]', note: 'a list' },
  { value: 'inet', note: 'an address' },
  { value: 'tsvector', note: 'text search' },
]

/** The types that a column can have: those of the database after the common ones. */
export const typeSuggestions = (types: readonly DatabaseType[]): readonly Suggestion[] => [
  ...common,
  ...types.map(({ name, kind }) => ({ value: name, note: kind })),
]

const families: readonly (readonly [RegExp, readonly Suggestion[]])[] = [
  [/\[\s*\d*\s*\]$/, [{ value: "'{}'", note: 'an empty list' }]],
  [/^(?:smallint|integer|bigint|int[248]?)$/i, [{ value: identity, note: 'counts up' }, { value: '0' }]],
  [/^(?:numeric|decimal|double precision|real|float)/i, [{ value: '0' }]],
  [/^uuid$/i, [{ value: 'gen_random_uuid()', note: 'random' }]],
  [/^timestamp/i, [{ value: 'now()', note: 'of the insert' }]],
  [/^date$/i, [{ value: 'current_date', note: 'of the insert' }]],
  [/^time/i, [{ value: 'localtime', note: 'of the insert' }]],
  [/^bool/i, [{ value: 'false' }, { value: 'true' }]],
  [
    /^jsonb?$/i,
    [
      { value: "'{}'", note: 'an object' },
      { value: "'[]'", note: 'a list' },
    ],
  ],
  [/^(?:text|varchar|char|citext)/i, [{ value: "''", note: 'an empty text' }]],
]

/** Defaults of a column of a type. */
export function defaultSuggestions(type: string, types: readonly DatabaseType[]): readonly Suggestion[] {
  const name = type.trim()
  const own = types.find((each) => each.name === name)
  if (own) return own.labels.map((label) => ({ value: sqlText(label) }))
  return families.find(([pattern]) => pattern.test(name))?.[1] ?? []
}

const generated = new Set([identity, 'gen_random_uuid()'])

/** The default once another type is chosen: a generated key fits its type. */
export function defaultAfter(type: string, before: string): string {
  const [first] = defaultSuggestions(type, [])
  return generated.has(before) && first && generated.has(first.value) ? first.value : before
}
