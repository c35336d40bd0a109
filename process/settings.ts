// Command line, environment and configuration file -> settings. The first source that names an option decides: flag,
// variable, file, default. The plugins are found first, because they have options too.

import { type ParseArgsConfig, parseArgs } from 'node:util'
import { urlOfParts } from '../core/database/url-of-parts.ts'
import { type AllSettings, coreOptions, defaultSettings, type Settings } from '../core/engine/options.ts'
import { combinationRefusal } from '../core/engine/plugin-options.ts'
import { nearestNames } from '../core/errors/nearest.ts'
import { codeOf, messageOf } from '../core/errors/thrown.ts'
import { dialects } from '../core/names/dialect.ts'
import { environment } from '../core/options/environment.ts'
import {
  fileVariableOf,
  type Option,
  OptionsError,
  refusedOption,
  valueOfJson,
  valueOfText,
  variablesOf,
} from '../core/options/option-values.ts'
import { type ConfigEntry, parseConfigFile, shownKey } from './config-file.ts'
import type { EnvFile } from './env-file.ts'
import { readTextFile, TextFileError } from './text-file.ts'

export { OptionsError } from '../core/options/option-values.ts'

/** The arguments of the command line, not yet converted. */
export interface CommandLine {
  /** Words that belong to no flag; the first is the sub-command. */
  readonly words: readonly string[]
  readonly help: boolean
  readonly version: boolean
  /** Values by flag name. */
  readonly flags: Readonly<Record<string, string | boolean | readonly string[] | undefined>>
}

/** The settings, with their sources. */
export interface ParsedSettings {
  readonly settings: AllSettings
  /** The source of each option that was given, as refusals name it. */
  readonly sources: ReadonlyMap<string, string>
  /** The files that options came from. */
  readonly files: readonly string[]
  /** Variables that look like options but match none. */
  readonly unknownVariables: readonly string[]
}

type Variables = Readonly<Record<string, string | undefined>>

/** Looked for in the working directory if no file is named. */
const defaultConfigFiles = ['json', 'jsonc', 'yaml', 'yml'].map((extension) => `trellis.config.${extension}`)

/** The options in the form that the command line parser takes; `others`: flags of commands, which may be repeated. */
const flagConfig = (
  options: readonly Option[],
  others: readonly string[] = [],
): NonNullable<ParseArgsConfig['options']> => ({
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean', short: 'v' },
  ...Object.fromEntries(others.map((flag) => [flag, { type: 'string' as const, multiple: true }])),
  ...Object.fromEntries(
    options.flatMap(({ declaration: { flag, laterFlag, short, kind } }) => {
      const type = kind === 'switch' ? ('boolean' as const) : ('string' as const)
      const form = { type, multiple: kind === 'list' }
      const later = laterFlag === undefined ? [] : [[laterFlag, form] as const]
      return [[flag, { ...form, ...(short !== undefined && { short }) }] as const, ...later]
    }),
  ),
})

/** Reads flags and words; an unknown flag or a missing value is refused. `others`: the flags of commands. */
export function readCommandLine(
  argv: readonly string[],
  options: readonly Option[],
  others: readonly string[] = [],
): CommandLine {
  try {
    const config = flagConfig(options, others)
    return commandLineOf(parseArgs({ args: [...argv], options: config, allowPositionals: true }))
  } catch (error) {
    const code = codeOf(error) ?? ''
    if (!code.startsWith('ERR_PARSE_ARGS')) throw error
    throw new OptionsError(`Fatal Error:- ${commandLineReason(messageOf(error), options)}`)
  }
}

/** Reads core's options before the plugins' options are known, as far as they make sense. */
export function glanceAt(argv: readonly string[]): CommandLine {
  const options = flagConfig(coreOptions)
  const { flags, ...rest } = commandLineOf(
    parseArgs({ args: [...argv], options, allowPositionals: true, strict: false }),
  )
  const isUsable = ([name, value]: [string, unknown]) =>
    name in options && [value].flat().every((each) => typeof each === 'string')
  return { ...rest, flags: Object.fromEntries(Object.entries(flags).filter(isUsable)) }
}

function commandLineOf({
  values,
  positionals,
}: {
  readonly values: object
  readonly positionals: string[]
}): CommandLine {
  const { help, version, ...flags } = values as CommandLine['flags']
  return { words: positionals, help: help === true, version: version === true, flags }
}

/** The library's message with fitting advice. */
function commandLineReason(message: string, options: readonly Option[]): string {
  const flag = /'(?:-\w, )?(-[^' <=]*)/.exec(message)?.[1] ?? ''
  if (/argument (missing|is ambiguous)/.test(message)) {
    const long = options.find(({ declaration }) => `-${declaration.short}` === flag)?.declaration.flag
    return `Option ${flag} needs a value (when it begins with a dash, write ${long ? `--${long}` : flag}=VALUE)`
  }
  if (message.includes('does not take an argument')) return `Option ${flag} is a switch and takes no value`
  const [near] = nearestNames(
    flag.replace(/^-+/, ''),
    options.map(({ declaration }) => declaration.flag),
  )
  return `Unknown option ${flag}${near ? `, did you mean --${near}?` : ''} (--help all lists all options)`
}

/** The sources of options besides the command line. */
export interface OptionSources {
  readonly variables?: Variables
  /** The variables from `.env`, so that refusals can name the file. */
  readonly envFile?: EnvFile | null
  /** The text of a file; null if it does not exist. */
  readFile?(path: string): string | null
  /** Whether rules about several options together are not checked, because nothing is served. */
  readonly isPartial?: boolean
}

/** The settings from all sources; throws an {@link OptionsError} at the first value that cannot be used. */
export function parseSettings(
  commandLine: CommandLine,
  options: readonly Option[],
  sources: OptionSources = {},
): ParsedSettings {
  const all = completed(sources)
  const { values, prefix, file } = readOptions(commandLine, options, all)
  const settings = defaultSettings({
    ...Object.fromEntries(options.map((option) => [option.key, option.default])),
    ...Object.fromEntries([...values].map(([key, { value }]) => [key, value])),
  })
  const refusal = all.isPartial ? null : combinationRefusal(settings, options, prefix)
  if (refusal !== null) throw new OptionsError(refusal)
  return {
    settings: combined(settings, prefix),
    sources: new Map([...values].map(([key, { source }]) => [key, source])),
    files: [all.envFile?.name ?? [], file ?? []].flat(),
    unknownVariables: unknownVariables(all.variables, options, prefix),
  }
}

/** The plugins that the sources name; they come first, because plugins have options of their own. */
export function namedPlugins(commandLine: CommandLine, sources: OptionSources = {}): Settings['plugins'] {
  const options = coreOptions.filter(({ key }) => key === 'plugins')
  const { values } = readOptions(commandLine, options, { ...completed(sources), passesUnknown: true })
  return defaultSettings(Object.fromEntries([...values].map(([key, { value }]) => [key, value]))).plugins
}

const completed = ({
  variables = environment,
  envFile = null,
  readFile = readTextFile,
  isPartial = false,
}: OptionSources): Sources => ({ variables, envFile, readFile, isPartial })

interface Sources extends Required<OptionSources> {
  /** Whether unknown keys of the configuration file are skipped; absent: they are refused. */
  readonly passesUnknown?: boolean
}

/** The values of the given options by key. */
function readOptions(commandLine: CommandLine, options: readonly Option[], sources: Sources) {
  const reader = new OptionReader(commandLine, sources)
  const neutral = dialects.trellis.environmentPrefix
  const path = reader.find(coreOption('config'), neutral)?.value as string | undefined
  const config = readConfig(path, [...options, coreOption('dialect')], sources)
  const dialect = (reader.find(coreOption('dialect'), neutral) ?? config.values.get('dialect'))?.value ?? 'trellis'
  const prefix = dialects[dialect as Settings['dialect']].environmentPrefix
  const values = new Map<string, Found>()
  for (const option of options) {
    const own = option.key === 'config' || option.key === 'dialect' ? neutral : prefix
    const found = reader.find(option, own) ?? config.values.get(option.key)
    if (found !== undefined) values.set(option.key, found)
  }
  return { values, prefix, file: config.name }
}

/** A value with its source. */
interface Found {
  readonly value: unknown
  readonly source: string
}

const coreOption = (key: keyof Settings): Option => coreOptions.find((option) => option.key === key)!

/** Looks options up in the command line and the environment. */
class OptionReader {
  readonly #flags: CommandLine['flags']
  readonly #sources: Required<OptionSources>

  constructor({ flags }: CommandLine, sources: Required<OptionSources>) {
    this.#flags = flags
    this.#sources = sources
  }

  find(option: Option, prefix: string): Found | undefined {
    return this.#flagValue(option) ?? this.#variableValue(option, prefix)
  }

  #flagValue(option: Option): Found | undefined {
    const { flag: name, laterFlag = name } = option.declaration
    const flag = this.#flags[laterFlag] === undefined ? name : laterFlag
    const value = this.#flags[flag]
    if (value === undefined) return undefined
    const source = `Option --${flag}`
    if (typeof value === 'boolean') return { value, source }
    return { value: valueOfText(option, typeof value === 'string' ? value : value.join(','), source), source }
  }

  #variableValue(option: Option, prefix: string): Found | undefined {
    const { variables } = this.#sources
    const name = variablesOf(option, prefix).find((each) => variables[each] !== undefined)
    const fileName = fileVariableOf(option, prefix)
    if (fileName !== null && variables[fileName] !== undefined) {
      if (name === undefined) return this.#fileValue(option, fileName)
      throw new OptionsError(`Fatal Error:- Environment variables ${name} and ${fileName} are both given: keep one`)
    }
    if (name === undefined) return undefined
    const source = this.#nameOf(name)
    return { value: valueOfText(option, variables[name]!, source), source }
  }

  /** A secret in a file, as Docker and Kubernetes provide it. */
  #fileValue(option: Option, variable: string): Found {
    const path = this.#sources.variables[variable]!
    if (path === '') throw refusedOption(this.#nameOf(variable), 'Only expecting the path of a file')
    const source = `${this.#nameOf(variable)}, file ${path}`
    const text = readNamed(path, this.#sources.readFile, source)
    if (text === null) throw refusedOption(source, 'does not exist')
    return { value: valueOfText(option, text.replace(/\r?\n$/, ''), source), source }
  }

  #nameOf(variable: string): string {
    const { envFile } = this.#sources
    const place = envFile?.variables.has(variable) ? ` of ${envFile.name}` : ''
    return `Environment variable ${variable}${place}`
  }
}

/** The text of a file that an option names; `source` names the option in refusals. */
function readNamed(path: string, readFile: (path: string) => string | null, source: string): string | null {
  try {
    return readFile(path)
  } catch (error) {
    if (error instanceof TextFileError) throw refusedOption(source, `cannot be read: ${error.message}`)
    throw error
  }
}

/** The values of a configuration file. */
interface Config {
  /** Null if there is no file. */
  readonly name: string | null
  readonly values: ReadonlyMap<string, Found>
}

function readConfig(path: string | undefined, options: readonly Option[], sources: Sources): Config {
  const { readFile, passesUnknown = false } = sources
  const read = (name: string) => ({ name, text: readNamed(name, readFile, `Configuration file ${name}`) })
  const [file, other] = (path === undefined ? defaultConfigFiles : [path]).map(read).filter(({ text }) => text !== null)
  if (file === undefined) {
    if (path === undefined) return { name: null, values: new Map() }
    throw new OptionsError(`Fatal Error:- Configuration file ${path} does not exist`)
  }
  if (other !== undefined) {
    throw new OptionsError(
      `Fatal Error:- There are two configuration files, ${file.name} and ${other.name}: keep one, or name it with --config`,
    )
  }
  const entries = parseConfigFile(file.name, file.text!)
  const isKnown = ({ key }: ConfigEntry) => options.some((option) => option.key === key)
  const wanted = passesUnknown ? entries.filter(isKnown) : entries
  return { name: file.name, values: new Map(wanted.flatMap((entry) => configValue(entry, options))) }
}

/** A value of the configuration file by option key; null counts as not given. */
function configValue(entry: ConfigEntry, options: readonly Option[]): readonly (readonly [string, Found])[] {
  const { key, keyPlace, place } = entry
  const option = options.find((candidate) => candidate.key === key)
  if (!option) {
    const [near] = nearestNames(
      key,
      options.map((each) => each.key),
    )
    const advice = near === undefined ? '' : `, did you mean "${near}"?`
    throw new OptionsError(`Fatal Error:- Configuration file ${keyPlace}: there is no option ${shownKey(key)}${advice}`)
  }
  if (entry.value === null) return []
  const source = `Configuration file ${place}, ${key}`
  if (key === 'config') throw refusedOption(source, 'a configuration file cannot name another')
  return [[key, { value: valueOfJson(option, entry, source), source }]]
}

/** Completes options by others. */
function combined(settings: AllSettings, prefix: string): AllSettings {
  const adminSecret = settings.adminSecret ?? settings.accessKey
  const enabledApis = settings.enabledApis?.map((name) => name.toLowerCase()) ?? null
  const databaseUrl = settings.databaseUrl ?? urlOfParts(settings, prefix) ?? settings.metadataDatabaseUrl
  return { ...settings, adminSecret, enabledApis, databaseUrl }
}

function unknownVariables(variables: Variables, options: readonly Option[], prefix: string): string[] {
  const known = new Set<string | null>(
    options.flatMap((option) => [...variablesOf(option, prefix), fileVariableOf(option, prefix)]),
  )
  return Object.keys(variables).filter(
    (name) => name.startsWith(prefix) && !name.startsWith(`${prefix}TEST_`) && !known.has(name),
  )
}
