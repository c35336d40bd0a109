// The interface of a WebSocket protocol.

import { readJsonInTurns } from '../../../sdk/http.ts'
import type { Connection, Wire } from './connection.ts'

export interface Protocol<State> {
  /** The name of the subprotocol. */
  readonly name: string
  readonly wire: Wire
  /** Begins a connection; gives its state. */
  begin(connection: Connection): State
  /** Sends a keep-alive message, so that no proxy considers the connection dead. */
  keepAlive(connection: Connection, state: State): void
  /** Whether a message is the answer to a keep-alive message, judged by its bytes; absent: clients do not answer. */
  readonly isPong?: (data: Buffer) => boolean
  /** Handles a message; the next one follows when this resolves. */
  receive(connection: Connection, state: State, data: Buffer): Promise<void> | void
}

/** The JSON of a message; numbers keep their digits. */
export const readMessage = (data: Buffer): unknown | Promise<unknown> => readJsonInTurns(data, 'lossless')

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !JSON.isRawJSON(value)
