// What a plugin author imports: `import { ... } from 'trellis'`.

export { type Static, type TSchema, Type } from '@sinclair/typebox'
export * as graphql from 'graphql'
export type { AdmissionChecks, Applicant } from './admission.ts'
export type { Authenticator } from './auth/auth.ts'
export { headerText, type RequestHeaders, trustedSession, untrustedSession } from './auth/headers.ts'
export type * from './catalog/types.ts'
export type {
  ComparisonOperator,
  OperandKind,
  OperandMember,
  OperandObject,
  OperandValue,
} from './compiler/operators.ts'
export type * from './compiler/plan.ts'
export { allOf, always } from './compiler/plan.ts'
export { type TypeSupport, typeBeside } from './compiler/type-support.ts'
export type { Codec } from './database/param.ts'
export { empty, id, integer, join, literal, param, type Sql, sql } from './database/sql.ts'
export type { Row, Transaction } from './database/transaction.ts'
export type { Dialect } from './dialect.ts'
export {
  badRequest,
  type ErrorHelp,
  internalError,
  notFound,
  parseFailed,
  TrellisError,
  unauthorized,
  validationFailed,
} from './errors.ts'
export type * from './graphql/contribution.ts'
export type { RequestGuard } from './graphql/engine.ts'
export { readJson } from './http/body.ts'
export type { MetadataDocument, TableEntry } from './metadata/document.ts'
export type { FieldKinds, FieldModel, Model, ModelSlices, TableModel } from './metadata/model.ts'
export type { ObjectRef } from './metadata/objects.ts'
export type { MetadataService } from './metadata/service.ts'
export {
  type Facet,
  findTable,
  type ResolveContext,
  type Slice,
  type SliceContext,
  type TableDraft,
} from './metadata/slices.ts'
export { nameKey, nameText, type QualifiedName } from './names.ts'
export type { LogDetails, LogEntry, Observer } from './observe.ts'
export { type Operation, type OperationContext, type OperationDescription, operation } from './operations/operation.ts'
export { ColumnName, GraphQLName, ObjectName, TableName, VerbatimObject } from './operations/wire-types.ts'
export type { Settings } from './options.ts'
export { OutgoingError, type OutgoingRequest, type OutgoingResponse } from './outgoing/client.ts'
export {
  definePlugin,
  type Engine,
  type ErrorEncoder,
  type FailureDescription,
  type Plugin,
  type PluginDefinition,
  type Route,
  type RouteCall,
  type RouteDescription,
} from './plugin.ts'
export { isAdmin, type Session } from './session.ts'
export { version } from './version.ts'
export type {
  Around,
  EndableWork,
  MetadataWork,
  OperationWork,
  PlanningWork,
  RequestWork,
  StatementWork,
  Wrappers,
} from './wrapping.ts'
