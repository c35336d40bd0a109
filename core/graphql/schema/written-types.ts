// The types of an introspection as bytes, in the order in which they were written, and then in that of their names.

import type { Steps } from '../../concurrency/stepwise.ts'
import type { ByteText, NamedPiece, Pieces } from './byte-text.ts'
import { sortedByName } from './sorted-by-name.ts'

export class WrittenTypes {
  readonly #bytes: ByteText
  /** The first piece of each type starts with a comma. */
  readonly #pieces: NamedPiece[] = []
  #count = 0

  constructor(bytes: ByteText) {
    this.#bytes = bytes
  }

  /** Adds the type that was written after a comma. */
  add(name: string): void {
    this.#bytes.takeInto(this.#pieces, name)
    this.#count++
  }

  /** All types in the order of their names, with commas between them; and whether two of them share a name. */
  *inOrder(): Steps<{ readonly pieces: Pieces; readonly isAmbiguous: boolean }> {
    // Pieces of one type stay in their order.
    const pieces = yield* sortedByName(this.#pieces)
    let names = 0
    for (let i = 0; i < pieces.length; i++) if (pieces[i]!.name !== pieces[i - 1]?.name) names++
    const [first] = pieces
    if (first) pieces[0] = { ...first, start: first.start + 1 }
    return { pieces, isAmbiguous: names < this.#count }
  }
}
