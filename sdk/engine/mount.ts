// The engine inside of somebody's Fastify: `app.register(trellis, { prefix: '/api' })`. It keeps an application of its own,
// which is handed the requests below the prefix as they arrived, so that neither knows of the other's hooks, parsers and
// errors.

import type { FastifyPluginAsync, FastifyRequest } from 'fastify'
import type { RunningEngine } from '../../core/engine/engine.ts'
import { createEngine, type EngineOptions } from './create-engine.ts'

/** What `app.register(trellis, ...)` takes beside `prefix`. */
export interface MountOptions extends EngineOptions {
  /** One that runs already, in place of a new one: whoever made it closes it. */
  readonly engine?: RunningEngine
}

declare module 'node:http' {
  interface IncomingMessage {
    /** The target as the client sent it, where `url` is what is left below a prefix. */
    originalUrl?: string
  }
}

/** The target without so many segments of its path: those of the prefix. */
function below(url: string, segments: number): string {
  let start = 0
  for (let i = 0; i < segments; i++) start = url.indexOf('/', start + 1)
  return url.slice(start)
}

/** A Fastify plugin that serves an engine below its prefix, and closes it with the application. */
export const trellis: FastifyPluginAsync<MountOptions> = async (scope, { engine: given, ...options }) => {
  const engine = given ?? (await createEngine(options))
  if (!given) scope.addHook('onClose', () => engine.close())
  const segments = scope.prefix.split('/').length - 1
  // The engine reads bodies itself.
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser('*', (_request, _payload, done) => done(null))
  scope.route({
    method: scope.supportedMethods,
    url: '/*',
    handler: ({ raw }: FastifyRequest, reply) => {
      reply.hijack()
      const { url = '/' } = raw
      raw.originalUrl ??= url
      raw.url = below(url, segments)
      engine.app.server.emit('request', raw, reply.raw)
    },
  })
}
