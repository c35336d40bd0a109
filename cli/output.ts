// Prints outcomes: one JSON object on standard output, or text; words for people go to standard error.

import type { Outcome } from './command.ts'
import type { Failure } from './exits.ts'
import type { Io } from './io.ts'
import type { Session } from './session.ts'

interface Ended {
  readonly name: string
  readonly isJson: boolean
  readonly session: Session | null
}

/** Prints the outcome of a command that did not fail. */
export function printOutcome(io: Io, { name, isJson, session, outcome }: Ended & { readonly outcome: Outcome }): void {
  const { text = '', problems = [], data = {}, exit = 'done' } = outcome
  if (isJson) {
    const ok = exit === 'done'
    printJson(io, { command: name, ok, target: session?.label() ?? null, ...lists(session, problems), ...data })
    return
  }
  io.stdout(text)
  for (const problem of problems) io.stderr(`Problem: ${problem}\n`)
}

/** Prints a failure: one line, the details below it, and the changes that were made before. */
export function printFailure(io: Io, { name, isJson, session, failure }: Ended & { readonly failure: Failure }): void {
  io.stderr(`Error: ${failure.message}\n`)
  for (const problem of failure.problems) io.stderr(`  ${problem}\n`)
  const changes = session?.changes ?? []
  if (changes.length > 0) io.stderr(`Done before that: ${changes.join(', ')}\n`)
  if (!isJson) return
  const target = session?.label() ?? null
  const error = { exit: failure.exit, message: failure.message }
  printJson(io, { command: name, ok: false, target, ...lists(session, failure.problems), error })
}

const lists = (session: Session | null, problems: readonly string[]) => ({
  changes: session?.changes ?? [],
  problems,
})

const printJson = (io: Io, value: unknown): void => io.stdout(`${JSON.stringify(value)}\n`)
