// Changes of large JSON cells as patches: neither the new value nor the old one is sent whole.

import { parseExactly } from '../../../base/json.ts'
import { type PatchOperation, patchBetween } from '../../../base/json-patch.ts'
import { memberOf } from '../../../base/members.ts'
import { type Row, type StagedRow, withoutKey } from './staged.ts'
import { largeCharacters } from './tuning.ts'

/** Operations that the server takes in one update. */
const mostOperations = 100

interface PatchedRow {
  /** The row without the cells that are patched. */
  readonly rest: StagedRow
  /** Conditions that no operation of a patch can have. */
  readonly conditions: readonly object[]
  /** The operations by column; absent: no cell is patched. */
  readonly $patch?: Readonly<Record<string, readonly PatchOperation[]>>
}

/** Takes the large JSON cells out of a changed row whose patches are much shorter than their values. */
export const patchCells = (row: StagedRow, types: ReadonlyMap<string, string>): PatchedRow =>
  Object.keys(row.changes)
    .filter((column) => types.get(column) === 'jsonb')
    .reduce<PatchedRow>(withPatch, { rest: row, conditions: [] })

function withPatch(row: PatchedRow, column: string): PatchedRow {
  const { rest, conditions, $patch = {} } = row
  const [before, after] = [memberOf(rest.old, column), memberOf(rest.changes, column)]
  if (!before || !after || before.length <= largeCharacters) return row
  const used = Object.values($patch).flat().length
  const patch = patchBetween(parseExactly(before), parseExactly(after), mostOperations - used)
  if (!patch || patch.operations.length === 0) return row
  const { operations, absent } = patch
  if (JSON.stringify(operations).length > before.length / 2) return row
  const others = (cells: Row) => withoutKey(cells, column)
  return {
    rest: { ...rest, old: others(rest.old), changes: others(rest.changes) },
    conditions: [...conditions, ...absent.map((key) => ({ _not: { [column]: { _has_key: key } } }))],
    $patch: { ...$patch, [column]: operations },
  }
}
