// Mounts an engine in another Fastify application: `app.register(trellis, { prefix: '/api' })`. The engine keeps its
// own application and receives the unmodified requests below the prefix. So neither is affected by the other's hooks,
// parsers and errors.

import type { IncomingMessage } from 'node:http'
import type { FastifyPluginAsync, FastifyRequest } from 'fastify'
import type { RunningEngine } from '../../core/engine/engine.ts'
import { createEngine, type EngineOptions } from './create-engine.ts'
import { MountedConnections } from './mounted-connections.ts'

/** The options of `app.register(trellis, ...)`, in addition to `prefix`. */
export interface MountOptions extends EngineOptions {
  /** An engine that runs already. Its creator has to close it. Absent: a new engine. */
  readonly engine?: RunningEngine
}

declare module 'node:http' {
  interface IncomingMessage {
    /** The target as the client sent it; `url` is the part below the prefix. */
    originalUrl?: string
  }
}

/** Removes this number of path segments from a target: those of the prefix. */
function below(url: string, segments: number): string {
  let start = 0
  for (let i = 0; i < segments; i++) start = url.indexOf('/', start + 1)
  return url.slice(start)
}

/** Whether a target is below the prefix. Without a prefix: whether the engine has a route for it. */
function isBelow(url: string, prefix: readonly string[], { routes }: RunningEngine): boolean {
  const [path = ''] = url.split('?', 1)
  if (prefix.length === 0) return routes.some((route) => route.url === path)
  const segments = path.split('/').slice(1)
  return segments.length > prefix.length && prefix.every((name, i) => name.startsWith(':') || name === segments[i])
}

/** A Fastify plugin that serves an engine below its prefix, and closes it with the application. */
export const trellis: FastifyPluginAsync<MountOptions> = async (scope, registered) => {
  const { engine: given, ...options } = registered
  // `register` also has an option `logLevel`, which is Fastify's, not the setting.
  if ('logLevel' in options) delete options.logLevel
  const creating = given ? null : createEngine(options)
  // Also closes an engine whose start the application did not wait for.
  scope.addHook('onClose', async () => (await creating?.catch(() => null))?.close())
  const engine = given ?? (await creating!)
  // Fastify accepts a prefix with a trailing slash.
  const prefix = scope.prefix.split('/').filter((segment) => segment !== '')
  const enter = (raw: IncomingMessage) => {
    const { url = '/' } = raw
    raw.originalUrl ??= url
    raw.url = below(url, prefix.length)
  }
  const connections = new MountedConnections(scope, engine, ({ url = '/' }) => isBelow(url, prefix, engine))
  // The application waits for open connections before it closes.
  scope.addHook('preClose', async () => (given ? connections.end() : engine.stop()))
  scope.addHook('onRequest', ({ raw }, reply, done) => {
    if (raw.headers.upgrade === undefined || !connections.has(raw)) return done()
    reply.hijack()
    enter(raw)
    connections.take(raw, reply.raw)
  })
  // The engine reads bodies itself.
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser('*', (_request, _payload, done) => done(null))
  scope.route({
    method: scope.supportedMethods,
    url: '/*',
    handler: ({ raw }: FastifyRequest, reply) => {
      reply.hijack()
      enter(raw)
      if (raw.headers.accept?.includes('text/event-stream')) connections.watch(reply.raw)
      engine.app.server.emit('request', raw, reply.raw)
    },
  })
}
