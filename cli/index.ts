// The command line: finds the command, reads its flags, runs it, and prints its outcome.

import { parseArgs } from 'node:util'
import { codeOf, messageOf } from '../core/errors/thrown.ts'
import type { Command, Flag, Outcome } from './command.ts'
import { exits, Failure } from './exits.ts'
import { groupHelp, helpOf } from './help.ts'
import type { Flags, Io } from './io.ts'
import { commandNames } from './names.ts'
import { printFailure, printOutcome } from './output.ts'
import { type Session, startCall } from './session.ts'

const loaders: Readonly<Record<string, () => Promise<{ readonly command: Command }>>> = {
  init: () => import('./commands/init.ts'),
  doctor: () => import('./commands/doctor.ts'),
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
  seed: () => import('./commands/seed.ts'),
  track: () => import('./commands/track.ts'),
  suggest: () => import('./commands/suggest.ts'),
  adopt: () => import('./adopt/command.ts'),
  mcp: () => import('./mcp/command.ts'),
  completions: () => import('./commands/completions.ts'),
}

/** The flags that every command has. */
const commonFlags: Readonly<Record<string, Flag>> = {
  endpoint: { value: 'URL', description: 'the server; http://localhost:8080 when nothing names one' },
  'admin-secret': { value: 'SECRET', description: 'the admin secret of the server' },
  'admin-secret-file': { value: 'FILE', description: 'a file with the admin secret' },
  'database-url': { value: 'URL', description: 'runs the engine in this process over a database, without a server' },
  project: { value: 'DIR', description: 'the folder of the project; the current folder when absent' },
  source: { value: 'NAME', description: 'the source of migrations and seeds; default when nothing names one' },
  json: { description: 'prints one JSON object on standard output' },
  yes: { description: 'agrees to changes that cannot be undone' },
  'no-color': { description: 'accepted for scripts: the output has no colors' },
  help: { description: 'prints this text' },
}

/** Runs a command line without the program's own name, and returns the exit code. */
export async function main(argv: readonly string[], io: Io): Promise<number> {
  const [first = '', second = ''] = argv[0] === 'help' ? argv.slice(1) : argv
  const name = [first, `${first} ${second}`].find((each) => Object.hasOwn(loaders, each))
  const isHelp = argv[0] === 'help'
  if (name === undefined) return withoutCommand({ first, second, isHelp }, io)
  const rest = argv.slice(name.split(' ').length + (isHelp ? 1 : 0))
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
