// Reads the bodies of requests to plugins' routes, as bytes, whatever their content type.

import type { IncomingMessage } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { TrellisError } from '../../errors/errors.ts'
import { messageOf } from '../../errors/thrown.ts'
import { GatheredBytes } from './gathered-bytes.ts'

/** The error for a body beyond the limit. */
export const bodyTooLarge = () => new TrellisError(413, 'bad-request', 'request body is too large')

const notArrived = (error: unknown) => new TrellisError(400, 'bad-request', messageOf(error))

type Done = (error: Error | null, body?: Buffer) => void

/** Reads the whole body; fails if it exceeds the limit in bytes, or does not arrive. */
function readBody(payload: IncomingMessage, limit: number, done: Done): void {
  const body = new GatheredBytes()
  let isOver = false
  const end = (error: Error | null) => {
    if (isOver) return
    isOver = true
    if (error) done(error)
    else done(null, body.whole())
  }
  payload.on('data', (chunk: Buffer) => {
    if (body.size + chunk.length > limit) end(bodyTooLarge())
    else if (!isOver) body.add(chunk)
  })
  payload.on('end', () => end(null))
  payload.on('error', (error) => end(notArrived(error)))
}

/** Passes bodies of at most `limit` bytes to the routes of a scope. */
export function takeBodiesAsBytes(scope: FastifyInstance, limit: number): void {
  scope.removeAllContentTypeParsers()
  // Fastify caches the parser of a named type, but looks up that of `*` for each request.
  for (const type of ['application/json', '*']) {
    scope.addContentTypeParser(type, ({ headers }, payload, done) => {
      if (Number(headers['content-length']) > limit) done(bodyTooLarge())
      else readBody(payload, limit, done)
    })
  }
}

/** The beginning of a content type that Fastify accepts. */
const mediaType = /^\s*[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+\s*(;|$)/

/** Removes malformed content types. Fastify refuses them before it looks for a parser, but accepts a missing one. */
export function forgetMalformedTypes(app: FastifyInstance): void {
  app.addHook('onRequest', ({ raw: { headers } }, _reply, done) => {
    const given = headers['content-type']
    if (given !== undefined && given !== 'application/json' && !mediaType.test(given)) delete headers['content-type']
    done()
  })
}
