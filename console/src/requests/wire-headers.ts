// Headers as browsers take them.

import { RequestFailed } from './failure.ts'

const encoder = new TextEncoder()

const beyondAscii = /[^\0-\x7f]/

/** A character for each byte of the UTF-8, which the server decodes. */
const asBytes = (text: string): string =>
  beyondAscii.test(text) ? Array.from(encoder.encode(text), (byte) => String.fromCharCode(byte)).join('') : text

/** The headers with their values in UTF-8. Throws `RequestFailed` where one cannot be sent. */
export function wireHeaders(named: Readonly<Record<string, string>>): Headers {
  const headers = new Headers()
  for (const [name, value] of Object.entries(named)) {
    try {
      headers.append(name, asBytes(value))
    } catch {
      throw new RequestFailed({
        ...{ status: 0, code: 'invalid-headers', path: null, internal: null, requestId: null },
        message: `no header can have this name or value: ${name}`,
        hint: 'session variables have names of ASCII letters, digits and hyphens, and values without line breaks',
      })
    }
  }
  return headers
}
