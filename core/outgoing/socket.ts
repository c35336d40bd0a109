// Opens WebSockets to other servers, with the same limits and egress policy as requests.

import { isIP, type LookupFunction } from 'node:net'
import type { ClientOptions, WebSocket } from 'ws'
import { onAbort } from '../concurrency/aborting.ts'
import { longestTimer } from '../concurrency/timers.ts'
import type { Egress } from './connecting/egress.ts'
import type { Opening, Openings } from './connecting/openings.ts'
import { describeError } from './exchange.ts'
import type { OutgoingRequest, OutgoingResponse, OutgoingSocket, SocketClass } from './request.ts'
import { OutgoingError } from './request.ts'

/** The request and the limits of a socket. */
export interface SocketOptions {
  readonly request: Pick<OutgoingRequest, 'url' | 'timeout' | 'maxResponseSize' | 'signal'>
  readonly headers: Readonly<Record<string, string>>
  readonly egress: Egress | null
  readonly openings: Openings
  /** Whether the certificate of the host is verified. */
  readonly isVerified: boolean
}

/** Passes a class to `use`, whose one instance is the socket. Resolves with the response to the upgrade. */
export async function openSocket(
  { request, headers, egress, openings, isVerified }: SocketOptions,
  use: OutgoingSocket['use'],
): Promise<OutgoingResponse> {
  const { WebSocket: Socket } = await import('ws')
  const { url, timeout, maxResponseSize, signal } = request
  admit(url, egress)
  const started = performance.now()
  const opening = await waitForTurn(request, openings)
  const left = Math.max(1, timeout - (performance.now() - started))
  const options: ClientOptions & { lookup?: LookupFunction } = {
    ...{ headers, handshakeTimeout: Math.min(left, longestTimer), perMessageDeflate: false, followRedirects: false },
    ...(maxResponseSize !== undefined && { maxPayload: maxResponseSize }),
    ...(egress && { lookup: egress.lookup }),
    ...(!isVerified && { rejectUnauthorized: false }),
    finishRequest(upgrade) {
      upgrade.once('socket', (socket) => socket.once('connect', () => opening.connected()))
      upgrade.once('response', () => opening.answered())
      upgrade.end()
    },
  }
  return new Promise((resolve, reject) => {
    class Opening extends Socket {
      constructor(_url: string, protocols?: string | string[]) {
        super(url.replace(/^http/i, 'ws'), protocols, options)
        this.once('upgrade', ({ headers: answered }) => {
          opening.answered()
          resolve({ ...noBody, status: 101, headers: answered })
        })
        this.on('error', (error) => {
          const status = /^Unexpected server response: (\d{3})$/.exec(error.message)?.[1]
          if (status !== undefined) resolve({ ...noBody, status: Number(status), headers: {} })
          else reject(failure(error, timeout))
        })
        this.once('close', () => {
          opening.ended()
          reject(new OutgoingError('connection', 'the socket was closed'))
        })
        if (signal) endWith(this, signal)
      }
    }
    use(Opening as SocketClass)
  })
}

const noBody = { body: Buffer.alloc(0), isCut: true } as const

/** Checks a host that is an address. A name is checked when it is resolved. */
function admit(url: string, egress: Egress | null): void {
  const hostname = new URL(url).hostname.replace(/^\[|\]$/g, '')
  if (isIP(hostname) !== 0) egress?.admitAddress(hostname, hostname)
}

/** Waits until a connection to the host may be opened. */
function waitForTurn({ url, timeout, signal }: SocketOptions['request'], openings: Openings): Promise<Opening> {
  const { protocol, hostname, port } = new URL(url)
  return new Promise((resolve, reject) => {
    let isOver = false
    const ending: (() => void)[] = []
    const end = (then: () => void) => {
      if (isOver) return
      isOver = true
      for (const stop of ending) stop()
      then()
    }
    const fail = (error: Error) => end(() => reject(failure(error, timeout)))
    const late = () => fail(new OutgoingError('timeout', `no answer within ${timeout / 1000} s`))
    const timer = setTimeout(late, Math.min(timeout, longestTimer)).unref()
    ending.push(() => clearTimeout(timer))
    if (signal) ending.push(onAbort(signal, () => fail(signal.reason)))
    const start = (opening: Opening) => (isOver ? opening.ended() : end(() => resolve(opening)))
    ending.push(openings.at(protocol, hostname, port).open(start, fail))
  })
}

function failure(error: Error, timeout: number): OutgoingError {
  if (error instanceof OutgoingError) return error
  if (error.message === 'Opening handshake has timed out') {
    return new OutgoingError('timeout', `no answer within ${timeout / 1000} s`, error)
  }
  return new OutgoingError('connection', describeError(error), error)
}

function endWith(socket: WebSocket, signal: AbortSignal): void {
  const end = () => socket.terminate()
  if (signal.aborted) end()
  else signal.addEventListener('abort', end, { once: true })
  socket.once('close', () => signal.removeEventListener('abort', end))
}
