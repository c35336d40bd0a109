// Runs GraphQL requests: plans each with the planner, binds its parameters and sends it to the database.

import { type BoundInputs, bindInputs, bindParams, requireSessionVariables } from '../compiler/run/bind.ts'
import { bindInTurns, bindsLong } from '../compiler/run/bind-steps.ts'
import type { Database, ManyOptions } from '../database/database.ts'
import { refusedByCitus } from '../database/wire/postgres-errors.ts'
import { badRequest, type TrellisError } from '../errors/errors.ts'
import type { QueryLog } from '../log/observe.ts'
import type { Model } from '../metadata/document/model.ts'
import type { Dialect } from '../names/dialect.ts'
import { refuseReader, type Session } from '../session/session.ts'
import type { SessionSettings } from '../session/session-settings.ts'
import type { InspectedOperation } from './plan/inspect.ts'
import type { PlannedRequest, PreparedOperation } from './plan/prepared.ts'
import type { JsonSchema } from './plan/variables-schema.ts'
import type { GraphQLPlanner } from './planner.ts'
import type { GraphQLOperation } from './read/document.ts'
import type { PlannedSchema } from './read/planned-schema.ts'
import type { GraphQLRequest, ValidationOptions } from './read/request.ts'
import { answerBatch, type BatchMember, batchValues } from './run/batch.ts'
import { runOperation } from './run/execute.ts'
import { type ExecutionContext, withinTransaction } from './run/execution-context.ts'
import { type SubscriptionRun, SubscriptionRunner } from './run/run-subscription.ts'
import type { SchemaKind } from './schema/contribution.ts'
import type {
  CachedOperation,
  GraphQLService,
  PlanOptions,
  RequestExtras,
  SubscriptionExtras,
  VariablesOptions,
} from './service.ts'
import { maxReplans } from './tuning.ts'
import type { GraphQLHooks, OperationWork } from './works.ts'

export interface GraphQLEngineOptions {
  readonly planner: GraphQLPlanner
  readonly dialect: Dialect
  readonly database: Database
  /** The model being served. */
  readonly model: () => Model
  /** Whether a statement failed because the database has changed; by then a newer model is served. */
  readonly isOutdated: (model: Model, error: unknown) => Promise<boolean>
  readonly sessionSettings: Pick<SessionSettings, 'of'>
  readonly hooks: Pick<GraphQLHooks, 'operation' | 'change'>
  /** The error as clients may see it; an unexpected error is logged. */
  readonly toAnswerable: (error: unknown) => TrellisError
}

interface Given {
  readonly session: Session
  readonly signal: AbortSignal | null
  readonly extras: RequestExtras
  /** Null for subscriptions. */
  readonly request: GraphQLRequest | null
  /** Absent: still to be bound. */
  readonly bound?: BoundInputs | undefined
}

function generatedSql({ prepared, variables }: PlannedRequest, session: Session): QueryLog['generated_sql'] {
  if (prepared.operation.kind !== 'query') return null
  const statements = [...prepared.answeredBy].map(([key, statement]) => {
    if (!statement) return [key, null] as const
    const values = bindParams(statement.params, { variables, session })
    return [key, { query: statement.text, prepared_arguments: values }] as const
  })
  return Object.fromEntries(statements)
}

const subscriptionRefused = () =>
  badRequest('unexpected-payload', 'subscriptions are not supported over HTTP, use websockets instead')

/** Refuses wrong values, then missing session variables; a single statement checks its own values. */
function bindAhead({ prepared, variables }: PlannedRequest, session: Session): BoundInputs | undefined {
  const { sessionVariables, inputs, whole, direct } = prepared
  const isLacking = sessionVariables.some((name) => !Object.hasOwn(session.variables, name))
  const bound = (whole || direct) && !isLacking ? undefined : bindInputs(inputs, { variables, session })
  if (isLacking) requireSessionVariables(sessionVariables, session)
  return bound
}

/** As {@link bindAhead} for variables with many values, a single statement's among them. */
async function bindLong({ prepared, variables }: PlannedRequest, session: Session): Promise<BoundInputs> {
  const bound = await bindInTurns(prepared.inputs, { variables, session })
  requireSessionVariables(prepared.sessionVariables, session)
  return bound
}

/** Whether a failed run is rolled back completely. A mutation's calls to other servers are not. */
const mayRunAgain = ({ operation, calls }: PreparedOperation): boolean => operation.kind === 'query' || calls === null

/** The error with the reason, if Citus refused the statement. */
const explained = (error: unknown, { tables }: Model): unknown =>
  [...tables.values()].some(({ catalog }) => catalog.distribution) ? refusedByCitus(error) : error

export class GraphQLEngine implements GraphQLService {
  readonly #options: GraphQLEngineOptions
  readonly #planner: GraphQLPlanner

  constructor(options: GraphQLEngineOptions) {
    this.#options = options
    this.#planner = options.planner
  }

  get plans(): GraphQLPlanner['plans'] {
    return this.#planner.plans
  }

  cached(): CachedOperation[] {
    return this.#planner.cached()
  }

  plan(request: GraphQLRequest, session: Session, options: PlanOptions = {}): PlannedRequest {
    return this.#planner.plan(request, session, options)
  }

  operation(request: Pick<GraphQLRequest, 'query' | 'operationName'>): GraphQLOperation {
    return this.#planner.operation(request)
  }

  inspect(request: GraphQLRequest, session: Session, kind?: SchemaKind, model?: Model): InspectedOperation {
    return this.#planner.inspect(request, session, kind, model)
  }

  validate(text: string, options?: ValidationOptions, model?: Model): void {
    this.#planner.validate(text, options, model)
  }

  schema(role: string, backendOnly: boolean, kind?: SchemaKind, model?: Model): PlannedSchema {
    return this.#planner.schema(role, backendOnly, kind, model)
  }

  variablesSchema(operation: GraphQLOperation, options?: VariablesOptions): JsonSchema {
    return this.#planner.variablesSchema(operation, options)
  }

  execute(request: GraphQLRequest, session: Session, extras: RequestExtras): Promise<Buffer | string> {
    return this.operate({ request, session }, (work) => this.#execute(work, extras))
  }

  operate<T>(
    { request, session }: Pick<OperationWork, 'request' | 'session'>,
    run: (work: OperationWork) => Promise<T>,
  ): Promise<T> {
    const work: OperationWork = { request, session, operation: null, prepared: null, signal: null }
    const around = this.#options.hooks.operation
    if (!around) return run(work)
    try {
      return around(work, () => run(work))
    } catch (error) {
      return Promise.reject(error)
    }
  }

  /** Plans and runs; again with a newer model if the statement failed because the database has changed. */
  async #execute(work: OperationWork, extras: RequestExtras): Promise<Buffer | string> {
    const { request, session } = work
    for (let left = maxReplans; ; left--) {
      const planned = this.#planner.plan(request, session, extras)
      const { prepared } = planned
      work.prepared = prepared
      work.operation = prepared.operation
      if (prepared.operation.kind === 'subscription') throw subscriptionRefused()
      if (prepared.operation.kind === 'mutation') refuseReader(session, 'mutations')
      const bound = bindsLong(planned.variables) ? await bindLong(planned, session) : undefined
      const context = this.#context(planned, { session, signal: work.signal, extras, request, bound })
      extras.onPrepared?.(prepared)
      extras.onPlanned?.(generatedSql(planned, session))
      try {
        return (await runOperation(context)) ?? prepared.whole?.whenEmpty ?? ''
      } catch (error) {
        const { model } = planned.schema
        if (left === 0 || extras.transaction || !mayRunAgain(prepared)) throw explained(error, model)
        if (!(await this.#options.isOutdated(model, error))) throw explained(error, model)
      }
    }
  }

  #context(planned: PlannedRequest, { session, signal, extras, request, bound }: Given): ExecutionContext {
    const { database, dialect, sessionSettings, toAnswerable, hooks } = this.#options
    const { headers, whenUnwanted = null, caller = null, response = null, showInternal = false } = extras
    const { requestId = null } = extras
    return {
      database: extras.transaction ? withinTransaction(extras.transaction) : database,
      dialect,
      session,
      sessionSettings,
      requestId,
      // Only `set-cookie` can be a list, and requests do not have it.
      headers: headers as ExecutionContext['headers'],
      signal,
      ...{ whenUnwanted, caller, readOnly: session.readOnly },
      bound: bound ?? bindAhead(planned, session),
      callArguments: planned.prepared.calls?.bind(planned.variables) ?? null,
      toAnswerable,
      showInternal,
      response,
      change: hooks.change,
      request,
      schema: planned.schema,
      prepared: planned.prepared,
      variables: planned.variables,
    }
  }

  subscriptionRun(planned: PlannedRequest, session: Session, { headers, signal }: SubscriptionExtras): SubscriptionRun {
    return new SubscriptionRunner(this.#context(planned, { session, signal, extras: { headers }, request: null }))
  }

  batchValues(planned: PlannedRequest, session: Session): string {
    return batchValues(planned, session)
  }

  async answerBatch(
    prepared: PreparedOperation,
    members: readonly BatchMember[],
    options: ManyOptions = {},
  ): Promise<ReadonlyMap<string, Buffer | string>> {
    const { database, model, isOutdated } = this.#options
    const before = model()
    try {
      return await answerBatch(database, prepared, members, options)
    } catch (error) {
      // The caller compares models afterwards, so a newer one has to be served by then.
      await isOutdated(before, error)
      throw error
    }
  }
}
