// Decodes the text of responses to UTF-8 without a byte order mark.

import { isUtf8 } from 'node:buffer'

const mark = Buffer.from([0xef, 0xbb, 0xbf])

const charset = /;\s*charset\s*=\s*"?([^\s";]+)/i

/**
 * Returns the body in UTF-8, without the byte order mark that some servers send. JSON has to be UTF-8 and its media
 * type has no charset (RFC 8259, 8.1 and 11), so a charset counts only if the bytes are not valid UTF-8.
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
    // The charset is unknown.
    return null
  }
}
