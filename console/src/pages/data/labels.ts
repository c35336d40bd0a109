// A row in a few words, for lists of rows.

import type { BrowsedRows } from './rows/model.ts'

/** The cells of a row by column. */
export type Cells = ReadonlyMap<string, string | null>

/** The rows of an answer with their cells by column. */
export const cellsOf = ({ columns, rows }: BrowsedRows): readonly Cells[] =>
  rows.map((row) => new Map(columns.map(({ name }, at) => [name, row[at] ?? null])))

const texts = new Set(['text', 'varchar', 'bpchar', 'citext', 'name'])

/** The column whose text names a row beside its key: the first text. */
export const labelColumnOf = ({ columns, key }: Pick<BrowsedRows, 'columns' | 'key'>): string | undefined =>
  columns.find(({ name, type }) => texts.has(type) && !key?.includes(name))?.name

/** A row in a few words: its key, and its first text. */
export function labelOf(browsed: BrowsedRows, cells: Cells): string {
  const named = labelColumnOf(browsed)
  const parts = [...(browsed.key ?? []), ...(named === undefined ? [] : [named])].map((name) => cells.get(name))
  const known = parts.filter((part) => part !== null && part !== undefined && part !== '')
  return known.length > 0 ? known.join(' ') : [...cells.values()].filter(Boolean).slice(0, 2).join(' ')
}
