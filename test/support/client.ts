// The calls of a test against a server.

import assert from 'node:assert/strict'
import { dialects } from '../../core/names/dialect.ts'
import type { Settings } from '../../core/options/options.ts'

export interface RequestOptions {
  /** Sent as the role header. */
  readonly role?: string
  readonly headers?: Readonly<Record<string, string>>
}

export interface OperationOptions extends RequestOptions {
  readonly version?: number
}

export interface GraphQLOptions extends RequestOptions {
  /** `/v1/graphql` when absent. */
  readonly path?: string
  readonly operationName?: string
}

export interface Answer<Body = unknown> {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The parsed text when it is JSON, else the text. */
  readonly body: Body
}

export interface RawRequest extends RequestOptions {
  readonly method?: string
  /** A string or bytes as they are; anything else as JSON. */
  readonly body?: unknown
}

export interface TestClient {
  /** Runs a metadata operation that succeeds, and returns its answer. */
  op<Body = unknown>(type: string, args: unknown, options?: OperationOptions): Promise<Body>
  /** Runs a metadata operation that is refused. */
  opError(type: string, args: unknown, options?: OperationOptions): Promise<{ status: number; body: unknown }>
  /** Sends a GraphQL request and returns the whole answer. */
  graphql<Body = unknown>(query: string, variables?: Record<string, unknown>, options?: GraphQLOptions): Promise<Body>
  request<Body = unknown>(path: string, request?: RawRequest): Promise<Answer<Body>>
}

/** The calls of a test against whatever listens at a URL. */
export function clientOf(url: string, settings: Pick<Settings, 'dialect'> = { dialect: 'trellis' }): TestClient {
  const roleHeader = dialects[settings.dialect].roleVariable
  const request = async <Body>(path: string, call: RawRequest = {}): Promise<Answer<Body>> => {
    const { body, role, headers } = call
    const response = await fetch(url + path, {
      method: call.method ?? (body === undefined ? 'GET' : 'POST'),
      headers: { ...(role === undefined ? {} : { [roleHeader]: role }), ...headers },
      ...(body === undefined ? {} : { body: bytesOf(body) }),
    })
    const text = await response.text()
    return { status: response.status, headers: response.headers, text, body: parsed(text) as Body }
  }
  const operation = <Body>(type: string, args: unknown, { version, ...rest }: OperationOptions = {}) =>
    request<Body>('/v1/query', { ...rest, body: { type, args, ...(version === undefined ? {} : { version }) } })
  return {
    request,
    async op<Body = unknown>(type: string, args: unknown, options?: OperationOptions): Promise<Body> {
      const { status, body } = await operation<Body>(type, args, options)
      assert.equal(status, 200, `${type}: ${JSON.stringify(body)}`)
      return body
    },
    async opError(type: string, args: unknown, options?: OperationOptions) {
      const { status, body } = await operation(type, args, options)
      assert.notEqual(status, 200, `${type} succeeded`)
      return { status, body }
    },
    async graphql<Body = unknown>(query: string, variables?: Record<string, unknown>, options: GraphQLOptions = {}) {
      const { path = '/v1/graphql', operationName, ...rest } = options
      const { body } = await request<Body>(path, { ...rest, body: { query, variables, operationName } })
      return body
    },
  }
}

const bytesOf = (body: unknown): string | Uint8Array<ArrayBuffer> =>
  typeof body === 'string' || body instanceof Uint8Array
    ? (body as string | Uint8Array<ArrayBuffer>)
    : JSON.stringify(body)

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
