// The calls of a test against a server.

import assert from 'node:assert/strict'
import type { Settings } from '../../core/engine/options.ts'
import { type Answer, type RawRequest, type RequestOptions, requestsTo } from '../../sdk/testing/requests.ts'

export type { Answer, RawRequest, RequestOptions }

export interface OperationOptions extends RequestOptions {
  readonly version?: number
}

export interface GraphQLOptions extends RequestOptions {
  /** `/v1/graphql` when absent. */
  readonly path?: string
  readonly operationName?: string
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

/** The calls of a test against a server at a URL. */
export function clientOf(url: string, settings: Pick<Settings, 'dialect'> = { dialect: 'trellis' }): TestClient {
  const request = requestsTo(url, settings)
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
