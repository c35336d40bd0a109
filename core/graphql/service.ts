// The GraphQL service for transports and for tools that inspect plans.

import type { RequestHeaders } from '../auth/headers.ts'
import type { Caller } from '../concurrency/shares.ts'
import type { ManyOptions } from '../database/database.ts'
import type { Transaction } from '../database/transaction.ts'
import type { QueryLog } from '../log/observe.ts'
import type { Model } from '../metadata/document/model.ts'
import type { Session } from '../session/session.ts'
import type { InspectedOperation } from './plan/inspect.ts'
import type { PlannedRequest, PreparedOperation } from './plan/prepared.ts'
import type { JsonSchema } from './plan/variables-schema.ts'
import type { GraphQLOperation, ParsedDocument } from './read/document.ts'
import type { PlannedSchema } from './read/planned-schema.ts'
import type { GraphQLRequest, ValidationOptions } from './read/request.ts'
import type { BatchMember } from './run/batch.ts'
import type { ResponseHeaders } from './run/execution-context.ts'
import type { SubscriptionRun } from './run/run-subscription.ts'
import type { SchemaKind } from './schema/contribution.ts'
import type { OperationWork } from './works.ts'

/** A transport's additions to a request. */
export interface RequestExtras extends PlanOptions {
  /** The client's headers, lower-case names. */
  readonly headers: RequestHeaders
  /** The id of the request; absent: no client asked. */
  readonly requestId?: string
  /** Returns a signal that aborts when the client is gone: reads then end, and changes continue. */
  readonly whenUnwanted?: () => AbortSignal
  /** The client, for its share of the connections; absent: the server itself. */
  readonly caller?: Caller
  /** Called for the log before anything runs: SQL by response name; null for fields outside the database. */
  readonly onPlanned?: (generatedSql: QueryLog['generated_sql']) => void
  /** Called with the plan before anything runs. */
  readonly onPrepared?: ((prepared: PreparedOperation) => void) | undefined
  /** Receives response headers, for example a cookie that an action sets; absent: they are dropped. */
  readonly response?: ResponseHeaders
  /** Whether errors next to data may show their `internal`. */
  readonly showInternal?: boolean
  /** The transaction that the operation belongs to; absent: the operation opens its own if it needs one. */
  readonly transaction?: Transaction
}

/** Options of planning a request. */
export interface PlanOptions {
  /** Absent: the standard one. */
  readonly schema?: SchemaKind | undefined
  /** A model that is not served, for a request that is only tried; absent: the served one. */
  readonly model?: Model
}

/** The context of running a subscription. */
export interface SubscriptionExtras extends Pick<RequestExtras, 'headers'> {
  /** Aborts when the results are no longer needed. */
  readonly signal: AbortSignal
}

/** The schema by which variables are described. */
export interface VariablesOptions extends ValidationOptions, PlanOptions {}

/** An operation with cached plans, for inspection. */
export interface CachedOperation {
  readonly schema: PlannedSchema
  readonly document: ParsedDocument
  readonly operationName: string | null
  /** One for each shape of variables, with the statements that answer root fields. */
  readonly plans: readonly { readonly statements: readonly string[] }[]
}

/** Runs GraphQL requests as roles. */
export interface GraphQLService {
  /** Requests that reused a plan, and requests that had to be planned; refused requests count as planned. */
  readonly plans: { readonly reused: number; readonly made: number }
  /** The cached operations of the served model. */
  cached(): CachedOperation[]
  /** Runs a request; returns the answer's bytes. Throws a TrellisError. */
  execute(request: GraphQLRequest, session: Session, extras: RequestExtras): Promise<Buffer | string>
  /** Runs the executor of an operation inside the operation hooks of plugins. */
  operate<T>(
    operation: Pick<OperationWork, 'request' | 'session'>,
    run: (work: OperationWork) => Promise<T>,
  ): Promise<T>
  /** Validates and plans a request without running it. */
  plan(request: GraphQLRequest, session: Session, options?: PlanOptions): PlannedRequest
  /** The values of one subscriber to a planned subscription; refuses values that it may not use. */
  batchValues(planned: PlannedRequest, session: Session): string
  /** The answers of subscribers with the same plan, by id; one statement serves all. */
  answerBatch(
    prepared: PreparedOperation,
    members: readonly BatchMember[],
    options?: ManyOptions,
  ): Promise<ReadonlyMap<string, Buffer | string>>
  /** The JavaScript part of a planned subscription: a feed, or fields of rows. Refuses wrong values. */
  subscriptionRun(planned: PlannedRequest, session: Session, extras: SubscriptionExtras): SubscriptionRun
  /** The operation that a request selects. */
  operation(request: Pick<GraphQLRequest, 'query' | 'operationName'>): GraphQLOperation
  /** Plans a query or subscription field by field for inspection, in the served model or another one; runs nothing. */
  inspect(request: GraphQLRequest, session: Session, kind?: SchemaKind, model?: Model): InspectedOperation
  /** Refuses a document that is invalid for all variables; checks against the served model unless another is given. */
  validate(text: string, options?: ValidationOptions, model?: Model): void
  /**
   * The JSON Schema of an operation's variables as one object, with input types by name in `$defs`. Refuses an operation
   * that the role cannot use. It does not need the role's introspection.
   */
  variablesSchema(operation: GraphQLOperation, options?: VariablesOptions): JsonSchema
  /** The schema of a role in the served model, or in another one. */
  schema(role: string, backendOnly: boolean, kind?: SchemaKind, model?: Model): PlannedSchema
}

/** The service together with the function that extends the schemas. */
export const contributable = <C>(service: GraphQLService, contribute: (contribution: C) => void) => ({
  contribute,
  get plans() {
    return service.plans
  },
  cached: () => service.cached(),
  execute: (...given: Parameters<GraphQLService['execute']>) => service.execute(...given),
  operate: <T>(operation: Parameters<GraphQLService['operate']>[0], run: (work: OperationWork) => Promise<T>) =>
    service.operate(operation, run),
  plan: (...given: Parameters<GraphQLService['plan']>) => service.plan(...given),
  batchValues: (...given: Parameters<GraphQLService['batchValues']>) => service.batchValues(...given),
  answerBatch: (...given: Parameters<GraphQLService['answerBatch']>) => service.answerBatch(...given),
  subscriptionRun: (...given: Parameters<GraphQLService['subscriptionRun']>) => service.subscriptionRun(...given),
  operation: (...given: Parameters<GraphQLService['operation']>) => service.operation(...given),
  inspect: (...given: Parameters<GraphQLService['inspect']>) => service.inspect(...given),
  validate: (...given: Parameters<GraphQLService['validate']>) => service.validate(...given),
  variablesSchema: (...given: Parameters<GraphQLService['variablesSchema']>) => service.variablesSchema(...given),
  schema: (...given: Parameters<GraphQLService['schema']>) => service.schema(...given),
})
