// Makes the connections of requests to other servers: those that may be made, and no more at once than their host can take.

import type { buildConnector } from 'undici'
import { connectorBy, type Egress } from './egress.ts'
import { watch } from './kept-connections.ts'
import type { Opening, Openings } from './openings.ts'

/** The limits of connections. */
export interface ConnectorOptions {
  readonly egress: Egress | null
  readonly openings: Openings
}

/** The connector of an agent. */
export function connector(
  build: typeof buildConnector,
  { egress, openings }: ConnectorOptions,
): buildConnector.connector {
  const connect = egress ? connectorBy(egress, build) : build({})
  return (options, done) => {
    const host = openings.at(options.protocol, options.hostname, options.port)
    const open = () => void host.open(attempt, (error) => done(error, null))
    const attempt = (opening: Opening) =>
      connect(options, (...made) => {
        const [error, socket] = made
        if (error) {
          // Nothing was sent: another try is no second request.
          if (opening.failed(error)) open()
          else done(error, null)
          return
        }
        watch(socket, () => opening.answered())
        socket.once('close', () => opening.ended())
        // The other side of a handshake of TLS is a program.
        opening.connected(options.protocol === 'https:')
        done(null, socket)
      })
    open()
  }
}
