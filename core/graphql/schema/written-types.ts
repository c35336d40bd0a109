// The types of an introspection as bytes, in the order in which they were written, and then in that of their names.

import type { Steps } from '../../concurrency/stepwise.ts'
import type { ByteText, NamedPiece, Pieces } from './byte-text.ts'
import { sortedByName } from './sorted-by-name.ts'

export class WrittenTypes {
  readonly #bytes: ByteText
  /** The first piece of each type starts with a comma. */
  readonly #pieces: NamedPiece[] = []

  constructor(bytes: ByteText) {
    this.#bytes = bytes
  }

  /** Adds the type that was written after a comma. */
  add(name: string): void {
    this.#bytes.takeInto(this.#pieces, name)
  }

  /** All types in the order of their names, with commas between them. */
  *inOrder(): Steps<Pieces> {
    // Pieces of one type stay in their order.
    const pieces = yield* sortedByName(this.#pieces)
    const [first] = pieces
    if (first) pieces[0] = { ...first, start: first.start + 1 }
    return pieces
  }
}
