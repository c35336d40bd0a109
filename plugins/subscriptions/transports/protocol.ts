// What a protocol on a WebSocket is.

import { readJsonInTurns } from '../../../sdk/http.ts'
import type { Connection, Wire } from './connection.ts'

export interface Protocol<State> {
  /** As clients ask for it. */
  readonly name: string
  readonly wire: Wire
  /** Begins; gives what the connection remembers. */
  begin(connection: Connection): State
  /** Sent now and then, so that nobody on the way takes the connection for dead. */
  keepAlive(connection: Connection, state: State): void
  /** Whether a message is the answer to what keeps its client alive, told by its bytes alone; absent: clients do not answer. */
  readonly isPong?: (data: Buffer) => boolean
  /** Takes a message; the next one comes when it has resolved. */
  receive(connection: Connection, state: State, data: Buffer): Promise<void> | void
}

/** The JSON of a message, whose numbers keep their digits. */
export const readMessage = (data: Buffer): unknown | Promise<unknown> => readJsonInTurns(data, 'lossless')

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !JSON.isRawJSON(value)
