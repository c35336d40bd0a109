import type { Route } from '../../sdk/http.ts'
import { type Engine, Type } from '../../sdk/index.ts'
import { measure } from './gauges.ts'

const CachedOperation = Type.Object({
  role: Type.String(),
  schema: Type.String(),
  backend_only: Type.Boolean(),
  query: Type.String(),
  operation_name: Type.Union([Type.String(), Type.Null()]),
  plans: Type.Array(Type.Object({ sql: Type.Array(Type.String()) })),
})

/** The server's own numbers; administrators only. */
export const gauges = (engine: Engine): Route => ({
  method: 'GET',
  url: '/dev/ekg',
  auth: 'admin',
  about: { summary: 'Counters (`c`) and gauges (`g`) of the process, its connections and its caches.' },
  handle: () => measure(engine),
})

/** The plans that are kept; administrators only. */
export const planCache = (engine: Engine): Route => ({
  method: 'GET',
  url: '/dev/plan_cache',
  auth: 'admin',
  about: { summary: 'The operations whose plans are kept, with their SQL.', result: Type.Array(CachedOperation) },
  handle: () =>
    engine.graphql.cached().map(({ schema, document, operationName, plans }) => ({
      role: schema.role,
      schema: schema.kind,
      backend_only: schema.backendOnly,
      query: document.text,
      operation_name: operationName,
      plans: plans.map((plan) => ({ sql: plan.statements })),
    })),
})
