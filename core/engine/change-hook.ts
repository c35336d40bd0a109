// The hook of a plugin within the transaction of a change. The change is committed after the hook, so a hook that fails, or
// does not wait for the change, has to end it.

import type { Around } from '../around/around.ts'
import { Unprepared } from '../database/wire/postgres-errors.ts'
import { internalError, TrellisError } from '../errors/errors.ts'
import { stackOf } from '../errors/thrown.ts'
import type { ChangeWork } from '../graphql/works.ts'

/** The error of a hook that does not return the result of its work. */
export const missingResult = (what: string): Error => new Error(`around: ${what} must return the result of run()`)

/** The outcome of the work inside a hook. */
interface Inner<T> {
  running: Promise<T> | null
  /** The reason if it failed. */
  failure: { readonly error: unknown } | null
}

/**
 * The hook with its errors: a TrellisError and an error of the work stay; any other error names the plugin in the log.
 * The work runs once, and has ended when the hook has.
 */
export function aroundChange(hook: Around<ChangeWork>, whose: string): Around<ChangeWork> {
  return async <T>(work: ChangeWork, run: () => Promise<T>): Promise<T> => {
    const inner: Inner<T> = { running: null, failure: null }
    try {
      const given = await hook(work, () => start(inner, run))
      if (!inner.running) throw missingResult(`"change" of ${whose}`)
      const result = await inner.running
      if (given === undefined && result !== undefined) throw missingResult(`"change" of ${whose}`)
      // Refuses additions to the answer that JSON cannot express while the change can be undone.
      JSON.stringify(work.extensions)
      return result
    } catch (error) {
      await inner.running?.catch(() => {})
      if (inner.failure?.error === error || error instanceof TrellisError || error instanceof Unprepared) throw error
      throw pluginError(error, whose)
    }
  }
}

function start<T>(inner: Inner<T>, run: () => Promise<T>): Promise<T> {
  if (inner.running) throw new Error('run() can be called only once')
  inner.running = run()
  inner.running.catch((error: unknown) => {
    inner.failure = { error }
  })
  return inner.running
}

/** Clients see no details; the log shows the stack below the plugin's name. */
function pluginError(error: unknown, whose: string): TrellisError {
  const cause = new Error(`${whose} failed within a change`)
  cause.stack = `${cause.message}: ${stackOf(error)}`
  return internalError('internal error', { cause })
}
