// The pieces of a long text, which are put together in another order than they were written in.

import type { Steps } from '../../concurrency/stepwise.ts'
import { copiedAtOnce } from '../tuning.ts'

export type Block = Buffer<ArrayBuffer>

/** Bytes within a block. */
export interface Piece {
  readonly block: Block
  readonly start: number
  readonly end: number
}

/** Pieces of a text, in their order. They are kept in columns: a long text has 100,000 pieces, and an object for each would outlive several collections. */
export class Pieces {
  readonly #blocks: Block[] = []
  readonly #starts: number[] = []
  readonly #ends: number[] = []

  get length(): number {
    return this.#blocks.length
  }

  add(block: Block, start: number, end: number): void {
    this.#blocks.push(block)
    this.#starts.push(start)
    this.#ends.push(end)
  }

  /** Adds a piece of others, without so many of its first bytes. */
  addFrom(others: Pieces, place: number, skipped = 0): void {
    this.add(others.#blocks[place]!, others.#starts[place]! + skipped, others.#ends[place]!)
  }

  addAll(others: Pieces): void {
    for (let place = 0; place < others.length; place++) this.addFrom(others, place)
  }

  /** A copy of all bytes in one buffer. */
  *joined(): Steps<Buffer> {
    let size = 0
    for (let i = 0; i < this.length; i++) size += this.#ends[i]! - this.#starts[i]!
    const bytes = Buffer.allocUnsafeSlow(size)
    let at = 0
    let paused = 0
    for (let i = 0; i < this.length; i++) {
      at += this.#blocks[i]!.copy(bytes, at, this.#starts[i], this.#ends[i])
      if (at - paused < copiedAtOnce) continue
      paused = at
      yield
    }
    return bytes
  }
}
