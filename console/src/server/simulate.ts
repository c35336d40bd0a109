// Trying changes of the metadata: the server makes them, answers questions about them, and takes them back.

import type { PartChange } from './metadata-patch.ts'
import type { Operation } from './operations.ts'
import { run } from './operations.ts'

/** A question that is asked before and after the changes. */
export interface Question {
  /** Session variables by their full names; absent: the administrator. */
  readonly session?: Readonly<Record<string, string>>
  readonly operation?: Operation
  readonly graphql?: { readonly query: string }
  /** Whether the answer is the SQL of each root field of a GraphQL query, which does not run. */
  readonly explain?: boolean
}

/** The answer to a question. */
export type SimulatedAnswer<T> =
  | { readonly result: T }
  | { readonly error: { readonly path: string; readonly error: string; readonly code: string } }

/** The difference of a role's schemas: `a` before, `b` after. */
export interface SchemaDifferences {
  readonly only_a: readonly string[]
  readonly only_b: readonly string[]
  readonly differing: readonly { readonly path: string; readonly a: string; readonly b: string }[]
  readonly more: boolean
}

/** The effects of changes. */
export interface Simulation<T> {
  readonly answers: readonly { readonly before: SimulatedAnswer<T>; readonly after: SimulatedAnswer<T> }[]
  readonly patch: readonly PartChange[]
  readonly more_changes: boolean
  readonly new_inconsistencies: readonly { readonly reason?: string; readonly type?: string }[]
  readonly schemas: readonly (SchemaDifferences & { readonly role: string })[]
}

interface Trial {
  readonly changes: readonly Operation[]
  /** Changes that come first: the state before the others has them. */
  readonly given?: readonly Operation[]
  readonly ask?: readonly Question[]
  /** Roles whose schemas are compared; the server takes five. */
  readonly roles?: readonly string[]
  readonly signal?: AbortSignal
}

/** Tries changes; nothing of them stays. Throws `RequestFailed` where the server refuses one. */
export const simulate = <T = unknown>({
  given = [],
  changes,
  ask = [],
  roles = [],
  signal,
}: Trial): Promise<Simulation<T>> =>
  run('simulate', { ...(given.length > 0 && { given }), changes, ask, schemas_of: roles.slice(0, 5) }, { signal })
