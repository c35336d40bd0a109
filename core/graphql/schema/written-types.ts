// The types of an introspection as bytes, in the order in which they were written, and then in that of their names.

import type { Steps } from '../../concurrency/stepwise.ts'
import { encodedAtOnce } from '../tuning.ts'
import type { BytePieces, Piece, Pieces } from './byte-pieces.ts'
import { sortedByName } from './whole-schema.ts'

/** The bytes of a type after a comma. */
interface WrittenType {
  readonly name: string
  readonly pieces: Piece | Pieces
}

export class WrittenTypes {
  readonly #bytes: BytePieces
  readonly #types: WrittenType[] = []
  /** Texts of types that are not yet bytes, one after another; their names, and where each of them ends. */
  #text = ''
  #names: string[] = []
  #ends: number[] = []

  constructor(bytes: BytePieces) {
    this.#bytes = bytes
  }

  /** Adds the text of a type; many of them are turned into bytes at once. */
  addText(name: string, text: string): void {
    this.#text += `,${text}`
    this.#names.push(name)
    this.#ends.push(this.#text.length)
    if (this.#text.length > encodedAtOnce) this.#encode()
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
    const names = this.#names
    for (const [i, pieces] of this.#bytes.ofParts(this.#text, this.#ends).entries()) {
      this.#types.push({ name: names[i]!, pieces })
    }
    this.#text = ''
    this.#names = []
    this.#ends = []
  }
}

const withoutComma = (pieces: Piece | Pieces): Piece | Pieces =>
  'block' in pieces ? afterComma(pieces) : [afterComma(pieces[0]!), ...pieces.slice(1)]

const afterComma = (piece: Piece): Piece => ({ ...piece, start: piece.start + 1 })
