// A client of `pg` that supports `sslmode` prefer and allow: it tries the other kind of connection if the first is refused.
// Written against the internals of the pinned version of `pg`.

import { isIP, Socket } from 'node:net'
import { type ConnectionOptions, connect as connectSecurely } from 'node:tls'
import pg from 'pg'
import { codeOf } from '../../errors/thrown.ts'
import type { ConnectionConfig } from './connection-config.ts'

/** The SQLSTATE of a connection that the server would only accept with, or only without, encryption. */
const invalidAuthorization = '28000'

/** The server's answers to an SSL request. */
const yes = Buffer.from('S')
const no = Buffer.from('N')

type Options = Pick<ConnectionConfig, 'keepAlive' | 'keepAliveInitialDelayMillis'> & {
  readonly ssl: ConnectionOptions
  readonly encryptedFirst: boolean
  /** Called with the kind of connection that succeeded. */
  readonly onDecided: (ssl: ConnectionOptions | false) => void
}

/** Tries the other kind of connection if PostgreSQL refuses the first. The client sees events of the final one only. */
class ChoosingConnection extends pg.Connection {
  // Private members of `pg`'s Connection.
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

  /** Handles the server's answer to the SSL request. */
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
      // `pg` makes the key non-enumerable, so the spread omits it.
      const { key } = ssl
      this.#follow(connectSecurely({ host, ...ssl, ...(key !== undefined && { key }), ...name, socket }))
    } catch (error) {
      this.emit('error', error)
      return
    }
    this.#begin(ssl)
  }

  /** Starts the client's login, which is the same on both kinds of connection. */
  #begin(ssl: ConnectionOptions | false): void {
    this.ssl = ssl
    this.#options.onDecided(ssl)
    this.attachListeners(this.stream)
    super.emit('sslconnect')
  }

  /** Switches to a stream, and forwards its end unless it has been given up. */
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
 * Closes a failed connection. A TLS socket closes itself only until its own side of the handshake is complete. If the server
 * rejects the client's certificate after that, the socket stays open, and ending the client would never finish.
 */
function closeWhenBroken(client: pg.Client): void {
  const { connection } = client
  connection.on('error', () => connection.stream.destroy())
}

/** A client for the result of {@link connectionConfig}; with any other configuration it behaves like `pg`'s own. */
export class DatabaseClient extends pg.Client {
  // Private members of `pg`'s Client that the login uses.
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
        // Cancel requests use the same kind of connection.
        if (client) Object.assign(client, { ssl: decided })
      },
    })
    super({ ...(config as ConnectionConfig), connection } as pg.ClientConfig)
    this.#settle(database)
    client = this
  }

  #settle(database: string | undefined): void {
    closeWhenBroken(this)
    // `pg` does not decode escapes in a URL that stand for reserved characters such as `@` or `/`.
    if (database === undefined) return
    this.connectionParameters.database = database
    Object.assign(this, { database })
  }
}
