// A connection that reports the tables and rows each committed transaction changed, by logical decoding over a temporary slot.
// It needs `wal_level = logical`, the REPLICATION privilege, and the `test_decoding` plugin that ships with PostgreSQL.

import { randomBytes } from 'node:crypto'
import type pg from 'pg'
import { onAbort } from '../../concurrency/aborting.ts'
import { confirmMillis, mostDecodedRows } from '../tuning.ts'
import { abandon, closeClient } from '../wire/cancel-request.ts'
import { connectionConfig } from '../wire/connection-config.ts'
import { DatabaseClient } from '../wire/database-client.ts'
import { type DecodedChange, readChange } from './decoded-rows.ts'

/** The changed rows of a table; null: any rows, since its columns are not needed, it was truncated, or many rows changed. */
export type DecodedRows = { readonly changes: readonly DecodedChange[]; readonly columns: ReadonlySet<string> } | null

/** The changes of one transaction. */
export interface DecodedCommit {
  /** The lower 32 bits of the transaction's id. */
  readonly transaction: number
  /** By qualified table names, quoted where PostgreSQL quotes them; partitions are listed by their own name. */
  readonly tables: ReadonlyMap<string, DecodedRows>
}

/** The receiver of decoded changes. */
export interface DecodingListener {
  onCommit(commit: DecodedCommit): void
  /** Called once if the connection ends before {@link Decoding.stop}. */
  onLost(error: Error): void
  /** The columns of a table whose values are wanted; null or absent: its changed rows are not read. */
  columnsOf?(table: string): ReadonlySet<string> | null
}

export interface DecodingOptions extends DecodingListener {
  /** A connection URL. */
  readonly url: string
  /** Connection timeout, in milliseconds. */
  readonly timeoutMillis: number
  /** Gives up while the decoding has not begun. */
  readonly signal: AbortSignal
}

export interface Decoding {
  /** The position in the log up to which all commits were reported, as far as the server has said so. */
  readonly position: bigint
  /** Asks the server for the position; {@link Decoding.position} follows. */
  ask(): void
  stop(): Promise<void>
}

const message = { data: 0x77, keepAlive: 0x6b } as const

/** Before a message's data: its kind, the start and end of its position in the log, and the time. */
const headLength = 1 + 8 + 8 + 8

/** The beginning of a changed row's text: `table public.book: INSERT: …`. */
const tablePrefix = Buffer.from('table ')
const tableEnd = Buffer.from(': ')
const commitPrefix = Buffer.from('COMMIT ')

/** Makes decodings; closing it ends those that are still starting. */
export class Decoder {
  readonly #options: Pick<DecodingOptions, 'url' | 'timeoutMillis'>
  readonly #closing = new AbortController()
  readonly #making = new Set<Promise<unknown>>()

  constructor(options: Pick<DecodingOptions, 'url' | 'timeoutMillis'>) {
    this.#options = options
  }

  decode(listener: DecodingListener): Promise<Decoding> {
    const making = decode({ ...this.#options, ...listener, signal: this.#closing.signal })
    const made = () => void this.#making.delete(making)
    this.#making.add(making)
    making.then(made, made)
    return making
  }

  async close(): Promise<void> {
    this.#closing.abort()
    await Promise.allSettled(this.#making)
  }
}

/** Follows the changes until stopped; rejects with the error of `pg`. Creating the slot waits for running transactions. */
async function decode(options: DecodingOptions): Promise<Decoding> {
  const { url, timeoutMillis, onLost, signal } = options
  signal.throwIfAborted()
  const config = { ...connectionConfig(url), connectionTimeoutMillis: timeoutMillis, replication: 'database' }
  const client = new DatabaseClient(config)
  let isOver = false
  const lose = (error: Error) => {
    if (!isOver) onLost(error)
    isOver = true
  }
  client.on('error', lose)
  client.on('end', () => lose(new Error('connection ended')))
  const stop = async () => {
    isOver = true
    await closeClient(client)
  }
  const ended = onAbort(signal, () => {
    isOver = true
    void abandon(client)
  })
  let stream: ChangeStream
  try {
    await client.connect()
    const slot = `trellis_${randomBytes(8).toString('hex')}`
    await client.query(`CREATE_REPLICATION_SLOT ${slot} TEMPORARY LOGICAL test_decoding NOEXPORT_SNAPSHOT`)
    await new Promise<void>((resolve, reject) => {
      const text = `START_REPLICATION SLOT ${slot} LOGICAL 0/0 ("include-xids" '1', "skip-empty-xacts" '1')`
      stream = new ChangeStream(text, { ...options, onLost: lose }, { onStart: resolve, onEnd: reject })
      client.query(stream)
      client.once('error', reject)
    })
  } catch (error) {
    await stop()
    throw error
  } finally {
    ended()
  }
  return {
    get position() {
      return stream.position
    },
    ask: () => stream.ask(),
    stop,
  }
}

/** Members of `pg`'s connection that its types leave out. */
interface Wire extends pg.Connection {
  sendCopyFromChunk(chunk: Buffer): void
}

interface Outcome {
  readonly onStart: () => void
  readonly onEnd: (error: Error) => void
}

interface ReadRows {
  readonly changes: DecodedChange[]
  readonly columns: ReadonlySet<string>
}

/** A statement for `pg` whose answer never ends. */
class ChangeStream implements pg.Submittable {
  readonly #text: string
  readonly #options: DecodingListener
  readonly #outcome: Outcome
  position = 0n
  /** When the position was confirmed last. */
  #confirmed = Number.NEGATIVE_INFINITY
  #tables = new Map<string, ReadRows | null>()
  /** The last row's message up to the table name: a cache, since most rows of a transaction have the same table. */
  #last = Buffer.alloc(0)
  /** The rows of that table, and the wanted columns; null: no further row of it is read. */
  #reading: { readonly name: string; readonly rows: ReadRows } | null = null
  #connection: Wire | null = null
  #isStarted = false

  constructor(text: string, options: DecodingListener, outcome: Outcome) {
    this.#text = text
    this.#options = options
    this.#outcome = outcome
  }

  submit(connection: pg.Connection): void {
    connection.once('replicationStart', () => {
      this.#isStarted = true
      this.#connection = connection as Wire
      this.#outcome.onStart()
    })
    connection.query(this.#text)
  }

  ask(): void {
    if (this.#connection) confirm(this.#connection, this.position, { wantsReply: true })
  }

  handleCopyData({ chunk }: { readonly chunk: Buffer }, connection: Wire): void {
    if (chunk[0] === message.data) this.#read(chunk.subarray(headLength))
    else if (chunk[0] === message.keepAlive) {
      this.position = chunk.readBigUInt64BE(1)
      this.#confirm(connection, chunk[1 + 8 + 8] === 1)
    }
  }

  /** PostgreSQL sends a keep-alive message after each commit; it demands a reply only before it would give up. */
  #confirm(connection: Wire, isDemanded: boolean): void {
    const now = performance.now()
    if (!isDemanded && now - this.#confirmed < confirmMillis) return
    this.#confirmed = now
    confirm(connection, this.position, { wantsReply: false })
  }

  handleError(error: Error): void {
    if (this.#isStarted) this.#options.onLost(error)
    else this.#outcome.onEnd(error)
  }

  /** The server ended the stream. */
  handleReadyForQuery(): void {
    this.handleError(new Error('the stream of changes ended'))
  }

  handleCommandComplete(): void {}

  #read(text: Buffer): void {
    if (this.#last.length > 0 && startsWith(text, this.#last)) this.#addRow(text)
    else if (startsWith(text, tablePrefix)) {
      this.#addTables(text)
      this.#addRow(text)
    } else if (startsWith(text, commitPrefix)) {
      const transaction = Number(text.toString('latin1', commitPrefix.length))
      const tables = this.#tables
      this.#tables = new Map()
      this.#last = Buffer.alloc(0)
      this.#reading = null
      if (tables.size > 0) this.#options.onCommit({ transaction, tables })
    }
  }

  /** A `TRUNCATE` names several tables, any other change one. */
  #addTables(text: Buffer): void {
    const end = endOfNames(text)
    const names = text.toString('utf8', tablePrefix.length, end).match(qualifiedNames) ?? []
    this.#last = Buffer.from(text.subarray(0, end + tableEnd.length))
    this.#reading = null
    const isTruncated = startsWith(text.subarray(this.#last.length), truncation)
    for (const name of names) {
      const rows = isTruncated ? null : this.#rowsOf(name)
      this.#tables.set(name, rows)
      if (rows) this.#reading = { name, rows }
    }
  }

  #rowsOf(table: string): ReadRows | null {
    const known = this.#tables.get(table)
    if (known !== undefined) return known
    const columns = this.#options.columnsOf?.(table)
    return columns ? { changes: [], columns } : null
  }

  #addRow(text: Buffer): void {
    if (!this.#reading) return
    const { name, rows } = this.#reading
    const { changes, columns } = rows
    const isRead = changes.length < mostDecodedRows
    const change = isRead ? readChange(text.toString('utf8', this.#last.length), columns) : null
    if (change) changes.push(change)
    else {
      this.#tables.set(name, null)
      this.#reading = null
    }
  }
}

const qualifiedNames = /(?:"(?:[^"]|"")*"|[^",.\s]+)\.(?:"(?:[^"]|"")*"|[^",.\s]+)/g
const truncation = Buffer.from('TRUNCATE')

/** The end of the table names: the first `: ` outside quotes. */
function endOfNames(text: Buffer): number {
  let isQuoted = false
  for (let i = tablePrefix.length; i < text.length; i++) {
    if (text[i] === 0x22) isQuoted = !isQuoted
    else if (!isQuoted && text[i] === tableEnd[0] && text[i + 1] === tableEnd[1]) return i
  }
  return text.length
}

const startsWith = (text: Buffer, prefix: Buffer): boolean =>
  text.length >= prefix.length && text.compare(prefix, 0, prefix.length, 0, prefix.length) === 0

/** Confirms the log up to this position, so the server can discard it. A wanted reply is a keep-alive message. */
function confirm(wire: Wire, position: bigint, { wantsReply }: { readonly wantsReply: boolean }): void {
  const status = Buffer.alloc(1 + 8 + 8 + 8 + 8 + 1)
  status.write('r', 'latin1')
  for (const offset of [1, 9, 17]) status.writeBigUInt64BE(position, offset)
  status[33] = wantsReply ? 1 : 0
  wire.sendCopyFromChunk(status)
}
