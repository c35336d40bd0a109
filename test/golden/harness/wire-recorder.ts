// A proxy between an engine and PostgreSQL that records the statements, with parameters and in order, of all
// connections.

import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type NetConnectOpts, type Socket } from 'node:net'
import type { TestContext } from 'node:test'
import { atEnd } from '../../support/cleanup.ts'

/** One statement that reached PostgreSQL; values in text form. */
export interface SentStatement {
  readonly text: string
  readonly values: readonly (string | null)[]
  readonly connection: number
  /** Counts the batches of its connection, which end with a Sync: unless a transaction is open, such a batch is one. */
  readonly batch: number
}

export interface WireRecorder {
  /** Of the same database, through the recorder. */
  readonly url: string
  /** The statements that were sent since the last call. */
  take(): SentStatement[]
}

/**
 * The engine asks once a second whether another instance changed the metadata. It identifies the server process when it
 * opens a connection. It also queries its logs and jobs for due entries, with settings of its own. No request includes
 * these.
 */
const isHousekeeping = ({ text }: Pick<SentStatement, 'text'>): boolean =>
  /\bset_config\('plan_cache_mode'/.test(text) ||
  /\bfrom trellis\.metadata\b|^(UN)?LISTEN |^select pg_catalog\.pg_(backend_pid\(\)|notify\('trellis_)/.test(text) ||
  /\btrellis\.(job|agenda_job|event_\w+|hdb_\w+)\b/.test(text)

/** Records the traffic to the database of a URL until the test ends. */
export async function recordWire(t: TestContext, databaseUrl: string): Promise<WireRecorder> {
  const address = addressOf(new URL(databaseUrl))
  let sent: SentStatement[] = []
  const sockets = new Set<Socket>()
  let connections = 0
  const server = createServer((client) => {
    const upstream = connect(address)
    const connection = connections++
    const messages = new FrontendMessages((statement) => {
      if (!isHousekeeping(statement)) sent.push({ ...statement, connection })
    })
    client.on('data', (chunk) => messages.read(chunk))
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from)
      from.setNoDelay(true)
      from.on('error', () => to.destroy())
      from.on('close', () => {
        sockets.delete(from)
        to.destroy()
      })
      from.pipe(to)
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  atEnd(t, async () => {
    for (const socket of sockets) socket.destroy()
    server.close()
    await once(server, 'close')
  })
  const url = new URL(databaseUrl)
  for (const name of ['host', 'port']) url.searchParams.delete(name)
  url.searchParams.set('sslmode', 'disable')
  url.hostname = '127.0.0.1'
  url.port = String((server.address() as AddressInfo).port)
  return {
    url: url.href,
    take: () => {
      const taken = sent
      sent = []
      return taken
    },
  }
}

/** The address of the PostgreSQL of a URL: a Unix socket when `host` names a directory. */
function addressOf(url: URL): NetConnectOpts {
  const host = url.searchParams.get('host') ?? url.hostname
  const port = Number(url.searchParams.get('port') ?? (url.port || 5432))
  return host.startsWith('/') ? { path: `${host}/.s.PGSQL.${port}` } : { host, port }
}

/** The protocol's types of message that carry statements, or end a batch of them. */
const messageType = { query: 'Q', parse: 'P', bind: 'B', sync: 'S' } as const

/** Reads the messages of a client of PostgreSQL, protocol 3, without TLS. */
class FrontendMessages {
  readonly #onStatement: (statement: Omit<SentStatement, 'connection'>) => void
  #batch = 0
  readonly #texts = new Map<string, string>()
  #rest: Buffer = Buffer.alloc(0)
  /** The first message has no type. */
  #hasStarted = false

  constructor(onStatement: (statement: Omit<SentStatement, 'connection'>) => void) {
    this.#onStatement = onStatement
  }

  read(chunk: Buffer): void {
    this.#rest = Buffer.concat([this.#rest, chunk])
    for (;;) {
      const head = this.#hasStarted ? 1 : 0
      if (this.#rest.length < head + 4) return
      const end = head + this.#rest.readInt32BE(head)
      if (this.#rest.length < end) return
      if (this.#hasStarted) this.#message(String.fromCharCode(this.#rest[0]!), this.#rest.subarray(5, end))
      this.#hasStarted = true
      this.#rest = this.#rest.subarray(end)
    }
  }

  #message(type: string, body: Buffer): void {
    const reader = new BodyReader(body)
    if (type === messageType.query) this.#onStatement({ text: reader.text(), values: [], batch: this.#batch++ })
    else if (type === messageType.sync) this.#batch++
    else if (type === messageType.parse) this.#texts.set(reader.text(), reader.text())
    else if (type === messageType.bind) {
      reader.text() // the portal
      const text = this.#texts.get(reader.text()) ?? ''
      const formats = Array.from({ length: reader.int16() }, () => reader.int16())
      const values = Array.from({ length: reader.int16() }, (_, i) => reader.value(formats[i] ?? formats[0] ?? 0))
      this.#onStatement({ text, values, batch: this.#batch })
    }
  }
}

class BodyReader {
  readonly #body: Buffer
  #at = 0

  constructor(body: Buffer) {
    this.#body = body
  }

  text(): string {
    const end = this.#body.indexOf(0, this.#at)
    const text = this.#body.toString('utf8', this.#at, end)
    this.#at = end + 1
    return text
  }

  int16(): number {
    this.#at += 2
    return this.#body.readInt16BE(this.#at - 2)
  }

  value(format: number): string | null {
    const length = this.#body.readInt32BE(this.#at)
    this.#at += 4
    if (length < 0) return null
    this.#at += length
    return this.#body.toString(format === 1 ? 'hex' : 'utf8', this.#at - length, this.#at)
  }
}
