// Announces writes through this server to the other instances that have subscribers, so that these need not wait for the next
// interval. A server sends nothing while it knows of no other instance with subscribers.

import { randomUUID } from 'node:crypto'
import { type Database, type Listening, prepare } from '../../../../sdk/sql.ts'
import { announcementSpacingMillis, presenceMillis } from '../../tuning.ts'
import type { WrittenTables } from './written-tables.ts'

export interface OwnWritesOptions {
  readonly database: Pick<Database, 'listen' | 'answer'>
  /** Called for writes of another instance; null when any table may have been written. */
  onWrite(tables: WrittenTables): void
}

const channel = 'trellis_writes'

const notify = prepare({ text: `select pg_catalog.pg_notify('${channel}', $1)::text`, params: [] })

/** Bytes of table names in a notification: PostgreSQL limits a payload to 8,000 bytes. */
const longestList = 7000

/** The messages between instances: a write (its tables may follow), subscribers here, none left here, which instances have some? */
type Message = 'write' | 'present' | 'gone' | 'who'

export class OwnWrites {
  readonly #options: OwnWritesOptions
  readonly #instance = randomUUID()
  /** Instances with subscribers, and when they last said so. */
  readonly #others = new Map<string, number>()
  #listening: Listening | null = null
  #timer: NodeJS.Timeout | null = null
  /** Tables written since the last announcement; null: any table. */
  #due: Set<string> | null = new Set()
  #isPresent = false

  constructor(options: OwnWritesOptions) {
    this.#options = options
  }

  /** Starts to listen to the other instances. */
  start(): void {
    this.#listening = this.#options.database.listen(channel, {
      onNotify: (payload) => this.#receive(payload),
      onHeard: () => {
        this.#send('who')
        if (this.#isPresent) this.#send('present')
        // Earlier announcements were missed.
        this.#options.onWrite(null)
      },
    })
  }

  /** Announces whether this instance has subscribers. */
  set isPresent(isPresent: boolean) {
    if (isPresent === this.#isPresent) return
    this.#isPresent = isPresent
    if (this.#listening?.isHeard) this.#send(isPresent ? 'present' : 'gone')
  }

  /** Whether another instance has subscribers. */
  get hasListeners(): boolean {
    return this.#others.size > 0
  }

  /** Announces a write to these tables, at once or shortly. */
  announce(tables: WrittenTables): void {
    if (!this.hasListeners || tables?.size === 0) return
    if (tables === null) this.#due = null
    else if (this.#due) for (const table of tables) this.#due.add(table)
    if (!this.#timer) this.#announceDue()
  }

  #announceDue(): void {
    const named = this.#due && JSON.stringify([...this.#due])
    this.#due = new Set()
    this.#send('write', named !== null && Buffer.byteLength(named) <= longestList ? named : '')
    this.#askAgain()
    this.#timer = setTimeout(() => {
      this.#timer = null
      if (this.hasListeners && this.#due?.size !== 0) this.#announceDue()
    }, announcementSpacingMillis)
    this.#timer.unref()
  }

  async stop(): Promise<void> {
    if (this.#timer) clearTimeout(this.#timer)
    await this.#listening?.stop()
  }

  /** Removes instances that were silent for long, and asks whether they are still there. */
  #askAgain(): void {
    const oldest = Date.now() - presenceMillis
    const stale = [...this.#others].filter(([, heard]) => heard < oldest)
    for (const [instance] of stale) this.#others.delete(instance)
    if (stale.length > 0) this.#send('who')
  }

  #send(message: Message, detail = ''): void {
    // The server may be read-only or away; the interval covers that.
    this.#options.database.answer(notify, [`${message} ${this.#instance} ${detail}`]).catch(() => {})
  }

  #receive(payload: string): void {
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

/** The tables of a message; null where it has none or cannot be read. */
function readTables(detail: string): WrittenTables {
  try {
    const names: unknown = JSON.parse(detail)
    return Array.isArray(names) ? new Set(names.map(String)) : null
  } catch {
    return null
  }
}
