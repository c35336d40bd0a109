// Writes through this server and other instances of it, told to those that have subscribers, so that none of these waits
// for the next interval. A server without any says nothing for as long as it hears of no other one that has some.

import { randomUUID } from 'node:crypto'
import { type Database, prepare } from '../../../../sdk/sql.ts'
import type { WrittenTables } from './writes.ts'

export interface OwnWritesOptions {
  readonly database: Pick<Database, 'listen' | 'answer'>
  /** Told of writes of another instance, and of no table in particular when some may have gone unheard. */
  onWrite(tables: WrittenTables): void
}

const channel = 'trellis_writes'

/** Milliseconds between two notifications of this instance, and until connecting is tried again. */
const spacing = 100
const patience = 5000

/** Milliseconds for which an instance is believed to have subscribers; then it is asked again. */
const belief = 60_000

const notify = prepare({ text: `select pg_catalog.pg_notify('${channel}', $1)::text`, params: [] })

/** Bytes of the names of tables that fit into a notification, which PostgreSQL limits to 8,000. */
const longestList = 7000

/** What instances tell each other: there was a write (its tables may follow), I have subscribers, I have none any more, who has some? */
type Message = 'write' | 'present' | 'gone' | 'who'

export class OwnWrites {
  readonly #options: OwnWritesOptions
  readonly #instance = randomUUID()
  /** Instances that have subscribers, and when that was heard. */
  readonly #others = new Map<string, number>()
  #listening: { stop(): Promise<void> } | null = null
  #retry: NodeJS.Timeout | null = null
  #timer: NodeJS.Timeout | null = null
  /** Written since it was told last; null: any table may have been. */
  #due: Set<string> | null = new Set()
  #isPresent = false
  #isStopped = false

  constructor(options: OwnWritesOptions) {
    this.#options = options
  }

  /** Hears the others from now on. */
  start(): void {
    this.#listen()
  }

  /** Says whether there are subscribers here. */
  set isPresent(isPresent: boolean) {
    if (isPresent === this.#isPresent) return
    this.#isPresent = isPresent
    if (this.#listening) this.#send(isPresent ? 'present' : 'gone')
  }

  /** Whether anybody is told of writes. */
  get isHeard(): boolean {
    return this.#others.size > 0
  }

  /** Tells those who have subscribers, at once or shortly, that there was a write to these tables. */
  tell(tables: WrittenTables): void {
    if (!this.isHeard || tables?.size === 0) return
    if (tables === null) this.#due = null
    else if (this.#due) for (const table of tables) this.#due.add(table)
    if (!this.#timer) this.#tellDue()
  }

  #tellDue(): void {
    const named = this.#due && JSON.stringify([...this.#due])
    this.#due = new Set()
    this.#send('write', named !== null && Buffer.byteLength(named) <= longestList ? named : '')
    this.#askAgain()
    this.#timer = setTimeout(() => {
      this.#timer = null
      if (this.isHeard && this.#due?.size !== 0) this.#tellDue()
    }, spacing)
    this.#timer.unref()
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    if (this.#timer) clearTimeout(this.#timer)
    if (this.#retry) clearTimeout(this.#retry)
    await this.#listening?.stop()
  }

  /** Forgets those of whom nothing was heard for long, unless they answer. */
  #askAgain(): void {
    const oldest = Date.now() - belief
    const stale = [...this.#others].filter(([, heard]) => heard < oldest)
    for (const [instance] of stale) this.#others.delete(instance)
    if (stale.length > 0) this.#send('who')
  }

  #send(message: Message, detail = ''): void {
    // A server that takes no changes, or none now: there is the interval.
    this.#options.database.answer(notify, [`${message} ${this.#instance} ${detail}`]).catch(() => {})
  }

  #listen(): void {
    let isLost = false
    const again = () => {
      // A failed attempt is told twice: by the rejection and by the end of the connection.
      if (isLost || this.#isStopped) return
      isLost = true
      this.#listening = null
      this.#retry = setTimeout(() => this.#listen(), patience)
      this.#retry.unref()
    }
    this.#options.database
      .listen(channel, (payload) => this.#hear(payload), again)
      .then(async (listening) => {
        if (this.#isStopped) return listening.stop()
        this.#listening = listening
        this.#send('who')
        if (this.#isPresent) this.#send('present')
        // What was told before was not heard.
        this.#options.onWrite(null)
      })
      .catch(again)
  }

  #hear(payload: string): void {
    const [, message = '', instance = '', detail = ''] = /^(\S*) ?(\S*) ?(.*)$/s.exec(payload) ?? []
    if (instance === this.#instance) return
    switch (message as Message) {
      case 'write':
        this.#options.onWrite(readTables(detail))
        break
      case 'present':
        this.#others.set(instance, Date.now())
        break
      case 'gone':
        this.#others.delete(instance)
        break
      case 'who':
        if (this.#isPresent) this.#send('present')
        break
    }
  }
}

/** The tables of a message; null where none are told, or by somebody else. */
function readTables(detail: string): WrittenTables {
  try {
    const names: unknown = JSON.parse(detail)
    return Array.isArray(names) ? new Set(names.map(String)) : null
  } catch {
    return null
  }
}
