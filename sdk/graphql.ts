// For plugins that extend the GraphQL schemas: contributions, planners, selections, arguments, values.

export * as graphql from 'graphql'
export type { PreparedFeed } from '../core/graphql/plan/feed.ts'
export type { ForwardedRequest } from '../core/graphql/plan/forwarding.ts'
export { forwardedRequest } from '../core/graphql/plan/forwarding.ts'
export type { InspectedField, InspectedOperation, InspectedStatement } from '../core/graphql/plan/inspect.ts'
export type {
  AnsweringStatement,
  ChangeStep,
  PlannedRequest,
  PreparedBatch,
  PreparedOperation,
  StatementStep,
  Step,
} from '../core/graphql/plan/prepared.ts'
export type { AnyCall, JoinStep, MemberStep, RootCall } from '../core/graphql/plan/steps.ts'
export { planJoin } from '../core/graphql/plan/steps.ts'
export type { JsonSchema } from '../core/graphql/plan/variables-schema.ts'
export type { Arguments, BoundArguments, CallArguments } from '../core/graphql/read/arguments.ts'
export { declaredField } from '../core/graphql/read/declared-name.ts'
export {
  chooseOperation,
  type GraphQLOperation,
  type ParsedDocument,
  parseText,
} from '../core/graphql/read/document.ts'
export type { FanOut } from '../core/graphql/read/fan-out.ts'
export type { ChangeGuard, GuardedChange, GuardedRequest } from '../core/graphql/read/guard.ts'
export { type Given, shared } from '../core/graphql/read/lean-members.ts'
export { literalJson } from '../core/graphql/read/literals.ts'
export type { Aspect, Dependence, OperationInput, UsedVariable } from '../core/graphql/read/operation-input.ts'
export { type PlanContext, tooManySelections, type Variables } from '../core/graphql/read/plan-context.ts'
export type { PlannedRoot, PlannedSchema } from '../core/graphql/read/planned-schema.ts'
export {
  type GraphQLRequest,
  GraphQLRequestBody,
  readGraphQLRequest,
  type ValidationOptions,
} from '../core/graphql/read/request.ts'
export { perTable, type RootFieldMaker, type TableKind } from '../core/graphql/read/schema-scope.ts'
export type { FieldSelection, FieldSource } from '../core/graphql/read/selection.ts'
export {
  type TableEnum,
  type TableInput,
  type TableObject,
  tableEnum,
  tableInput,
  tableObject,
} from '../core/graphql/read/table-types.ts'
export type { Value, ValuePosition } from '../core/graphql/read/values.ts'
export type { BatchMember } from '../core/graphql/run/batch.ts'
export type { ResponseHeaders } from '../core/graphql/run/execution-context.ts'
export type { JoinedAnswer, SubscriptionRun } from '../core/graphql/run/run-subscription.ts'
export type { CallPlanner, FeedPlanner } from '../core/graphql/schema/call.ts'
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
} from '../core/graphql/schema/call.ts'
export type * from '../core/graphql/schema/contribution.ts'
export {
  type ClosedFields,
  type FieldArgument,
  type FieldArguments,
  type FieldPlanner,
  fieldMap,
  type PlannedField,
} from '../core/graphql/schema/field.ts'
export type { Member as SchemaMember } from '../core/graphql/schema/members.ts'
export { placeholderField } from '../core/graphql/schema/root-type.ts'
export {
  arraysAreLists,
  columnCodec,
  columnType,
  isInCapitals,
  scalarOfColumns,
  scalarType,
  valueType,
  valueTypeName,
} from '../core/graphql/schema/scalars.ts'
export { type VisitType, walkSchema } from '../core/graphql/schema/schema-walk.ts'
export { sortedByName } from '../core/graphql/schema/sorted-by-name.ts'
export type {
  CachedOperation,
  GraphQLService,
  PlanOptions,
  RequestExtras,
  SubscriptionExtras,
  VariablesOptions,
} from '../core/graphql/service.ts'
export { maxDepth, maxSelections } from '../core/graphql/tuning.ts'
