// What JavaScript answers: how a plugin plans and runs it, what it is given, and what it may give beside values.

import type { PgType } from '../../catalog/types.ts'
import type { Output } from '../../compiler/plan/plan.ts'
import type { Transaction } from '../../database/transaction.ts'
import type { PathKey } from '../../errors/path.ts'
import type { Session } from '../../session/session.ts'
import type { Arguments } from '../read/arguments.ts'
import type { GraphQLOperation } from '../read/document.ts'
import type { PlanContext, Variables } from '../read/plan-context.ts'
import type { FieldSelection } from '../read/selection.ts'

/** The columns or members that a field of a row needs, by name. */
export type NeededRow = Readonly<Record<string, unknown>>

/** What a resolved field is given when it runs. `Plan` is what its `plan` gave. */
export interface ResolvedCall<Plan = unknown> {
  readonly field: FieldSelection
  readonly args: Arguments
  readonly plan: Plan
  /** The arguments of a field that is selected below. */
  argumentsOf(field: FieldSelection): Arguments
  /** With its fragments, as the client wrote them; see `forwardedRequest`. */
  readonly operation: GraphQLOperation
  /** Of the request, defaults filled in. */
  readonly variables: Variables
  readonly session: Session
  /** The client's request headers, lower-case names. */
  readonly headers: Readonly<Record<string, string>>
  /** Aborts when the value is no longer waited for: requests to other servers take it over. */
  readonly signal: AbortSignal | null
  /** Of a field that runs `inTransaction`: the operation's. Else null. */
  readonly transaction: Transaction | null
}

/** One field of several that are answered by one call. */
export interface GroupedCall<Plan = unknown> extends ResolvedCall<Plan> {
  /** For a field of rows, all rows of the answer; its result is a list with a value for each. Null at the root. */
  readonly rows: readonly NeededRow[] | null
}

/** What answers all fields of an operation that name it with one call, such as another server. */
export interface CallGroup<Plan = unknown> {
  /**
   * The results of the calls, in their order. Those of an operation's root run together, and those of rows level by level.
   * `isWhole`: nothing else is asked for, so that the result may be a {@link wholeAnswer}.
   */
  run(
    calls: readonly GroupedCall<Plan>[],
    isWhole: boolean,
  ): readonly unknown[] | WholeAnswer | Promise<readonly unknown[] | WholeAnswer>
}

/** What the planners of all resolved fields have in common. */
export interface CallPlanner<Plan> {
  readonly kind: 'resolved'
  /**
   * Whether the value has the response's shape already. Otherwise it is completed against the selection: members picked,
   * lists walked, members of interfaces and unions told apart by `__typename` or the type's `resolveType`.
   */
  readonly completed?: boolean
  /** Under which names members stand in a value that is completed; absent: those of the fields, whatever their aliases. */
  readonly membersBy?: 'response name'
  /** Whether its failure leaves the rest of the answer: it is listed beside it, and the nearest nullable member is null. */
  readonly partial?: boolean
  /** How explaining it is refused; absent: as whatever the database does not answer. */
  readonly explainRefusal?: string
  /** What of it can be decided once for all requests that share the plan; values of arguments are not known yet. */
  plan?(field: FieldSelection, context: PlanContext): Plan
}

/**
 * By JavaScript. A result is a value, an Error that concerns this field alone, or what {@link answered} makes. Those of a
 * `group` run as one, in a mutation as far as they follow each other; all others of a mutation run before its transaction.
 */
export type ResolvedPlanner<Plan = unknown> = CallPlanner<Plan> &
  (
    | {
        readonly group?: undefined
        /**
         * Whether a field of a mutation runs in the operation's transaction, in order with the fields that change the database,
         * and not before it.
         */
        readonly inTransaction?: boolean
        resolve(call: ResolvedCall<Plan>): unknown
      }
    | { readonly group: CallGroup<Plan>; readonly inTransaction?: undefined; readonly resolve?: undefined }
  )

/** The same for all rows of the answer at once, with a result for each; `needs` are what each row is given. */
export type ResolvedRowPlanner<Plan = unknown> = CallPlanner<Plan> & {
  readonly needs: readonly string[]
} & (
    | {
        readonly group?: undefined
        resolve(rows: readonly NeededRow[], call: ResolvedCall<Plan>): readonly unknown[] | Promise<readonly unknown[]>
      }
    | { readonly group: CallGroup<Plan>; readonly resolve?: undefined }
  )

/** How a member of the objects that a call gives is answered, when not by the object itself. */
export type MemberPlanner =
  /**
   * By the database, such as a relationship to a table: one statement for all objects of the call. `needs` are the members
   * of the object that the output finds as columns of the row at hand, with their types.
   */
  | {
      readonly kind: 'relational'
      readonly needs: Readonly<Record<string, PgType>>
      plan(field: FieldSelection, context: PlanContext): Output
    }
  /** By another call; `needs` are members of the object. */
  | ResolvedRowPlanner

/** An error in a part of an answer, located or as another server gave it. */
export interface AnswerError {
  readonly message: string
  /** From the field on: response names and indices. An error with neither this nor a code is shown as it is. */
  readonly path?: readonly PathKey[]
  /** Stands in `extensions` beside the path of the field, unless those are given. */
  readonly code?: string
  readonly extensions?: unknown
  readonly [member: string]: unknown
}

/** What a call may give beside its value. */
export interface AnswerExtras {
  readonly errors?: readonly AnswerError[]
  /** Headers of the response; a transport that has none leaves them out. */
  readonly headers?: Readonly<Record<string, string | readonly string[]>>
  /** Whether nothing of the answer is left: `data` is null, and the errors are shown as they are. */
  readonly endsAnswer?: boolean
}

/** A value with what comes beside it; made by {@link answered}. */
export class Answered {
  readonly value: unknown
  readonly extras: AnswerExtras

  constructor(value: unknown, extras: AnswerExtras) {
    this.value = value
    this.extras = extras
  }
}

/** The result of a call that has errors or headers beside its value. */
export const answered = (value: unknown, extras: AnswerExtras): Answered => new Answered(value, extras)

/** The body of the whole response; made by {@link wholeAnswer}. */
export class WholeAnswer {
  readonly body: Buffer | string
  readonly headers: AnswerExtras['headers']

  constructor(body: Buffer | string, headers: AnswerExtras['headers']) {
    this.body = body
    this.headers = headers
  }
}

/** The result of a group that answers an operation alone: the JSON of the response, handed on untouched. */
export const wholeAnswer = (body: Buffer | string, headers?: AnswerExtras['headers']): WholeAnswer =>
  new WholeAnswer(body, headers)

/** A root field of subscriptions whose results come from elsewhere, one after the other, as from another server. */
export interface FeedPlanner<Plan = unknown> extends Omit<CallPlanner<Plan>, 'kind'> {
  readonly kind: 'feed'
  /**
   * Begins. The results are such as resolved fields give, or whole answers; where they end without an error, the
   * subscription does. The call's signal aborts when nobody wants more of them.
   */
  open(call: ResolvedCall<Plan>): Promise<AsyncIterable<unknown>>
  /** Where the results come from: over a change of the metadata a feed goes on for as long as this is the same. */
  origin(call: ResolvedCall<Plan>): string
}
