// The help of a command, in the style of the program's help.

import type { Command } from './command.ts'
import type { Flag } from './flags.ts'
import type { CommandLine } from './names.ts'

const flagLines = (flags: Readonly<Record<string, Flag>>): readonly string[] =>
  Object.entries(flags).map(([name, { value, short, description }]) => {
    const head = `  ${short ? `-${short}, ` : ''}--${name}${value ? ` ${value}` : ''}`
    return `${head}\n      ${description}`
  })

/** The text of `trellis NAME --help`. */
export function helpOf(name: string, command: Command, common: Readonly<Record<string, Flag>>): string {
  const { words = '', details, flags = {} } = command
  const own = Object.keys(flags).length > 0 ? ['', 'Options:', ...flagLines(flags)] : []
  const usage = `Usage: trellis ${name}${words ? ` ${words}` : ''} [options]`
  return `${[usage, '', details, ...own, '', 'Options of all commands:', ...flagLines(common)].join('\n')}\n`
}

/** The text of `trellis GROUP --help`. */
export function groupHelp(group: string, commands: readonly CommandLine[]): string {
  const longest = Math.max(...commands.map(({ name }) => name.length))
  const lines = commands.map(({ name, description }) => `  ${name.padEnd(longest)}   ${description}`)
  return `${[`Usage: trellis ${group} COMMAND [options]`, '', 'Commands:', ...lines].join('\n')}\n`
}
