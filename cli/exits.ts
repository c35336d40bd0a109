// The exit codes of the command line, and the failures that lead to them.

/** Exit codes by meaning; `docs/command-line.md` documents them. */
export const exits = {
  done: 0,
  failed: 1,
  usage: 2,
  consent: 3,
  differences: 4,
  unreachable: 5,
  conflict: 6,
} as const

/** A reason to end with an exit code. */
export type Exit = keyof typeof exits

/** Ends a command with one line for its user. */
export class Failure extends Error {
  override readonly name = 'Failure'
  readonly exit: Exit
  /** Details below the line, one each. */
  readonly problems: readonly string[]
  /** The changes that were made before the failure. */
  changes: readonly string[] = []

  constructor(exit: Exit, message: string, problems: readonly string[] = []) {
    super(message)
    this.exit = exit
    this.problems = problems
  }
}
