// `/v1/mcp`: the Model Context Protocol over streamable HTTP, without sessions.

import { isSameOrigin, originCheck, type Route, type RouteCall, readJsonInTurns } from '../../sdk/http.ts'
import { badRequest, type Session, TrellisError } from '../../sdk/index.ts'
import { rpcErrors } from './errors.ts'
import type { Offers } from './offers.ts'
import type { McpEngine } from './options.ts'
import { mayUseTools } from './stored-queries.ts'
import type { ToolStreams } from './streams.ts'
import { largestMessage } from './tuning.ts'

const url = '/v1/mcp'

/** The routes: messages by POST, notifications by GET. */
export function mcpRoutes(engine: McpEngine, offers: Offers, streams: ToolStreams): Route[] {
  const refuse = refusalOf(engine)
  const common = { url, auth: 'session', errors: rpcErrors, forReaders: true } as const
  return [
    {
      ...{ ...common, method: 'POST', raw: true, shownAs: 'MCP' },
      about: { summary: 'Answers a message of the Model Context Protocol.' },
      async handle(call) {
        refuse(call)
        return answer(engine, offers, call)
      },
    },
    {
      ...{ ...common, method: 'GET' },
      about: { summary: 'Tells a client of MCP when its tools change.', contentType: 'text/event-stream' },
      async handle(call) {
        refuse(call)
        const { method, headers } = call.request
        // HEAD would leave a stream open that carries nothing.
        if (method !== 'GET' || !headers.accept?.includes('text/event-stream')) throw notEvents()
        await streams.open(call)
      },
    },
  ]
}

async function answer(engine: McpEngine, offers: Offers, call: RouteCall): Promise<Buffer | undefined> {
  const { bytes, reply, session } = call
  if (bytes.length > largestMessage) throw tooLarge()
  const message = await readJsonInTurns(bytes, 'lossless')
  // Each message is admitted on its own, and rates are limits on messages.
  if (Array.isArray(message)) throw badRequest('bad-request', 'a batch is not taken: send one message')
  const { answerMessage } = await import('./protocol.ts')
  const response = await answerMessage(message, { engine, call, tools: () => offers.of(session) })
  reply.code(response.status)
  return response.body === null ? undefined : Buffer.from(await response.arrayBuffer())
}

/** Refuses callers that get no tools, and web pages of other origins. */
function refusalOf(engine: McpEngine) {
  const { settings, dialect } = engine
  const { corsDomain, disableCors } = settings
  // `*` lists no origin by name: a page of any origin could reach a server of the local network.
  const isListed = originCheck(disableCors ? [] : corsDomain.filter((domain) => domain !== '*'))
  return ({ request: { headers }, session }: Pick<RouteCall, 'request' | 'session'>): void => {
    const { origin, host = '' } = headers
    if (origin !== undefined && !isSameOrigin(origin, host) && !isListed(origin)) throw foreignPage()
    if (!mayUseTools(engine, session)) throw noRole(session, dialect.roleVariable)
  }
}

const foreignPage = () =>
  new TrellisError(403, 'access-denied', 'web pages reach MCP from origins that --cors-domain lists by name')

const noRole = ({ role }: Session, header: string) =>
  new TrellisError(
    403,
    'access-denied',
    `the role ${role} gets no tools: name another role in ${header}, or start the server with --mcp-allow-admin`,
  )

const tooLarge = () => new TrellisError(413, 'bad-request', `a message has at most ${largestMessage} bytes`)

const notEvents = () => new TrellisError(406, 'invalid-headers', 'a stream needs Accept: text/event-stream')
