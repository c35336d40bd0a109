// The worker that makes asynchronous calls: it claims them from the log in small batches and runs their handlers.

import { assumedSession } from '../../sdk/http.ts'
import { type Engine, messageWithCause, pathText, TrellisError, toTrellisError } from '../../sdk/index.ts'
import { isJsonObject, QueueWorker } from '../../sdk/services.ts'
import { storableText } from '../../sdk/sql.ts'
import type { ActionLog, CallOutcome, TakenCall } from './action-log.ts'
import type { HandlerCall } from './calls/call.ts'
import { batchesAtWork, leaseSeconds } from './tuning.ts'

export interface WorkerOptions {
  readonly engine: Pick<Engine, 'dialect' | 'observe'>
  readonly log: ActionLog
  /** Calls per claim. */
  readonly batchSize: number
  /** Calls the handler; gives the value of its answer, null: the result is recorded already. */
  run(
    call: HandlerCall & { readonly id: string; readonly signal: AbortSignal },
  ): Promise<{ readonly value: unknown } | null>
}

const failure = (error: unknown): CallOutcome => ({ status: 'error', text: storable(described(error)) })

/** The worker of the log. A call whose lease is lost is aborted: another instance has taken it over, or it was deleted. */
export function actionWorker({ engine, log, batchSize, run }: WorkerOptions): QueueWorker<TakenCall, CallOutcome> {
  const warn = (message: string) => engine.observe.log({ type: 'unstructured', level: 'warn', detail: message })
  return new QueueWorker<TakenCall, CallOutcome>({
    ...{ ledger: log, batch: batchSize, concurrency: batchSize * batchesAtWork },
    report: (message) => warn(`the log of asynchronous actions cannot be used: ${message}`),
    handler: {
      ...{ leaseSeconds, aborts: 'lost' },
      async run({ id, action, input, headers, sessionVariables }, { signal }) {
        const session = assumedSession(sessionVariables, engine.dialect)
        try {
          const answer = await run({
            ...{ id, action, input, session, clientHeaders: headers, signal },
            ...{ requestQuery: null, requestId: null },
          })
          return answer && { status: 'completed', text: JSON.stringify(answer.value ?? null) }
        } catch (error) {
          if (signal.aborted) throw error
          if (!(error instanceof TrellisError)) warn(`an asynchronous action failed: ${messageWithCause(error)}`)
          return failure(error)
        }
      },
      failed: (_call, error) => failure(error),
      // A result or an error may contain values that PostgreSQL refuses, such as a number with too many digits.
      rewritten: (_outcome, error) => failure(error),
    },
  })
}

/** The stored form of an error, with its internals for administrators. */
function described(error: unknown): Record<string, unknown> {
  const { path, message, code, extensions, internal } = toTrellisError(error)
  return {
    path: pathText(path),
    error: message,
    code,
    ...(extensions && { extensions }),
    ...(internal !== undefined && { internal }),
  }
}

/** The JSON of an error, without characters that PostgreSQL cannot store: a webhook may answer invalid text. */
const storable = (error: unknown): string =>
  JSON.stringify(error, (_name, value: unknown) => {
    if (typeof value === 'string') return storableText(value)
    if (!isJsonObject(value)) return value
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [storableText(name), member]))
  })
