// Counts and times requests, operations, statements, and requests to other servers.

import type { FastifyReply } from 'fastify'
import type { Engine } from '../../sdk/index.ts'
import type { RequestWork, StatementWork, Surroundings } from '../../sdk/services.ts'
import { FirstValues, KnownRoles } from './labels.ts'
import type { Measures } from './measures.ts'
import { maxCodes } from './tuning.ts'

const secondsSince = (started: number): number => (performance.now() - started) / 1000

/** Installs the hooks that measure. */
export function watch(engine: Engine, measures: Measures): void {
  const roles = new KnownRoles(engine.access, engine.settings.unauthorizedRole)
  const codes = new FirstValues(maxCodes)
  engine.around({
    ...operationWatch(measures),
    ...statementWatch(measures),
    ...outgoingWatch(measures),
    async request(work, run) {
      const started = performance.now()
      const result = await run()
      const { session } = work.exchange
      const role = session ? roles.label(session.role, engine.model) : 'none'
      const endpoint = work.route.url
      measures.requestSeconds.observe({ endpoint, role }, secondsSince(started))
      measures.requests.inc({ ...{ endpoint, role }, ...outcomeOf(work, codes) })
      countBytes(work, measures)
      return result
    },
  })
  // Requests that reached no route of a plugin.
  engine.app.addHook('onResponse', (request, reply, done) => {
    if (!request.exchange) {
      const endpoint = request.is404 ? 'none' : (request.routeOptions.url ?? 'none')
      measures.requests.inc({ endpoint, role: 'none', status: reply.statusCode, code: 'none' })
    }
    done()
  })
}

const outcomeOf = ({ exchange: { error }, reply }: RequestWork, codes: FirstValues) => ({
  status: reply.statusCode,
  code: error ? codes.label(error.code) : 'ok',
})

function countBytes(
  { request: { body, method }, reply }: RequestWork,
  { requestBytes, responseBytes }: Measures,
): void {
  if (Buffer.isBuffer(body)) requestBytes.inc(body.length)
  if (method !== 'HEAD') responseBytes.inc(sizeOf(reply))
}

const sizeOf = (reply: FastifyReply): number => Number(reply.getHeader('content-length') ?? 0) || 0

function operationWatch({ operations, operationSeconds }: Measures): Pick<Surroundings, 'operation'> {
  return {
    async operation(work, run) {
      const started = performance.now()
      let status = 'failed'
      try {
        const result = await run()
        status = 'success'
        return result
      } finally {
        const type = work.operation?.kind ?? 'unknown'
        operations.inc({ operation_type: type, response_status: status })
        operationSeconds.observe({ operation_type: type }, secondsSince(started))
      }
    },
  }
}

function statementWatch({ statementSeconds }: Measures): Pick<Surroundings, 'statement'> {
  // Statements are by far the most frequent, so their labels are created once.
  const labels = Object.fromEntries(
    (['query', 'transaction', 'other'] as const).map((kind) => {
      return [kind, { ok: { kind, outcome: 'ok' }, error: { kind, outcome: 'error' } }]
    }),
  ) as Record<StatementWork['kind'], Record<'ok' | 'error', { kind: string; outcome: string }>>
  return {
    async statement({ kind }, run) {
      const started = performance.now()
      let outcome: 'ok' | 'error' = 'error'
      try {
        const result = await run()
        outcome = 'ok'
        return result
      } finally {
        statementSeconds.observe(labels[kind][outcome], secondsSince(started))
      }
    },
  }
}

function outgoingWatch({ outgoingSeconds }: Measures): Pick<Surroundings, 'outgoing'> {
  return {
    async outgoing(request, send) {
      const started = performance.now()
      let outcome = 'failed'
      try {
        const response = await send(request)
        outcome = `${Math.floor(response.status / 100)}xx`
        return response
      } finally {
        outgoingSeconds.observe({ outcome }, secondsSince(started))
      }
    },
  }
}
