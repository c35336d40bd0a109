// A cheap subscriber: a raw socket that reads only the written number of each message. This leaves most of the machine
// to the measured server.

import { connect, type Socket } from 'node:net'

export type SubscriberProtocol = 'graphql-transport-ws' | 'graphql-ws'

/** The subscription that a subscriber sends first. */
export interface Subscription {
  readonly port: number
  readonly protocol: SubscriberProtocol
  readonly query: string
  readonly variables: Readonly<Record<string, unknown>>
}

const text = 1
const ping = 9

const marker = Buffer.from('"n":')
const pingMessage = Buffer.from('{"type":"ping"')
const pongMessage = Buffer.from('{"type":"pong","payload":{"message":"keepalive"}}')

/** The number is within this many bytes of the start of a message. */
const headLength = 110

/** A client's frame with a mask of zeros. */
function clientFrame(opcode: number, payload: Buffer): Buffer {
  const length = payload.length < 126 ? [0x80 | payload.length] : [0xfe, payload.length >> 8, payload.length & 0xff]
  return Buffer.concat([Buffer.from([0x80 | opcode, ...length, 0, 0, 0, 0]), payload])
}

const upgrade = ({ port, protocol }: Subscription) =>
  Buffer.from(
    [
      'GET /v1/graphql HTTP/1.1',
      `Host: 127.0.0.1:${port}`,
      'Connection: Upgrade',
      'Upgrade: websocket',
      'Sec-WebSocket-Version: 13',
      'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
      `Sec-WebSocket-Protocol: ${protocol}`,
      '\r\n',
    ].join('\r\n'),
  )

/** The frame at the start of the data, with its first bytes; null while these are incomplete. */
function readFrame(bytes: Buffer) {
  const short = (bytes[1] ?? 0) & 0x7f
  const head = short < 126 ? 2 : short === 126 ? 4 : 10
  if (bytes.length < head) return null
  const length = short < 126 ? short : short === 126 ? bytes.readUInt16BE(2) : bytes.readUInt32BE(6)
  const looked = head + Math.min(length, headLength)
  if (bytes.length < looked) return null
  return { opcode: bytes[0]! & 0xf, head, length, start: bytes.subarray(head, looked) }
}

/** The shared buffer of all sockets. */
const shared = Buffer.allocUnsafe(65_536)

export class SubscriberSocket {
  readonly #socket: Socket
  readonly #subscription: Subscription
  /** The beginning of a message that is incomplete. */
  #kept: Buffer | null = null
  /** Bytes of the message to skip. */
  #skipped = 0
  #isUpgraded = false
  #onNumber: (n: number) => void
  #failed: (error: Error) => void

  /** Subscribes; resolves with the first answer. */
  static open(subscription: Subscription): Promise<SubscriberSocket> {
    return new Promise((resolve, reject) => {
      const opened = new SubscriberSocket(subscription, () => resolve(opened), reject)
    })
  }

  private constructor(subscription: Subscription, onFirst: () => void, failed: (error: Error) => void) {
    this.#subscription = subscription
    this.#onNumber = onFirst
    this.#failed = failed
    const onread = {
      buffer: shared,
      callback: (size: number) => {
        this.#read(shared.subarray(0, size))
        return true
      },
    }
    this.#socket = connect({ host: '127.0.0.1', port: subscription.port, noDelay: true, onread })
    this.#socket.on('error', (error) => this.#failed(error))
    this.#socket.on('close', () => this.#failed(new Error('the server closed a subscriber')))
    this.#socket.write(upgrade(subscription))
  }

  /** Sets the listener for the number of each message. */
  listen(onNumber: (n: number) => void): void {
    this.#onNumber = onNumber
  }

  close(): void {
    this.#failed = () => {}
    this.#socket.destroy()
  }

  #read(chunk: Buffer): void {
    let bytes = this.#kept ? Buffer.concat([this.#kept, chunk]) : chunk
    this.#kept = null
    if (!this.#isUpgraded) {
      const end = bytes.indexOf('\r\n\r\n')
      if (end < 0) {
        this.#kept = Buffer.from(bytes)
        return
      }
      if (!bytes.toString('latin1', 0, end).startsWith('HTTP/1.1 101 ')) {
        this.#failed(new Error(`unexpected answer: ${bytes.toString('latin1', 0, 300)}`))
        return
      }
      this.#isUpgraded = true
      this.#subscribe()
      bytes = bytes.subarray(end + 4)
    }
    this.#readFrames(bytes)
  }

  #readFrames(bytes: Buffer): void {
    for (let at = 0; at < bytes.length; ) {
      const skipped = Math.min(this.#skipped, bytes.length - at)
      this.#skipped -= skipped
      at += skipped
      const frame = at < bytes.length ? readFrame(bytes.subarray(at)) : null
      if (!frame) {
        if (at < bytes.length) this.#kept = Buffer.from(bytes.subarray(at))
        return
      }
      this.#take(frame.opcode, frame.start)
      at += frame.head
      this.#skipped = frame.length
    }
  }

  #take(opcode: number, start: Buffer): void {
    if (opcode === ping) this.#socket.write(clientFrame(10, start))
    if (opcode !== text) return
    const found = start.indexOf(marker)
    if (found < 0) {
      if (start.indexOf(pingMessage) === 0) this.#socket.write(clientFrame(text, pongMessage))
      return
    }
    let n = 0
    for (let at = found + marker.length; start[at]! >= 0x30 && start[at]! <= 0x39; at++) n = n * 10 + start[at]! - 0x30
    this.#onNumber(n)
  }

  #subscribe(): void {
    const { query, variables, protocol } = this.#subscription
    const start = { type: protocol === 'graphql-ws' ? 'start' : 'subscribe', id: '1', payload: { query, variables } }
    this.#socket.write(clientFrame(text, Buffer.from('{"type":"connection_init","payload":{}}')))
    this.#socket.write(clientFrame(text, Buffer.from(JSON.stringify(start))))
  }
}
