// The types of an introspection as bytes, in the order in which they were written, and then in that of their names.

import type { Steps } from '../../concurrency/stepwise.ts'
import { compareNaturally } from '../../names/natural-order.ts'
import { encodedAtOnce } from '../tuning.ts'
import type { BytePieces, Piece, Pieces } from './byte-pieces.ts'
import { sortedByName } from './whole-schema.ts'

/** The bytes of a type after a comma. */
interface WrittenType {
  readonly name: string
  readonly pieces: Piece | Pieces
}

interface TypeText {
  readonly name: string
  readonly text: string
}

const byName = (a: TypeText, b: TypeText) => compareNaturally(a.name, b.name)

export class WrittenTypes {
  readonly #bytes: BytePieces
  readonly #types: WrittenType[] = []
  /** Types that are not yet bytes, and the characters of their texts. */
  #waiting: TypeText[] = []
  #length = 0

  constructor(bytes: BytePieces) {
    this.#bytes = bytes
  }

  /** Adds the text of a type; many of them are turned into bytes at once. */
  addText(name: string, text: string): void {
    this.#waiting.push({ name, text })
    this.#length += text.length
    if (this.#length > encodedAtOnce) this.#encode()
  }

  /** Adds the bytes of a type after a comma. */
  addPieces(name: string, pieces: Pieces): void {
    this.#types.push({ name, pieces })
  }

  /** All types in the order of their names, with commas between them. */
  *inOrder(): Steps<Iterable<Piece | Pieces>> {
    this.#encode()
    const all = (yield* sortedByName(this.#types)).map(({ pieces }) => pieces)
    const [first, ...others] = all
    return first ? [withoutComma(first), ...others] : all
  }

  #encode(): void {
    // Types of one table are often reached together: most are in order from now on, and next to each other.
    const waiting = this.#waiting.sort(byName)
    let end = 0
    const ends = waiting.map(({ text }) => {
      end += 1 + text.length
      return end
    })
    const all = waiting.length === 0 ? '' : `,${waiting.map(({ text }) => text).join(',')}`
    for (const [i, pieces] of this.#bytes.ofParts(all, ends).entries()) {
      this.#types.push({ name: waiting[i]!.name, pieces })
    }
    this.#waiting = []
    this.#length = 0
  }
}

const withoutComma = (pieces: Piece | Pieces): Piece | Pieces =>
  'block' in pieces ? afterComma(pieces) : [afterComma(pieces[0]!), ...pieces.slice(1)]

const afterComma = (piece: Piece): Piece => ({ ...piece, start: piece.start + 1 })
