// One run of a command: its project, its target, and the changes so far.

import type { Call } from './command.ts'
import { Failure } from './exits.ts'
import type { Flags, Io } from './io.ts'
import { openProject, type Project } from './project/project.ts'
import { connect, type Target } from './target/target.ts'

/** A run that has to be closed. */
export interface Session {
  readonly call: Call
  readonly changes: readonly string[]
  /** The name of the target; null before it was needed. */
  label(): string | null
  close(): Promise<void>
}

interface Given {
  readonly io: Io
  readonly words: readonly string[]
  readonly flags: Flags
}

/** Starts a run. */
export function startCall({ io, words, flags }: Given): Session {
  const changes: string[] = []
  let project: Project | null = null
  let target: Promise<Target> | null = null
  let label: string | null = null
  const say = (line: string) => io.stderr(`${line}\n`)
  const open = async (more: Flags = {}): Promise<Target> => {
    const connected = await connect({ io, flags: { ...flags, ...more }, project: call.project })
    label = connected.label
    say(`on ${label}`)
    return connected
  }
  const call: Call = {
    io,
    words,
    flags,
    say,
    get project() {
      project ??= openProject({ io, flags })
      return project
    },
    target: (more) => (target ??= open(more)),
    changed: (change) => {
      changes.push(change)
    },
    async consent(question) {
      if (flags['yes'] === true) return
      if (!io.isTerminal) throw new Failure('consent', `${question} Agree with --yes`)
      if (!(await io.confirm(`${question} [y/N] `))) throw new Failure('consent', 'nothing was changed')
    },
  }
  const close = async () => {
    const connected = await target?.catch(() => null)
    await connected?.close()
  }
  return { call, changes, label: () => label, close }
}
