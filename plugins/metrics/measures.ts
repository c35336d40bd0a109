// The server's own metrics.

import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import { type Engine, version } from '../../sdk/index.ts'

/** Upper bounds in seconds, for single statements and for whole requests. */
const fineBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
const executionBuckets = [0.01, 0.03, 0.1, 0.3, 1, 3, 10]

/** The metrics that are recorded as events occur. */
export type Measures = ReturnType<typeof createMeasures>

export function createMeasures(registry: Registry, prefix: string) {
  const described = <L extends string>(name: string, help: string, labelNames: readonly L[]) => ({
    ...{ name: prefix + name, help, labelNames: [...labelNames], registers: [registry] },
  })
  return {
    requests: new Counter(
      described('http_requests_total', 'Requests answered', ['endpoint', 'role', 'status', 'code']),
    ),
    requestSeconds: new Histogram({
      ...described('http_request_duration_seconds', 'From the end of the body to the answer', ['endpoint', 'role']),
      buckets: fineBuckets,
    }),
    requestBytes: new Counter(described('http_request_bytes_total', 'Bytes of bodies received', [])),
    responseBytes: new Counter(described('http_response_bytes_total', 'Bytes of bodies sent', [])),
    operations: new Counter(
      described('graphql_requests_total', 'GraphQL operations run', ['operation_type', 'response_status']),
    ),
    operationSeconds: new Histogram({
      ...described('graphql_execution_time_seconds', 'Planning and running GraphQL operations', ['operation_type']),
      buckets: executionBuckets,
    }),
    statementSeconds: new Histogram({
      ...described('sql_duration_seconds', 'SQL statements, waiting for a connection included', ['kind', 'outcome']),
      buckets: fineBuckets,
    }),
    outgoingSeconds: new Histogram({
      ...described('outgoing_request_duration_seconds', 'Requests to other servers', ['outcome']),
      buckets: executionBuckets,
    }),
  }
}

/** Creates the metrics that are read on demand. */
export function createGauges(registry: Registry, prefix: string, engine: Engine): void {
  const { database, app, graphql } = engine
  const gauge = (name: string, help: string, read: () => number | Promise<number>, aggregator: 'sum' | 'max' = 'sum') =>
    new Gauge({
      ...{ name: prefix + name, help, registers: [registry], aggregator },
      async collect() {
        this.set(await read())
      },
    })
  const info = { name: `${prefix}info`, help: 'Always 1', labelNames: ['version'] as const, registers: [registry] }
  new Gauge({ ...info, aggregator: 'max' }).set({ version }, 1)
  gauge('metadata_resource_version', 'Changes of the metadata', () => engine.model.resourceVersion, 'max')
  gauge(
    'inconsistent_objects',
    'Metadata objects that are not served',
    () => engine.model.inconsistencies.length,
    'max',
  )
  gauge('http_connections', 'Open connections of clients', () => app.countConnections())
  new Gauge({
    ...{ name: `${prefix}postgres_connections`, help: 'Open connections to PostgreSQL', registers: [registry] },
    labelNames: ['state'],
    collect() {
      const { pooled, idle, shared } = database.connections
      this.set({ state: 'active' }, pooled - idle)
      this.set({ state: 'idle' }, idle)
      this.set({ state: 'shared' }, shared)
    },
  })
  gauge('postgres_pool_waiting', 'Requests that wait for a connection', () => database.connections.waiting)
  gauge('postgres_pending_statements', 'Statements sent on shared connections', () => database.connections.pending)
  new Counter({
    ...{ name: `${prefix}plan_cache_requests_total`, help: 'GraphQL operations planned', registers: [registry] },
    labelNames: ['status'],
    collect() {
      const { reused, made } = graphql.plans
      this.reset()
      this.inc({ status: 'hit' }, reused)
      this.inc({ status: 'miss' }, made)
    },
  })
}
