// A collector of spans.

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'

/** A span in OTLP's JSON. */
export interface ReceivedSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  /** 1 internal, 2 server, 3 client. */
  readonly kind: number
  readonly attributes: Readonly<Record<string, unknown>>
  /** 2: error. */
  readonly status: number
  readonly traceState?: string
}

export interface Collector {
  readonly url: string
  readonly requests: {
    readonly path: string
    readonly headers: NodeJS.Dict<string | string[]>
    readonly body: Buffer
  }[]
  /** The spans received as JSON, in the order in which they ended. */
  readonly spans: ReceivedSpan[]
  /** Attributes of the sender. */
  readonly resource: Record<string, unknown>
  /** Resolves with the first matching span. */
  span(name: string, fits?: (span: ReceivedSpan) => boolean): Promise<ReceivedSpan>
}

interface Attribute {
  readonly key: string
  readonly value: Readonly<Record<string, unknown>>
}

const attributesOf = (attributes: readonly Attribute[]) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]))

/** Starts a collector that stops with the test. */
export async function startCollector(t: TestContext): Promise<Collector> {
  const requests: Collector['requests'] = []
  const spans: ReceivedSpan[] = []
  const resource: Record<string, unknown> = {}
  const take = (body: Buffer) => {
    for (const { resource: sender, scopeSpans } of JSON.parse(String(body)).resourceSpans) {
      Object.assign(resource, attributesOf(sender.attributes))
      for (const { spans: received } of scopeSpans) {
        for (const span of received) {
          spans.push({ ...span, attributes: attributesOf(span.attributes), status: span.status.code })
        }
      }
    }
  }
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray())
    requests.push({ path: request.url ?? '', headers: request.headers, body })
    if (request.headers['content-type'] === 'application/json') take(body)
    response.writeHead(200, { 'content-type': request.headers['content-type'] }).end()
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    spans,
    resource,
    async span(name, fits = () => true) {
      for (;;) {
        const found = spans.find((span) => span.name === name && fits(span))
        if (found) return found
        await sleep(10)
      }
    },
  }
}

/** Sets variables of the process until the test ends. */
export function setVariables(t: TestContext, variables: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(variables)) {
    const before = process.env[name]
    process.env[name] = value
    t.after(() => {
      if (before === undefined) delete process.env[name]
      else process.env[name] = before
    })
  }
}
