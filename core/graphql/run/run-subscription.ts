// The parts of a subscription that no statement answers: results of its feed, and joins of its rows.

import type { TrellisError } from '../../errors/errors.ts'
import { pathKeys } from '../../errors/path.ts'
import { parseJson } from '../../json/json.ts'
import type { PreparedFeed } from '../plan/feed.ts'
import { WholeAnswer } from '../schema/call.ts'
import { Answer, type JsonObject } from './answer.ts'
import type { ExecutionContext } from './execution-context.ts'
import { callOf, joinRuns, type Run, rootRun, runLevels, settleCall } from './run-calls.ts'

/** An answer that includes its joins. */
export interface JoinedAnswer {
  readonly body: string
  /** Whether a part is missing that a retry may provide, for example after a server was unreachable. */
  readonly isLacking: boolean
}

/** The parts of a subscription that no statement answers. */
export interface SubscriptionRun {
  /** The origin of the feed's results: an open feed survives replanning as long as this is unchanged. */
  readonly origin: string
  /** Opens the feed; resolves once it has started. */
  open(): Promise<AsyncIterable<unknown>>
  /** The body of the answer for a result of the feed. */
  answer(result: unknown): Promise<Buffer | string>
  /**
   * The answer with its joins, from the body that the statement returned; `signal` aborts when no subscriber needs it.
   */
  join(body: string, signal: AbortSignal): Promise<JoinedAnswer>
}

export class SubscriptionRunner implements SubscriptionRun {
  readonly #context: ExecutionContext

  constructor(context: ExecutionContext) {
    this.#context = context
  }

  get origin(): string {
    return this.#feed.planner.origin(this.#call)
  }

  async open(): Promise<AsyncIterable<unknown>> {
    try {
      return this.#located(await this.#feed.planner.open(this.#call))
    } catch (error) {
      throw this.#at(error)
    }
  }

  async *#located(results: AsyncIterable<unknown>): AsyncGenerator<unknown> {
    try {
      yield* results
    } catch (error) {
      throw this.#at(error)
    }
  }

  /** The error located at the field, unless it has a path of its own. */
  #at(error: unknown): TrellisError {
    const answerable = this.#context.toAnswerable(error)
    return answerable.path.length === 0 ? answerable.at(...pathKeys(this.#feed.call.field.path)) : answerable
  }

  async answer(result: unknown): Promise<Buffer | string> {
    if (result instanceof WholeAnswer) return result.body
    const run = this.#run()
    const holder: JsonObject = {}
    await runLevels(await settleCall(rootRun(this.#feed.call, holder), result, run), run)
    return bodyOf(holder, run)
  }

  async join(body: string, signal: AbortSignal): Promise<JoinedAnswer> {
    const run = this.#run(signal)
    const { data: holder } = parseJson(body, 'lossless') as { readonly data: JsonObject }
    const joins = this.#context.prepared.steps.flatMap((step) => ('joins' in step ? step.joins : []))
    await runLevels(joinRuns(joins, { holder, above: null }, null), run)
    return { body: bodyOf(holder, run), isLacking: run.answer.isLacking }
  }

  get #feed(): PreparedFeed {
    const { feed } = this.#context.prepared
    if (!feed) throw new Error('the operation is not a subscription to a feed')
    return feed
  }

  get #call() {
    return callOf({ step: this.#feed.call, rows: null, places: [] }, this.#run())
  }

  #run(signal = this.#context.signal): Run {
    const context = this.#context
    const { callArguments, database, readOnly } = context
    return {
      context,
      answer: new Answer(),
      argumentsOf: callArguments ?? (() => ({})),
      signal,
      transaction: null,
      read: (statement, values) => database.answer(statement, values, { signal, readOnly }),
    }
  }
}

function bodyOf(members: JsonObject, { answer }: Run): string {
  const { errors, isNull } = answer
  const data = isNull ? 'null' : JSON.stringify(members)
  return `{"data":${data}${errors.length > 0 ? `,"errors":${JSON.stringify(errors)}` : ''}}`
}
