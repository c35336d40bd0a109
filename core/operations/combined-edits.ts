// Consecutive edits of a bulk that are resolved together. Resolving walks the whole document, so one walk for each of a
// thousand members would take a thousand times as long.

import type { EditStep, MetadataEdit } from '../metadata/serving/edit.ts'
import type { MetadataState } from '../metadata/serving/state.ts'
import type { Call } from './envelope.ts'

/** The group of an operation's edit; null: it is resolved by itself. */
export function groupOf({ operation, args }: Call): string | null {
  const { group = null } = operation
  return typeof group === 'function' ? group(args) : group
}

/** Throws if edits together leave the metadata worse than before. */
type Accept = (before: MetadataState, after: MetadataState) => void

/** The edits of one group at a time. */
export class CombinedEdits {
  readonly #edit: MetadataEdit
  readonly #accept: Accept
  #group: string | null = null
  #step: EditStep | null = null

  constructor(edit: MetadataEdit, accept: Accept) {
    this.#edit = edit
    this.#accept = accept
  }

  /** Whether there are edits that were not resolved, or were refused. */
  get isPending(): boolean {
    return this.#step !== null
  }

  /** Begins an operation of a group; the edits of another group are resolved first. */
  async enter(group: string | null): Promise<void> {
    if (group !== this.#group) await this.resolve()
    this.#group = group
  }

  /** The step that the edits of the current group belong to. */
  step(): EditStep {
    this.#step ??= this.#edit.begin()
    return this.#step
  }

  /** Resolves the edits so far; later operations see them. */
  async resolve(): Promise<void> {
    const step = this.#step
    if (!step) return
    const before = this.#edit.state
    const after = await this.#edit.resolve(step)
    this.#accept(before, after)
    this.#edit.accept(step, after)
    this.#step = null
  }
}
