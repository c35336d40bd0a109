// Opens connections to other servers, as far as the egress policy and the limit of the host permit.

import type { buildConnector } from 'undici'
import { connectorBy, type Egress } from './egress.ts'
import { observeReception } from './keep-alive.ts'
import type { Opening, Openings } from './openings.ts'

/** The policy and the limits of connections. */
export interface ConnectorOptions {
  readonly egress: Egress | null
  readonly openings: Openings
}

/** Creates the connector of an agent. */
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
          // Nothing was sent, so a retry does not repeat the request.
          if (opening.failed(error)) open()
          else done(error, null)
          return
        }
        observeReception(socket, () => opening.answered())
        socket.once('close', () => opening.ended())
        // A TLS handshake shows that the program accepted the connection, not only its kernel.
        opening.connected(options.protocol === 'https:')
        done(null, socket)
      })
    open()
  }
}
