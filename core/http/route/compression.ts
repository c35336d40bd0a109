// Compresses responses for clients that accept it.

import { promisify } from 'node:util'
import { constants, gunzip as gunzipCallback, gzip as gzipCallback } from 'node:zlib'

const gzipAsync = promisify(gzipCallback)
const gunzip = promisify(gunzipCallback)

/** Whether `Accept-Encoding` lists gzip. */
export function acceptsGzip(header: string | string[] | undefined): boolean {
  if (header === undefined) return false
  const codings = String(header).split(',')
  return codings.some((coding) => {
    const [name = '', ...parameters] = coding.split(';').map((part) => part.trim().toLowerCase())
    return name === 'gzip' && !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter))
  })
}

/** Compresses off the main thread. The fastest level already shrinks JSON to a fraction. */
export const gzip = (body: string | Buffer): Promise<Buffer> => gzipAsync(body, { level: constants.Z_BEST_SPEED })

/** A response that is stored compressed. Clients that accept gzip receive its bytes unchanged. */
export class Gzipped {
  readonly bytes: Buffer

  constructor(bytes: Buffer) {
    this.bytes = bytes
  }

  /** Returns the uncompressed bytes. */
  unpacked(): Promise<Buffer> {
    return gunzip(this.bytes)
  }
}
