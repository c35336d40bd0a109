import type { Route } from '../../sdk/http.ts'
import { type Engine, Type } from '../../sdk/index.ts'

const noAnswer = 'the database does not answer'

const open = { method: 'GET', api: null, auth: 'none', unlogged: true } as const

/**
 * `OK`, `WARN: ...` when something configured is not served, `ERROR` when the database does not answer. With `?strict=true`
 * a warning is an error.
 */
export const health = (engine: Engine, url: string): Route => ({
  ...open,
  url,
  about: {
    summary: 'The health of the server in words: OK, or the fault.',
    result: Type.String(),
    contentType: 'text/plain',
    failures: {
      500: {
        summary: `${noAnswer}, or with ?strict=true the metadata is inconsistent`,
        result: Type.Literal('ERROR'),
        contentType: 'text/plain',
      },
    },
  },
  async handle({ request, reply }) {
    reply.header('content-type', 'text/plain; charset=utf-8')
    const isAlive = await engine.database.answers()
    const isWhole = engine.model.inconsistencies.length === 0
    if (isAlive && isWhole) return 'OK'
    if (isAlive && request.query['strict'] !== 'true') return 'WARN: inconsistent objects in schema'
    reply.code(500)
    return 'ERROR'
  },
})

const SourceHealth = Type.Record(Type.String(), Type.Object({ status: Type.Enum({ ok: 'OK', error: 'ERROR' }) }))

/** The health of the source, for administrators: others learn no names of sources. */
export const sourceHealth = (engine: Engine): Route => ({
  method: 'GET',
  url: '/healthz/sources',
  api: null,
  auth: 'admin',
  unlogged: true,
  about: {
    summary: 'The health of the source.',
    result: SourceHealth,
    failures: { 500: { summary: noAnswer, result: SourceHealth } },
  },
  async handle({ reply }) {
    const isAlive = await engine.database.answers()
    if (!isAlive) reply.code(500)
    return { [engine.model.slices.source?.name ?? 'default']: { status: isAlive ? 'OK' : 'ERROR' } }
  },
})

/** The process runs and its event loop turns. */
export const liveness: Route = {
  ...open,
  url: '/livez',
  about: { summary: 'Whether the process runs.', result: Type.Object({ status: Type.Literal('alive') }) },
  handle: () => ({ status: 'alive' }),
}

/** The model was loaded before the server began to listen, so the database decides, until the server is about to stop. */
export const readiness = (engine: Engine, isDraining: () => boolean): Route => ({
  ...open,
  url: '/readyz',
  about: {
    summary: 'Whether requests can be served.',
    result: Type.Object({ status: Type.Literal('ready') }),
    failures: {
      503: {
        summary: `${noAnswer}, or the server is about to stop`,
        result: Type.Object({ status: Type.Literal('not ready'), reason: Type.String() }),
      },
    },
  },
  async handle({ reply }) {
    const reason = isDraining() ? 'the server is about to stop' : (await engine.database.answers()) ? null : noAnswer
    if (reason === null) return { status: 'ready' }
    reply.code(503)
    return { status: 'not ready', reason }
  },
})
