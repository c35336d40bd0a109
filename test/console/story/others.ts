// Servers beside the story: a webhook that refuses some deliveries, and a GraphQL server.

import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'
import { buildSchema, graphql } from 'graphql'
import { atEnd } from '../../support/cleanup.ts'

async function serve(t: TestContext, listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  atEnd(t, () => {
    server.close()
    server.closeAllConnections()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  let text = ''
  for await (const part of request.setEncoding('utf8')) text += part
  return JSON.parse(text)
}

/** A webhook. */
export interface Webhook {
  readonly url: string
  /** Deliveries that it refuses with 500 from now on. */
  refusals: number
}

/** Starts a webhook that takes everything at first. */
export async function startWebhook(t: TestContext): Promise<Webhook> {
  const url = await serve(t, (request, response) => {
    request.resume()
    const isRefused = webhook.refusals > 0
    if (isRefused) webhook.refusals -= 1
    response.writeHead(isRefused ? 500 : 200, { 'content-type': 'application/json' }).end('{}')
  })
  const webhook = { url: `${url}/hook`, refusals: 0 }
  return webhook
}

/** Starts a GraphQL server that knows the points of customers. */
export function startLoyalty(t: TestContext): Promise<string> {
  const schema = buildSchema('type Query { card(customer: Int!): Card }\ntype Card { points: Int! }')
  const rootValue = { card: ({ customer }: { readonly customer: number }) => ({ points: customer * 100 }) }
  return serve(t, async (request, response) => {
    const { query, variables } = (await bodyOf(request)) as { query: string; variables?: Record<string, unknown> }
    const answer = await graphql({ schema, rootValue, source: query, variableValues: variables ?? null })
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer))
  })
}
