// The answer of an endpoint: the content of `data`, or the first error.

import { TrellisError } from '../../sdk/index.ts'
import { isJsonObject, parseJson } from '../../sdk/services.ts'

const prefix = '{"data":'
const suffix = '}'

/** Takes the envelope off an answer; throws its first error. Only answers with calls can hold errors. */
export function bareData(body: Buffer | string, hasCalls: boolean): Buffer | string {
  if (!hasCalls) return unwrapped(body)
  const answer = parseJson(body.toString(), 'lossless') as { data?: unknown; errors?: readonly unknown[] }
  const [error] = answer.errors ?? []
  if (error !== undefined) throw refusal(error)
  return JSON.stringify(answer.data ?? null)
}

const unwrapped = (body: Buffer | string): Buffer | string =>
  typeof body === 'string'
    ? body.slice(prefix.length, -suffix.length)
    : body.subarray(prefix.length, body.length - suffix.length)

interface GraphQLError {
  readonly message?: unknown
  readonly path?: unknown
  readonly extensions?: { readonly code?: unknown; readonly internal?: unknown }
}

function refusal(error: unknown): TrellisError {
  const { message, path, extensions = {} }: GraphQLError = isJsonObject(error) ? error : {}
  const { code, internal } = extensions
  return new TrellisError(400, typeof code === 'string' ? code : 'unexpected', String(message ?? 'unexpected'), {
    path: Array.isArray(path) ? path : [],
    internal,
  })
}
