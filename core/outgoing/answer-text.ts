// The bytes of an answer as the rest of the server reads texts: UTF-8 without a byte order mark.

import { isUtf8 } from 'node:buffer'

const mark = Buffer.from([0xef, 0xbb, 0xbf])

const charset = /;\s*charset\s*=\s*"?([^\s";]+)/i

/**
 * The body in UTF-8, without the mark that some servers put before it. JSON has to be UTF-8, so that the charset of its media type says
 * nothing (RFC 8259, 8.1 and 11): it counts where the bytes are no UTF-8.
 */
export function asUtf8(body: Buffer, contentType: string | readonly string[] | undefined): Buffer {
  if (body.length === 0) return body
  const name = contentType === undefined ? undefined : charset.exec(String(contentType))?.[1]?.toLowerCase()
  if (name !== undefined && name !== 'utf-8' && (name.startsWith('utf-16') || !isUtf8(body))) {
    return decoded(body, name) ?? body
  }
  return body.subarray(0, mark.length).equals(mark) ? body.subarray(mark.length) : body
}

function decoded(body: Buffer, name: string): Buffer | null {
  try {
    return Buffer.from(new TextDecoder(name).decode(body))
  } catch {
    // A charset that nobody knows.
    return null
  }
}
