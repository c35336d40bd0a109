// The bytes of requests to plugins' routes. Fastify's own reading makes an async resource, closures and a copy for each
// request; here it is done in the last of its hooks that do not need it.

import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import { TrellisError } from '../../errors/errors.ts'
import { messageOf } from '../../errors/thrown.ts'
import { GatheredBytes } from './gathered-bytes.ts'

/** The refusal of a body beyond the limit. */
export const bodyTooLarge = () => new TrellisError(413, 'bad-request', 'request body is too large')

const notArrived = (error: unknown) => new TrellisError(400, 'bad-request', messageOf(error))

/** The whole body; throws when it is longer than so many bytes, or does not arrive. */
function readBody(request: IncomingMessage, limit: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    if (Number(request.headers['content-length']) > limit) {
      reject(bodyTooLarge())
      return
    }
    const body = new GatheredBytes()
    request.on('data', (chunk: Buffer) => {
      if (body.size + chunk.length <= limit) body.add(chunk)
      else reject(bodyTooLarge())
    })
    request.on('end', () => resolve(body.whole()))
    request.on('error', (error) => reject(notArrived(error)))
  })
}

/** Hooks that stand between the reading of a body and the handler of a route. */
const betweenHooks: ReadonlySet<string> = new Set(['preParsing', 'preValidation', 'preHandler'])

declare module 'fastify' {
  interface FastifyInstance {
    /** Whether somebody has added hooks that run between the reading of a body and the handler of a route. */
    readonly hasHooksBetween: boolean
  }
}

/** Has an application tell whether such hooks are added to it, or to a part of it. */
export function noticeHooks(app: FastifyInstance): void {
  let isSeen = false
  const { addHook } = app
  const noticing = function (this: FastifyInstance, ...given: unknown[]): unknown {
    isSeen ||= betweenHooks.has(String(given[0]))
    return Reflect.apply(addHook, this, given)
  }
  Object.assign(app, { addHook: noticing })
  app.decorate('hasHooksBetween', { getter: () => isSeen })
}

/** How the body of a route is read and what becomes of it: the handlers are those of the route. */
export interface BodyReading {
  /** Takes a request whose body is there. */
  handle(request: FastifyRequest, reply: FastifyReply): void
  refuse(error: unknown, request: FastifyRequest, reply: FastifyReply): void
  readonly limit: number
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Of a route whose body is read in front of Fastify's reading. */
    readonly bodyReading?: BodyReading
  }
}

/** Has bodies reach the routes of a scope as bytes, whatever their content type. */
export function takeBodiesAsBytes(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers()
  // Fastify remembers the parser of a type that is named; that of `*` it would look up for each request.
  for (const type of ['application/json', '*']) {
    scope.addContentTypeParser(type, { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
  }
  // It follows what other hooks for new routes give them; a route that they gave anything else is left to Fastify.
  scope.addHook('onRoute', (route) => {
    const reading = route.config?.bodyReading
    if (reading && isAsDeclared(route, reading)) {
      route.onRequest = [route.onRequest ?? [], readingHook(reading)].flat()
    }
  })
}

const isAsDeclared = (route: RouteOptions, { handle, refuse }: BodyReading): boolean =>
  route.handler === handle &&
  route.errorHandler === refuse &&
  [route.preParsing, route.preValidation, route.preHandler, route.schema, route.bodyLimit, route.handlerTimeout].every(
    (option) => option === undefined,
  )

/** Reads the body and has the request handled, so that the route's own handler is for those with hooks in between. */
const readingHook =
  ({ handle, refuse, limit }: BodyReading) =>
  (request: FastifyRequest, reply: FastifyReply, done: () => void): void => {
    if (request.server.hasHooksBetween) {
      done()
      return
    }
    // What follows an `await` is in the async context of the hooks before this one, which listeners are not.
    const serve = async () => {
      try {
        request.body = await readBody(request.raw, limit)
      } catch (error) {
        refuse(error, request, reply)
        return
      }
      handle(request, reply)
    }
    void serve()
  }
