// Fields that JavaScript answers.

import type { Session } from '../session/session.ts'
import type { FieldSelection } from './selection.ts'

/** What a resolved field is given. Arguments are coerced JSON values. */
export interface ResolvedCall {
  readonly args: Readonly<Record<string, unknown>>
  readonly session: Session
  readonly field: FieldSelection
  /** The client's request headers, lower-case names. */
  readonly headers: Readonly<Record<string, string>>
  /** Aborts when the value is no longer waited for: requests to other servers take it over. */
  readonly signal: AbortSignal | null
}

/** Answers a field of rows by JavaScript, for all rows of the response at once. */
export interface ResolvedRowPlanner {
  readonly kind: 'resolved'
  readonly completed?: boolean
  /** Columns that each row is given. */
  readonly needs: readonly string[]
  resolve(
    rows: readonly Readonly<Record<string, unknown>>[],
    call: ResolvedCall,
  ): readonly unknown[] | Promise<readonly unknown[]>
}
