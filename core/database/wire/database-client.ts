// A client of `pg` that can prefer encryption without insisting on it, or do with encryption where PostgreSQL insists.
// Written against the internals of the pinned version of `pg`.

import { isIP, Socket } from 'node:net'
import { type ConnectionOptions, connect as connectSecurely } from 'node:tls'
import pg from 'pg'
import { codeOf } from '../../errors/thrown.ts'
import type { ConnectionConfig } from './connection-config.ts'

/** How the server says that it would take the connection only if it were, or were not, encrypted. */
const invalidAuthorization = '28000'

/** Answers to whether the server encrypts. */
const yes = Buffer.from('S')
const no = Buffer.from('N')

type Options = Pick<ConnectionConfig, 'keepAlive' | 'keepAliveInitialDelayMillis'> & {
  readonly ssl: ConnectionOptions
  readonly encryptedFirst: boolean
  /** Told how it came out. */
  readonly onDecided: (ssl: ConnectionOptions | false) => void
}

/** Tries the other way when PostgreSQL refuses the first one. The client hears of neither but the one that is taken. */
class ChoosingConnection extends pg.Connection {
  // What `pg`'s Connection keeps to itself.
  declare stream: Socket
  declare ssl: ConnectionOptions | false
  declare _connecting: boolean
  declare readonly _ending: boolean
  declare readonly requestSsl: () => void
  declare readonly attachListeners: (stream: Socket) => void
  readonly #options: Options
  #place: readonly [portOrPath: number | string, host?: string] = [0]
  #mayChange = true

  constructor(options: Options) {
    super({ ...options, ssl: options.ssl })
    this.#options = options
  }

  connect(...place: readonly [portOrPath: number | string, host?: string]): void {
    this._connecting = true
    this.#place = place
    this.#attempt(this.#options.encryptedFirst, this.stream)
  }

  override emit(event: string, ...values: readonly unknown[]): boolean {
    if (event === 'authenticationOk') this.#mayChange = false
    const code = codeOf(values[0])
    if (event === 'errorMessage' && this.#mayChange && code === invalidAuthorization) {
      this.#mayChange = false
      this.stream.destroy()
      this.#attempt(this.ssl === false, new Socket())
      return true
    }
    return super.emit(event, ...values)
  }

  #attempt(encrypted: boolean, socket: Socket): void {
    const [portOrPath, host] = this.#place
    const { keepAlive = false, keepAliveInitialDelayMillis = 0 } = this.#options
    this.#follow(socket)
    socket.setNoDelay(true)
    if (typeof portOrPath === 'string') socket.connect(portOrPath)
    else socket.connect(portOrPath, host ?? 'localhost')
    socket.once('connect', () => {
      if (keepAlive) socket.setKeepAlive(true, keepAliveInitialDelayMillis)
      if (encrypted) {
        socket.once('data', (answer) => this.#onAnswer(answer, socket))
        this.requestSsl()
      } else this.#begin(false)
    })
  }

  /** PostgreSQL said whether it encrypts. */
  #onAnswer(answer: Buffer, socket: Socket): void {
    if (answer.equals(yes)) this.#encrypt(socket)
    else if (answer.equals(no) && this.#mayChange) {
      this.#mayChange = false
      this.#begin(false)
    } else {
      socket.end()
      this.emit('error', new Error('The server does not support SSL connections'))
    }
  }

  #encrypt(socket: Socket): void {
    const { ssl } = this.#options
    const host = this.#place[1] ?? 'localhost'
    const name = isIP(host) === 0 ? { servername: host } : {}
    try {
      // `pg` hides the key from whoever lists what is there.
      const { key } = ssl
      this.#follow(connectSecurely({ host, ...ssl, ...(key !== undefined && { key }), ...name, socket }))
    } catch (error) {
      this.emit('error', error)
      return
    }
    this.#begin(ssl)
  }

  /** Lets the client log in; it says the same on either kind of connection. */
  #begin(ssl: ConnectionOptions | false): void {
    this.ssl = ssl
    this.#options.onDecided(ssl)
    this.attachListeners(this.stream)
    super.emit('sslconnect')
  }

  /** Reads and writes a stream from now on, and passes on how it ends as long as it is not given up. */
  #follow(stream: Socket): void {
    this.stream = stream
    stream.on('error', (error: NodeJS.ErrnoException) => {
      const expected = this._ending && (error.code === 'ECONNRESET' || error.code === 'EPIPE')
      if (this.stream === stream && !expected) this.emit('error', error)
    })
    stream.on('close', () => {
      if (this.stream === stream) this.emit('end')
    })
  }
}

/**
 * Closes a connection that failed. A TLS socket does so by itself only until its own side of the handshake is done: a server that refuses
 * the client's certificate after it leaves the socket open, and whoever ends the client would wait for ever.
 */
function closeWhenBroken(client: pg.Client): void {
  const { connection } = client
  connection.on('error', () => connection.stream.destroy())
}

/** A client for what {@link connectionConfig} makes; of any other configuration it is `pg`'s own. */
export class DatabaseClient extends pg.Client {
  // What `pg`'s Client logs in with, and keeps to itself.
  declare readonly connectionParameters: { database?: string }

  constructor(config?: string | pg.ClientConfig) {
    const { preference = null, ssl, database } = (typeof config === 'object' ? config : {}) as Partial<ConnectionConfig>
    if (preference === null || typeof ssl !== 'object') {
      super(config)
      this.#settle(database)
      return
    }
    let client: pg.Client | null = null
    const connection = new ChoosingConnection({
      ...(config as ConnectionConfig),
      ssl,
      encryptedFirst: preference === 'encrypted',
      onDecided: (decided) => {
        // Requests to cancel go the same way.
        if (client) Object.assign(client, { ssl: decided })
      },
    })
    super({ ...(config as ConnectionConfig), connection } as pg.ClientConfig)
    this.#settle(database)
    client = this
  }

  #settle(database: string | undefined): void {
    closeWhenBroken(this)
    // Of an escape in a URL `pg` decodes none that stands for a character with a meaning there, such as `@` or `/`.
    if (database === undefined) return
    this.connectionParameters.database = database
    Object.assign(this, { database })
  }
}
