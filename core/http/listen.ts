// Opening the port, and saying what to do when it cannot be had.

import { type AddressInfo, createServer } from 'node:net'
import type { FastifyInstance } from 'fastify'
import type { Settings } from '../options.ts'
import { StartError } from '../start-error.ts'

/** All interfaces: of both protocols where the machine has IPv6. */
function everyAddress(): Promise<string> {
  return new Promise((resolve) => {
    const probe = createServer()
    probe.once('error', () => resolve('0.0.0.0'))
    probe.listen(0, '::', () => probe.close(() => resolve('::')))
  })
}

function explain(error: NodeJS.ErrnoException, { serverHost, serverPort }: Settings, portFlag: string): string {
  switch (error.code) {
    case 'EADDRINUSE':
      return `port ${serverPort} is in use: stop what serves there, or choose another port with ${portFlag}`
    case 'EACCES':
      return `port ${serverPort} may not be opened by this user: choose one above 1023 with ${portFlag}`
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `${serverHost} is no address of this machine: choose another with --server-host`
    default:
      return `cannot listen on ${serverHost} port ${serverPort}: ${error.message}`
  }
}

/** Listens where the settings say; returns the port. `portFlag`: by which flag it was chosen. */
export async function listen(app: FastifyInstance, settings: Settings, portFlag = '--server-port'): Promise<number> {
  const host = settings.serverHost === '*' ? await everyAddress() : settings.serverHost
  try {
    await app.listen({ host, port: settings.serverPort })
  } catch (error) {
    throw new StartError(explain(error as NodeJS.ErrnoException, settings, portFlag), { cause: error })
  }
  return (app.server.address() as AddressInfo).port
}
