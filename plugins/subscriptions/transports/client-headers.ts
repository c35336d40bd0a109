// The headers of a client: those of the upgrade, and those that it sends in its first message, which win.

import type { IncomingMessage } from 'node:http'
import type { RequestHeaders } from '../../../sdk/http.ts'
import { parseFailed } from '../../../sdk/index.ts'

export interface ClientHeaders {
  readonly headers: RequestHeaders
  /** Names as sent, each followed by its value. */
  readonly rawHeaders: readonly string[]
}

/** What belongs to the upgrade alone. */
const ofUpgrade = /^(?:sec-websocket-.*|upgrade|connection)$/i

/** The headers of an upgrade that authentication may look at. */
export function upgradeHeaders({ headers, rawHeaders }: IncomingMessage, withCookie: boolean): ClientHeaders {
  const isKept = (name: string) => !ofUpgrade.test(name) && (withCookie || name.toLowerCase() !== 'cookie')
  const raw: string[] = []
  for (let i = 0; i < rawHeaders.length; i += 2) {
    if (isKept(rawHeaders[i]!)) raw.push(rawHeaders[i]!, rawHeaders[i + 1]!)
  }
  return { headers: Object.fromEntries(Object.entries(headers).filter(([name]) => isKept(name))), rawHeaders: raw }
}

/** Node has the bytes of a header as Latin-1, and so have those that read headers. */
const asHeaderText = (text: string): string => Buffer.from(text, 'utf8').toString('latin1')

/** Bytes that headers may have, what each takes beside its texts included: they are held for as long as the socket is there. */
const longestHeaders = 65_536
const bytesPerHeader = 32

/** The headers in the payload of `connection_init`; throws what is wrong with them. */
export function payloadHeaders(payload: unknown): ClientHeaders {
  const given = isObject(payload) ? (payload.headers ?? {}) : {}
  if (!isObject(given)) throw parseFailed('expecting the headers to be an object')
  const headers: Record<string, string> = Object.create(null)
  const rawHeaders: string[] = []
  let size = 0
  for (const [name, value] of Object.entries(given)) {
    if (value === null) continue
    if (typeof value !== 'string') throw parseFailed(`expecting the header ${JSON.stringify(name)} to be a string`)
    const text = asHeaderText(value)
    size += name.length + text.length + bytesPerHeader
    if (size > longestHeaders) throw parseFailed(`expecting headers of at most ${longestHeaders} bytes`)
    headers[name.toLowerCase()] = text
    rawHeaders.push(name, text)
  }
  return { headers, rawHeaders }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Both, where `first` wins. */
export const joinHeaders = (first: ClientHeaders, second: ClientHeaders): ClientHeaders => ({
  headers: { ...second.headers, ...first.headers },
  rawHeaders: [...first.rawHeaders, ...second.rawHeaders],
})
