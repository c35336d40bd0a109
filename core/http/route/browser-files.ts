// Pages for browsers, and their files.

import { extname } from 'node:path'
import { notFound } from '../../errors/errors.ts'
import { Gzipped } from './compression.ts'
import type { RouteCall, RouteRequest } from './declared-route.ts'

/** Whether a browser asks for a page; programs do not. */
export const wantsHtml = ({ headers }: RouteRequest): boolean =>
  (headers.accept ?? '').toLowerCase().includes('text/html')

const contentTypes: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.woff2': 'font/woff2',
}

/** A file of a page. */
export interface BrowserFile {
  /** Its name, whose ending tells the type. */
  readonly name: string
  /** Its bytes, compressed by gzip; absent: there is no such file. */
  readonly gzipped: Buffer | undefined
  /** Whether the name changes with the content, so that browsers need not ask again. */
  readonly isImmutable: boolean
}

/** The result of a route that sends a file to the page's own origin. A missing file is 404. */
export function browserFile(
  { request, reply }: Pick<RouteCall, 'request' | 'reply'>,
  { name, gzipped, isImmutable }: BrowserFile,
): Gzipped | string {
  const contentType = contentTypes[extname(name)]
  if (contentType === undefined || gzipped === undefined) throw notFound()
  const etag = `"${name}"`
  reply.raw.appendHeader('vary', 'Accept-Encoding')
  reply.headers({
    'content-type': contentType,
    // Workers have a policy of their own.
    'content-security-policy': "default-src 'none'",
    'x-content-type-options': 'nosniff',
    'cross-origin-resource-policy': 'same-origin',
    'cache-control': isImmutable ? 'public, max-age=31536000, immutable' : 'no-cache',
    etag,
  })
  if (!isKept(request, etag)) return new Gzipped(gzipped)
  reply.code(304)
  return ''
}

/** Whether the client has it. */
const isKept = ({ headers }: RouteRequest, etag: string): boolean =>
  (headers['if-none-match'] ?? '').split(',').some((each) => each.trim().replace(/^W\//, '') === etag)
