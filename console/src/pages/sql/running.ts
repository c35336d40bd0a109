// Running a text: its results, its plan, its errors, and its effects on the metadata.

import { newId } from '../../base/ids.ts'
import type { PlanNode } from '../../parts/plan-tree.tsx'
import { useOutcomes } from '../../parts/use-outcomes.ts'
import { asFailure, RequestFailed } from '../../requests/failure.ts'
import { send } from '../../requests/send.ts'
import { diffDocuments, flatDocument, type ObjectChange } from '../../server/metadata-diff.ts'
import { exchange } from '../../server/operations.ts'
import { type Metadata, metadataQuery, queries, refreshMetadata, seenMetadata } from '../../server/queries.ts'
import { history } from './history.ts'

/** The outcome of a statement, as version 2 of `run_sql` answers it. */
export interface StatementOutcome {
  readonly command: string
  readonly row_count: number | null
  readonly columns: readonly { readonly name: string; readonly type: string }[] | null
  readonly rows: readonly (readonly (string | null)[])[] | null
  readonly has_more: boolean
}

/** A message of PostgreSQL beside the results. */
export interface Notice {
  readonly severity: string
  readonly message: string
}

interface Answer {
  readonly results: readonly StatementOutcome[]
  readonly notices: readonly Notice[]
  readonly seconds: number
}

/** A text with the way to run it. */
export interface Run {
  readonly text: string
  /** Where it begins in the draft. */
  readonly from: number
  readonly mode: 'run' | 'explain' | 'analyze'
  readonly canWrite: boolean
  readonly hasCascade: boolean
  readonly limit: number
}

/** The state of the last run of a draft. */
export type Outcome =
  | { readonly state: 'running'; readonly run: Run; cancel(): Promise<void> }
  | { readonly state: 'failed'; readonly run: Run; readonly error: unknown }
  | { readonly state: 'plan'; readonly run: Run; readonly plan: PlanNode; readonly seconds: number }
  | {
      readonly state: 'done'
      readonly run: Run
      readonly results: readonly StatementOutcome[]
      readonly notices: readonly Notice[]
      readonly seconds: number
      /** Objects of the metadata that it changed. */
      readonly changes: readonly ObjectChange[]
    }

/** Rows of a result that are read first. */
export const firstRows = 1000
/** Rows that the server answers at most. */
export const mostRows = 100_000

/** Words after which the server compares the metadata with the database. */
const catalogWords = /\b(?:alter|drop|replace|create function|comment on)\b/i

/** Whether a text may change the metadata. */
export const touchesMetadata = (text: string): boolean => catalogWords.test(text)

const prefixes = { run: '', explain: 'explain (format json) ', analyze: 'explain (analyze, format json) ' }

/** The position of an error in the sent text, as PostgreSQL reports it; null without one. */
export function errorPosition(error: unknown, { mode }: Run): number | null {
  const { internal } = asFailure(error).facts
  const position = (internal as { error?: { position?: unknown } } | null)?.error?.position
  return typeof position === 'number' ? Math.max(1, position - prefixes[mode].length) : null
}

/** An error with PostgreSQL's own words, which the server has among its details. */
export function readable(error: unknown): unknown {
  const failure = asFailure(error)
  const inner = (failure.facts.internal as { error?: Readonly<Record<string, unknown>> } | null)?.error
  if (typeof inner?.['message'] !== 'string') return error
  const more = [inner['description'], inner['hint'], inner['help']].filter((each) => typeof each === 'string')
  const line = typeof inner['line'] === 'number' ? ` (line ${inner['line']}, column ${inner['column']})` : ''
  return new RequestFailed({
    ...failure.facts,
    message: inner['message'] + line,
    hint: more.length > 0 ? more.join(' ') : failure.facts.hint,
  })
}

/** The objects that would go with a dropped one; empty for other errors. */
export function dependentsOf(error: unknown): readonly string[] {
  const { code, message } = asFailure(error).facts
  if (code !== 'dependency-error') return []
  return message.slice(message.indexOf(' : ') + 3).split(', ')
}

/** Asks PostgreSQL to cancel the statement of the request with this id. */
async function cancelRequest(id: string): Promise<void> {
  const body = { type: 'cancel_sql', args: { request_id: id } }
  const answer = await send<{ readonly cancelled: number }>({ name: 'cancel_sql', path: 'v1/metadata', body })
  if (answer.body.cancelled === 0) throw new Error('PostgreSQL ran nothing for it at that moment')
}

interface Sending {
  readonly id: string
  readonly signal: AbortSignal
}

async function outcomeOf(run: Run, sending: Sending): Promise<Outcome> {
  const { text, mode, canWrite, hasCascade, limit } = run
  const writes = canWrite && mode === 'run'
  const before = writes && touchesMetadata(text) ? await seenMetadata() : null
  const args = {
    ...{ sql: prefixes[mode] + text, read_only: !writes, limit },
    ...(writes && hasCascade && { cascade: true }),
  }
  const { body } = await exchange<Answer>('run_sql', args, { version: 2, ...sending })
  if (mode !== 'run') {
    const [{ Plan }] = JSON.parse(body.results[0]?.rows?.[0]?.[0] ?? '[{}]') as [{ readonly Plan: PlanNode }]
    return { state: 'plan', run, plan: Plan, seconds: body.seconds }
  }
  if (writes) await refreshMetadata()
  const changes = before ? await changesSince(before) : []
  return { state: 'done', run, results: body.results, notices: body.notices, seconds: body.seconds, changes }
}

async function changesSince(before: Metadata): Promise<readonly ObjectChange[]> {
  const now = await queries.fetchQuery({ ...metadataQuery, staleTime: 0 })
  return diffDocuments(flatDocument(before.metadata), flatDocument(now.metadata))
}

/** The outcomes of drafts, with the function that runs one. */
export function useRuns() {
  const { outcomes, begin } = useOutcomes<Outcome>()
  const start = async (draft: string, run: Run): Promise<void> => {
    const { controller, show } = begin(draft)
    const id = newId()
    show({ state: 'running', run, cancel: () => cancelRequest(id) })
    try {
      const outcome = await outcomeOf(run, { id, signal: controller.signal })
      history.remember(run.text, 'good')
      show(outcome)
    } catch (error) {
      history.remember(run.text, 'bad')
      show({ state: 'failed', run, error })
    }
  }
  return { outcomes, start } as const
}
