// A connection for the hot path, below the interface of `pg`: answers are neither described nor decoded, and reach the
// client as the bytes received. Written against the internals of the pinned version of `pg`.

import type { Socket } from 'node:net'
import pg from 'pg'
import { serialize } from 'pg-protocol'
import { AnswerParser, type Message } from './answer-parser.ts'
import { type BoundCall, runMessage } from './call-message.ts'
import { requestCancel } from './cancel-request.ts'
import { DatabaseClient } from './database-client.ts'
import { isUnprepared, transactionError, Unprepared, unconfirmedError } from './postgres-errors.ts'
import { PreparedNames } from './prepared-names.ts'

/** The members of `pg`'s Connection that a query uses. */
interface Wire {
  readonly stream: Socket
  attachListeners(stream: Socket): void
  emit(event: string, message: unknown): boolean
}

/** The members of `pg`'s Query that this one builds on: its place in the queue, corking and errors. */
interface BaseQuery extends pg.Submittable {
  values: readonly (string | null)[]
  callback: (error: Error | null) => void
}

type BaseQueryClass = new (text: string) => BaseQuery

const Base: BaseQueryClass = pg.Query as BaseQueryClass & typeof pg.Query

/** A statement with its values. */
export interface Call {
  readonly text: string
  readonly values: readonly (string | null)[]
  /** The name under which the connection prepares it; null: it is not prepared. */
  readonly name: string | null
}

/** A call before another one. */
export interface Preface extends Call {
  onRow?(fields: Fields): void
}

/** A call for one answer. */
export interface AnswerCall extends Call {
  /**
   * A call that runs before this one. Everything sent up to one Sync is one transaction, committed if all of it succeeds, so
   * both take one round trip without BEGIN and COMMIT.
   */
  readonly preface?: Preface | null
}

type Fields = readonly (Buffer | null)[]

/** Runs a call and passes on its rows. */
class BytesQuery extends Base {
  readonly #call: AnswerCall
  readonly #names: PreparedNames
  readonly #onRow: (fields: Fields) => void
  /** Names of statements sent for preparation and not yet confirmed. */
  readonly #parsing: string[] = []
  /** Statements that are not yet bound, and those that are not yet complete. */
  #unbound: number
  #left: number

  constructor(
    call: AnswerCall,
    names: PreparedNames,
    { onRow, onEnd }: { onRow(fields: Fields): void; onEnd(error: Error | null): void },
  ) {
    super(call.text)
    this.#call = call
    this.#names = names
    this.#onRow = onRow
    this.#unbound = this.#left = call.preface ? 2 : 1
    this.values = call.values
    this.callback = (error) => onEnd(error && this.#judged(error))
  }

  /** Always the extended protocol, which needs no description of the answer. */
  requiresPreparation(): boolean {
    return true
  }

  prepare({ stream }: Wire): void {
    const { preface } = this.#call
    const messages: Buffer[] = []
    const calls: BoundCall[] = []
    if (preface) this.#add(preface, messages, calls)
    this.#add(this.#call, messages, calls)
    messages.push(runMessage(calls, true))
    if (!stream.writable) return
    // One write: each further piece makes the system call slower.
    stream.write(messages.length === 1 ? messages[0]! : Buffer.concat(messages))
  }

  handleProgress(message: 'parseComplete' | 'bindComplete'): void {
    if (message === 'bindComplete') this.#unbound--
    else this.#parsing.shift()
  }

  handleDataRow({ fields }: { readonly fields: Fields }): void {
    if (this.#left === 1) this.#onRow(fields)
    else this.#call.preface?.onRow?.(fields)
  }

  handleCommandComplete(): void {
    this.#left--
  }

  handleReadyForQuery(): void {
    this.callback(null)
  }

  /** Adds a statement to the calls, and the messages that prepare it, if needed, to the messages. */
  #add({ name, text, values }: Call, messages: Buffer[], calls: BoundCall[]): void {
    if (name === null || !this.#names.use(name)) {
      if (calls.length > 0) messages.push(runMessage(calls.splice(0), false))
      // Before everything that may fail: a statement left open by a failure would be prepared twice.
      const closed = name === null ? [] : this.#names.add(name, text)
      messages.unshift(...closed.map((other) => serialize.close({ type: 'S', name: other })))
      messages.push(serialize.parse({ text, name: name ?? '' }))
      this.#parsing.push(name ?? '')
    }
    calls.push({ statement: name ?? '', values })
  }

  #judged(error: Error): Error {
    for (const name of this.#parsing) this.#names.remove(name)
    if (this.#unbound > 0 && isUnprepared(error)) return new Unprepared('a statement is not prepared', { cause: error })
    // All statements are complete, so the commit failed.
    return this.#left === 0 ? transactionError(error) : error
  }
}

/** Private members of `pg`'s Client. */
interface ClientInternals {
  readonly connection: Wire
  readonly processID: number | null
  _getActiveQuery(): unknown
}

/** The function that warns that a commit stopped waiting for its synchronous standby. */
const waitForStandby = 'SyncRepWaitForLSN'

/** A client that can also return bytes, and cancel its running statement. */
export class AnsweringClient extends DatabaseClient {
  readonly #names = new PreparedNames()
  readonly #internals = this as this & ClientInternals
  #isUnconfirmed = false
  /** Whether {@link AnsweringClient.backend} is the process itself, and not a number made up by a proxy. */
  isDirect = false

  constructor(config: pg.ClientConfig) {
    super({ ...config, pipeline: true } as pg.ClientConfig)
    const { connection } = this.#internals
    connection.attachListeners = (stream) => {
      const parser = new AnswerParser(() => this.#internals._getActiveQuery() instanceof BytesQuery)
      const take = (message: Message) => this.#take(message)
      stream.on('data', (chunk: Buffer) => parser.read(chunk, take))
    }
  }

  /** Sends a call; returns the bytes of the first row's first column, null if there is no row. */
  ask(call: AnswerCall, done: (error: Error | null, first: Buffer | null) => void): void {
    let first: Buffer | null | undefined
    const onRow = (fields: Fields) => {
      if (first === undefined) first = fields[0] ?? null
    }
    this.#send(call, onRow, (error) => done(error, first ?? null))
  }

  /** As {@link AnsweringClient.ask}, as a promise; rejects with the error of `pg`, or {@link Unprepared}. */
  answer(call: AnswerCall): Promise<Buffer | null> {
    return new Promise((resolve, reject) => {
      this.ask(call, (error, first) => {
        if (error) reject(error)
        else resolve(first)
      })
    })
  }

  /** All rows as texts; rejects as {@link AnsweringClient.answer} does. */
  texts(call: AnswerCall): Promise<(string | null)[][]> {
    return this.#rows(call, (field) => field.toString())
  }

  /** All rows as bytes. */
  bytes(call: AnswerCall): Promise<(Buffer | null)[][]> {
    return this.#rows(call, (field) => field)
  }

  #rows<T>(call: AnswerCall, read: (field: Buffer) => T): Promise<(T | null)[][]> {
    return new Promise((resolve, reject) => {
      const rows: (T | null)[][] = []
      const onRow = (fields: Fields) => rows.push(fields.map((field) => (field === null ? null : read(field))))
      this.#send(call, onRow, (error) => {
        if (error) reject(error)
        else resolve(rows)
      })
    })
  }

  /** Whether a statement is worth preparing here. */
  takes(name: string, text: string): boolean {
    return this.#names.takes(name, text)
  }

  /** Throws if a commit since the last call succeeded without the confirmation of its synchronous standby. */
  requireConfirmed(): void {
    if (!this.#isUnconfirmed) return
    this.#isUnconfirmed = false
    throw unconfirmedError()
  }

  /** Asks PostgreSQL, on another connection, to cancel the running statement. Without effect on an idle connection. */
  cancelRunning(): Promise<void> {
    return requestCancel(this)
  }

  /** The id of the PostgreSQL process that serves it; null before it is connected. */
  get backend(): number | null {
    return this.#internals.processID
  }

  /** Whether an answer is outstanding. */
  get isWaiting(): boolean {
    return (this.#internals._getActiveQuery() ?? null) !== null
  }

  /** Bytes received so far. */
  get bytesRead(): number {
    return this.#internals.connection.stream.bytesRead
  }

  /** Cuts the connection: outstanding statements fail with the error. */
  destroy(error: Error): void {
    this.#internals.connection.stream.destroy(error)
  }

  /** Buffers writes until {@link AnsweringClient.flush}. */
  hold(): void {
    this.#internals.connection.stream.cork()
  }

  flush(): void {
    this.#internals.connection.stream.uncork()
  }

  #send(call: AnswerCall, onRow: (fields: Fields) => void, done: (error: Error | null) => void): void {
    const onEnd = (error: Error | null) => {
      const unconfirmed = !error && this.#isUnconfirmed ? unconfirmedError() : null
      this.#isUnconfirmed = false
      done(error ?? unconfirmed)
    }
    const query = new BytesQuery(call, this.#names, { onRow, onEnd })
    this.query(query)
  }

  #take(message: Message): void {
    const { name } = message
    if (name === 'parseComplete' || name === 'bindComplete') {
      const query = this.#internals._getActiveQuery()
      if (query instanceof BytesQuery) {
        query.handleProgress(name)
        return
      }
    } else if (name === 'notice' && message.routine === waitForStandby) this.#isUnconfirmed = true
    this.#internals.connection.emit(name === 'error' ? 'errorMessage' : name, message)
  }
}
