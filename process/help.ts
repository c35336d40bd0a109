// `--help`, generated from the declarations of all options, including those of plugins.

import { dialects } from '../core/names/dialect.ts'
import type { Option } from '../core/options/option-values.ts'
import { fileVariableOf } from '../core/options/option-values.ts'

const width = 100
const indent = '      '

function wrapped(text: string): string {
  const lines = ['']
  for (const word of text.split(' ')) {
    const line = lines.at(-1)!
    if (line !== '' && indent.length + line.length + word.length >= width) lines.push(word)
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`
  }
  return lines.map((line) => indent + line).join('\n')
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

/** The text of `--help`. */
export function helpText(options: readonly Option[]): string {
  const head = [
    'Usage: trellis [serve] [options]',
    '',
    'Commands:',
    '  serve     serve GraphQL and metadata over HTTP (when no command is given)',
    '  version   print the version',
    '  help      print this text',
    '',
    'An option may be given as a flag, as an environment variable (also in a file .env, unless NODE_ENV is',
    'production) or as a key of the configuration file; the first of these that names it decides. Lists are',
    'separated by commas. A variable that ends in _FILE names a file with the value. With --dialect hasura',
    `the variables start with ${dialects.hasura.environmentPrefix}, except those of --config and --dialect.`,
    '',
    'Options:',
  ]
  return `${[...head, ...options.map(optionText)].join('\n')}\n`
}
