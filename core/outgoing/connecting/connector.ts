// Opens connections to other servers, as far as the egress policy and the limit of the host permit.

import type { buildConnector } from 'undici'
import type { UnverifiedHosts } from '../request.ts'
import { connectorBy, type Egress } from './egress.ts'
import { observeReception } from './keep-alive.ts'
import type { Opening, Openings } from './openings.ts'

/** The policy and the limits of connections. */
export interface ConnectorOptions {
  readonly egress: Egress | null
  readonly openings: Openings
  readonly isUnverified: UnverifiedHosts
}

/** Creates the connector of an agent. */
export function connector(
  build: typeof buildConnector,
  { egress, openings, isUnverified }: ConnectorOptions,
): buildConnector.connector {
  const connectWith = (options: buildConnector.BuildOptions) =>
    egress ? connectorBy(egress, build, options) : build(options)
  const verified = connectWith({})
  let unverified: buildConnector.connector | null = null
  return (options, done) => {
    const { protocol, hostname, port } = options
    let connect = verified
    if (protocol === 'https:' && isUnverified(hostname, port === '' ? '443' : port)) {
      unverified ??= connectWith({ rejectUnauthorized: false })
      connect = unverified
    }
    const host = openings.at(protocol, hostname, port)
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
        opening.connected(protocol === 'https:')
        done(null, socket)
      })
    open()
  }
}
