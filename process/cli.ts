// The sub-commands of the command line.

import type { PluginCommand } from '../core/engine/plugin.ts'
import { version } from '../core/names/version.ts'
import type { Option } from '../core/options/option-values.ts'
import { helpText, type OtherCommand } from './help.ts'
import { type CommandLine, OptionsError, readCommandLine } from './settings.ts'

/** A sub-command with its arguments. */
export type Command =
  | { readonly name: 'serve'; readonly commandLine: CommandLine }
  | { readonly name: 'print'; readonly text: string }
  | {
      readonly name: 'run'
      readonly command: PluginCommand
      readonly commandLine: CommandLine
      /** The values of the command's own flags. */
      readonly flags: Readonly<Record<string, readonly string[]>>
    }

/** Reads a command line without the program's own name; throws an {@link OptionsError}. */
export function readCommand(
  argv: readonly string[],
  options: readonly Option[],
  commands: readonly PluginCommand[] = [],
  others: readonly OtherCommand[] = [],
): Command {
  const commandLine = readCommandLine(argv, options, flagsOf(commands))
  const [word = 'serve', ...extra] = commandLine.words
  if (commandLine.help || word === 'help') {
    const [topic = null] = commandLine.words.filter((each) => each !== 'help' && each !== 'serve')
    return { name: 'print', text: helpText(options, commands, topic, others) }
  }
  if (commandLine.version || word === 'version') return { name: 'print', text: `${version}\n` }
  const command = commands.find(({ name }) => name === word) ?? null
  if (command === null && word !== 'serve') {
    const names = ['serve', ...[...commands, ...others].map(({ name }) => name), 'version']
    throw new OptionsError(`Fatal Error:- Unknown command "${word}": there are ${names.join(', ')} and help`)
  }
  if (extra[0] !== undefined) {
    throw new OptionsError(`Fatal Error:- Unexpected word "${extra[0]}" after ${word} (--help all lists all options)`)
  }
  const flags = ownFlags(commandLine, commands, command)
  return command === null ? { name: 'serve', commandLine } : { name: 'run', command, commandLine, flags }
}

const flagsOf = (commands: readonly PluginCommand[]): readonly string[] =>
  commands.flatMap(({ flags }) => Object.keys(flags))

/** The values of the command's flags; flags of another command are refused. */
function ownFlags(
  { flags }: CommandLine,
  commands: readonly PluginCommand[],
  command: PluginCommand | null,
): Readonly<Record<string, readonly string[]>> {
  const own = Object.keys(command?.flags ?? {})
  const foreign = flagsOf(commands).find((flag) => flags[flag] !== undefined && !own.includes(flag))
  if (foreign !== undefined) {
    const owner = commands.find((each) => Object.hasOwn(each.flags, foreign))
    throw new OptionsError(`Fatal Error:- Option --${foreign} belongs to the command ${owner?.name}`)
  }
  const given = own.flatMap((flag) => (flags[flag] === undefined ? [] : [[flag, [flags[flag]].flat().map(String)]]))
  return Object.fromEntries(given)
}
