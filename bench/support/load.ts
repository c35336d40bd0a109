// The load generator: raw sockets and prepared requests. It reads only the length of an answer, which leaves most of
// the machine to the measured server.

import { connect, type Socket } from 'node:net'

/** The target of requests, and the requests. */
export interface Target {
  readonly port: number
  readonly requests: readonly Buffer[]
  /** The beginning of each answer; absent: that of GraphQL. */
  readonly answerStart?: string
}

export interface LoadOptions {
  readonly connections: number
  readonly seconds: number
  /** Ends it sooner. */
  readonly signal?: AbortSignal
}

export interface LoadResult {
  readonly requests: number
  readonly seconds: number
  /** Milliseconds. */
  readonly p50: number
  readonly p99: number
  readonly longest: number
}

/** The bytes of a POST over a keep-alive connection. */
export function requestBytes(path: string, body: unknown, headers: Readonly<Record<string, string>> = {}): Buffer {
  const payload = Buffer.from(JSON.stringify(body))
  const all = { host: '127.0.0.1', 'content-type': 'application/json', 'content-length': payload.length, ...headers }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  const head = `POST ${path} HTTP/1.1\r\n${lines.join('')}\r\n`
  return Buffer.concat([Buffer.from(head), payload])
}

/** Sends requests over all connections at once until the time is over. Each connection waits for its answer. */
export async function runLoad(target: Target, { connections, seconds, signal }: LoadOptions): Promise<LoadResult> {
  const open = await Promise.all(Array.from({ length: connections }, () => Connection.open(target)))
  const started = performance.now()
  const end = started + seconds * 1000
  const latencies: number[] = []
  let next = 0
  const work = async (connection: Connection) => {
    for (let now = performance.now(); now < end && !signal?.aborted; ) {
      const sent = now
      await connection.exchange(target.requests[next++ % target.requests.length]!)
      now = performance.now()
      latencies.push(now - sent)
    }
  }
  try {
    await Promise.all(open.map(work))
  } finally {
    for (const connection of open) connection.close()
  }
  const sorted = Float64Array.from(latencies).sort()
  return {
    requests: sorted.length,
    seconds: (performance.now() - started) / 1000,
    p50: quantile(sorted, 0.5),
    p99: quantile(sorted, 0.99),
    longest: sorted.at(-1) ?? Number.NaN,
  }
}

/** The value below which that share of a sorted list lies. */
const quantile = (sorted: Float64Array, share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN

/** Sends one request after another to each target in turn; returns the median time of a round in milliseconds. */
export async function timeInTurn(targets: readonly Target[], seconds: number): Promise<number> {
  const open = await Promise.all(targets.map((target) => Connection.open(target)))
  const rounds: number[] = []
  const end = performance.now() + seconds * 1000
  try {
    for (let started = performance.now(); started < end; started = performance.now()) {
      for (const [i, { requests }] of targets.entries()) {
        await open[i]!.exchange(requests[rounds.length % requests.length]!)
      }
      rounds.push(performance.now() - started)
    }
  } finally {
    for (const connection of open) connection.close()
  }
  return quantile(Float64Array.from(rounds).sort(), 0.5)
}

const graphqlStart = '{"data":'

class Connection {
  readonly #socket: Socket
  readonly #answerStart: string
  #head = ''
  /** Missing bytes of the answer; null before its head is complete. */
  #missing: number | null = null
  #done: () => void = () => {}
  #failed: (error: Error) => void = () => {}

  /** Connects. The socket reads each chunk into the same buffer. */
  static open({ port, answerStart = graphqlStart }: Omit<Target, 'requests'>): Promise<Connection> {
    return new Promise((opened, refused) => {
      const buffer = Buffer.allocUnsafe(65_536)
      const socket = connect({
        host: '127.0.0.1',
        port,
        noDelay: true,
        onread: {
          buffer,
          callback: (size) => {
            connection.#read(buffer.subarray(0, size))
            return true
          },
        },
      })
      const connection = new Connection(socket, answerStart)
      socket.once('error', refused)
      socket.once('connect', () => opened(connection))
    })
  }

  constructor(socket: Socket, answerStart: string) {
    this.#socket = socket
    this.#answerStart = answerStart
    socket.on('error', (error) => this.#failed(error))
    socket.on('close', () => this.#failed(new Error('the server closed a connection')))
  }

  /** Sends a request and waits for the end of its answer. */
  exchange(request: Buffer): Promise<void> {
    return new Promise((done, failed) => {
      this.#done = done
      this.#failed = failed
      this.#socket.write(request)
    })
  }

  close(): void {
    this.#failed = () => {}
    this.#socket.destroy()
  }

  #read(chunk: Buffer): void {
    if (this.#missing === null) this.#readHead(chunk)
    else this.#missing -= chunk.length
    if (this.#missing !== 0) return
    this.#missing = null
    this.#head = ''
    this.#done()
  }

  #readHead(chunk: Buffer): void {
    this.#head += chunk.toString('latin1')
    const end = this.#head.indexOf('\r\n\r\n')
    if (end < 0) return
    const length = /\r\ncontent-length: *(\d+)/i.exec(this.#head)?.[1]
    const body = this.#head.slice(end + 4, end + 4 + this.#answerStart.length)
    if (!this.#head.startsWith('HTTP/1.1 200 ') || length === undefined || !this.#answerStart.startsWith(body)) {
      this.#failed(new Error(`unexpected answer: ${this.#head.slice(0, 500)}`))
      return
    }
    this.#missing = end + 4 + Number(length) - this.#head.length
  }
}
