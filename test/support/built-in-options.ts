// The options of the server with the built-in plugins, read as the server does.

import type { PluginCommand } from '../../core/engine/plugin.ts'
import { commandsOf, optionsOf } from '../../core/engine/plugin-options.ts'
import type { Option } from '../../core/options/option-values.ts'
import { builtInPlugins } from '../../plugins/index.ts'
import * as settings from '../../process/settings.ts'

const loaded = builtInPlugins.map((plugin) => ({ plugin, source: null }))

/** Core's and those of the built-in plugins, in the order of the help text. */
export const builtInOptions: readonly Option[] = optionsOf(loaded)

/** The sub-commands of the built-in plugins. */
export const builtInCommands: readonly PluginCommand[] = commandsOf(loaded, builtInOptions)

/** Reads flags and words; an unknown flag or a missing value is refused. */
export const readCommandLine = (argv: readonly string[]): settings.CommandLine =>
  settings.readCommandLine(argv, builtInOptions)

/** The settings by command line, environment and configuration file. */
export const parseSettings = (
  commandLine: settings.CommandLine,
  sources?: settings.OptionSources,
): settings.ParsedSettings => settings.parseSettings(commandLine, builtInOptions, sources)
