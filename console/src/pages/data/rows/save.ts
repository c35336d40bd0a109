// Saving staged rows: one request, each statement conditioned on the values that the person saw.

import { parseExactly } from '../../../base/json.ts'
import { memberOf } from '../../../base/members.ts'
import type { Identity } from '../../../requests/identity.ts'
import type { TableName } from '../../../server/names.ts'
import { type Operation, run } from '../../../server/operations.ts'
import { patchCells } from './cell-patches.ts'
import { isShape } from './shapes.ts'
import { type Row, rowId, type Staged, type StagedRow } from './staged.ts'

/** Types that PostgreSQL cannot compare, or not with the text that the grid has. */
const incomparable = new Set([
  'json',
  'xml',
  'point',
  'polygon',
  'path',
  'line',
  'lseg',
  'box',
  'circle',
  'txid_snapshot',
])

const isComparable = (type = ''): boolean => !incomparable.has(type) && !isShape(type)

/** A cell as the value of an argument; JSON keeps all digits. Throws where a JSON cell is not JSON. */
export function argumentOf(text: string | null, type: string | undefined): unknown {
  if (text === null) return null
  if (type === 'bool') return text === 'true' || text === 't'
  // These are numbers in JSON; wider ones keep all their digits as texts.
  if ((type === 'int2' || type === 'int4') && /^\s*-?\d+\s*$/.test(text)) return Number(text)
  const isGeoJson = isShape(type) && text.trim().startsWith('{')
  return type === 'json' || type === 'jsonb' || isGeoJson ? parseExactly(text) : text
}

const argumentsOf = (row: Row, types: ReadonlyMap<string, string>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(row).map(([name, text]) => [name, argumentOf(text, types.get(name))]))

/** The condition for the row as it was seen. */
function conditionOf({ key, old }: StagedRow, types: ReadonlyMap<string, string>): readonly object[] {
  const seen = Object.entries(old).filter(([name]) => isComparable(types.get(name)))
  const pairs = [...Object.entries(key), ...seen]
  return pairs.map(([name, text]) => ({
    [name]: text === null ? { _is_null: true } : { _eq: argumentOf(text, types.get(name)) },
  }))
}

/** The condition for a row by its key. */
export const keyCondition = (key: Row, types: ReadonlyMap<string, string>): object => ({
  _and: Object.entries(key).map(([name, text]) => ({ [name]: { _eq: argumentOf(text, types.get(name)) } })),
})

/** The operations that save staged rows, in their order. */
export function operationsOf(
  table: TableName,
  staged: Staged,
  types: ReadonlyMap<string, string>,
): readonly Operation[] {
  return Object.values(staged).map((row) => {
    if (row.kind === 'insert') return { type: 'insert', args: { table, objects: [argumentsOf(row.changes, types)] } }
    if (row.kind === 'delete') return { type: 'delete', args: { table, where: { _and: conditionOf(row, types) } } }
    const { rest, conditions, $patch } = patchCells(row, types)
    const where = { _and: [...conditionOf(rest, types), ...conditions] }
    const $set = argumentsOf(rest.changes, types)
    return { type: 'update', args: { table, where, $set, ...($patch && { $patch }) } }
  })
}

interface SaveOptions {
  readonly table: TableName
  readonly staged: Staged
  readonly types: ReadonlyMap<string, string>
  readonly as: Identity
}

/** Saves staged rows; answers those that another person had changed meanwhile, as conflicts. Throws `RequestFailed`. */
export async function saveRows({ table, staged, types, as }: SaveOptions): Promise<Staged> {
  const results = await run<readonly { readonly affected_rows: number }[]>('bulk', operationsOf(table, staged, types), {
    as,
  })
  const entries = Object.entries(staged).filter((_, index) => results[index]?.affected_rows === 0)
  return Object.fromEntries(entries.map(([id, row]) => [id, { ...row, isConflict: true }]))
}

/** The edits that take saved ones back; null: the page does not know enough, as after a row went. */
export function inverseOf(saved: Staged): Staged | null {
  const rows = Object.values(saved)
  const isKnown = ({ kind, old, changes }: StagedRow) =>
    kind === 'update' && Object.keys(changes).every((name) => Object.hasOwn(old, name))
  if (!rows.every(isKnown)) return null
  const inverse = rows.map(({ key, old, changes }): StagedRow => {
    const now = Object.entries(key).map(([name, value]) => [name, memberOf(changes, name) ?? value] as const)
    const before = Object.entries(old).filter(([name]) => Object.hasOwn(changes, name))
    return { kind: 'update', key: Object.fromEntries(now), old: changes, changes: Object.fromEntries(before) }
  })
  return Object.fromEntries(inverse.map((row) => [rowId(row.key), row]))
}
