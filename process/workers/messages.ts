// The messages between the supervisor and its workers.

import type { ParsedSettings } from '../settings.ts'

/** Everything that a worker starts with. The supervisor has read all sources of options. */
export interface WorkerStart {
  /** The number of the worker, from 1. */
  readonly number: number
  readonly count: number
  /** The options, divided among the workers. */
  readonly parsed: ParsedSettings
  /** The file with the URL of the embedded PostgreSQL; null: another one is served. */
  readonly urlFile: string | null
}

/** From the supervisor to a worker. */
export type Order =
  | { readonly kind: 'start'; readonly start: WorkerStart }
  | { readonly kind: 'stop' }
  | Question
  | { readonly kind: 'answers'; readonly id: number; readonly answers: readonly unknown[]; readonly missing: number[] }

/** A question of another worker. */
export interface Question {
  readonly kind: 'question'
  readonly id: number
  readonly subject: string
  readonly question: unknown
}

/** From a worker to the supervisor. */
export type Report =
  /** It takes orders and questions. */
  | { readonly kind: 'hello' }
  /** It listens; `banner` is the text for people. */
  | { readonly kind: 'ready'; readonly banner: string }
  /** It cannot start, for this reason. */
  | { readonly kind: 'failed'; readonly line: string }
  | Asked
  | { readonly kind: 'answer'; readonly id: number; readonly answer?: unknown; readonly isFailed: boolean }

/** A question to the other workers. */
export interface Asked extends Omit<Question, 'kind'> {
  readonly kind: 'ask'
  readonly millis: number
}
