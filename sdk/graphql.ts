// For plugins that add to the GraphQL schemas: contributions, what planners are given, selections, arguments, values.

export * as graphql from 'graphql'
export type * from '../core/graphql/contribution.ts'
export {
  chooseOperation,
  type Operation as GraphQLOperation,
  type ParsedDocument,
  parseText,
} from '../core/graphql/document.ts'
export type { PlannedRequest, RequestGuard } from '../core/graphql/engine.ts'
export type { InspectedField } from '../core/graphql/inspect.ts'
export { maxSelections, type PlanContext, tooManySelections, type Variables } from '../core/graphql/plan-context.ts'
export type { AnsweringStatement } from '../core/graphql/prepared.ts'
export { type GraphQLRequest, GraphQLRequestBody, readGraphQLRequest } from '../core/graphql/request.ts'
export { columnCodec, columnType, scalarType } from '../core/graphql/scalars.ts'
export { type FieldSelection, maxDepth } from '../core/graphql/selection.ts'
export type { Value } from '../core/graphql/values.ts'
