// Decodes responses: content codings, charsets and the byte order mark.

import { isUtf8 } from 'node:buffer'
import { type Duplex, pipeline, type Readable, Transform, type TransformCallback } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw, createZstdDecompress } from 'node:zlib'
import { reasonOf } from '../../errors/thrown.ts'
import { OutgoingError } from '../request.ts'
import { mostCodings } from '../tuning.ts'

/** The requested coding. Without the header, a server could use any coding. */
export const askedCoding = 'gzip'

/** Streamed responses are requested uncompressed, because servers buffer parts before they compress them. */
export const streamCoding = 'identity'

/** `deflate` means the zlib format, but many servers send raw deflate without header and checksum. */
class Inflate extends Transform {
  #inner: Transform | null = null

  override _transform(chunk: Buffer, encoding: BufferEncoding, done: TransformCallback): void {
    this.#inner ??= this.#begin(chunk)
    if (this.#inner.write(chunk, encoding)) done()
    else this.#inner.once('drain', done)
  }

  override _flush(done: TransformCallback): void {
    if (this.#inner) this.#inner.once('end', () => done()).end()
    else done()
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#inner?.destroy()
    done(error)
  }

  #begin(chunk: Buffer): Transform {
    const isZlib = (chunk[0]! & 15) === 8 && (chunk.length < 2 || chunk.readUInt16BE(0) % 31 === 0)
    const inner = isZlib ? createInflate() : createInflateRaw()
    inner.on('data', (data: Buffer) => void this.push(data))
    inner.on('error', (error) => this.destroy(error))
    return inner
  }
}

const unpackers: Readonly<Record<string, () => Duplex>> = {
  gzip: () => createGunzip(),
  'x-gzip': () => createGunzip(),
  deflate: () => new Inflate(),
  br: () => createBrotliDecompress(),
  zstd: () => createZstdDecompress(),
}

/** The names for the absence of a coding; graphql-sse sends `none`. */
const plain: ReadonlySet<string> = new Set(['', 'identity', 'none'])

/** Returns the codings of a header, in the order in which they were applied; null: no coding. */
export function codingsOf(header: string | readonly string[] | undefined): readonly string[] | null {
  if (header === undefined) return null
  const names = [header].flat().join(',').toLowerCase().split(',')
  const codings = names.map((name) => name.trim()).filter((name) => !plain.has(name))
  return codings.length === 0 ? null : codings
}

/** Returns the reason why a response cannot be decoded; null if decoding can be tried. */
export function refusalOf(codings: readonly string[]): OutgoingError | null {
  const unknown = codings.find((name) => !Object.hasOwn(unpackers, name))
  if (unknown !== undefined) return unreadable(`the answer has the content coding "${unknown}", which is not supported`)
  return codings.length > mostCodings ? unreadable('the answer has too many content codings') : null
}

const unreadable = (message: string, cause?: unknown) => new OutgoingError('unreadable', message, cause)

/** Receives the decoded parts of a response. */
export interface UnpackedTo {
  data(chunk: Buffer): void
  end(): void
  fail(error: OutgoingError): void
  /** More can be written, after {@link Unpacker.write} returned false. */
  drain(): void
}

/** Decodes one response. */
export class Unpacker {
  readonly #stages: readonly Duplex[]

  /** All codings must be supported. */
  constructor(codings: readonly string[], to: UnpackedTo) {
    this.#stages = codings.toReversed().map((name) => unpackers[name]!())
    const text = codings.join(', ')
    for (const [i, stage] of this.#stages.entries()) {
      const fail = (error: unknown) => {
        this.destroy()
        to.fail(unreadable(`the answer cannot be unpacked (${text}): ${reasonOf(error)}`, error))
      }
      stage.once('error', fail).on('error', () => {})
      const next = this.#stages[i + 1]
      if (next) stage.pipe(next)
      else stage.on('data', (chunk: Buffer) => to.data(chunk)).once('end', () => to.end())
    }
    this.#stages[0]!.on('drain', () => to.drain())
  }

  /** Returns whether more may be written at once. */
  write(chunk: Buffer): boolean {
    return this.#stages[0]!.write(chunk)
  }

  end(): void {
    this.#stages[0]!.end()
  }

  destroy(): void {
    for (const stage of this.#stages) stage.destroy()
  }
}

/** Decodes a response while it arrives. */
export async function* unpackedStream(body: Readable, codings: readonly string[]): AsyncGenerator<Buffer> {
  const refusal = refusalOf(codings)
  // Destroying the body before its end raises an error on it.
  body.on('error', () => {})
  if (refusal) {
    body.destroy()
    throw refusal
  }
  const stages = codings.toReversed().map((name) => unpackers[name]!())
  const last = stages.at(-1)!
  pipeline([body, ...stages], () => {})
  try {
    yield* last as AsyncIterable<Buffer>
  } finally {
    body.destroy()
  }
}

const mark = Buffer.from([0xef, 0xbb, 0xbf])

const charset = /;\s*charset\s*=\s*"?([^\s";]+)/i

/**
 * Returns the body in UTF-8, without the byte order mark that some servers send. JSON has to be UTF-8 and its media
 * type has no charset (RFC 8259, 8.1 and 11). So a charset counts only if the bytes are not valid UTF-8.
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
