// A long text as bytes, written in pieces that are put together in another order. An answer of 100 MB consists of millions
// of short texts: strings of them would be garbage, which costs more than the bytes.

import { atOnce, type Steps } from '../../concurrency/stepwise.ts'
import { fewBytes, firstBlock, largestBlock, shortText } from '../tuning.ts'
import { type Block, type Piece, Pieces } from './pieces.ts'

/** The bytes of a text that is written many times. */
export const bytesOf = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text))

/** The bytes that were written. */
export const bytesIn = (out: ByteText): Uint8Array => Uint8Array.from(atOnce(out.joined()))

const quote = 34
const backslash = 92

export class ByteText {
  #block: Block
  readonly #blocks: Block[] = []
  #used = 0
  /** The start of the piece that is being written. */
  #start = 0
  #pieces = new Pieces()

  /** `first` is the number of bytes in the first block. */
  constructor(first: number = firstBlock) {
    this.#block = Buffer.allocUnsafeSlow(first)
    this.#blocks.push(this.#block)
  }

  text(text: string): void {
    if (!this.#short(text)) this.#long(text)
  }

  /** A short text of ASCII characters; false: it is another one, and nothing was written. */
  #short(text: string): boolean {
    const { length } = text
    if (length > shortText) return false
    this.#reserve(length)
    const block = this.#block
    const used = this.#used
    for (let i = 0; i < length; i++) {
      const code = text.charCodeAt(i)
      if (code > 127) return false
      block[used + i] = code
    }
    this.#used = used + length
    return true
  }

  /** A text that is not short costs less in one call, which a short one does not. */
  #long(text: string): void {
    const length = Buffer.byteLength(text)
    this.#reserve(length)
    // A text of ASCII characters is copied as it is.
    this.#block.write(text, this.#used, length === text.length ? 'latin1' : 'utf8')
    this.#used += length
  }

  /** The text as JSON. */
  json(text: string): void {
    if (!this.#shortJson(text)) this.#long(JSON.stringify(text))
  }

  /** A short text without characters that JSON escapes. */
  #shortJson(text: string): boolean {
    const { length } = text
    if (length > shortText) return false
    this.#reserve(length + 2)
    const block = this.#block
    let at = this.#used
    block[at++] = quote
    for (let i = 0; i < length; i++) {
      const code = text.charCodeAt(i)
      if (code < 32 || code > 127 || code === quote || code === backslash) return false
      block[at++] = code
    }
    block[at++] = quote
    this.#used = at
    return true
  }

  bytes(bytes: Uint8Array): void {
    const { length } = bytes
    this.#reserve(length)
    const block = this.#block
    const used = this.#used
    if (length > fewBytes) block.set(bytes, used)
    else for (let i = 0; i < length; i++) block[used + i] = bytes[i]!
    this.#used = used + length
  }

  /** The same bytes as those of a piece. */
  copy({ block, start, end }: Piece): void {
    this.#reserve(end - start)
    block.copy(this.#block, this.#used, start, end)
    this.#used += end - start
  }

  byte(code: number): void {
    this.#reserve(1)
    this.#block[this.#used++] = code
  }

  /** The place of what is written next, for `since`. */
  mark(): Piece {
    return { block: this.#block, start: this.#used, end: this.#used }
  }

  /** The bytes that were written since the mark; null: they are not in one block. */
  since({ block, start }: Piece): Piece | null {
    return block === this.#block ? { block, start, end: this.#used } : null
  }

  /** Takes out what was written since the last call. */
  take(): Pieces {
    this.#end()
    const pieces = this.#pieces
    this.#pieces = new Pieces()
    return pieces
  }

  /** Takes out what was written since the last call, and adds it to other pieces. Returns their number. */
  takeInto(others: Pieces): number {
    const before = others.length
    if (this.#pieces.length > 0) others.addAll(this.take())
    else if (this.#used > this.#start) others.add(this.#block, this.#start, this.#used)
    this.#start = this.#used
    return others.length - before
  }

  /** Adds pieces that were taken out. */
  add(pieces: Pieces): void {
    this.#end()
    this.#pieces.addAll(pieces)
  }

  /** Adds a piece that was taken out, without so many of its first bytes. */
  addFrom(pieces: Pieces, place: number, skipped: number): void {
    if (this.#used > this.#start) this.#end()
    this.#pieces.addFrom(pieces, place, skipped)
  }

  #end(): void {
    if (this.#used > this.#start) this.#pieces.add(this.#block, this.#start, this.#used)
    this.#start = this.#used
  }

  #reserve(length: number): void {
    if (length <= this.#block.length - this.#used) return
    this.#end()
    const size = Math.max(length, Math.min(2 * this.#block.length, largestBlock))
    this.#block = Buffer.allocUnsafeSlow(size)
    this.#blocks.push(this.#block)
    this.#used = 0
    this.#start = 0
  }

  /** Everything that was written, in one buffer; nothing can be written afterwards. */
  *joined(): Steps<Buffer> {
    const bytes = yield* this.take().joined()
    this.drop()
    return bytes
  }

  /** Gives back the memory, which would stay until the garbage collector finds time: large schemas take 50 MB. */
  drop(): void {
    for (const { buffer } of this.#blocks.splice(0)) buffer.transfer(0)
  }
}
