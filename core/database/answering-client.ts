// Queries of the hot path, below what `pg` offers: the answer is one value whose bytes go to the client as they are, so it
// is neither described, nor decoded, nor put into rows. Written against the internals of the pinned version of `pg`.

import type { Socket } from 'node:net'
import pg from 'pg'
import { Parser } from 'pg-protocol/dist/parser.js'
import type { PreparedStatement } from './prepared-statement.ts'

/** The part of `pg`'s Connection that a query writes to. */
interface Wire {
  readonly stream: Socket
  readonly submittedNamedStatements: Record<string, string>
  parse(message: { readonly text: string; readonly name: string | undefined }): void
  bind(message: {
    readonly statement: string | undefined
    readonly values: readonly (string | null)[]
    readonly valueMapper: (value: unknown) => unknown
  }): void
  execute(message: { readonly portal: string }): void
  sync(): void
  attachListeners(stream: Socket): void
  emit(event: string, message: unknown): boolean
}

/** The part of `pg`'s Query that this one builds on: naming, corking and errors. */
interface BaseQuery {
  text: string
  name: string | undefined
  values: readonly (string | null)[]
  callback: (error: Error | null) => void
  hasBeenParsed(connection: Wire): boolean
}

const Base = pg.Query as unknown as new (text: string) => BaseQuery

const unchanged = (value: unknown): unknown => value

/** Runs a statement and keeps the first value of the first row. */
class AnswerQuery extends Base {
  #first: Buffer | null = null

  constructor(
    statement: PreparedStatement,
    values: readonly (string | null)[],
    preparing: boolean,
    done: (error: Error | null, first: Buffer | null) => void,
  ) {
    super(statement.text)
    this.values = values
    if (preparing && statement.isRepeated) this.name = statement.name
    this.callback = (error) => done(error, this.#first)
  }

  /** Always the extended protocol: what it answers needs no description. */
  requiresPreparation(): boolean {
    return true
  }

  prepare(connection: Wire): void {
    const { name, text, values } = this
    if (!this.hasBeenParsed(connection)) {
      connection.parse({ text, name })
      if (name !== undefined) connection.submittedNamedStatements[name] = text
    }
    connection.bind({ statement: name, values, valueMapper: unchanged })
    connection.execute({ portal: '' })
    connection.sync()
  }

  handleDataRow({ fields }: { readonly fields: readonly (Buffer | null)[] }): void {
    this.#first ??= fields[0] ?? null
  }

  handleCommandComplete(): void {}

  handleReadyForQuery(): void {
    this.callback(null)
  }
}

const dataRow = 0x44

interface Message {
  readonly name: string
}

/** The part of the protocol's parser that reads one message. */
interface BaseParser {
  parse(chunk: Buffer, take: (message: Message) => void): void
  handlePacket(offset: number, code: number, length: number, bytes: Buffer): Message
}

/** Leaves the values of rows as bytes where the query at hand wants them so. */
class RowParser extends (Parser as unknown as new () => BaseParser) {
  readonly #wantsBytes: () => boolean

  constructor(wantsBytes: () => boolean) {
    super()
    this.#wantsBytes = wantsBytes
  }

  override handlePacket(offset: number, code: number, length: number, bytes: Buffer): Message {
    if (code !== dataRow || !this.#wantsBytes()) return super.handlePacket(offset, code, length, bytes)
    const fields: (Buffer | null)[] = []
    const count = bytes.readInt16BE(offset)
    let at = offset + 2
    for (let i = 0; i < count; i++) {
      const size = bytes.readInt32BE(at)
      at += 4
      // A copy: the parser moves what is left in its buffer when more arrives.
      fields.push(size < 0 ? null : Buffer.from(bytes.subarray(at, at + size)))
      at += Math.max(size, 0)
    }
    return { name: 'dataRow', fields } as Message
  }
}

/** What `pg`'s Client keeps to itself. */
interface ClientInternals {
  readonly connection: Wire
  _getActiveQuery(): unknown
}

/** A client that can also be asked for one value as bytes. */
export class AnsweringClient extends pg.Client {
  constructor(config?: string | pg.ClientConfig) {
    super(config)
    const internals = this as unknown as ClientInternals
    const { connection } = internals
    connection.attachListeners = (stream) => {
      const parser = new RowParser(() => internals._getActiveQuery() instanceof AnswerQuery)
      stream.on('data', (chunk: Buffer) => {
        parser.parse(chunk, (message) => {
          connection.emit(message.name === 'error' ? 'errorMessage' : message.name, message)
        })
      })
    }
  }

  /** The bytes of the first row's first column; null when there is none. Rejects with what `pg` says. */
  answer(statement: PreparedStatement, values: readonly (string | null)[], preparing: boolean): Promise<Buffer | null> {
    return new Promise((resolve, reject) => {
      const query = new AnswerQuery(statement, values, preparing, (error, first) => {
        if (error) reject(error)
        else resolve(first)
      })
      this.query(query as unknown as pg.Submittable)
    })
  }

  /** Holds back what is written until {@link AnsweringClient.flush}. */
  hold(): void {
    ;(this as unknown as ClientInternals).connection.stream.cork()
  }

  flush(): void {
    ;(this as unknown as ClientInternals).connection.stream.uncork()
  }
}
