// What transports, and those who look at plans, may ask of GraphQL.

import type { RequestHeaders } from '../auth/headers.ts'
import type { Caller } from '../concurrency/shares.ts'
import type { ReadOptions } from '../database/database.ts'
import type { Transaction } from '../database/transaction.ts'
import type { QueryLog } from '../log/observe.ts'
import type { Model } from '../metadata/document/model.ts'
import type { Session } from '../session/session.ts'
import type { InspectedOperation } from './plan/inspect.ts'
import type { PlannedRequest, PreparedOperation } from './plan/prepared.ts'
import type { GraphQLOperation, ParsedDocument } from './read/document.ts'
import type { PlannedSchema } from './read/planned-schema.ts'
import type { GraphQLRequest, ValidationOptions } from './read/request.ts'
import type { BatchMember } from './run/batch.ts'
import type { ResponseHeaders } from './run/execution-context.ts'
import type { SubscriptionRun } from './run/run-subscription.ts'
import type { SchemaKind } from './schema/contribution.ts'
import type { OperationWork } from './works.ts'

/** What a transport adds to a request. */
export interface RequestExtras extends Pick<PlanOptions, 'schema'> {
  /** The client's headers, lower-case names. */
  readonly headers: RequestHeaders
  /** Gives what aborts when nobody waits for the answer any more: then reads end, while changes go on. */
  readonly whenUnwanted?: () => AbortSignal
  /** Who asks, and has a share of the connections; absent: the server itself. */
  readonly caller?: Caller
  /** Told what will run, for the log: SQL by response name; null for what is no query of the database. */
  readonly onPlanned?: (generatedSql: QueryLog['generated_sql']) => void
  /** Takes headers that the response is to have besides, as when an action sets a cookie; absent: they are left out. */
  readonly response?: ResponseHeaders
  /** Whether errors beside data may show their `internal`. */
  readonly showInternal?: boolean
  /** What the operation is a part of; absent: it has a transaction of its own where it needs one. */
  readonly transaction?: Transaction
}

/** How a request is planned. */
export interface PlanOptions {
  /** Absent: the usual one. */
  readonly schema?: SchemaKind
}

/** What a subscription is run with. */
export interface SubscriptionExtras extends Pick<RequestExtras, 'headers'> {
  /** Aborts when nobody wants what it gives any more. */
  readonly signal: AbortSignal
}

/** An operation whose plans are kept, for those who look at what is. */
export interface CachedOperation {
  readonly schema: PlannedSchema
  readonly document: ParsedDocument
  readonly operationName: string | null
  /** One for each shape of variables, with the statements that answer root fields. */
  readonly plans: readonly { readonly statements: readonly string[] }[]
}

export interface GraphQLService {
  /** How many requests were served by a plan of before, and how many had to be planned, refused ones among them. */
  readonly plans: { readonly reused: number; readonly made: number }
  /** What is kept now, of the model being served. */
  cached(): CachedOperation[]
  /** Runs a request; the answer's bytes. Throws a TrellisError. */
  execute(request: GraphQLRequest, session: Session, extras: RequestExtras): Promise<Buffer | string>
  /** Does what answers an operation, with everything around it that stands around operations. */
  operate<T>(
    operation: Pick<OperationWork, 'request' | 'session'>,
    run: (work: OperationWork) => Promise<T>,
  ): Promise<T>
  /** Validates and plans a request without running it. */
  plan(request: GraphQLRequest, session: Session, options?: PlanOptions): PlannedRequest
  /** The values of one subscriber to a planned subscription, and whether it may have them. */
  batchValues(planned: PlannedRequest, session: Session): string
  /** The answers of subscribers whose plan is the same, by id: one statement for all. */
  answerBatch(
    prepared: PreparedOperation,
    members: readonly BatchMember[],
    options?: ReadOptions,
  ): Promise<ReadonlyMap<string, Buffer | string>>
  /** What JavaScript does for a planned subscription: one of a feed, or with fields of rows. Refuses wrong values. */
  subscriptionRun(planned: PlannedRequest, session: Session, extras: SubscriptionExtras): SubscriptionRun
  /** The operation that a request asks for. */
  operation(request: Pick<GraphQLRequest, 'query' | 'operationName'>): GraphQLOperation
  /** Plans a query or subscription field by field, for those who look at plans and run nothing. */
  inspect(request: GraphQLRequest, session: Session, kind?: SchemaKind): InspectedOperation
  /** Refuses a document that cannot be asked, whatever its variables; of the model being served unless another is given. */
  validate(text: string, options?: ValidationOptions, model?: Model): void
  /** The schema that a role sees now. */
  schema(role: string, backendOnly: boolean, kind?: SchemaKind): PlannedSchema
}

/** The service together with the way to add to the schemas. */
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
  schema: (...given: Parameters<GraphQLService['schema']>) => service.schema(...given),
})
