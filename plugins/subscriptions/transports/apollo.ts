// The protocol `graphql-ws` of the library subscriptions-transport-ws.

import { payloadHeaders } from './client-headers.ts'
import { type Connection, startFailed, type Wire } from './connection.ts'
import { envelopeOf, textFrame } from './frames.ts'
import { isRecord, type Protocol, readMessage } from './protocol.ts'

const wire: Wire = {
  result: (id) => envelopeOf(`{"type":"data","id":${JSON.stringify(id)},"payload":`, '}'),
  refused: (id, error, isFlat) => {
    const payload = isFlat ? error : `{"errors":[${error}]}`
    return `{"type":"error","id":${JSON.stringify(id)},"payload":${payload}}`
  },
  complete: (id) => `{"type":"complete","id":${JSON.stringify(id)}}`,
  endsByRefusal: false,
}

/** The state of a connection's handshake. */
interface State {
  /** Why the last `connection_init` was refused. */
  refusal: string | null
}

const keepAlive = textFrame('{"type":"ka"}')

export const apolloProtocol: Protocol<State> = {
  name: 'graphql-ws',
  wire,
  begin(connection) {
    connection.sendFrame(keepAlive)
    return { refusal: null }
  },
  keepAlive: (connection) => connection.sendFrame(keepAlive),
  async receive(connection, state, data) {
    let message: Record<string, unknown>
    try {
      message = checked(await readMessage(data))
    } catch (error) {
      connectionError(connection, `parsing ClientMessage failed: ${(error as Error).message}`)
      return
    }
    const id = String(message.id)
    switch (message.type) {
      case 'connection_init':
        return await init(connection, state, message.payload)
      case 'start':
        return await start(connection, state, id, message.payload)
      case 'stop':
        return connection.stop(id)
      case 'connection_terminate':
        return connection.close(1000, 'GQL_CONNECTION_TERMINATE received')
    }
  },
}

const types = ['connection_init', 'start', 'stop', 'connection_terminate']

/** Checks the shape of a message; throws a description of the fault. */
function checked(message: unknown): Record<string, unknown> {
  if (!isRecord(message)) throw new Error('expecting an object')
  const { type, id, payload } = message
  if (type === undefined) throw new Error(`the key 'type' was not present`)
  if (typeof type !== 'string' || !types.includes(type)) {
    throw new Error(`unexpected type for ClientMessage: ${JSON.stringify(type)}`)
  }
  const isOperation = type === 'start' || type === 'stop'
  if (isOperation && typeof id !== 'string') throw new Error(`expecting the key 'id' to be a string`)
  if (type === 'start' && !isRecord(payload)) throw new Error(`expecting the key 'payload' to be an object`)
  if (type === 'connection_init' && payload !== undefined && payload !== null && !isRecord(payload)) {
    throw new Error(`expecting the key 'payload' to be an object`)
  }
  // Throws for invalid headers: that is a malformed message, not a refused client.
  if (type === 'connection_init') payloadHeaders(payload)
  return message
}

async function init(connection: Connection, state: State, payload: unknown): Promise<void> {
  if (state.refusal !== null) return connectionError(connection, state.refusal)
  try {
    await connection.authenticate(payload)
    connection.send({ type: 'connection_ack' })
    connection.sendFrame(keepAlive)
  } catch (error) {
    state.refusal = connection.refusalOf(error)
    connection.send({ type: 'connection_error', payload: state.refusal })
  }
}

function connectionError(connection: Connection, message: string): void {
  connection.send({ type: 'connection_error', payload: message })
  connection.log({ type: 'conn_err', detail: message })
}

async function start(connection: Connection, state: State, id: string, payload: unknown): Promise<void> {
  // After a refused `connection_init` the client must not continue with its earlier session.
  if (state.refusal !== null) {
    return protocolError(connection, id, `cannot start as connection_init failed with : ${state.refusal}`)
  }
  if (connection.session === null) {
    return protocolError(connection, id, 'start received before the connection is initialised')
  }
  if (connection.has(id)) return protocolError(connection, id, `an operation already exists with this id: ${id}`)
  await connection.start(id, payload)
}

/** A refusal whose payload is the error itself. */
function protocolError(connection: Connection, id: string, message: string): void {
  connection.send({ type: 'error', id, payload: connection.errorValue(startFailed(message)) })
  connection.send({ type: 'complete', id })
  const operation_type = { type: 'proto_err', detail: message } as const
  const common = { operation_id: id, request_id: null, operation_name: null, query: null }
  connection.log({ type: 'operation', detail: { ...common, operation_type } })
}
