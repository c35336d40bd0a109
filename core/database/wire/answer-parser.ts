// Parses PostgreSQL's messages with as few copies as possible: the values of an answer are views of the received bytes.
// Written against the internals of the pinned version of `pg-protocol`.

import { Parser } from 'pg-protocol/dist/parser.js'

export interface Message {
  readonly name: string
  /** The function in PostgreSQL's source that raised a notice. */
  readonly routine?: string
}

const code = { dataRow: 0x44, commandComplete: 0x43, readyForQuery: 0x5a } as const

/** Shared by all: callers that want bytes ignore the command tag. */
const commandComplete: Message = { name: 'commandComplete' }

/** The message that the next statement can run, by transaction status: idle, in a transaction, or failed. */
const readyForQuery = new Map(
  ['I', 'T', 'E'].map((status) => [status.charCodeAt(0), { name: 'readyForQuery', status } as Message]),
)

/** A code, and a length that includes itself but not the code. */
const headerSize = 5

const sizeOf = (bytes: Buffer, at: number): number => 1 + bytes.readUInt32BE(at + 1)

export class AnswerParser extends Parser {
  readonly #wantsBytes: () => boolean
  /** A partially received message, in a buffer of its size, or of the header's size until that is known. */
  #partial: Buffer | null = null
  #arrived = 0

  /** `wantsBytes`: whether the rows that arrive now stay bytes, and the rest of the answer is ignored. */
  constructor(wantsBytes: () => boolean) {
    super()
    this.#wantsBytes = wantsBytes
  }

  /** Passes on the messages that these bytes complete. Values are views of the chunk, so the chunk must not be reused. */
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

  /** Completes the partial message; returns where it ends in the chunk. */
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
    // Private in the library's types: reads one message, given the offset after its length.
    return known ?? this['handlePacket'](start, bytes[at]!, size - 1, bytes)
  }

  /** Fast paths for the messages of every answer; null: any other message. */
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
