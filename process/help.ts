// `--help`, generated from the declarations of all options and commands, including those of plugins.

import type { PluginCommand } from '../core/engine/plugin.ts'
import { dialects } from '../core/names/dialect.ts'
import { fileVariableOf, type Option, OptionsError } from '../core/options/option-values.ts'

const width = 100
const indent = '      '

/** The options that most servers need, by flag. */
const common = [
  'config',
  'database-url',
  'server-port',
  'server-host',
  'cors-domain',
  'admin-secret',
  'unauthorized-role',
  'jwt-secret',
  'enable-console',
  'log-level',
]

function wrapped(text: string, start = indent): string {
  const lines = ['']
  for (const word of text.split(' ')) {
    const line = lines.at(-1)!
    if (line !== '' && start.length + line.length + word.length >= width) lines.push(word)
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`
  }
  return lines.map((line) => start + line).join('\n')
}

/** The text of a default value. */
export function defaultText(option: Option): string {
  const value = option.default
  if (value === null || (Array.isArray(value) && value.length === 0)) return 'none'
  return Array.isArray(value) ? value.join(',') : String(value)
}

/** The flag as typed, with its short form and its placeholder. */
export function flagText({ declaration: { flag, short, placeholder } }: Option): string {
  const value = placeholder === undefined ? '' : ` ${placeholder}`
  return `${short === undefined ? '' : `-${short}, `}--${flag}${value}`
}

function optionText(option: Option): string {
  const { variable, description } = option.declaration
  const prefix = dialects.trellis.environmentPrefix
  const variables = [variable === undefined ? [] : prefix + variable, fileVariableOf(option, prefix) ?? []].flat()
  const names = [variables.length === 0 ? [] : `variable ${variables.join(' or ')}`, `key ${option.key}`].flat()
  const rest = `[${names.join(', ')}, default ${defaultText(option)}]`
  return `  ${flagText(option)}\n${wrapped(description)}\n${wrapped(rest)}`
}

const sources = [
  'An option may be given as a flag, as an environment variable (also in a file .env, unless NODE_ENV is',
  'production) or as a key of the configuration file; the first of these that names it decides. Lists are',
  'separated by commas. A variable that ends in _FILE names a file with the value. With --dialect hasura',
  `the variables start with ${dialects.hasura.environmentPrefix}, except those of --config and --dialect.`,
]

/** A command that this folder does not run. */
export interface OtherCommand {
  readonly name: string
  readonly description: string
}

function commandLines(commands: readonly OtherCommand[]): readonly string[] {
  const rows = [
    ['serve', 'serve GraphQL and metadata over HTTP (when no command is given)'],
    ...commands.map(({ name, description }) => [name, description]),
    ['version', 'print the version'],
    ['help', 'print this text; help all, help GROUP and help COMMAND print more'],
  ] as const
  const longest = Math.max(...rows.map(([name = '']) => name.length))
  return rows.map(([name = '', text = '']) => `  ${name.padEnd(longest)}   ${text}`)
}

const groupsOf = (options: readonly Option[]): readonly string[] => [...new Set(options.map(({ group }) => group))]

function groupLines(options: readonly Option[]): readonly string[] {
  return [
    `All ${options.length} options: --help all. Those of one group: --help GROUP, with GROUP one of`,
    wrapped(groupsOf(options).join(', '), '  '),
  ]
}

function commandHelp({ name, description, flags }: PluginCommand): string {
  const own = Object.entries(flags).map(
    ([flag, { placeholder, description: text }]) => `  --${flag} ${placeholder}\n${wrapped(text)}`,
  )
  const rest = 'The options of the server count too, from flags, variables and the configuration file.'
  return [`Usage: trellis ${name} [options]`, '', wrapped(description, ''), '', 'Options:', ...own, '', rest].join('\n')
}

/**
 * The text of `--help TOPIC`: the options that most servers need, `all` of them, those of one group, or the flags of a
 * command. Throws an {@link OptionsError} for another topic.
 */
export function helpText(
  options: readonly Option[],
  commands: readonly PluginCommand[] = [],
  topic: string | null = null,
  others: readonly OtherCommand[] = [],
): string {
  const command = commands.find(({ name }) => name === topic)
  if (command) return `${commandHelp(command)}\n`
  const head = [
    'Usage: trellis [COMMAND] [options]',
    '',
    'Commands:',
    ...commandLines([...commands, ...others]),
    '',
    ...sources,
    '',
  ]
  if (topic === null) {
    const shown = options.filter(({ declaration: { flag } }) => common.includes(flag))
    const lines = [...head, 'Options that most servers need:', ...shown.map(optionText), '', ...groupLines(options)]
    return `${lines.join('\n')}\n`
  }
  if (topic === 'all') {
    const groups = groupsOf(options).flatMap((group) => ['', `Options, ${group}:`, ...ofGroup(options, group)])
    return `${[...head.slice(0, -1), ...groups].join('\n')}\n`
  }
  const own = ofGroup(options, topic)
  if (own.length > 0) return `${[`Options, ${topic}:`, ...own].join('\n')}\n`
  const topics = ['all', ...commands.map(({ name }) => name), ...groupsOf(options)]
  throw new OptionsError(`Fatal Error:- There is no help about "${topic}": there is help about ${topics.join(', ')}`)
}

const ofGroup = (options: readonly Option[], group: string): readonly string[] =>
  options.filter((option) => option.group === group).map(optionText)
