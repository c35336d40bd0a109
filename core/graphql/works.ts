// Stages of a GraphQL request, as plugins see them.

import type { Around, AroundSync } from '../around/around.ts'
import type { EndableWork } from '../auth/admission.ts'
import type { Session } from '../session/session.ts'
import type { PreparedOperation } from './plan/prepared.ts'
import type { GraphQLOperation, ParsedDocument } from './read/document.ts'
import type { GraphQLRequest } from './read/request.ts'

/** One GraphQL operation of a request: it is read, planned and run. */
export interface OperationWork extends EndableWork {
  readonly request: GraphQLRequest
  /** Null until the operation is planned; before that, use `GraphQLService.operation(request)`. */
  operation: GraphQLOperation | null
  /** Null until it is planned. */
  prepared: PreparedOperation | null
}

/** A parsed document, before one of its operations is planned. */
export interface DocumentWork {
  readonly document: ParsedDocument
  readonly session: Session
  /** `chooseOperation(document, request.operationName)` gives the requested operation. */
  readonly request: GraphQLRequest
}

/** Reading a document, and validating and planning one of its operations. */
export interface PlanningWork {
  readonly session: Session
  readonly request: GraphQLRequest
  /** Whether a cached plan serves the request; null when planning failed. */
  cached: boolean | null
}

/** Hooks around the stages of a GraphQL request; null when no plugin has one. */
export interface GraphQLHooks {
  readonly operation: Around<OperationWork> | null
  readonly planning: AroundSync<PlanningWork> | null
  readonly document: AroundSync<DocumentWork> | null
}
