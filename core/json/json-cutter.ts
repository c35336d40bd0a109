// Finds the places where long JSON can be cut, and scans its parts, by reading the bytes once.

import { code, endOfString, type JsonScan, readNumber } from './json-scan.ts'

/** Reads UTF-8 part by part. If the text is not JSON, the numbers mean nothing, but every part ends. */
export class JsonCutter implements JsonScan {
  /** The end of the part: the index of a comma, or the end of the text. */
  end = -1
  /** Whether a value precedes the comma; at the end of the text, whether every container is closed. */
  isWhole = true
  /** About numbers of the part. */
  mayRound = false
  mayRespell = false
  /** The number of containers that stayed open throughout the part. */
  lowest = 0
  /** The maximal depth of containers so far. */
  depth = 0
  /** The number of commas in the object with the most of them so far. */
  members = 0
  /** The number of values so far. */
  values = 1
  readonly #bytes: Buffer
  readonly #partSize: number
  /** The opening brackets of the open containers, and the start and end of the keys before them. */
  readonly #open: number[] = []
  readonly #keyStarts: number[] = []
  readonly #keyEnds: number[] = []
  readonly #commas: number[] = []

  /** A part ends with the first member after `partSize` bytes. */
  constructor(bytes: Buffer, partSize: number) {
    this.#bytes = bytes
    this.#partSize = partSize
  }

  /** The opening brackets of the containers that are open at the end of the part. */
  get brackets(): string {
    return String.fromCharCode(...this.#open)
  }

  /** The key of an open container that is a member of an object; level 0 is the outermost container. */
  readonly keyAt = (level: number): string =>
    JSON.parse(this.#bytes.toString('utf8', this.#keyStarts[level], this.#keyEnds[level]))

  /** Reads the next part; returns whether it is the last one. */
  next(): boolean {
    const bytes = this.#bytes
    const length = bytes.length
    const open = this.#open
    const least = this.end + this.#partSize
    let keyStart = 0
    let keyEnd = 0
    let values = this.values
    let i = this.end + 1
    this.lowest = open.length
    this.mayRound = false
    this.mayRespell = false
    while (i < length) {
      const byte = bytes[i++]!
      if (byte === code.quote) {
        keyStart = i - 1
        i = endOfString(bytes, i)
        keyEnd = i
      } else if (byte === code.comma) {
        values++
        const commas = ++this.#commas[open.length]!
        if (commas > this.members && open.at(-1) === code.brace) this.members = commas
        if (i > least && open.length > 0) {
          this.end = i - 1
          this.isWhole = !wantsMore.has(lastByte(bytes, i - 2))
          this.values = values
          return false
        }
      } else if (byte > code.nine) {
        if (byte === code.bracket || byte === code.brace) {
          values++
          this.#keyStarts[open.length] = keyStart
          this.#keyEnds[open.length] = keyEnd
          this.#commas[open.length + 1] = 0
          if (open.push(byte) > this.depth) this.depth = open.length
        } else if (byte === code.bracket + 2 || byte === code.brace + 2) {
          open.pop()
          if (open.length < this.lowest) this.lowest = open.length
        }
      } else if (byte >= code.zero || byte === code.minus) i = readNumber(bytes, i, this)
    }
    this.end = length
    this.isWhole = open.length === 0
    this.values = values
    return true
  }
}

/** Bytes that a comma cannot follow. */
const wantsMore: ReadonlySet<number> = new Set([code.comma, code.bracket, code.brace, code.colon])

/** The last byte that is not a space, at or before an index. */
function lastByte(bytes: Buffer, at: number): number {
  let i = at
  while (i > 0 && bytes[i]! <= code.space) i--
  return bytes[i]!
}
