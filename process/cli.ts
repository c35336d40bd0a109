// The sub-commands of the command line.

import { version } from '../core/names/version.ts'
import type { Option } from '../core/options/option-values.ts'
import { helpText } from './help.ts'
import { type CommandLine, OptionsError, readCommandLine } from './settings.ts'

/** A sub-command with its arguments. */
export type Command =
  | { readonly name: 'serve'; readonly commandLine: CommandLine }
  | { readonly name: 'print'; readonly text: string }

/** Reads a command line without the program's own name; throws an {@link OptionsError}. */
export function readCommand(argv: readonly string[], options: readonly Option[]): Command {
  const commandLine = readCommandLine(argv, options)
  const [word = 'serve', extra] = commandLine.words
  if (commandLine.help || word === 'help') return { name: 'print', text: helpText(options) }
  if (commandLine.version || word === 'version') return { name: 'print', text: `${version}\n` }
  if (word !== 'serve') {
    throw new OptionsError(`Fatal Error:- Unknown command "${word}": there are serve, version and help`)
  }
  if (extra !== undefined) {
    throw new OptionsError(`Fatal Error:- Unexpected word "${extra}" after serve (--help lists all options)`)
  }
  return { name: 'serve', commandLine }
}
