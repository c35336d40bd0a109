import type { Route } from '../../sdk/http.ts'
import { type Engine, Type } from '../../sdk/index.ts'
import { fromWorkers } from './from-workers.ts'
import { measure, summed } from './gauges.ts'

const CachedOperation = Type.Object({
  role: Type.String(),
  schema: Type.String(),
  backend_only: Type.Boolean(),
  query: Type.String(),
  operation_name: Type.Union([Type.String(), Type.Null()]),
  plans: Type.Array(Type.Object({ sql: Type.Array(Type.String()) })),
})

/** The server's own numbers, those of all workers together; administrators only. */
export function gauges(engine: Engine): Route {
  const ofAll = fromWorkers(engine.workers, 'gauges', () => measure(engine))
  return {
    method: 'GET',
    url: '/dev/ekg',
    auth: 'admin',
    about: { summary: 'Counters (`c`) and gauges (`g`) of the process, its connections and its caches.' },
    async handle() {
      const [own, ...others] = await ofAll()
      return summed(own, others)
    },
  }
}

/** The plans that this worker, and each other, keeps; administrators only. */
export function planCache(engine: Engine): Route {
  const ofAll = fromWorkers(engine.workers, 'plans', () => keptPlans(engine))
  return {
    method: 'GET',
    url: '/dev/plan_cache',
    auth: 'admin',
    about: { summary: 'The operations whose plans are kept, with their SQL.', result: Type.Array(CachedOperation) },
    handle: async () => (await ofAll()).flat(),
  }
}

const keptPlans = (engine: Engine) =>
  engine.graphql.cached().map(({ schema, document, operationName, plans }) => ({
    role: schema.role,
    schema: schema.kind,
    backend_only: schema.backendOnly,
    query: document.text,
    operation_name: operationName,
    plans: plans.map((plan) => ({ sql: plan.statements })),
  }))
