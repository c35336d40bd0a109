// PostgreSQL's messages out of the bytes that arrive, with as little copying as there can be: the values of an answer are
// parts of what was read. Written against the internals of the pinned version of `pg-protocol`.

import { Parser } from 'pg-protocol/dist/parser.js'

export interface Message {
  readonly name: string
  /** Of a notice: where in PostgreSQL's source it comes from. */
  readonly routine?: string
}

/** The part of the protocol's parser that reads one message: its code, and where what follows its length begins. */
interface MessageParser {
  handlePacket(offset: number, code: number, length: number, bytes: Buffer): Message
}

const code = { dataRow: 0x44, commandComplete: 0x43, readyForQuery: 0x5a } as const

/** What says nothing that whoever wants bytes needs. */
const commandComplete: Message = { name: 'commandComplete' }

/** That the next statement can run, by whether one is in no transaction, in one, or in one that failed. */
const readyForQuery = new Map(
  ['I', 'T', 'E'].map((status) => [status.charCodeAt(0), { name: 'readyForQuery', status } as Message]),
)

/** A code, and a length that counts itself and not the code. */
const headerSize = 5

const sizeOf = (bytes: Buffer, at: number): number => 1 + bytes.readUInt32BE(at + 1)

export class AnswerParser extends (Parser as unknown as new () => MessageParser) {
  readonly #wantsBytes: () => boolean
  /** A message of which only a part has arrived, in a buffer of its size, or of a header's while that is not known. */
  #partial: Buffer | null = null
  #arrived = 0

  /** `wantsBytes`: whether the values of rows that arrive now are to be left as bytes, and nothing more of the answer is wanted. */
  constructor(wantsBytes: () => boolean) {
    super()
    this.#wantsBytes = wantsBytes
  }

  /** Hands over the messages that are complete with these bytes; values are parts of them, so nobody may reuse them. */
  read(chunk: Buffer, take: (message: Message) => void): void {
    let at = this.#partial ? this.#complete(chunk, take) : 0
    while (at + headerSize <= chunk.length) {
      const size = sizeOf(chunk, at)
      if (at + size > chunk.length) break
      take(this.#message(chunk, at, size))
      at += size
    }
    if (at < chunk.length) this.#keep(chunk, at)
  }

  /** Fills up the partial message; where in the chunk it ends. */
  #complete(chunk: Buffer, take: (message: Message) => void): number {
    let at = 0
    for (;;) {
      const partial = this.#partial!
      const end = Math.min(at + partial.length - this.#arrived, chunk.length)
      chunk.copy(partial, this.#arrived, at, end)
      this.#arrived += end - at
      at = end
      if (this.#arrived < partial.length) return at
      const size = sizeOf(partial, 0)
      if (size === partial.length) {
        this.#partial = null
        take(this.#message(partial, 0, size))
        return at
      }
      this.#partial = Buffer.allocUnsafe(size)
      partial.copy(this.#partial)
    }
  }

  #keep(chunk: Buffer, at: number): void {
    const isSizeKnown = at + headerSize <= chunk.length
    this.#partial = Buffer.allocUnsafe(isSizeKnown ? sizeOf(chunk, at) : headerSize)
    this.#arrived = chunk.copy(this.#partial, 0, at)
  }

  #message(bytes: Buffer, at: number, size: number): Message {
    const start = at + headerSize
    const known = this.#wantsBytes() ? this.#known(bytes, at, start) : null
    return known ?? this.handlePacket(start, bytes[at]!, size - 1, bytes)
  }

  /** What comes with each answer; null: something else. */
  #known(bytes: Buffer, at: number, start: number): Message | null {
    switch (bytes[at]) {
      case code.dataRow:
        return rowOfBytes(bytes, start)
      case code.commandComplete:
        return commandComplete
      case code.readyForQuery:
        return readyForQuery.get(bytes[start]!) ?? null
    }
    return null
  }
}

function rowOfBytes(bytes: Buffer, offset: number): Message {
  const fields: (Buffer | null)[] = []
  const count = bytes.readInt16BE(offset)
  let at = offset + 2
  for (let i = 0; i < count; i++) {
    const size = bytes.readInt32BE(at)
    at += 4
    fields.push(size < 0 ? null : bytes.subarray(at, at + size))
    at += Math.max(size, 0)
  }
  return { name: 'dataRow', fields } as Message
}
