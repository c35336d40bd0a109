// Stages of a GraphQL request, as plugins see them.

import type { Around, AroundSync } from '../around/around.ts'
import type { EndableWork } from '../auth/admission.ts'
import type { Transaction } from '../database/transaction.ts'
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

/**
 * A change of the database that a request makes, within its transaction. The transaction may be repeated after a
 * conflict: of all runs only the last one is committed.
 */
export interface ChangeWork {
  readonly session: Session
  /** Its writes are committed with the change, or not at all. It has the session's settings of PostgreSQL. */
  readonly transaction: Transaction
  /** The mutation; null for a request to the metadata API. */
  readonly operation: GraphQLOperation | null
  /** The mutation's text and variables; null for a request to the metadata API. */
  readonly request: GraphQLRequest | null
  /** The request to the metadata API; null for a mutation. */
  readonly metadata: { readonly type: string; readonly args: unknown } | null
  /** Members of the answer's `extensions`, for hooks to add to. Answers of the metadata API have none. */
  readonly extensions: Record<string, unknown>
}

/** Hooks around the stages of a GraphQL request; null when no plugin has one. */
export interface GraphQLHooks {
  readonly change: Around<ChangeWork> | null
  readonly operation: Around<OperationWork> | null
  readonly planning: AroundSync<PlanningWork> | null
  readonly document: AroundSync<DocumentWork> | null
}
