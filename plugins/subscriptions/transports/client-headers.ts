// The headers of a client: those of the upgrade, overridden by those in its first message.

import type { IncomingMessage } from 'node:http'
import { isSendableHeader, type RequestHeaders } from '../../../sdk/http.ts'
import { parseFailed } from '../../../sdk/index.ts'
import { bytesPerHeader, longestHeaders } from '../tuning.ts'

export interface ClientHeaders {
  readonly headers: RequestHeaders
  /** Names as sent, each followed by its value. */
  readonly rawHeaders: readonly string[]
}

/** Headers that belong to the upgrade alone. */
const ofUpgrade = /^(?:sec-websocket-.*|upgrade|connection)$/i

/** The headers of an upgrade that authentication may use. */
export function upgradeHeaders({ headers, rawHeaders }: IncomingMessage, withCookie: boolean): ClientHeaders {
  const isKept = (name: string) => !ofUpgrade.test(name) && (withCookie || name.toLowerCase() !== 'cookie')
  const raw: string[] = []
  for (let i = 0; i < rawHeaders.length; i += 2) {
    if (isKept(rawHeaders[i]!)) raw.push(rawHeaders[i]!, rawHeaders[i + 1]!)
  }
  return { headers: Object.fromEntries(Object.entries(headers).filter(([name]) => isKept(name))), rawHeaders: raw }
}

/** Node reads the bytes of headers as Latin-1, so readers of headers expect that. Like Node, omits space around a value. */
const asHeaderText = (text: string): string => Buffer.from(withoutSpace(text), 'utf8').toString('latin1')

/** A regular expression would search every run of spaces in the text again from each of its spaces. */
function withoutSpace(text: string): string {
  let start = 0
  let end = text.length
  while (start < end && ' \t\r\n'.includes(text[start]!)) start += 1
  while (end > start && ' \t\r\n'.includes(text[end - 1]!)) end -= 1
  return text.slice(start, end)
}

/** Refuses a header that HTTP cannot carry, since other servers may get it. */
function checkHeader(name: string, value: string): void {
  if (isSendableHeader(name, value)) return
  throw parseFailed(`expecting the header ${JSON.stringify(name)} to be a header of HTTP`)
}

/** Reads the headers in the payload of `connection_init`; throws for invalid ones. */
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
    checkHeader(name, text)
    headers[name.toLowerCase()] = text
    rawHeaders.push(name, text)
  }
  return { headers, rawHeaders }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Merges headers; those of `first` win. */
export const joinHeaders = (first: ClientHeaders, second: ClientHeaders): ClientHeaders => ({
  headers: { ...second.headers, ...first.headers },
  rawHeaders: [...first.rawHeaders, ...second.rawHeaders],
})
