// The contract of a check of `trellis doctor`.

import type { Call } from '../command.ts'
import type { Json } from '../project/parts.ts'
import type { Target } from '../target/target.ts'

/** The server and the project as a check sees them. */
export interface Examined {
  readonly call: Call
  readonly target: Target
  /** The metadata of the target. */
  readonly document: Json
  /** The answer of `/v1alpha1/config`; empty where that API is closed. */
  readonly config: Json
  /** The first column of the rows of a statement that writes nothing. */
  column(text: string): Promise<readonly string[]>
}

/** One line of the production checklist, which docs/production.md repeats. */
export interface Check {
  readonly name: string
  /** The faults that it finds, in short. */
  readonly finds: string
  /** Why a finding matters. */
  readonly why: string
  readonly remedy: string
  /** The findings; empty if all is good. */
  run(examined: Examined): Promise<readonly string[]>
}

/** The processes that serve the port; 1 for a server that does not tell. */
export const workersOf = ({ workers }: Examined['config']): number => (typeof workers === 'number' ? workers : 1)
