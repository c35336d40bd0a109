// The bytes of a long text that is written in pieces and put together in another order.

import type { Steps } from '../../concurrency/stepwise.ts'
import { copiedAtOnce, firstBlock, largestBlock } from '../tuning.ts'

/** Bytes within a block. */
interface Piece {
  readonly block: Buffer<ArrayBuffer>
  readonly start: number
  end: number
}

/** Pieces of a text, in their order. */
export type Pieces = readonly Piece[]

/** Bytes that a character of a string may take. */
const mostPerCharacter = 3

export class BytePieces {
  #block = Buffer.allocUnsafeSlow(firstBlock)
  #used = 0
  #pieces: Piece[] = []

  write(text: string): void {
    const most = text.length * mostPerCharacter
    if (most > this.#block.length - this.#used) {
      const size = Math.max(most, Math.min(2 * this.#block.length, largestBlock))
      this.#block = Buffer.allocUnsafeSlow(size)
      this.#used = 0
    }
    const start = this.#used
    this.#used += this.#block.write(text, start)
    const last = this.#pieces.at(-1)
    if (last?.block === this.#block && last.end === start) last.end = this.#used
    else this.#pieces.push({ block: this.#block, start, end: this.#used })
  }

  /** Takes out the pieces written since the last call. */
  take(): Pieces {
    const pieces = this.#pieces
    this.#pieces = []
    return pieces
  }

  /** Adds pieces that were taken out. */
  add(pieces: Pieces): void {
    this.#pieces.push(...pieces)
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
