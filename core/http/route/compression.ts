// Compression of answers, for clients that ask for it.

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

/** Compresses off the main thread; the fastest level already takes JSON down to a fraction. */
export const gzip = (body: string | Buffer): Promise<Buffer> => gzipAsync(body, { level: constants.Z_BEST_SPEED })

/** An answer that is kept compressed: what a handler returns to have its bytes sent as they are to clients that take them so. */
export class Gzipped {
  readonly bytes: Buffer

  constructor(bytes: Buffer) {
    this.bytes = bytes
  }

  /** The bytes that were compressed. */
  unpacked(): Promise<Buffer> {
    return gunzip(this.bytes)
  }
}
