// The protocol `graphql-transport-ws` of the library graphql-ws.

import { CloseCode, type Message, MessageType, validateMessage } from 'graphql-ws'
import { type Connection, longestReason, type Wire } from './connection.ts'
import { envelopeOf, textFrame } from './frames.ts'
import { type Protocol, readMessage } from './protocol.ts'

const wire: Wire = {
  result: (id) => envelopeOf(`{"type":"next","id":${JSON.stringify(id)},"payload":`, '}'),
  refused: (id, error) => `{"type":"error","id":${JSON.stringify(id)},"payload":[${error}]}`,
  complete: (id) => `{"type":"complete","id":${JSON.stringify(id)}}`,
  endsByRefusal: true,
}

/** Keep-alive messages, which the library's clients answer. */
const payload = { message: 'keepalive' }
const ping = textFrame(JSON.stringify({ type: MessageType.Ping, payload }))

/** The possible answers. */
const pongs = [{ type: MessageType.Pong, payload }, { type: MessageType.Pong }].map((message) =>
  Buffer.from(JSON.stringify(message)),
)

interface State {
  phase: 'new' | 'initialising' | 'ready'
  readonly deadline: NodeJS.Timeout
}

/** Closes with a reason in the form of this interface. */
function closeWith(connection: Connection, code: CloseCode, text: string): void {
  const reasonOf = (message: string) => JSON.stringify({ server_error_msg: message })
  // The text may contain client input of any length.
  let message = `${code}: ${text}`.slice(0, longestReason)
  while (Buffer.byteLength(reasonOf(message)) > longestReason) message = message.slice(0, -1)
  connection.close(code, reasonOf(message))
}

export const transportWsProtocol: Protocol<State> = {
  name: 'graphql-transport-ws',
  wire,
  begin(connection) {
    const late = () => {
      if (state.phase === 'new') {
        closeWith(connection, CloseCode.ConnectionInitialisationTimeout, 'Connection initialisation timeout')
      }
    }
    const deadline = setTimeout(late, connection.options.limits.initTimeout)
    deadline.unref()
    const state: State = { phase: 'new', deadline }
    return state
  },
  keepAlive(connection, { phase }) {
    if (phase === 'ready') connection.sendFrame(ping)
  },
  isPong: (data) => pongs.some((pong) => pong.equals(data)),
  async receive(connection, state, data) {
    let message: Message
    try {
      message = validateMessage(await readMessage(data))
    } catch (error) {
      const text = `Parsing client message failed: ${(error as Error).message}`
      connection.log({ type: 'conn_err', detail: text })
      return closeWith(connection, CloseCode.BadRequest, text)
    }
    switch (message.type) {
      case MessageType.ConnectionInit:
        return await init(connection, state, message.payload)
      case MessageType.Subscribe:
        return subscribe(connection, state, message.id, message.payload)
      case MessageType.Complete:
        return connection.stop(message.id)
      case MessageType.Ping:
        return connection.send({ type: MessageType.Pong, ...(message.payload && { payload: message.payload }) })
      case MessageType.Pong:
        return
      default:
        return closeWith(connection, CloseCode.BadRequest, `Unexpected message of type ${message.type} received`)
    }
  },
}

/** The fault of a rejected token, such as `JWTExpired`, which lets a client renew it; null: another error. */
const tokenFault = (message: string): string | null => /^Could not verify JWT: (JWT\w+)$/.exec(message)?.[1] ?? null

async function init(connection: Connection, state: State, payload: unknown): Promise<void> {
  if (state.phase !== 'new') {
    return closeWith(connection, CloseCode.TooManyInitialisationRequests, 'Too many requests')
  }
  state.phase = 'initialising'
  clearTimeout(state.deadline)
  try {
    await connection.authenticate(payload)
    state.phase = 'ready'
    connection.send({ type: MessageType.ConnectionAck })
  } catch (error) {
    const reason = tokenFault(connection.refusalOf(error))
    closeWith(connection, CloseCode.Forbidden, reason ?? 'Forbidden')
  }
}

/** Starts an operation; operations run concurrently and begin in order. */
function subscribe(connection: Connection, { phase }: State, id: string, payload: unknown): void {
  if (phase !== 'ready') closeWith(connection, CloseCode.Unauthorized, 'Unauthorized')
  else if (connection.has(id)) {
    closeWith(connection, CloseCode.SubscriberAlreadyExists, `Subscriber for ${id} already exists`)
  } else void connection.start(id, payload)
}
