// A tool, and how it runs a GraphQL request of its caller.

import type { GraphQLRequest } from '../../sdk/graphql.ts'
import { disconnectSignal, type RouteCall } from '../../sdk/http.ts'
import { badRequest } from '../../sdk/index.ts'
import { answerGraphQL, failedAnswer } from '../graphql/index.ts'
import type { McpEngine } from './options.ts'

/** The JSON Schema of a tool's arguments. */
export interface ArgumentsSchema {
  readonly type: 'object'
  readonly [keyword: string]: unknown
}

/** The answer of a tool; an error is one that the caller may correct. */
export interface ToolAnswer {
  readonly text: string
  readonly isError: boolean
}

/** A tool as clients see it. */
export interface ToolDescription {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly inputSchema: ArgumentsSchema
  readonly annotations: { readonly readOnlyHint: boolean; readonly destructiveHint: boolean }
}

/** A tool of a role. */
export interface Tool {
  readonly description: ToolDescription
  run(given: Readonly<Record<string, unknown>>, call: RouteCall): Promise<ToolAnswer>
}

export const readOnly = { readOnlyHint: true, destructiveHint: false } as const
export const destructive = { readOnlyHint: false, destructiveHint: true } as const

/** How a request is run. */
export interface RunOptions {
  /** Seconds; null: only the limits of the role count. */
  readonly time: number | null
  /** Bytes; null: the answer has to be delivered, because the request has changed something. */
  readonly answer: number | null
}

/** Runs a request as its caller; errors have GraphQL's form. */
export async function runRequest(
  engine: McpEngine,
  request: GraphQLRequest,
  call: RouteCall,
  { time, answer }: RunOptions,
): Promise<ToolAnswer> {
  const clock = time === null ? null : timerOf(time, call)
  let hasCalls = false
  try {
    const body = await answerGraphQL(engine, request, call, {
      ...{ schema: 'standard', isAlone: false },
      ...(clock && { whenUnwanted: clock.signal }),
      onPrepared(prepared) {
        hasCalls = prepared.calls !== null
      },
    })
    const size = typeof body === 'string' ? Buffer.byteLength(body) : body.length
    if (answer !== null && size > answer) throw answerTooLarge(size, answer)
    const text = body.toString()
    // Only answers with calls to other servers can hold errors beside data.
    return { text, isError: hasCalls && 'errors' in JSON.parse(text) }
  } catch (error) {
    return { text: failedAnswer(engine, error, call.session), isError: true }
  } finally {
    clock?.clear()
  }
}

/** A signal that aborts when the client is gone, or when the time is over. */
function timerOf(seconds: number, { reply }: RouteCall) {
  const controller = new AbortController()
  const timer = setTimeout(() => controller.abort(timeExceeded(seconds)), seconds * 1000)
  const gone = disconnectSignal(reply)
  return {
    signal: () => AbortSignal.any([gone(), controller.signal]),
    clear: () => clearTimeout(timer),
  }
}

const timeExceeded = (seconds: number) =>
  badRequest('time-limit-exceeded', `the query took longer than the time limit of ${seconds} s`)

const answerTooLarge = (size: number, limit: number) =>
  badRequest('answer-limit-exceeded', `the answer has ${size} bytes, the limit is ${limit}: ask for less`)
