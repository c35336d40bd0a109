// For plugins that add to the GraphQL schemas: contributions, what planners are given, selections, arguments, values.

export * as graphql from 'graphql'
export type { Arguments, BoundArguments, CallArguments } from '../core/graphql/arguments.ts'
export type { BatchMember } from '../core/graphql/batch.ts'
export type { CallPlanner } from '../core/graphql/call.ts'
export {
  type AnswerError,
  type AnswerExtras,
  Answered,
  answered,
  type CallGroup,
  type GroupedCall,
  type MemberPlanner,
  type NeededRow,
  type ResolvedCall,
  type ResolvedPlanner,
  type ResolvedRowPlanner,
  type WholeAnswer,
  wholeAnswer,
} from '../core/graphql/call.ts'
export type * from '../core/graphql/contribution.ts'
export {
  chooseOperation,
  type GraphQLOperation,
  type ParsedDocument,
  parseText,
} from '../core/graphql/document.ts'
export type { ResponseHeaders } from '../core/graphql/execution-context.ts'
export type { FeedPlanner, PreparedFeed } from '../core/graphql/feed.ts'
export type { ForwardedRequest } from '../core/graphql/forwarding.ts'
export { forwardedRequest } from '../core/graphql/forwarding.ts'
export type { InspectedField, InspectedOperation, InspectedStatement } from '../core/graphql/inspect.ts'
export { literalJson } from '../core/graphql/literals.ts'
export type { Aspect, Dependence, OperationInput, UsedVariable } from '../core/graphql/operation-input.ts'
export { maxSelections, type PlanContext, tooManySelections, type Variables } from '../core/graphql/plan-context.ts'
export type { PlannedRoot, PlannedSchema } from '../core/graphql/planned-schema.ts'
export type {
  AnsweringStatement,
  ChangeStep,
  PlannedRequest,
  PreparedBatch,
  PreparedOperation,
  StatementStep,
  Step,
} from '../core/graphql/prepared.ts'
export {
  type GraphQLRequest,
  GraphQLRequestBody,
  readGraphQLRequest,
  type ValidationOptions,
} from '../core/graphql/request.ts'
export { columnCodec, columnType, scalarOfColumns, scalarType } from '../core/graphql/scalars.ts'
export { fieldMap, type RootFieldMaker } from '../core/graphql/schema-scope.ts'
export type { FieldSource } from '../core/graphql/selection.ts'
export { type FieldSelection, maxDepth } from '../core/graphql/selection.ts'
export type {
  CachedOperation,
  GraphQLService,
  JoinedAnswer,
  PlanOptions,
  RequestExtras,
  SubscriptionExtras,
  SubscriptionRun,
} from '../core/graphql/service.ts'
export type { AnyCall, JoinStep, MemberStep, RootCall } from '../core/graphql/steps.ts'
export { planJoin } from '../core/graphql/steps.ts'
export type { Value, ValuePosition } from '../core/graphql/values.ts'
