// Reads the bodies of requests to plugins' routes. Fastify's own reading creates an async resource, closures and a
// copy per request. This hook reads earlier and skips the rest, unless other hooks need Fastify's order.

import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import { TrellisError } from '../../errors/errors.ts'
import { messageOf } from '../../errors/thrown.ts'
import { GatheredBytes } from './gathered-bytes.ts'

/** The error for a body beyond the limit. */
export const bodyTooLarge = () => new TrellisError(413, 'bad-request', 'request body is too large')

const notArrived = (error: unknown) => new TrellisError(400, 'bad-request', messageOf(error))

/** Reads the whole body; rejects if it exceeds the limit in bytes, or does not arrive. */
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

/** Hooks that run between reading a body and the route's handler. */
const betweenHooks: ReadonlySet<string> = new Set(['preParsing', 'preValidation', 'preHandler'])

declare module 'fastify' {
  interface FastifyInstance {
    /** Whether hooks were added that run between reading a body and the route's handler. */
    readonly hasHooksBetween: boolean
  }
}

/** Lets an application notice when such hooks are added to it, or to a part of it. */
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

/** How the body of a route is read, and the route's own handlers. */
export interface BodyReading {
  /** Handles a request whose body was read. */
  handle(request: FastifyRequest, reply: FastifyReply): void
  refuse(error: unknown, request: FastifyRequest, reply: FastifyReply): void
  readonly limit: number
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Set on routes whose body is read before Fastify would read it. */
    readonly bodyReading?: BodyReading
  }
}

/** Passes bodies to the routes of a scope as bytes, whatever their content type. */
export function takeBodiesAsBytes(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers()
  // Fastify caches the parser of a named type, but looks up that of `*` for each request.
  for (const type of ['application/json', '*']) {
    scope.addContentTypeParser(type, { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
  }
  // This hook sees what earlier `onRoute` hooks changed. A changed route is left to Fastify.
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

/** Reads the body and handles the request. The route's own handler then runs only if there are hooks in between. */
const readingHook =
  ({ handle, refuse, limit }: BodyReading) =>
  (request: FastifyRequest, reply: FastifyReply, done: () => void): void => {
    if (request.server.hasHooksBetween) {
      done()
      return
    }
    // Code after `await` keeps the async context of the earlier hooks; event listeners do not.
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
