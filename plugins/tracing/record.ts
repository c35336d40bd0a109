// Records spans. They contain no values of requests: no query or SQL texts, variables, headers, paths of other
// servers, or error messages.

import { type Attributes, createTraceState, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import type { GraphQLOperation } from '../../sdk/graphql.ts'
import { type Engine, environment, type Session, StartError, TrellisError } from '../../sdk/index.ts'
import { OutgoingError, type RequestWork, type Surroundings } from '../../sdk/services.ts'
import type { CurrentSpan, SpanStorage } from './context.ts'
import { exportIsConfigured } from './environment.ts'
import { type Exporter, startExporter, startProvider } from './exporter.ts'
import type { SpanIds } from './ids.ts'
import type { Collector } from './metadata.ts'
import { inSpan } from './outgoing.ts'
import { spanOf } from './propagation.ts'
import { sendingExporter } from './sending.ts'
import { readStoredSpan } from './stored.ts'

/** The hooks that record spans. */
export type RecordingHooks = Required<
  Pick<Surroundings, 'request' | 'operation' | 'metadata' | 'planning' | 'statement' | 'outgoing'>
>

/** Records spans, and sends them to the collector of the metadata, or else to that of the environment. */
export function recordingHooks(engine: Engine, storage: SpanStorage): RecordingHooks {
  const recorder = new Recorder(exporters(engine, storage))
  return {
    ...requestSpans(recorder, storage),
    ...operationSpans(recorder, storage),
    ...statementSpans(recorder, storage),
    ...outgoingSpans(recorder, storage),
  }
}

/** The exporter of the current model. One that is replaced still sends the spans that it has. */
function exporters(engine: Engine, storage: SpanStorage): () => Exporter {
  const { observe, outgoing } = engine
  const fixed = exportIsConfigured(environment) ? startExporter(observe) : null
  let current: { readonly collector: Collector; readonly exporter: Exporter } | null = null
  const replace = (collector: Collector | null): Exporter | null => {
    const former = current
    current = collector && { collector, exporter: exporterTo(collector) }
    void former?.exporter.close()
    return current?.exporter ?? null
  }
  const exporterTo = (collector: Collector): Exporter => {
    try {
      return startProvider(observe, { ...collector, exporter: sendingExporter(collector, outgoing, storage) })
    } catch (error) {
      // A variable of OpenTelemetry is invalid.
      if (!(error instanceof StartError)) throw error
      observe.log({ type: 'unstructured', level: 'error', detail: `tracing: ${error.message}` })
      return unrecorded
    }
  }
  engine.onClose(async () => {
    await Promise.all([fixed?.close(), current?.exporter.close()])
  })
  return () => {
    const collector = engine.model.slices.opentelemetry ?? null
    const own = collector === (current?.collector ?? null) ? (current?.exporter ?? null) : replace(collector)
    return own ?? fixed ?? unrecorded
  }
}

/** Records nothing. */
const unrecorded: Exporter = { tracer: trace.getTracer('trellis'), close: () => Promise.resolve() }

/** A span in progress. */
interface Recording extends CurrentSpan {
  set(attributes: Attributes): void
  /** Ends the span; `failure` is the error code. */
  end(failure?: string): void
}

class Recorder {
  readonly #exporter: () => Exporter

  constructor(exporter: () => Exporter) {
    this.#exporter = exporter
  }

  /** `parent.isRemote`: whether another party created the parent. Without a parent a trace begins. */
  begin(name: string, kind: SpanKind, parent: Parent | null, attributes: Attributes): Recording {
    const context = parent ? trace.setSpanContext(ROOT_CONTEXT, contextOf(parent)) : ROOT_CONTEXT
    const span = this.#exporter().tracer.startSpan(name, { kind, attributes }, context)
    const { traceId, spanId, traceFlags, traceState } = span.spanContext()
    const parentSpanId = parent?.ids.spanId ?? null
    const ids = {
      traceId,
      spanId,
      parentSpanId,
      sampled: (traceFlags & 1) === 1,
      state: traceState?.serialize() ?? null,
    }
    return {
      ids,
      recorded: ids,
      set: (more) => span.setAttributes(more),
      end(failure) {
        if (failure !== undefined) {
          span.setAttribute('error.type', failure)
          span.setStatus({ code: SpanStatusCode.ERROR })
        }
        span.end()
      },
    }
  }
}

interface Parent {
  readonly ids: SpanIds
  readonly isRemote: boolean
}

const local = (span: CurrentSpan | null): Parent | null => span && { ids: span.ids, isRemote: false }
const remote = (ids: SpanIds | null): Parent | null => ids && { ids, isRemote: true }

/** If the client did not decide, its trace is recorded. */
const contextOf = ({ ids: { traceId, spanId, sampled, state }, isRemote }: Parent) => ({
  ...{ traceId, spanId, isRemote, traceFlags: sampled === false ? 0 : 1 },
  ...(state !== null && { traceState: createTraceState(state) }),
})

const failureOf = (error: unknown): string => (error instanceof TrellisError ? error.code : 'unexpected')

/** Runs work in a span. */
async function within<T>(span: Recording, storage: SpanStorage, run: () => Promise<T>): Promise<T> {
  try {
    const result = await storage.run(span, run)
    span.end()
    return result
  } catch (error) {
    span.end(failureOf(error))
    throw error
  }
}

/** Probes repeat often, and their spans are not interesting. */
const isProbe = ({ route }: RequestWork): boolean => route.auth === 'none' && route.method === 'GET'

const requestSpans = (recorder: Recorder, storage: SpanStorage): Pick<RecordingHooks, 'request'> => ({
  async request(work, run) {
    if (isProbe(work)) return run()
    const { route, request, reply, exchange } = work
    const span = recorder.begin(`${route.method} ${route.url}`, SpanKind.SERVER, remote(spanOf(request.headers)), {
      'http.request.method': route.method,
      'http.route': route.url,
      'trellis.request_id': request.id,
    })
    const result = await storage.run(span, run)
    span.set({ 'http.response.status_code': reply.statusCode, ...roleOf(exchange.session) })
    if (exchange.error) span.set({ 'error.type': exchange.error.code })
    span.end(exchange.error && exchange.error.status >= 500 ? exchange.error.code : undefined)
    return result
  },
})

const roleOf = (session: Session | null): Attributes => (session ? { 'trellis.role': session.role } : {})

function namesOf(operation: GraphQLOperation | null): Attributes {
  if (!operation) return {}
  const { kind, node } = operation
  return { 'graphql.operation.type': kind, ...(node.name && { 'graphql.operation.name': node.name.value }) }
}

const operationSpans = (
  recorder: Recorder,
  storage: SpanStorage,
): Pick<RecordingHooks, 'operation' | 'metadata' | 'planning'> => {
  const begin = (name: string, attributes: Attributes) =>
    recorder.begin(name, SpanKind.INTERNAL, local(storage.current), attributes)
  return {
    operation(work, run) {
      const span = begin('GraphQL', roleOf(work.session))
      return within(span, storage, () => run().finally(() => span.set(namesOf(work.operation))))
    },
    metadata: ({ type, session }, run) =>
      within(begin('metadata', { 'trellis.metadata.type': type, ...roleOf(session) }), storage, run),
    planning(work, run) {
      const span = begin('GraphQL planning', {})
      try {
        const planned = run()
        span.set({ 'trellis.plan.cached': work.cached === true })
        span.end()
        return planned
      } catch (error) {
        span.end(failureOf(error))
        throw error
      }
    },
  }
}

const statementSpans = (recorder: Recorder, storage: SpanStorage): Pick<RecordingHooks, 'statement'> => ({
  async statement({ kind, digest }, run) {
    const parent = storage.current
    // Statements of the server's own work would each be a separate trace.
    if (!parent) return run()
    const span = recorder.begin('SQL', SpanKind.CLIENT, local(parent), {
      'db.system.name': 'postgresql',
      'trellis.statement.kind': kind,
      ...(digest !== null && { 'trellis.statement.digest': digest }),
    })
    return within(span, storage, run)
  },
})

const outgoingSpans = (recorder: Recorder, storage: SpanStorage): Pick<RecordingHooks, 'outgoing'> => ({
  outgoing(request, send) {
    if (storage.isSilent) return send(request)
    const { method, url, trace: stored } = request
    const parent = stored === undefined ? local(storage.current) : remote(readStoredSpan(stored))
    const span = recorder.begin(method, SpanKind.CLIENT, parent, {
      'http.request.method': method,
      ...serverOf(url),
    })
    return within(span, storage, async () => {
      try {
        const response = await send(inSpan(request, span.ids, span.recorded))
        span.set({ 'http.response.status_code': response.status, ...resendOf(response) })
        return response
      } catch (error) {
        if (error instanceof OutgoingError) span.set(resendOf(error))
        throw error
      }
    })
  },
})

const resendOf = ({ isResent }: { readonly isResent?: boolean }): Attributes =>
  isResent ? { 'http.request.resend_count': 1 } : {}

/** Paths and query strings of webhooks often contain secrets. */
function serverOf(url: string): Attributes {
  if (!URL.canParse(url)) return {}
  const { hostname, port, protocol } = new URL(url)
  const standard = protocol === 'https:' ? 443 : 80
  return {
    'server.address': hostname,
    'server.port': port === '' ? standard : Number(port),
    'url.scheme': protocol.slice(0, -1),
  }
}
