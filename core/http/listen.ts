// Opening the port, and saying what to do when it cannot be had.

import { type AddressInfo, createServer } from 'node:net'
import { StartError } from '../errors/start-error.ts'
import { codeOf, messageOf } from '../errors/thrown.ts'
import { listeningOf } from './front/hosts.ts'
import type { ServerSettings } from './options.ts'
import type { HttpServer } from './server.ts'

/** All interfaces: of both protocols where the machine has IPv6. */
function everyAddress(): Promise<string> {
  return new Promise((resolve) => {
    const probe = createServer()
    probe.once('error', () => resolve('0.0.0.0'))
    probe.listen(0, '::', () => probe.close(() => resolve('::')))
  })
}

/** The addresses of this machine itself are two, and clients that look up `localhost` may take either. */
const [ownAddress, ownAddressV6] = ['127.0.0.1', '::1']

function explain(error: unknown, host: string, serverPort: number, portFlag: string): string {
  switch (codeOf(error)) {
    case 'EADDRINUSE':
      return `port ${serverPort} is in use: stop what serves there, or choose another port with ${portFlag}`
    case 'EACCES':
      return `port ${serverPort} may not be opened by this user: choose one above 1023 with ${portFlag}`
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `${host} is no address of this machine: choose another with --server-host`
    default:
      return `cannot listen on ${host} port ${serverPort}: ${messageOf(error)}`
  }
}

/** Listens where the settings say; returns the port. `portFlag`: by which flag it was chosen. */
export async function listen(
  server: HttpServer,
  settings: ServerSettings,
  portFlag = '--server-port',
): Promise<number> {
  const { host } = listeningOf(settings)
  const { serverPort } = settings
  try {
    const first = host === '*' ? await everyAddress() : host === 'localhost' ? ownAddress : host
    await server.app.listen({ host: first, port: serverPort })
    const { port } = server.app.server.address() as AddressInfo
    if (host === 'localhost') await listenOnV6(server, port, serverPort === 0)
    return port
  } catch (error) {
    throw new StartError(explain(error, host, serverPort, portFlag), { cause: error })
  }
}

/** Does without IPv6 where there is none; a port that the system chose for IPv4 may be somebody else's there. */
async function listenOnV6(server: HttpServer, port: number, isChosen: boolean): Promise<void> {
  try {
    await server.alsoListen(ownAddressV6, port)
  } catch (error) {
    const code = codeOf(error) ?? ''
    if (code === 'EADDRINUSE' && !isChosen) throw error
    if (!['EADDRINUSE', 'EADDRNOTAVAIL', 'EAFNOSUPPORT'].includes(code)) throw error
  }
}
