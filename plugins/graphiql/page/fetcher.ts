// Asking the server: queries and mutations over HTTP, each subscription over a WebSocket of its own.

import type { GraphiQLProps } from 'graphiql'
import { type ExecutionResult, getOperationAST, parse } from 'graphql'
import { createClient } from 'graphql-ws'

type Fetcher = GraphiQLProps['fetcher']
type Headers = Readonly<Record<string, string>>

/** Relative to the page, wherever the server is mounted. */
const endpoint = new URL('v1/graphql', document.baseURI)

/** A fetcher that asks with these headers; those of GraphiQL's editor of headers win. */
export function createFetcher(headers: Headers): Fetcher {
  return (request, options) => {
    const all = withHeaders(headers, options?.headers)
    return isSubscription(request) ? subscribe(request, all) : ask(request, all)
  }
}

/** Names of headers are the same in any case. */
function withHeaders(headers: Headers, others: Headers = {}): Headers {
  const lower = Object.entries(others).map(([name, value]) => [name.toLowerCase(), String(value)])
  return { ...headers, ...Object.fromEntries(lower) }
}

type Request = Parameters<Fetcher>[0]

/** Parsed here, because GraphiQL's own result may be older than the last key press. */
function isSubscription({ query, operationName }: Request): boolean {
  try {
    return getOperationAST(parse(query), operationName)?.operation === 'subscription'
  } catch {
    // The server's error names its fault.
    return false
  }
}

async function ask(request: Request, headers: Headers): Promise<ExecutionResult> {
  const answer = await fetch(endpoint, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(request),
  })
  const text = await answer.text()
  try {
    return JSON.parse(text, readNumber)
  } catch {
    throw new Error(`${answer.status}: ${text}`)
  }
}

function subscribe({ query, variables, operationName }: Request, headers: Headers): AsyncIterable<ExecutionResult> {
  const url = new URL(endpoint)
  url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:'
  const client = createClient({ url: url.href, connectionParams: { headers }, jsonMessageReviver: readNumber })
  // GraphiQL only prints them, so it does not matter that errors are plain objects.
  const results = client.iterate({ query, variables, operationName }) as AsyncIterableIterator<ExecutionResult>
  const iterator = {
    next: () => results.next().catch((error) => Promise.reject(whatHappened(error))),
    return: () => results.return?.() ?? Promise.resolve({ done: true, value: undefined }),
  }
  return { [Symbol.asyncIterator]: () => iterator }
}

/** The cause that ended a subscription: errors in the answer, or the close of its socket. */
function whatHappened(error: unknown): unknown {
  if (!(error instanceof CloseEvent)) return error
  return new Error(error.reason === '' ? `the connection was closed (${error.code})` : error.reason)
}

declare global {
  interface JSON {
    /** A value that is written as this text. */
    readonly rawJSON?: (text: string) => unknown
  }
}

/**
 * For `JSON.parse`: keeps the text of a number that JavaScript would round, if the browser supports it. Numbers of the
 * database may have more digits than those of JavaScript.
 */
function readNumber(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  const source = context?.source
  if (typeof value !== 'number' || source === undefined || String(value) === source || !JSON.rawJSON) return value
  return JSON.rawJSON(source)
}
