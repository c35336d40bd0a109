// Parts of the metadata that differ, as the server lists them in histories and simulations.

import { singularOf, wordsOf } from './member-words.ts'
import { type TableName, tableLabel } from './names.ts'

/** A part of the metadata that differs. */
export interface PartChange {
  readonly part: string
  readonly table?: TableName
  readonly member?: string
  readonly name?: string
  /** Absent: it is new. */
  readonly before?: unknown
  /** Absent: it goes. */
  readonly after?: unknown
}

/** The name of the part, as `table album select permission fan`, or `remote schema people`. */
export function partTitle({ part, table, member, name }: PartChange): string {
  const titleOf = name === undefined ? wordsOf : singularOf
  return [table ? `table ${tableLabel(table)}` : titleOf(part), member && titleOf(member), name]
    .filter(Boolean)
    .join(' ')
}

/** The change of the part in a word. */
export const partVerb = ({ before, after }: PartChange): string =>
  before === undefined ? 'added' : after === undefined ? 'removed' : 'changed'

/** A text that two parts of a list never share. */
export const partKey = ({ part, table, member, name }: PartChange): string =>
  JSON.stringify([part, table, member, name])

/** The changes of versions as one, the oldest version first: each part with its first and last value. */
export function mergedPatches(patches: readonly (readonly PartChange[])[]): readonly PartChange[] {
  const merged = new Map<string, PartChange>()
  for (const change of patches.flat()) {
    const first = merged.get(partKey(change))
    const { before: _, after: __, ...place } = change
    const before = first ? first.before : change.before
    merged.set(partKey(change), {
      ...place,
      ...(before !== undefined && { before }),
      ...(change.after !== undefined && { after: change.after }),
    })
  }
  return [...merged.values()].filter(({ before, after }) => JSON.stringify(before) !== JSON.stringify(after))
}
