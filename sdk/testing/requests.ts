// Sends the requests of a test to a server.

import type { Settings } from '../../core/engine/options.ts'
import { dialects } from '../../core/names/dialect.ts'

/** The caller of a request. */
export interface RequestOptions {
  /** Sent in the role header, without the admin secret. Null: neither is sent. */
  readonly role?: string | null
  readonly headers?: Readonly<Record<string, string>>
}

/** The options of a request. */
export interface RawRequest extends RequestOptions {
  /** Default: GET, or POST if there is a body. */
  readonly method?: string
  /** A string or Buffer is sent unchanged, other values as JSON. */
  readonly body?: unknown
}

/** The response to a request, with any status. */
export interface Answer<Body = unknown> {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The parsed JSON, or the text if it is not JSON. */
  readonly body: Body
}

/** Sends a request to a path of the server. */
export type SendRequest = <Body = unknown>(path: string, request?: RawRequest) => Promise<Answer<Body>>

type RequestSettings = Pick<Settings, 'dialect'> & Partial<Pick<Settings, 'adminSecret' | 'accessKey'>>

/** Returns a sender for the server at a URL. Requests without a role have the admin secret of the settings. */
export function requestsTo(url: string, { dialect, adminSecret, accessKey }: RequestSettings): SendRequest {
  const { roleVariable: roleHeader, adminSecretHeader } = dialects[dialect]
  const secret = adminSecret ?? accessKey
  return async (path, { body, role, headers, method } = {}) => {
    const response = await fetch(url + path, {
      method: method ?? (body === undefined ? 'GET' : 'POST'),
      headers: {
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(typeof role === 'string' && { [roleHeader]: role }),
        ...(role === undefined && secret != null && { [adminSecretHeader]: secret }),
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
