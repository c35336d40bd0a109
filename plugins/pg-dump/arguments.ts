// Which arguments of pg_dump callers may give: not those that lead to another database than the served one, or to files
// of the server.

import { badRequest } from '../../sdk/index.ts'

const refusedNames = ['dbname', 'file', 'filter', 'host', 'no-password', 'password', 'port', 'username']

const refusedLetters = new Set(['d', 'f', 'h', 'p', 'U', 'w', 'W'])

/** Letters whose value is the rest of the argument, or the next one. */
const lettersWithValue = new Set(['e', 'E', 'F', 'j', 'n', 'N', 'S', 't', 'T', 'Z'])

/** Throws for the first argument that may not be given. */
export function checkArguments(args: readonly string[]): void {
  for (const [i, argument] of args.entries()) {
    const refused = argument.startsWith('--') ? isRefusedName(argument) : isRefusedCluster(argument)
    const problem = argument.includes('\u0000') ? 'holds a NUL' : refused ? 'is not allowed here' : null
    if (problem === null) continue
    const message = `the argument ${JSON.stringify(argument)} of pg_dump ${problem}`
    throw badRequest('not-supported', message, { path: ['opts', i] })
  }
}

/** Long names may be cut short as far as they are unambiguous. */
function isRefusedName(argument: string): boolean {
  const [name = ''] = argument.slice(2).split('=')
  return name !== '' && refusedNames.some((refused) => refused.startsWith(name))
}

/** Letters may follow each other: `-Ox`. */
function isRefusedCluster(argument: string): boolean {
  if (!argument.startsWith('-')) return false
  for (const letter of argument.slice(1)) {
    if (refusedLetters.has(letter)) return true
    if (lettersWithValue.has(letter)) return false
  }
  return false
}
