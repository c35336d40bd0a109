// Requests to other servers and their responses.

import type { WebSocket } from 'ws'
import type { OutgoingHeaders } from './headers.ts'

/** A request to another server. */
export interface OutgoingRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly url: string
  /** Added to the default headers. */
  readonly headers?: OutgoingHeaders
  readonly body?: string | Buffer
  /** The `Content-Type`; absent: JSON, null: none. */
  readonly contentType?: string | null
  /** Milliseconds until the whole response must have been read. */
  readonly timeout: number
  /** The size limit of the response body in bytes. */
  readonly maxResponseSize?: number
  /** Aborts the request. */
  readonly signal?: AbortSignal | null
  /** Whether to cut a longer body at the limit; absent: it is an error. */
  readonly cutsResponse?: boolean
  /**
   * Whether the request may be sent twice. It is sent once more if its keep-alive connection was closed at that
   * moment and nothing was received. Absent: true for `GET` only.
   */
  readonly isRepeatable?: boolean
  /**
   * The trace of the request, if it is not the current one: JSON text, as triggers read it from the setting of their
   * transaction.
   */
  readonly trace?: string
}

/** The response of another server, with any status. */
export interface OutgoingResponse {
  readonly status: number
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: Buffer
  /** Whether the body was cut. */
  readonly isCut: boolean
  /** Whether the request was sent twice, as {@link OutgoingRequest.isRepeatable} says. */
  readonly isResent?: boolean
}

/** A response whose body is streamed. Leaving the loop early closes the connection. */
export interface OutgoingStream extends Pick<OutgoingResponse, 'status' | 'headers'> {
  readonly body: AsyncIterable<Buffer>
}

/** A WebSocket class, as libraries take one. */
export type SocketClass = typeof WebSocket

/** A WebSocket to open. `timeout` limits the handshake, `maxResponseSize` each message. */
export interface OutgoingSocket extends Pick<OutgoingRequest, 'headers' | 'timeout' | 'maxResponseSize' | 'signal'> {
  /** An `http:` or `https:` URL. */
  readonly url: string
  /**
   * Receives the class. It must create one instance synchronously, which is the socket; the URL argument is ignored.
   */
  use(socket: SocketClass): void
}

/** Sends requests to other servers; plugins use `engine.outgoing`. */
export interface Outgoing {
  /** Returns the response, whatever its status; rejects with an {@link OutgoingError} if no response arrives. */
  send(request: OutgoingRequest): Promise<OutgoingResponse>
  /** Returns a streamed response. `timeout` ends when the response begins, and the size is not limited. */
  open(request: OutgoingRequest): Promise<OutgoingStream>
  /** Opens a WebSocket. Resolves with the response to the upgrade; its status is 101 if it was accepted. */
  socket(socket: OutgoingSocket): Promise<OutgoingResponse>
  /**
   * Decides for which hosts the certificate is not verified; call it while a plugin is registered. The result is called
   * when the decision changes: open connections are then used no more.
   */
  leaveUnverified(isUnverified: UnverifiedHosts): () => void
}

/** Whether the certificate of a host is not verified; `port` is never empty. */
export type UnverifiedHosts = (hostname: string, port: string) => boolean

/** A hook around requests: calls `send`, possibly with changed headers, and returns the response; or throws to refuse. */
export type AroundOutgoing = (
  request: OutgoingRequest,
  send: (request: OutgoingRequest) => Promise<OutgoingResponse>,
) => Promise<OutgoingResponse>

/** The hook around outgoing requests; null if no plugin has one. */
export interface OutgoingHooks {
  readonly outgoing: AroundOutgoing | null
}

/** Why there is no response. Of the request, the message contains only the host. */
export class OutgoingError extends Error {
  override readonly name = 'OutgoingError'
  /** Whether the request was sent twice. */
  isResent = false
  readonly reason: 'connection' | 'forbidden' | 'invalid-url' | 'timeout' | 'too-large' | 'unreadable'

  constructor(reason: OutgoingError['reason'], message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.reason = reason
  }
}
