// Edits of the metadata, each based on the version that the person saw. A conflict is shown as base, theirs and mine.

import { createStore } from '../base/store.ts'
import { asFailure } from '../requests/failure.ts'
import type { Operation } from './operations.ts'
import { runAll } from './operations.ts'
import { type Metadata, metadataQuery, queries, refreshMetadata, seenMetadata } from './queries.ts'

/** An edit. */
export interface Edit {
  /** A verb with its object, as `Track 11 tables`. */
  readonly title: string
  /**
   * From the newest metadata, where they depend on them. `isOnTop`: the person saw the part as it is now, and saves over it,
   * also where somebody else created the object or removed it.
   */
  readonly operations: readonly Operation[] | ((now: Metadata, isOnTop: boolean) => readonly Operation[])
  /** The metadata that the person saw; absent: those of the page. */
  readonly base?: Metadata
  /** The part of a document that the edit is about, for showing a conflict; absent: the whole document. */
  part?(metadata: Metadata): unknown
  /** The part as it would be, for showing a conflict; absent: the operations. */
  readonly mine?: unknown
}

/** A conflict that a person has to decide. */
export interface Conflict {
  readonly title: string
  readonly base: unknown
  readonly theirs: unknown
  readonly mine: unknown
  /** True: send the edit on top of theirs. */
  decide(overwrites: boolean): void
}

/** The conflict that the shell shows; null: there is no conflict. */
export const conflict = createStore<Conflict | null>(null)

const operationsAt = (operations: Edit['operations'], now: Metadata, isOnTop: boolean): readonly Operation[] =>
  typeof operations === 'function' ? operations(now, isOnTop) : operations

/**
 * Sends an edit as one request, and reads the metadata again. Answers the results of its operations; null: somebody else
 * had edited, and the person kept theirs. Throws `RequestFailed`.
 */
export async function edit({
  title,
  operations,
  base,
  part = (all) => all.metadata,
  mine,
}: Edit): Promise<readonly unknown[] | null> {
  let seen = base ?? (await seenMetadata())
  const first = seen
  let isOnTop = false
  for (;;) {
    try {
      const results = await runAll(operationsAt(operations, seen, isOnTop), { basedOn: seen.resource_version })
      await refreshMetadata()
      return results
    } catch (error) {
      if (asFailure(error).facts.status !== 409) throw error
      const now = await queries.fetchQuery({ ...metadataQuery, staleTime: 0 })
      // An operation conflicts with something else than another edit.
      if (now.resource_version === seen.resource_version) throw error
      const theirs = part(now)
      // The other edit was of another part, and stays.
      if (JSON.stringify(theirs) !== JSON.stringify(part(seen))) {
        const shown = { title, base: part(first), theirs, mine: mine ?? operationsAt(operations, now, true) }
        const overwrites = await new Promise<boolean>((decide) => conflict.set({ ...shown, decide }))
        conflict.set(null)
        if (!overwrites) return null
        isOnTop = true
      }
      seen = now
    }
  }
}

/** Puts the metadata back as it was before an edit; refused with 409 unless that edit was the only one since. */
export async function undo(before: Metadata): Promise<void> {
  const args = { metadata: before.metadata, allow_inconsistent_metadata: true }
  await runAll([{ type: 'replace_metadata', version: 2, args }], { basedOn: before.resource_version + 1 })
  await refreshMetadata()
}
