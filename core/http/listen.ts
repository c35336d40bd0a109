// Opens the port; a failure says how to fix it.

import { type AddressInfo, createServer } from 'node:net'
import { StartError } from '../errors/start-error.ts'
import { codeOf, messageOf } from '../errors/thrown.ts'
import { listeningOf } from './front/hosts.ts'
import type { ServerSettings } from './options.ts'
import type { HttpServer } from './server.ts'

/** The address for all interfaces: IPv4 and IPv6 if the machine has IPv6, otherwise IPv4 only. */
function everyAddress(): Promise<string> {
  return new Promise((resolve) => {
    const probe = createServer()
    probe.once('error', () => resolve('0.0.0.0'))
    probe.listen(0, '::', () => probe.close(() => resolve('::')))
  })
}

/** A client that looks up `localhost` may get either loopback address. */
const [ownAddress, ownAddressV6] = ['127.0.0.1', '::1']

function explain(error: unknown, host: string, serverPort: number, portFlag: string): string {
  switch (codeOf(error)) {
    case 'EADDRINUSE':
      return `port ${serverPort} is in use: stop the program that uses it, or choose another port with ${portFlag}`
    case 'EACCES':
      return `port ${serverPort} may not be opened by this user: choose one above 1023 with ${portFlag}`
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `${host} is not an address of this machine: choose another with --server-host`
    default:
      return `cannot listen on ${host} port ${serverPort}: ${messageOf(error)}`
  }
}

/** Listens on the address in the settings and returns the port. `portFlag` is the flag that chose the port. */
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

/**
 * Does without IPv6 if the machine has none. If the system chose the port for IPv4, another process may use it on
 * IPv6.
 */
async function listenOnV6(server: HttpServer, port: number, isChosen: boolean): Promise<void> {
  try {
    await server.alsoListen(ownAddressV6, port)
  } catch (error) {
    const code = codeOf(error) ?? ''
    if (code === 'EADDRINUSE' && !isChosen) throw error
    if (!['EADDRINUSE', 'EADDRNOTAVAIL', 'EAFNOSUPPORT'].includes(code)) throw error
  }
}
