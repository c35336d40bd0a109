// Requests to other servers and their answers.

import type { WebSocket } from 'ws'
import type { OutgoingHeaders } from './headers.ts'

export interface OutgoingRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly url: string
  /** Beside the default ones. */
  readonly headers?: OutgoingHeaders
  readonly body?: string | Buffer
  /** Milliseconds until the answer must have been read whole. */
  readonly timeout: number
  /** Bytes that the body of the answer may have. */
  readonly maxResponseSize?: number
  /** Gives the request up when it aborts. */
  readonly signal?: AbortSignal | null
  /** Whether a longer body is cut there, for those who look at its beginning only; absent: it is an error. */
  readonly cutsResponse?: boolean
  /**
   * Whether it may come twice, which spares failures: it is sent once more, and never a third time, where its connection, kept from one
   * before, was closed just then and nothing came back. Absent: `GET` may.
   */
  readonly isRepeatable?: boolean
  /**
   * The trace that it belongs to, when that is not the one of the request at hand: JSON text, as triggers find it in
   * the setting of their transaction.
   */
  readonly trace?: string
}

export interface OutgoingResponse {
  readonly status: number
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: Buffer
  /** Whether there was more of the body than was read. */
  readonly isCut: boolean
  /** Whether the request was sent twice, as {@link OutgoingRequest.isRepeatable} says. */
  readonly isResent?: boolean
}

/** An answer whose body is read as it comes: whoever reads no more ends the loop, which closes the connection. */
export interface OutgoingStream extends Pick<OutgoingResponse, 'status' | 'headers'> {
  readonly body: AsyncIterable<Buffer>
}

/** A class of WebSockets, as libraries take one. */
export type SocketClass = typeof WebSocket

/** A WebSocket to open. Its `timeout` is that of the handshake, its `maxResponseSize` that of each message. */
export interface OutgoingSocket extends Pick<OutgoingRequest, 'headers' | 'timeout' | 'maxResponseSize' | 'signal'> {
  /** Of HTTP. */
  readonly url: string
  /** Given the class of which one instance is to be made at once, which is the socket; what URL it is given does not count. */
  use(socket: SocketClass): void
}

/** What sends requests; a plugin's is `engine.outgoing`. */
export interface Outgoing {
  /** The answer, whatever its status; rejects with an {@link OutgoingError} when there is none. */
  send(request: OutgoingRequest): Promise<OutgoingResponse>
  /** The same of an answer that takes as long as it takes: `timeout` is until it begins, and no size is too large. */
  open(request: OutgoingRequest): Promise<OutgoingStream>
  /** Opens a WebSocket; resolves with the answer to the upgrade, whose status is 101 where it was granted. */
  socket(socket: OutgoingSocket): Promise<OutgoingResponse>
}
