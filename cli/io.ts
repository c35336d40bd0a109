// The surroundings of a command line, and the flags as given.

import type { Readable, Writable } from 'node:stream'
import type { Plugin } from '../core/engine/plugin.ts'

/** The surroundings of a command line: tests give their own. */
export interface Io {
  readonly cwd: string
  readonly env: Readonly<Record<string, string | undefined>>
  /** Whether a person can answer questions. */
  readonly isTerminal: boolean
  /** Replaces the last line of a terminal by a text that is not kept; absent unless standard error is a terminal. */
  readonly picture?: (text: string) => void
  stdout(text: string): void
  stderr(text: string): void
  /** Asks a person; only with a terminal. */
  confirm(question: string): Promise<boolean>
  /** Standard input and output, for commands that speak a protocol on them. */
  streams(): { readonly input: Readable; readonly output: Writable }
  /** Loads the plugins of an engine in this process. */
  plugins(): Promise<readonly Plugin[]>
}

/** The values of flags by name. */
export type Flags = Readonly<Record<string, string | boolean | undefined>>
