// The contract of a command: its flags, its words, and its outcome.

import type { Exit } from './exits.ts'
import type { Flag } from './flags.ts'
import type { Flags, Io } from './io.ts'
import type { Project } from './project/project.ts'
import type { Target } from './target/target.ts'

/** A call of a command. */
export interface Call {
  readonly io: Io
  readonly words: readonly string[]
  readonly flags: Flags
  readonly project: Project
  /** The server or database, connected at the first use; its name is printed then. `more` are flags beside the given ones. */
  target(more?: Flags): Promise<Target>
  /** Prints a line for people. */
  say(line: string): void
  /** Ends with exit code 3 unless `--yes` or a person agrees. */
  consent(question: string): Promise<void>
  /** Notes a change that was made, for the outcome and for failures after it. */
  changed(change: string): void
}

/** The result of a command that did not fail. */
export interface Outcome {
  /** Text for standard output; left out with `--json`. */
  readonly text?: string
  readonly problems?: readonly string[]
  /** Members of the JSON object, beside those that every command has. */
  readonly data?: Readonly<Record<string, unknown>>
  /** `done` when absent. */
  readonly exit?: Exit
}

/** A command, loaded on demand. */
export interface Command {
  /** The words after its name, such as `NAME [N]`. */
  readonly words?: string
  /** The smallest and the largest number of words. */
  readonly count?: readonly [number, number]
  readonly details: string
  readonly flags?: Readonly<Record<string, Flag>>
  run(call: Call): Promise<Outcome>
}
