// Fields that JavaScript answers: how a plugin plans and runs them, their input, and their results.

import type { PgType } from '../../catalog/types.ts'
import type { NeededColumn, Output } from '../../compiler/plan/plan.ts'
import type { Transaction } from '../../database/transaction.ts'
import type { PathKey } from '../../errors/path.ts'
import type { Session } from '../../session/session.ts'
import type { Arguments } from '../read/arguments.ts'
import type { GraphQLOperation } from '../read/document.ts'
import type { PlanContext, Variables } from '../read/plan-context.ts'
import type { FieldSelection } from '../read/selection.ts'

/** The columns or members that a field of a row needs, by name. */
export type NeededRow = Readonly<Record<string, unknown>>

/** The input of a resolved field at run time. `Plan` is the result of its `plan`. */
export interface ResolvedCall<Plan = unknown> {
  readonly field: FieldSelection
  readonly args: Arguments
  readonly plan: Plan
  /** The arguments of a field below this one. */
  argumentsOf(field: FieldSelection): Arguments
  /** The operation with its fragments, as the client wrote it; see `forwardedRequest`. */
  readonly operation: GraphQLOperation
  /** The request's variables, with defaults filled in. */
  readonly variables: Variables
  readonly session: Session
  /** The client's request headers, lower-case names. */
  readonly headers: Readonly<Record<string, string>>
  /** The id of the request; null if no client asked. */
  readonly requestId: string | null
  /** Aborts when the value is no longer needed; pass it on to requests to other servers. */
  readonly signal: AbortSignal | null
  /** The operation's transaction, for a field that runs `inTransaction`; otherwise null. */
  readonly transaction: Transaction | null
}

/** One of several fields that one call answers. */
export interface GroupedCall<Plan = unknown> extends ResolvedCall<Plan> {
  /** For a field of rows: all rows of the answer; the result is a list with one value for each. Null at the root. */
  readonly rows: readonly NeededRow[] | null
}

/** Answers all fields of an operation that refer to it with one call, for example to another server. */
export interface CallGroup<Plan = unknown> {
  /**
   * Returns the results of the calls, in order. Calls of an operation's root run together, and calls of rows level by
   * level. `isWhole`: the operation selects nothing else, so the result may be a {@link wholeAnswer}.
   */
  run(
    calls: readonly GroupedCall<Plan>[],
    isWhole: boolean,
  ): readonly unknown[] | WholeAnswer | Promise<readonly unknown[] | WholeAnswer>
}

/** The common properties of all planners of resolved fields. */
export interface CallPlanner<Plan> {
  readonly kind: 'resolved'
  /**
   * Whether the value already has the shape of the response. Otherwise it is completed against the selection: members
   * are picked and lists walked. `__typename` or the type's `resolveType` decides the type of an interface or union.
   */
  readonly completed?: boolean
  /** The names of members in a value that is completed; absent: field names, regardless of aliases. */
  readonly membersBy?: 'response name'
  /**
   * Whether the rest of the answer survives its failure: the error is listed, and the nearest nullable member is null.
   */
  readonly partial?: boolean
  /** The message when it is explained; absent: the message for fields outside the database. */
  readonly explainRefusal?: string
  /** The part that can be decided once for all requests that share the plan; values of arguments are still unknown. */
  plan?(field: FieldSelection, context: PlanContext): Plan
}

/**
 * Answered by JavaScript. A result is a value, an Error for this field only, or a result of {@link answered}. Fields of
 * a `group` run as one; in a mutation only consecutive ones do. All other fields of a mutation run before its
 * transaction.
 */
export type ResolvedPlanner<Plan = unknown> = CallPlanner<Plan> &
  (
    | {
        readonly group?: undefined
        /**
         * Whether a field of a mutation runs in the operation's transaction, in order with the fields that change the
         * database, and not before it.
         */
        readonly inTransaction?: boolean
        resolve(call: ResolvedCall<Plan>): unknown
      }
    | { readonly group: CallGroup<Plan>; readonly inTransaction?: undefined; readonly resolve?: undefined }
  )

/** The same for all rows of the answer at once, with one result for each; `needs` are the input columns of each row. */
export type ResolvedRowPlanner<Plan = unknown> = CallPlanner<Plan> & {
  readonly needs: readonly string[]
  /** Values of the row beside columns, such as those of computed fields; the input has them under their names. */
  readonly needsValues?: readonly NeededColumn[]
} & (
    | {
        readonly group?: undefined
        resolve(rows: readonly NeededRow[], call: ResolvedCall<Plan>): readonly unknown[] | Promise<readonly unknown[]>
      }
    | { readonly group: CallGroup<Plan>; readonly resolve?: undefined }
  )

/** The executor of a member of a call's objects, if the object does not contain the value. */
export type MemberPlanner =
  /**
   * The database, for example for a relationship to a table: one statement serves all objects of the call. `needs` are
   * members of the object, with their types; the output sees them as columns of the current row.
   */
  | {
      readonly kind: 'relational'
      readonly needs: Readonly<Record<string, PgType>>
      plan(field: FieldSelection, context: PlanContext): Output
    }
  /** Another call; `needs` are members of the object. */
  | ResolvedRowPlanner

/** An error of a part of the answer, either located or as another server returned it. */
export interface AnswerError {
  readonly message: string
  /** Relative to the field: response names and indexes. An error with neither a path nor a code is shown unchanged. */
  readonly path?: readonly PathKey[]
  /** Added to `extensions` together with the field's path, unless those are given. */
  readonly code?: string
  readonly extensions?: unknown
  readonly [member: string]: unknown
}

/** Further results of a call. */
export interface AnswerExtras {
  readonly errors?: readonly AnswerError[]
  /** Headers of the response; a transport without headers ignores them. */
  readonly headers?: Readonly<Record<string, string | readonly string[]>>
  /** Whether the whole answer fails: `data` is null, and the errors are shown unchanged. */
  readonly endsAnswer?: boolean
}

/** A value with further results; created by {@link answered}. */
export class Answered {
  readonly value: unknown
  readonly extras: AnswerExtras

  constructor(value: unknown, extras: AnswerExtras) {
    this.value = value
    this.extras = extras
  }
}

/** The result of a call that returns errors or headers with its value. */
export const answered = (value: unknown, extras: AnswerExtras): Answered => new Answered(value, extras)

/** The body of the whole response; created by {@link wholeAnswer}. */
export class WholeAnswer {
  readonly body: Buffer | string
  readonly headers: AnswerExtras['headers']

  constructor(body: Buffer | string, headers: AnswerExtras['headers']) {
    this.body = body
    this.headers = headers
  }
}

/** The result of a group that answers a whole operation: the JSON of the response, forwarded unchanged. */
export const wholeAnswer = (body: Buffer | string, headers?: AnswerExtras['headers']): WholeAnswer =>
  new WholeAnswer(body, headers)

/**
 * A root field of subscriptions whose results come one by one from outside the database, for example from another
 * server.
 */
export interface FeedPlanner<Plan = unknown> extends Omit<CallPlanner<Plan>, 'kind'> {
  readonly kind: 'feed'
  /**
   * Starts the feed. Results are those of resolved fields, or whole answers. The subscription ends when they end
   * without an error. The call's signal aborts when no more results are needed.
   */
  open(call: ResolvedCall<Plan>): Promise<AsyncIterable<unknown>>
  /** The origin of the results: a feed survives a change of the metadata as long as this is unchanged. */
  origin(call: ResolvedCall<Plan>): string
}
