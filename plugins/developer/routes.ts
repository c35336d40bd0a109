import type { Route } from '../../sdk/http.ts'
import { type Engine, Type } from '../../sdk/index.ts'
import { measure, summed } from './gauges.ts'
import { workerTimeout } from './tuning.ts'

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
  const { workers } = engine
  workers.answer('gauges', () => measure(engine))
  return {
    method: 'GET',
    url: '/dev/ekg',
    auth: 'admin',
    about: { summary: 'Counters (`c`) and gauges (`g`) of the process, its connections and its caches.' },
    async handle() {
      const { answers } = await workers.ask('gauges', null, workerTimeout)
      return summed(measure(engine), answers as ReturnType<typeof measure>[])
    },
  }
}

/** The plans that this worker, and each other, keeps; administrators only. */
export function planCache(engine: Engine): Route {
  const { workers } = engine
  const kept = () => keptPlans(engine)
  workers.answer('plans', kept)
  return {
    method: 'GET',
    url: '/dev/plan_cache',
    auth: 'admin',
    about: { summary: 'The operations whose plans are kept, with their SQL.', result: Type.Array(CachedOperation) },
    async handle() {
      const { answers } = await workers.ask('plans', null, workerTimeout)
      return [kept(), ...answers].flat()
    },
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
