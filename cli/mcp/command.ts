// `trellis mcp`

import type { Call, Command } from '../command.ts'
import { Failure } from '../exits.ts'
import { endpointOf } from '../target/target.ts'
import { callerHeaders } from './caller.ts'

export const command: Command = {
  details:
    'Speaks the Model Context Protocol on standard input and output, for clients that start their servers. The tools are those of a role, at a server with the API mcp or, with --database-url, of an engine in this process.',
  flags: {
    role: { value: 'ROLE', description: 'the role whose tools are offered' },
    'token-file': { value: 'FILE', description: 'a file with a token, sent in place of the admin secret' },
    session: { value: 'JSON', description: 'session variables beside the role, such as {"x-service-user-id": "7"}' },
    mutations: { description: 'with --database-url: offers the mutations of the allow-list, too' },
    'free-queries': { description: 'with --database-url: offers a tool that runs any query of the role' },
    'allow-admin': { description: 'with --database-url: lets the role admin use tools' },
  },
  async run(call) {
    const { startBridge } = await import('./bridge.ts')
    const place = await placeOf(call)
    call.say(`on ${place.label}`)
    try {
      await startBridge({ ...place, streams: call.io.streams() })
    } finally {
      await place.close()
    }
    return {}
  },
}

const ownFlags = ['mutations', 'free-queries', 'allow-admin'] as const

async function placeOf(call: Call) {
  const { io, flags, project } = call
  const databaseUrl = flags['database-url']
  const headers = callerHeaders(call, typeof databaseUrl === 'string')
  if (typeof databaseUrl === 'string') {
    if (flags['endpoint'] !== undefined) {
      throw new Failure('usage', '--endpoint and --database-url name two targets: keep one')
    }
    const { engineEndpoint } = await import('./engine-endpoint.ts')
    return engineEndpoint({ databaseUrl, io, dialect: project.dialect, flags, headers })
  }
  const own = ownFlags.find((name) => flags[name] === true)
  if (own !== undefined) throw new Failure('usage', `--${own} needs --database-url: a server has an option for it`)
  const endpoint = endpointOf(call)
  const label = endpoint.href.replace(/\/$/, '')
  return { label, url: new URL(`${label}/v1/mcp`), headers, fetch, close: async () => {} }
}
