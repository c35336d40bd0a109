// Collects bytes that arrive in pieces. Each piece is an object of some hundred bytes. A client that sends its body
// byte by byte would make the server hold a hundred times as much.

import { Buffer } from 'node:buffer'
import { blockSize, shortPiece } from '../tuning.ts'

/** The bytes of a body that is still arriving. */
export class GatheredBytes {
  readonly #pieces: Buffer[] = []
  /** The block for short pieces; the part from `#start` to `#end` is not in `#pieces` yet. */
  #block: Buffer | null = null
  #start = 0
  #end = 0
  #size = 0

  get size(): number {
    return this.#size
  }

  add(piece: Buffer): void {
    this.#size += piece.length
    // Most bodies are one piece.
    if (piece.length >= shortPiece || this.#pieces.length === 0) this.#push(piece)
    else this.#copy(piece)
  }

  /** Returns all bytes in one buffer. */
  whole(): Buffer {
    this.#closePart()
    return this.#pieces.length === 1 ? this.#pieces[0]! : Buffer.concat(this.#pieces, this.#size)
  }

  #push(piece: Buffer): void {
    this.#closePart()
    this.#pieces.push(piece)
  }

  #copy(piece: Buffer): void {
    if (this.#block === null || this.#end + piece.length > blockSize) {
      this.#closePart()
      this.#block = Buffer.allocUnsafe(blockSize)
      this.#start = 0
      this.#end = 0
    }
    this.#end += piece.copy(this.#block, this.#end)
  }

  /** Adds the bytes copied since the last call to the pieces. */
  #closePart(): void {
    if (this.#block !== null && this.#end > this.#start) this.#pieces.push(this.#block.subarray(this.#start, this.#end))
    this.#start = this.#end
  }
}
