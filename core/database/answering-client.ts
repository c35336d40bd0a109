// Queries of the hot path, below what `pg` offers: the answer is one value whose bytes go to the client as they are, so it
// is neither described, nor decoded, nor put into rows. Written against the internals of the pinned version of `pg`.

import type { EventEmitter } from 'node:events'
import type { Socket } from 'node:net'
import type { ConnectionOptions } from 'node:tls'
import pg from 'pg'
import { serialize } from 'pg-protocol'
import { Parser } from 'pg-protocol/dist/parser.js'
import type { Cancellable } from './cancelling.ts'
import { DatabaseClient } from './database-client.ts'
import { transactionError } from './postgres-errors.ts'
import type { PreparedStatement } from './prepared-statement.ts'

/** The part of `pg`'s Connection that a query writes to. */
interface Wire {
  readonly stream: Socket
  readonly submittedNamedStatements: Record<string, string>
  readonly parsedStatements: Record<string, string>
  parse(message: { readonly text: string; readonly name: string | undefined }): void
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

const bindMessage = (statement: string | undefined, values: readonly (string | null)[]): Buffer =>
  serialize.bind({ statement: statement ?? '', values: values as (string | null)[], valueMapper: unchanged })

const executeMessage = serialize.execute({ portal: '' })
const syncMessage = serialize.sync()

/** A statement that connections prepare under its name, with its values. */
export interface PreparedCall {
  readonly name: string
  readonly text: string
  readonly values: readonly string[]
}

/** What is run for one answer. */
export interface AnswerCall {
  readonly statement: PreparedStatement
  readonly values: readonly (string | null)[]
  /** Whether a statement that runs again is prepared. */
  readonly preparing: boolean
  /**
   * Run in front of it. What is sent up to one Sync is a transaction, which commits when all of it succeeded: both take
   * one round trip, and neither BEGIN nor COMMIT.
   */
  readonly preface?: PreparedCall | null
}

/** Runs a statement and keeps the first value of the first row. */
class AnswerQuery extends Base {
  readonly #preface: PreparedCall | null
  #first: Buffer | null = null
  /** Statements that have not been completed. */
  #left: number

  constructor(
    { statement, values, preparing, preface = null }: AnswerCall,
    done: (error: Error | null, first: Buffer | null) => void,
  ) {
    super(statement.text)
    this.values = values
    if (preparing && statement.isRepeated) this.name = statement.name
    this.#preface = preface
    this.#left = preface ? 2 : 1
    // All statements are done, so what failed is the commit.
    this.callback = (error) => done(error && this.#left === 0 ? transactionError(error) : error, this.#first)
  }

  /** Always the extended protocol: what it answers needs no description. */
  requiresPreparation(): boolean {
    return true
  }

  prepare(connection: Wire): void {
    const { name, text, values } = this
    const preface = this.#preface
    const messages: Buffer[] = []
    if (preface) messages.push(bindMessage(preface.name, preface.values), executeMessage)
    if (!this.hasBeenParsed(connection)) {
      messages.push(serialize.parse({ text, name: name ?? '' }))
      if (name !== undefined) connection.submittedNamedStatements[name] = text
    }
    messages.push(bindMessage(name, values), executeMessage, syncMessage)
    // One write: a system call costs more with each piece that it is given.
    if (connection.stream.writable) connection.stream.write(Buffer.concat(messages))
  }

  handleDataRow({ fields }: { readonly fields: readonly (Buffer | null)[] }): void {
    if (this.#left === 1) this.#first ??= fields[0] ?? null
  }

  handleCommandComplete(): void {
    this.#left--
  }

  handleReadyForQuery(): void {
    this.callback(null)
  }
}

/** Prepares a statement under a name, without running it. */
class ParseQuery extends Base {
  constructor(name: string, text: string) {
    super(text)
    this.name = name
    this.values = []
    this.callback = () => {}
  }

  prepare(connection: Wire): void {
    const { name, text } = this
    connection.parse({ text, name })
    connection.submittedNamedStatements[name!] = text
    connection.sync()
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
  readonly ssl: boolean | ConnectionOptions
  readonly sslNegotiation: string
  readonly processID: number | null
  readonly secretKey: number | null
  _getActiveQuery(): unknown
}

/** `pg`'s Connection before anybody has logged in on it. */
interface BareConnection extends EventEmitter {
  readonly stream: Socket
  connect(portOrPath: number | string, host?: string): void
  requestSsl(): void
  cancel(processId: number, secretKey: number): void
}

const BareConnection = pg.Connection as unknown as new (
  options: Pick<ClientInternals, 'ssl' | 'sslNegotiation'>,
) => BareConnection

/** Milliseconds that a request to cancel may take. */
const cancelPatience = 5000

/** A client that can also be asked for one value as bytes, and to cancel what it runs. */
export class AnsweringClient extends DatabaseClient implements Cancellable {
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
  answer(call: AnswerCall): Promise<Buffer | null> {
    return new Promise((resolve, reject) => {
      const { preface } = call
      if (preface) this.#prepareOnce(preface)
      const query = new AnswerQuery(call, (error, first) => {
        if (error) reject(error)
        else resolve(first)
      })
      this.query(query as unknown as pg.Submittable)
    })
  }

  /** Asks PostgreSQL, on a connection of its own, to cancel what it runs for this client. Without effect on an idle one. */
  cancelRunning(): Promise<void> {
    const { ssl, sslNegotiation, processID, secretKey } = this as unknown as ClientInternals
    if (processID === null || secretKey === null) return Promise.resolve()
    const connection = new BareConnection({ ssl, sslNegotiation })
    const cancel = () => connection.cancel(processID, secretKey)
    if (ssl) connection.once('sslconnect', cancel)
    connection.once('connect', () => {
      if (!ssl) cancel()
      else if (sslNegotiation !== 'direct') connection.requestSsl()
    })
    if (this.host.startsWith('/')) connection.connect(`${this.host}/.s.PGSQL.${this.port}`)
    else connection.connect(this.port, this.host)
    // PostgreSQL closes the connection when it has passed the request on.
    return new Promise((done) => {
      const late = setTimeout(() => connection.stream.destroy(), cancelPatience)
      const end = () => {
        clearTimeout(late)
        done()
      }
      connection.once('end', end)
      connection.on('error', end)
    })
  }

  /** Holds back what is written until {@link AnsweringClient.flush}. */
  hold(): void {
    ;(this as unknown as ClientInternals).connection.stream.cork()
  }

  flush(): void {
    ;(this as unknown as ClientInternals).connection.stream.uncork()
  }

  /** Has a statement prepared for what is sent from now on; does so once. */
  #prepareOnce({ name, text }: PreparedCall): void {
    const { parsedStatements, submittedNamedStatements } = (this as unknown as ClientInternals).connection
    if (parsedStatements[name] !== undefined || submittedNamedStatements[name] !== undefined) return
    this.query(new ParseQuery(name, text) as unknown as pg.Submittable)
  }
}
