// Bytes that come in pieces, whoever cuts them: each piece is an object of some hundred bytes, so that a client which sends its
// body byte by byte would have the server hold a hundred times as much.

import { Buffer } from 'node:buffer'

/** Shorter pieces are copied behind each other; longer ones are not worth it. */
const short = 1024
const blockSize = 16_384

/** The bytes of a body on their way. */
export class GatheredBytes {
  readonly #pieces: Buffer[] = []
  /** Where short pieces are copied to, and which part of it is none of the pieces yet. */
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
    if (piece.length >= short || this.#pieces.length === 0) this.#push(piece)
    else this.#copy(piece)
  }

  /** All of them as one. */
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

  /** Makes a piece of what was copied since the last one. */
  #closePart(): void {
    if (this.#block !== null && this.#end > this.#start) this.#pieces.push(this.#block.subarray(this.#start, this.#end))
    this.#start = this.#end
  }
}
