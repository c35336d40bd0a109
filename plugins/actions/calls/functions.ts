// Handlers that are functions of plugins. A call has a time limit, and one transaction for GraphQL with the caller's session.

import type { Engine } from '../../../sdk/index.ts'
import { internalError, messageOf, TrellisError } from '../../../sdk/index.ts'
import { inTurns, longestTimer, parseJson, unlessAborted } from '../../../sdk/services.ts'
import type { Transaction } from '../../../sdk/sql.ts'
import type { HandlerAnswer, HandlerCall } from './call.ts'
import { HandlerTransaction } from './handler-transaction.ts'
import type { ActionCall, ActionClient, ActionHandler, ActionHandlers } from './handlers.ts'
import { coerceOutput, type OutputRules } from './output.ts'

type AnyHandler = ActionHandler<never, unknown>

/** Work that runs with the result in the handler's transaction. */
export type Finish = (value: unknown, transaction: Transaction) => Promise<void>

/** The functions by the names of their actions. */
export class HandlerFunctions implements ActionHandlers {
  readonly #handlers = new Map<string, AnyHandler>()

  handle(name: string, handler: AnyHandler): void {
    if (this.#handlers.has(name)) throw new Error(`action "${name}" has a handler already`)
    if (typeof handler !== 'function') throw new Error(`the handler of action "${name}" has to be a function`)
    this.#handlers.set(name, handler)
  }

  get(name: string): AnyHandler | undefined {
    return this.#handlers.get(name)
  }
}

export interface FunctionContext {
  readonly engine: Pick<Engine, 'database' | 'sessionSettings' | 'graphql'>
  readonly rules: OutputRules
}

/**
 * Runs a handler. Its transaction is committed if the answer has the action's type and `finish` has run, and rolled back otherwise.
 * After the timeout the call fails and ignores the handler.
 */
export async function callFunction(
  handler: AnyHandler,
  call: HandlerCall,
  { engine, rules, finish }: FunctionContext & { readonly finish?: Finish },
): Promise<HandlerAnswer> {
  const { action, session, requestId } = call
  const limit = AbortSignal.timeout(Math.min(action.timeout, longestTimer))
  const signal = call.signal ? AbortSignal.any([limit, call.signal]) : limit
  const { database, sessionSettings } = engine
  const transaction = new HandlerTransaction({ database, sessionSettings, session, requestId, signal })
  try {
    const { given, asked } = callOf(call, { engine, transaction, signal })
    signal.throwIfAborted()
    const result = await unlessAborted(signal, resultOf(handler, { given, signal, name: action.name }))
    const value = await inTurns(coerceOutput(wireValue(result, action.name), action.output, rules))
    // Requests that the handler did not await belong to the transaction, too.
    await unlessAborted(signal, asked())
    if (finish) await finish(value, await transaction.begin())
    await transaction.commit()
    return { value, cookies: [] }
  } catch (error) {
    const shown = limit.aborted ? timeIsUp(call) : error
    await transaction.rollback(shown)
    // Paths in the handler's own requests are not paths of the client's request.
    throw shown instanceof TrellisError ? shown.with({ path: [] }) : shown
  }
}

/** The result of a handler. An error that is not for the client names the action. */
async function resultOf(
  handler: AnyHandler,
  { given, signal, name }: { readonly given: ActionCall; readonly signal: AbortSignal; readonly name: string },
): Promise<unknown> {
  try {
    return await handler(given as never)
  } catch (error) {
    if (error instanceof TrellisError || signal.aborted) throw error
    throw new Error(`the handler of action "${name}" failed: ${messageOf(error)}`, { cause: error })
  }
}

const timeIsUp = ({ action: { name, timeout } }: HandlerCall): TrellisError =>
  internalError(`the handler of action "${name}" has not answered within ${timeout / 1000} s`, {
    code: 'time-limit-exceeded',
  })

interface Around extends Pick<FunctionContext, 'engine'> {
  readonly transaction: HandlerTransaction
  readonly signal: AbortSignal
}

interface Given {
  readonly given: ActionCall
  /** Waits until all requests are answered. */
  asked(): Promise<unknown>
}

function callOf(call: HandlerCall, { engine, transaction, signal }: Around): Given {
  const { input, session, clientHeaders: headers, id } = call
  // Concurrent requests would share savepoints.
  let last: Promise<unknown> = Promise.resolve()
  const client: ActionClient = {
    graphql<Data>(query: string, variables: Readonly<Record<string, unknown>> = {}) {
      const run = async () => {
        return await inSavepoint(await transaction.begin(), async (part) => {
          const request = { query, variables: { ...variables }, operationName: null }
          const answer = await engine.graphql.execute(request, session, { headers, transaction: part })
          return dataOf(answer) as Data
        })
      }
      const next = last.then(run)
      last = next.catch(() => {})
      return next
    },
  }
  return { given: { input, session, headers, client, signal, id }, asked: () => last }
}

/** A failed request is undone, so that the transaction can continue. */
async function inSavepoint<T>(transaction: Transaction, work: (transaction: Transaction) => Promise<T>): Promise<T> {
  await transaction.rows('savepoint request')
  try {
    const result = await work(transaction)
    await transaction.rows('release savepoint request')
    return result
  } catch (error) {
    await transaction.rows('rollback to savepoint request')
    throw error
  }
}

function dataOf(answer: Buffer | string): unknown {
  const { data, errors } = parseJson(String(answer), 'precise') as { data: unknown; errors?: { message?: unknown }[] }
  if (errors && errors.length > 0) throw internalError(String(errors[0]?.message))
  return data
}

/** The result as JSON: dates become texts, undefined members are left out. */
function wireValue(result: unknown, action: string): unknown {
  try {
    return JSON.parse(JSON.stringify(result ?? null))
  } catch (cause) {
    throw internalError(`the result of the handler of action "${action}" cannot be encoded as JSON`, { cause })
  }
}
