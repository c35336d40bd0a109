// The command line: finds the command, reads its flags, runs it, and prints its outcome.

import { parseArgs } from 'node:util'
import { codeOf, messageOf } from '../core/errors/thrown.ts'
import type { Command, Outcome } from './command.ts'
import { exits, Failure } from './exits.ts'
import { commonFlags, type Flag, leadingFlags } from './flags.ts'
import { groupHelp, helpOf } from './help.ts'
import type { Flags, Io } from './io.ts'
import { commandNames } from './names.ts'
import { printFailure, printOutcome } from './output.ts'
import { type Session, startCall } from './session.ts'

const loaders: Readonly<Record<string, () => Promise<{ readonly command: Command }>>> = {
  init: () => import('./commands/init.ts'),
  doctor: () => import('./doctor/command.ts'),
  'branch create': () => import('./branch/create.ts'),
  'branch drop': () => import('./branch/drop.ts'),
  'branch list': () => import('./branch/list.ts'),
  types: () => import('./types/command.ts'),
  deploy: () => import('./commands/deploy.ts'),
  'migrate create': () => import('./migrations/create.ts'),
  'migrate up': () => import('./migrations/up.ts'),
  'migrate down': () => import('./migrations/down.ts'),
  'migrate status': () => import('./migrations/status.ts'),
  'migrate verify': () => import('./migrations/verify.ts'),
  'migrate mark': () => import('./migrations/mark.ts'),
  'migrate squash': () => import('./migrations/squash.ts'),
  'metadata export': () => import('./metadata/export.ts'),
  'metadata apply': () => import('./metadata/apply.ts'),
  'metadata diff': () => import('./metadata/diff.ts'),
  'metadata reload': () => import('./metadata/reload.ts'),
  'metadata problems': () => import('./metadata/problems.ts'),
  'metadata clear': () => import('./metadata/clear.ts'),
  sql: () => import('./commands/sql.ts'),
  run: () => import('./commands/run.ts'),
  seed: () => import('./commands/seed.ts'),
  track: () => import('./commands/track.ts'),
  suggest: () => import('./commands/suggest.ts'),
  adopt: () => import('./adopt/command.ts'),
  mcp: () => import('./mcp/command.ts'),
  completions: () => import('./commands/completions.ts'),
}

/** Runs a command line without the program's own name, and returns the exit code. */
export async function main(argv: readonly string[], io: Io): Promise<number> {
  const { name, first, second, isHelp, rest } = findCommand(argv)
  if (name === null) return withoutCommand({ first, second, isHelp }, io)
  const isJson = rest.includes('--json')
  let session: Session | null = null
  try {
    const { command } = await loaders[name]!()
    if (isHelp || rest.includes('--help')) {
      io.stdout(helpOf(name, command, commonFlags))
      return exits.done
    }
    const { words, flags } = readFlags(name, command, rest)
    session = startCall({ io, words, flags })
    const outcome: Outcome = await command.run(session.call)
    printOutcome(io, { name, isJson, session, outcome })
    return exits[outcome.exit ?? 'done']
  } catch (error) {
    const failure = asFailure(error)
    printFailure(io, { name, isJson, session, failure })
    return exits[failure.exit]
  } finally {
    await session?.close()
  }
}

/** A command line, divided; `rest` has the flags that stood before the words of the command, too. */
interface Found extends Misplaced {
  /** Null if there is no such command. */
  readonly name: string | null
  readonly rest: readonly string[]
}

function findCommand(argv: readonly string[]): Found {
  const before = leadingFlags(argv)
  const isHelp = argv[before] === 'help'
  const [first = '', ...after] = argv.slice(before + (isHelp ? 1 : 0))
  const leading = argv.slice(0, before)
  if (Object.hasOwn(loaders, first)) return { name: first, first, second: '', isHelp, rest: [...leading, ...after] }
  const between = leadingFlags(after)
  const second = after[between] ?? ''
  const name = Object.hasOwn(loaders, `${first} ${second}`) ? `${first} ${second}` : null
  const rest = [...leading, ...after.slice(0, between), ...after.slice(between + 1)]
  return { name, first, second, isHelp, rest }
}

interface Misplaced {
  readonly first: string
  readonly second: string
  readonly isHelp: boolean
}

/** Help about a group of commands, such as `migrate`, or the refusal of a name. */
function withoutCommand({ first, second, isHelp }: Misplaced, io: Io): number {
  const group = commandNames.filter(({ name }) => name.startsWith(`${first} `))
  if (group.length > 0 && (isHelp || second === '--help' || second === '')) {
    const print = isHelp || second === '--help' ? io.stdout : io.stderr
    print(groupHelp(first, group))
    return isHelp || second === '--help' ? exits.done : exits.usage
  }
  const names = group.length > 0 ? group : commandNames
  const given = group.length > 0 ? `${first} ${second}` : first
  io.stderr(`Error: unknown command "${given}": there are ${names.map(({ name }) => name).join(', ')}\n`)
  return exits.usage
}

function readFlags(name: string, command: Command, args: readonly string[]) {
  const declared: Readonly<Record<string, Flag>> = { ...commonFlags, ...command.flags }
  const options = Object.fromEntries(
    Object.entries(declared).map(([flag, { value, short }]) => {
      return [flag, { type: value ? 'string' : 'boolean', ...(short && { short }) } as const]
    }),
  )
  const advice = `see trellis ${name} --help`
  try {
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true })
    const [least, most] = command.count ?? [0, 0]
    if (positionals.length < least) throw new Failure('usage', `${name} needs ${command.words}: ${advice}`)
    if (positionals.length > most) {
      throw new Failure('usage', `unexpected word "${positionals[most]}" after ${name}: ${advice}`)
    }
    return { words: positionals, flags: values as Flags }
  } catch (error) {
    if (!codeOf(error)?.startsWith('ERR_PARSE_ARGS')) throw error
    throw new Failure('usage', `${messageOf(error).split('. ')[0]}: ${advice}`)
  }
}

const systemReasons: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full',
  EACCES: 'permission denied',
  EROFS: 'the file system is read-only',
  EISDIR: 'it is a directory',
  ENOENT: 'it does not exist',
  ENOTDIR: 'it is not a directory',
}

/** Any error as a failure with one line. */
function asFailure(error: unknown): Failure {
  if (error instanceof Failure) return error
  const reason = systemReasons[codeOf(error) ?? '']
  if (reason !== undefined && error instanceof Error && 'path' in error) {
    return new Failure('failed', `${error.path}: ${reason}`)
  }
  return new Failure('failed', messageOf(error))
}
