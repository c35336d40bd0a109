// Command line, environment and configuration file -> settings. The first source that names an option decides: flag,
// variable, file, default.

import { readFileSync } from 'node:fs'
import { type ParseArgsConfig, parseArgs } from 'node:util'
import { authOptionsRefusal } from './auth/option-rules.ts'
import { dialects } from './dialect.ts'
import { OptionsError, valueOfJson, valueOfText } from './option-values.ts'
import { defaultSettings, environment, type Option, options, type Settings } from './options.ts'

export { OptionsError } from './option-values.ts'

/** What the command line holds, unconverted. */
export interface CommandLine {
  /** Words that belong to no flag; the first one is the sub-command. */
  readonly words: readonly string[]
  readonly help: boolean
  readonly version: boolean
  /** Values by flag name. */
  readonly flags: Readonly<Record<string, string | boolean | readonly string[] | undefined>>
}

/** What the settings were made from, beside themselves. */
export interface ParsedSettings {
  readonly settings: Settings
  /** Where each option that is given has its value from, as refusals name it. */
  readonly sources: ReadonlyMap<string, string>
  /** Variables that look like options and are none. */
  readonly unknownVariables: readonly string[]
}

type Variables = Readonly<Record<string, string | undefined>>

const defaultConfigFile = 'trellis.config.json'

const flagConfig: NonNullable<ParseArgsConfig['options']> = {
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean', short: 'v' },
  ...Object.fromEntries(
    options.map(({ declaration: { flag, short, kind } }) => [
      flag,
      {
        type: kind === 'switch' ? ('boolean' as const) : ('string' as const),
        multiple: kind === 'list',
        ...(short === undefined ? {} : { short }),
      },
    ]),
  ),
}

/** Reads flags and words; an unknown flag or a missing value is refused. */
export function readCommandLine(argv: readonly string[]): CommandLine {
  try {
    const { values, positionals } = parseArgs({ args: [...argv], options: flagConfig, allowPositionals: true })
    const { help, version, ...flags } = values as CommandLine['flags']
    return { words: positionals, help: help === true, version: version === true, flags }
  } catch (error) {
    const code = (error as { code?: string }).code ?? ''
    if (!code.startsWith('ERR_PARSE_ARGS')) throw error
    throw new OptionsError(`Fatal Error:- ${commandLineReason((error as Error).message)}`)
  }
}

/** The library's message, with advice that fits. */
function commandLineReason(message: string): string {
  const flag = /'(?:-\w, )?(-[^' <=]*)/.exec(message)?.[1] ?? ''
  if (/argument (missing|is ambiguous)/.test(message)) {
    const long = options.find(({ declaration }) => `-${declaration.short}` === flag)?.declaration.flag
    return `Option ${flag} needs a value (when it begins with a dash, write ${long ? `--${long}` : flag}=VALUE)`
  }
  if (message.includes('does not take an argument')) return `Option ${flag} is a switch and takes no value`
  const near = similarFlag(flag)
  return `Unknown option ${flag}${near ? `, did you mean --${near}?` : ''} (--help lists all options)`
}

function similarFlag(flag: string): string | null {
  const name = flag.replace(/^-+/, '')
  const scored = options
    .map(({ declaration }) => ({ flag: declaration.flag, distance: editDistance(name, declaration.flag) }))
    .sort((a, b) => a.distance - b.distance)
  const best = scored[0]
  return best && best.distance <= Math.max(2, name.length / 4) ? best.flag : null
}

function editDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    const current = [i]
    for (let j = 1; j <= b.length; j++) {
      const substitution = previous[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)
      current[j] = Math.min(substitution, previous[j]! + 1, current[j - 1]! + 1)
    }
    previous = current
  }
  return previous[b.length]!
}

/** Reads a configuration file; null when it does not exist. */
export function readConfigFile(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw new OptionsError(`Fatal Error:- Configuration file ${path} cannot be read: ${(error as Error).message}`)
  }
}

/** The settings that the sources give; throws an {@link OptionsError} at the first value that cannot be used. */
export function parseSettings(
  commandLine: CommandLine,
  variables: Variables = environment,
  readFile: (path: string) => string | null = readConfigFile,
): ParsedSettings {
  const fromFlagOrVariable = (option: Option, prefix: string) =>
    flagValue(option, commandLine) ?? variableValue(option, variables, prefix)
  const neutral = dialects.trellis.environmentPrefix
  const config = fromFlagOrVariable(optionOf('config'), neutral)?.value as string | undefined
  const file = readConfig(config, readFile)
  const dialect = (fromFlagOrVariable(optionOf('dialect'), neutral) ?? file.get('dialect'))?.value ?? 'trellis'
  const prefix = dialects[dialect as Settings['dialect']].environmentPrefix
  const given = options.flatMap((option) => {
    const own = option.key === 'config' || option.key === 'dialect' ? neutral : prefix
    const found = fromFlagOrVariable(option, own) ?? file.get(option.key)
    return found === undefined ? [] : [[option.key, found] as const]
  })
  const values = Object.fromEntries(given.map(([key, { value }]) => [key, value]))
  const settings = combined(defaultSettings(values), prefix)
  const sources = new Map(given.map(([key, { source }]) => [key, source]))
  return { settings, sources, unknownVariables: unknownVariables(variables, prefix) }
}

/** A value, and where it comes from. */
interface Found {
  readonly value: unknown
  readonly source: string
}

const optionOf = (key: Option['key']): Option => options.find((option) => option.key === key)!

function flagValue(option: Option, { flags }: CommandLine): Found | undefined {
  const { flag } = option.declaration
  const value = flags[flag]
  if (value === undefined) return undefined
  const source = `Option --${flag}`
  if (typeof value === 'boolean') return { value, source }
  return { value: valueOfText(option, typeof value === 'string' ? value : value.join(','), source), source }
}

function variableValue(option: Option, variables: Variables, prefix: string): Found | undefined {
  const { variable, formerVariable } = option.declaration
  for (const name of [variable, formerVariable]) {
    const text = name === undefined ? undefined : variables[prefix + name]
    if (text === undefined) continue
    const source = `Environment variable ${prefix}${name}`
    return { value: valueOfText(option, text, source), source }
  }
  return undefined
}

function readConfig(path: string | undefined, readFile: (path: string) => string | null): ReadonlyMap<string, Found> {
  const name = path ?? defaultConfigFile
  const text = readFile(name)
  if (text === null) {
    if (path === undefined) return new Map()
    throw new OptionsError(`Fatal Error:- Configuration file ${name} does not exist`)
  }
  const entries = Object.entries(parseConfig(name, text)).map(([key, value]) => {
    const option = options.find((candidate) => candidate.key === key)
    if (!option) throw new OptionsError(`Fatal Error:- Configuration file ${name}: there is no option "${key}"`)
    const source = `Configuration file ${name}, ${key}`
    return [key, { value: valueOfJson(option, value, source), source }] as const
  })
  return new Map(entries)
}

function parseConfig(name: string, text: string): object {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  } catch {
    // Not JSON: the same refusal, without the parser's text, which may quote a secret.
  }
  throw new OptionsError(`Fatal Error:- Configuration file ${name} does not hold a JSON object`)
}

/** Rules that concern several options at once. */
function combined(settings: Settings, prefix: string): Settings {
  const refusal = authOptionsRefusal(settings, prefix)
  if (refusal !== null) throw new OptionsError(refusal)
  const adminSecret = settings.adminSecret ?? settings.accessKey
  const enabledApis = settings.enabledApis?.map((name) => name.toLowerCase()) ?? null
  return { ...settings, adminSecret, enabledApis, databaseUrl: settings.databaseUrl ?? urlOfParts(settings, prefix) }
}

/** The URL of a database that is given in parts; null when none is. */
function urlOfParts(settings: Settings, prefix: string): string | null {
  const { databaseHost: host, databasePort: port, databaseUser: user, databaseName: name } = settings
  const parts = [host, port, user, name, settings.databasePassword, settings.databaseOptions]
  if (parts.every((part) => part === null)) return null
  if (host === null || port === null || user === null || name === null) {
    throw new OptionsError(
      `Fatal Error : Invalid options. Expecting all database connection params (host, port, user, dbname, password) or database-url (${prefix}DATABASE_URL)`,
    )
  }
  const credentials = [user, settings.databasePassword].flatMap((part) =>
    part === null ? [] : [encodeURIComponent(part)],
  )
  // The directory of a Unix socket has no place in a URL's host.
  const isSocket = host.startsWith('/')
  const place = isSocket ? 'localhost' : `${host.includes(':') ? `[${host}]` : host}:${port}`
  const query = [
    ...(isSocket ? [['host', host] as const, ['port', String(port)] as const] : []),
    ...(settings.databaseOptions === null ? [] : [['options', settings.databaseOptions] as const]),
  ].map(([key, value]) => `${key}=${encodeURIComponent(value)}`)
  const tail = query.length > 0 ? `?${query.join('&')}` : ''
  return `postgres://${credentials.join(':')}@${place}/${encodeURIComponent(name)}${tail}`
}

function unknownVariables(variables: Variables, prefix: string): string[] {
  const known = new Set(
    options.flatMap(({ declaration: { variable, formerVariable } }) => [prefix + variable, prefix + formerVariable]),
  )
  return Object.keys(variables).filter(
    (name) => name.startsWith(prefix) && !name.startsWith(`${prefix}TEST_`) && !known.has(name),
  )
}
