// The bytes of a long text that is written in pieces and put together in another order.

import type { Steps } from '../../concurrency/stepwise.ts'
import { copiedAtOnce, firstBlock, largestBlock } from '../tuning.ts'

/** Bytes within a block. */
export interface Piece {
  readonly block: Buffer<ArrayBuffer>
  readonly start: number
  end: number
}

/** Pieces of a text, in their order. */
export type Pieces = readonly Piece[]

export class BytePieces {
  #block = Buffer.allocUnsafeSlow(firstBlock)
  #used = 0
  #pieces: Piece[] = []

  write(text: string): void {
    const length = Buffer.byteLength(text)
    const start = this.#encode(text, length)
    this.#append({ block: this.#block, start, end: this.#used })
  }

  /**
   * The pieces of a text's parts, of which each ends at one of `ends`; they are not among those that are taken out. Many short
   * texts are turned into bytes as one: a call for each would cost more than the bytes.
   */
  ofParts(text: string, ends: readonly number[]): Pieces {
    const length = Buffer.byteLength(text)
    const isAscii = length === text.length
    let start = this.#encode(text, length)
    const block = this.#block
    return ends.map((end, i) => {
      const from = i === 0 ? 0 : ends[i - 1]!
      const bytes = isAscii ? end - from : Buffer.byteLength(text.slice(from, end))
      const piece = { block, start, end: start + bytes }
      start = piece.end
      return piece
    })
  }

  /** Where the bytes of a text start in the block. */
  #encode(text: string, length: number): number {
    if (length > this.#block.length - this.#used) {
      const size = Math.max(length, Math.min(2 * this.#block.length, largestBlock))
      this.#block = Buffer.allocUnsafeSlow(size)
      this.#used = 0
    }
    const start = this.#used
    // A text of ASCII characters is copied as it is.
    this.#block.write(text, start, length === text.length ? 'latin1' : 'utf8')
    this.#used += length
    return start
  }

  /** Takes out the pieces written since the last call. */
  take(): Pieces {
    const pieces = this.#pieces
    this.#pieces = []
    return pieces
  }

  /** Adds a piece, or those that were taken out. */
  add(pieces: Piece | Pieces): void {
    if ('block' in pieces) this.#append(pieces)
    else for (const piece of pieces) this.#append(piece)
  }

  /** Adds a piece, which may become the rest of the last one. */
  #append(piece: Piece): void {
    const last = this.#pieces.at(-1)
    if (last?.block === piece.block && last.end === piece.start) last.end = piece.end
    else this.#pieces.push(piece)
  }
}

/** All bytes of the pieces, one after another; the pieces cannot be used again. */
export function* joined(pieces: Pieces): Steps<Buffer> {
  const bytes = Buffer.allocUnsafeSlow(pieces.reduce((size, { start, end }) => size + end - start, 0))
  let at = 0
  let paused = 0
  for (const { block, start, end } of pieces) {
    at += block.copy(bytes, at, start, end)
    if (at - paused < copiedAtOnce) continue
    paused = at
    yield
  }
  // Without this their memory would stay until the garbage collector finds time: large schemas have 50 MB of pieces.
  for (const block of new Set(pieces.map(({ block }) => block))) block.buffer.transfer(0)
  return bytes
}
