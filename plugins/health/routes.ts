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

/** The process runs and its event loop turns. */
export const liveness: Route = {
  ...open,
  url: '/livez',
  about: { summary: 'Whether the process runs.', result: Type.Object({ status: Type.Literal('alive') }) },
  handle: () => ({ status: 'alive' }),
}

/** Requests can be served: the model was loaded before the server began to listen, so the database decides. */
export const readiness = (engine: Engine): Route => ({
  ...open,
  url: '/readyz',
  about: {
    summary: 'Whether requests can be served.',
    result: Type.Object({ status: Type.Literal('ready') }),
    failures: {
      503: { summary: noAnswer, result: Type.Object({ status: Type.Literal('not ready'), reason: Type.String() }) },
    },
  },
  async handle({ reply }) {
    if (await engine.database.answers()) return { status: 'ready' }
    reply.code(503)
    return { status: 'not ready', reason: noAnswer }
  },
})
