// Sends the requests of a test to a server.

import type { Settings } from '../../core/engine/options.ts'
import { dialects } from '../../core/names/dialect.ts'

export interface RequestOptions {
  /** Sent in the role header. */
  readonly role?: string
  readonly headers?: Readonly<Record<string, string>>
}

export interface RawRequest extends RequestOptions {
  /** Default: GET, or POST if there is a body. */
  readonly method?: string
  /** A string or Buffer is sent unchanged, other values as JSON. */
  readonly body?: unknown
}

export interface Answer<Body = unknown> {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The parsed JSON, or the text if it is not JSON. */
  readonly body: Body
}

/** Sends a request to a path of the server. */
export type SendRequest = <Body = unknown>(path: string, request?: RawRequest) => Promise<Answer<Body>>

/** Returns a sender for the server at a URL. */
export function requestsTo(url: string, { dialect }: Pick<Settings, 'dialect'>): SendRequest {
  const roleHeader = dialects[dialect].roleVariable
  return async (path, { body, role, headers, method } = {}) => {
    const response = await fetch(url + path, {
      method: method ?? (body === undefined ? 'GET' : 'POST'),
      headers: {
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(role !== undefined && { [roleHeader]: role }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: bytesOf(body) }),
    })
    const text = await response.text()
    return { status: response.status, headers: response.headers, text, body: parsed(text) }
  }
}

const isBytes = (body: unknown): body is string | Uint8Array<ArrayBuffer> =>
  typeof body === 'string' || body instanceof Uint8Array

const bytesOf = (body: unknown) => (isBytes(body) ? body : JSON.stringify(body))

function parsed(text: string) {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
