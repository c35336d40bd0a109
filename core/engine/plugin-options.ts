// The options of core and plugins together, and the values of each plugin's options.

import type { TSchema } from '@sinclair/typebox'
import { authOptionsRefusal } from '../auth/option-rules.ts'
import type { AuthSettings } from '../auth/options.ts'
import { type DatabaseSettings, dynamicFileRefusal } from '../database/options.ts'
import { urlOfParts } from '../database/url-of-parts.ts'
import { nearestNames } from '../errors/nearest.ts'
import { dialects } from '../names/dialect.ts'
import { type AnySettings, type Option, OptionsError, valueOfJson } from '../options/option-values.ts'
import { referableVariables, type Variables } from '../options/referable-variables.ts'
import { optionRefusal } from './definition.ts'
import { type AllSettings, coreOptions, optionsIn, type Settings } from './options.ts'
import type { ConfigurationEntry, PluginCommand } from './plugin.ts'
import { type LoadedPlugin, PluginError, pluginFailure, pluginLabel } from './plugins.ts'

/** The unique names of an option, as messages show them. */
const namesOf = ({ key, declaration }: Option): readonly string[] => {
  const { flag, short, laterFlag, variable, formerVariable, laterVariable } = declaration
  return [
    `the option --${flag}`,
    `the key "${key}"`,
    ...[laterFlag].flatMap((name) => (name === undefined ? [] : [`the option --${name}`])),
    ...[short].flatMap((name) => (name === undefined ? [] : [`the option -${name}`])),
    ...[variable, formerVariable, laterVariable].flatMap((name) =>
      name === undefined ? [] : [`the variable ${name}`],
    ),
  ]
}

/** Flags of every command line. */
const ownNames = ['the option --help', 'the option -h', 'the option --version', 'the option -v']

/**
 * All options in the order of the help text: core's, then those of plugins in registration order. Refuses duplicate
 * names.
 */
export function optionsOf(plugins: readonly LoadedPlugin[]): readonly Option[] {
  const owners = new Map<string, string>()
  const claim = (option: Option, owner: string) => {
    for (const name of namesOf(option)) {
      const other = owners.get(name)
      if (other !== undefined) throw new PluginError(`${owner} declares ${name}, which belongs to ${other}`)
      owners.set(name, owner)
    }
  }
  for (const name of ownNames) owners.set(name, 'Trellis itself')
  for (const option of coreOptions) claim(option, 'Trellis itself')
  const ofPlugins = plugins.flatMap((loaded) => {
    const own = optionsOfPlugin(loaded)
    for (const option of own) claim(option, pluginLabel(loaded))
    return own
  })
  return [...coreOptions, ...ofPlugins]
}

/** Words that are commands of every program. */
const ownCommands = ['serve', 'help', 'version', 'all']

/** The sub-commands of all plugins. Refuses names that are taken, and flags that are options. */
export function commandsOf(plugins: readonly LoadedPlugin[], options: readonly Option[]): readonly PluginCommand[] {
  const names = new Set(ownCommands)
  const flags = new Set(options.map(({ declaration: { flag } }) => flag))
  for (const loaded of plugins) {
    for (const command of loaded.plugin.commands ?? []) {
      const refused = (what: string) => new PluginError(`${pluginLabel(loaded)} declares ${what}, which is taken`)
      if (names.has(command.name)) throw refused(`the command ${command.name}`)
      names.add(command.name)
      for (const flag of Object.keys(command.flags)) {
        if (flags.has(flag)) throw refused(`the flag --${flag}`)
        flags.add(flag)
      }
    }
  }
  return plugins.flatMap(({ plugin }) => plugin.commands ?? [])
}

function optionsOfPlugin(loaded: LoadedPlugin): readonly Option[] {
  const { options = {} } = loaded.plugin
  const broken = Object.entries(options).find(([, schema]: [string, TSchema | undefined]) => !schema?.option)
  if (broken)
    throw new PluginError(`${pluginLabel(loaded)} declares an option "${broken[0]}" without option.text or its like`)
  const own = optionsIn(options, loaded.plugin.name)
  for (const { key, declaration } of own) {
    const refusal = optionRefusal(declaration)
    if (refusal !== null) throw new PluginError(`${pluginLabel(loaded)} declares an option "${key}" ${refusal}`)
  }
  return own
}

/** The values of these options; absent and null values get their default. */
function optionValues(options: readonly Option[], settings: AllSettings): Readonly<Record<string, unknown>> {
  const values = options.map((option) => {
    const value = settings[option.key] ?? null
    const source = `Setting ${option.key}`
    return [option.key, value === null ? option.default : valueOfJson(option, { value, texts: value }, source)]
  })
  return Object.fromEntries(values)
}

const valuesOfPlugin = (loaded: LoadedPlugin, settings: AllSettings) => optionValues(optionsOfPlugin(loaded), settings)

/** Settings split up: core's, and the values of each plugin's options, which only that plugin sees. */
export interface ReadSettings {
  readonly core: Settings
  readonly ofPlugins: ReadonlyMap<LoadedPlugin, Readonly<Record<string, unknown>>>
  /** The variables of the process that metadata may refer to. */
  readonly variables: Variables
}

/** The plugins named in the settings, as by `--plugin`. They are read first, because plugins have options. */
export const pluginsNamedIn = (settings: AllSettings): readonly string[] =>
  optionValues([pluginsOption], settings)[pluginsOption.key] as Settings['plugins']

const pluginsOption = coreOptions.find(({ key }) => key === 'plugins')!

/** The one-line reason why options cannot be combined; null if they can. */
export const combinationRefusal = (
  settings: AuthSettings & Partial<DatabaseSettings> & AnySettings,
  options: readonly Option[],
  prefix: string,
): string | null => authOptionsRefusal(settings, options, prefix) ?? dynamicFileRefusal(settings, prefix)

/** Splits the settings. Refuses unknown keys, invalid values and invalid combinations. */
export function readSettings(settings: AllSettings, plugins: readonly LoadedPlugin[]): ReadSettings {
  const options = optionsOf(plugins)
  const keys = options.map(({ key }) => key)
  const unknown = Object.keys(settings).find((key) => !keys.includes(key))
  if (unknown !== undefined) {
    const [near] = nearestNames(unknown, keys)
    const advice = near === undefined ? '' : `, did you mean "${near}"?`
    throw new OptionsError(`Fatal Error:- Settings: there is no option "${unknown}"${advice}`)
  }
  const core = optionValues(coreOptions, settings) as Settings
  const prefix = dialects[core.dialect].environmentPrefix
  const refusal = combinationRefusal({ ...settings, ...core }, options, prefix)
  if (refusal !== null) throw new OptionsError(refusal)
  const ofPlugins = new Map(plugins.map((loaded) => [loaded, valuesOfPlugin(loaded, settings)]))
  const databaseUrl = core.databaseUrl ?? urlOfParts(core, prefix) ?? core.metadataDatabaseUrl
  return { core: { ...core, databaseUrl }, ofPlugins, variables: referableVariables(options, prefix) }
}

/** The plugins' entries in the startup log. */
export const loggedByPlugins = (plugins: readonly LoadedPlugin[], settings: AllSettings): ConfigurationEntry[] =>
  plugins.flatMap((loaded) => {
    try {
      return loaded.plugin.logged?.(valuesOfPlugin(loaded, settings)) ?? []
    } catch (error) {
      throw error instanceof OptionsError ? error : pluginFailure(loaded, error)
    }
  })
