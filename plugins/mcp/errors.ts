// Errors in the form of JSON-RPC: the message of the server's other endpoints, and their code in `data`.

import type { ErrorEncoder } from '../../sdk/http.ts'
import { flatError, type TrellisError } from '../../sdk/index.ts'

/** Codes of JSON-RPC 2.0. */
export const rpcCodes = {
  parseError: -32_700,
  invalidRequest: -32_600,
  invalidParams: -32_602,
  internalError: -32_603,
} as const

type RpcCode = (typeof rpcCodes)[keyof typeof rpcCodes]

/** An error as the SDK answers it: it takes the message, `code` and `data`. */
export class RpcError extends Error {
  readonly code: RpcCode
  readonly data: unknown

  constructor(code: RpcCode, { message, ...error }: Pick<TrellisError, 'message' | 'code'>) {
    super(message)
    this.code = code
    this.data = { code: error.code }
  }
}

/** Codes of refused credentials that other endpoints answer with 400; clients of MCP ask for new ones after 401. */
const unauthenticated: ReadonlySet<string> = new Set(['invalid-headers', 'invalid-jwt'])

/** Errors of requests that reach no tool, such as those of authentication. */
export const rpcErrors: ErrorEncoder = (error, showInternal) => {
  const { error: message, ...data } = flatError(error, showInternal)
  const { parseError, internalError, invalidRequest } = rpcCodes
  const isUnauthenticated = error.status === 400 && unauthenticated.has(error.code)
  const code = error.code === 'invalid-json' ? parseError : error.status < 500 ? invalidRequest : internalError
  const status = isUnauthenticated ? 401 : error.status
  return { status, body: { jsonrpc: '2.0', id: null, error: { code, message, data } } }
}
