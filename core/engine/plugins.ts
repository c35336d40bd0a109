// Finds plugins and sorts them by their dependencies. Every error names the plugin.

import { readFileSync, statSync } from 'node:fs'
import { createRequire, registerHooks } from 'node:module'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { MigrationOwner } from '../database/migrations/migration.ts'
import { nearestNames } from '../errors/nearest.ts'
import { StartError } from '../errors/start-error.ts'
import { placeBelow, shownInLine } from '../errors/thrown.ts'
import { definitionRefusal } from './definition.ts'
import type { Plugin } from './plugin.ts'

/** A plugin with the path or package name that it was loaded from; null if it was given as a value. */
export interface LoadedPlugin {
  readonly plugin: Plugin
  readonly source: string | null
  /** The resolved module of `source`. */
  readonly file?: string
}

/** A plugin that cannot be loaded or registered. The message is the one line that is shown. */
export class PluginError extends StartError {}

/** The plugin's name for messages. */
export const pluginLabel = ({ plugin, source }: LoadedPlugin): string =>
  source === null ? `plugin "${plugin.name}"` : `plugin "${plugin.name}" (${source})`

const firstLine = (error: unknown): string =>
  (error instanceof Error ? error.message || error.name : shownInLine(error)).split('\n')[0] ?? ''

/** The first line of a plugin's error, with the position in the plugin's own files. */
function located(error: unknown, file: string | undefined): string {
  const place = file === undefined ? null : placeBelow(dirname(file), error)
  return place === null ? firstLine(error) : `${firstLine(error)} (${relative(process.cwd(), place)})`
}

/**
 * Wraps an error of a plugin's code, with the plugin's name; `what` names the failed step. A StartError is worded for
 * the administrator already, and is returned unchanged.
 */
export const pluginFailure = (plugin: LoadedPlugin, error: unknown, what = 'failed to start'): StartError =>
  error instanceof StartError
    ? error
    : new PluginError(`${pluginLabel(plugin)} ${what}: ${located(error, plugin.file)}`, { cause: error })

/** Whether a value was made by `definePlugin`. */
function isPlugin(value: unknown): value is Plugin {
  if (typeof value !== 'object' || value === null) return false
  const { trellisPlugin, name, register } = value as Partial<Plugin>
  return trellisPlugin === true && typeof name === 'string' && name !== '' && typeof register === 'function'
}

/** Whether a value is a compiled ES module for `require`, with the default export as a member. */
const isCompiledModule = (value: unknown): value is { readonly default: unknown } =>
  typeof value === 'object' && value !== null && '__esModule' in value && 'default' in value

/** The plugins with migrations, for the migration runner. */
export const migrationOwners = (plugins: readonly LoadedPlugin[]): MigrationOwner[] =>
  plugins.flatMap((loaded) => {
    const { name, migrations } = loaded.plugin
    if (!migrations) return []
    const label = pluginLabel(loaded)
    return {
      name,
      migrations,
      label,
      failure: (error: unknown, what: string) => pluginFailure(loaded, error, what),
      refusal: (reason: string) => new PluginError(`${label} ${reason}`),
    }
  })

/** Loads the plugins of `--plugin`: paths relative to `directory`, or package names resolved from there. */
export async function loadPlugins(sources: readonly string[], directory: string): Promise<LoadedPlugin[]> {
  if (sources.length > 0) shareContract()
  const loaded: LoadedPlugin[] = []
  for (const source of sources) loaded.push(await loadPlugin(source, directory))
  return loaded
}

/** The given plugins and those of the options, in registration order. */
export async function findPlugins(given: readonly Plugin[], sources: readonly string[]): Promise<LoadedPlugin[]> {
  const values = given.map((plugin): LoadedPlugin => {
    if (isPlugin(plugin)) return { plugin, source: null }
    throw new PluginError(
      `${shownInLine(plugin)} is not a plugin: it must come from definePlugin({ name, register, ... })`,
    )
  })
  return orderPlugins([...values, ...(await loadPlugins(sources, process.cwd()))])
}

async function loadPlugin(source: string, directory: string): Promise<LoadedPlugin> {
  const file = isPath(source) ? fileOfPath(source, directory) : fileOfPackage(source, directory)
  const { default: exported } = await importFile(file, source)
  const plugin = isCompiledModule(exported) ? exported.default : exported
  if (!isPlugin(plugin)) {
    throw new PluginError(
      `plugin "${source}" is not a plugin: its default export must come from definePlugin({ name, register, ... })`,
    )
  }
  return { plugin, source, file }
}

let contractIsShared = false

/** Lets plugins import `trellis` and its subpaths from any location, always from the copy that runs them. */
function shareContract(): void {
  if (contractIsShared) return
  contractIsShared = true
  registerHooks({
    resolve(specifier, context, next) {
      const isElsewhere = /^trellis($|\/)/.test(specifier) && context.parentURL !== import.meta.url
      // `require` resolves from the requiring file and ignores the context.
      return isElsewhere ? { url: import.meta.resolve(specifier), shortCircuit: true } : next(specifier, context)
    },
  })
}

const isPath = (source: string): boolean =>
  /^(\.{0,2}\/|\.{1,2}$|file:|[A-Za-z]:[\\/])/.test(source) || /\.[cm]?[jt]s$/.test(source)

async function importFile(file: string, source: string): Promise<{ readonly default?: unknown }> {
  try {
    return await import(pathToFileURL(file).href)
  } catch (error) {
    throw new PluginError(`plugin "${source}" cannot be loaded: ${located(error, file)}`, { cause: error })
  }
}

const kindOf = (path: string): 'file' | 'directory' | null => {
  const stats = statSync(path, { throwIfNoEntry: false })
  if (!stats) return null
  return stats.isDirectory() ? 'directory' : 'file'
}

function fileOfPath(source: string, directory: string): string {
  const path = resolve(directory, source.startsWith('file:') ? fileURLToPath(source) : source)
  const kind = kindOf(path)
  if (kind === null) throw new PluginError(`plugin "${source}" cannot be loaded: there is no file ${path}`)
  return kind === 'file' ? path : entryOf(path, '.', source)
}

/** A package name and an optional subpath. */
const packageForm = /^((?:@[^/]+\/)?[^/]+)(\/.+)?$/

function fileOfPackage(source: string, directory: string): string {
  const [, name = source, subpath = ''] = packageForm.exec(source) ?? []
  const folders = createRequire(join(directory, 'plugin.js')).resolve.paths(name) ?? []
  const own = createRequire(import.meta.url).resolve.paths(name) ?? []
  const found = [...folders, ...own].map((folder) => join(folder, name)).find((path) => kindOf(path) === 'directory')
  if (found === undefined) {
    throw new PluginError(
      `plugin "${source}" cannot be loaded: there is no package ${name} in ${directory} (npm install it, or write a path as ./${source})`,
    )
  }
  return entryOf(found, `.${subpath}`, source)
}

interface PackageFile {
  readonly main?: string
  readonly exports?: unknown
}

function readPackageFile(directory: string, source: string): PackageFile {
  const file = join(directory, 'package.json')
  if (kindOf(file) !== 'file') return {}
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    throw new PluginError(`plugin "${source}" cannot be loaded: ${file}: ${firstLine(error)}`)
  }
}

/** The module of a folder: by its package.json, otherwise its index file. */
function entryOf(directory: string, subpath: string, source: string): string {
  const { main, exports } = readPackageFile(directory, source)
  const exported = exportedFile(exports, subpath)
  const names = subpath === '.' ? [exported, main, 'index.ts', 'index.js', 'index.mjs'] : [exported, subpath]
  const paths = names.flatMap((name) => (name === undefined ? [] : [join(directory, name)]))
  const file = paths.find((path) => kindOf(path) === 'file')
  if (file === undefined)
    throw new PluginError(`plugin "${source}" cannot be loaded: ${directory} has no module to import`)
  return file
}

const conditions = ['import', 'node', 'module-sync', 'default']

/** Resolves a subpath in a package's `exports`, with the conditions of an import. */
function exportedFile(exports: unknown, subpath: string): string | undefined {
  if (typeof exports === 'string') return subpath === '.' ? exports : undefined
  if (typeof exports !== 'object' || exports === null) return undefined
  const entries = Object.entries(exports)
  const isMap = entries.some(([key]) => key.startsWith('.'))
  if (isMap) return exportedFile((exports as Record<string, unknown>)[subpath], '.')
  for (const [condition, target] of entries) {
    const file = conditions.includes(condition) ? exportedFile(target, subpath) : undefined
    if (file !== undefined) return file
  }
  return undefined
}

/** Plugins by name; refuses duplicates. */
function pluginsByName(plugins: readonly LoadedPlugin[]): Map<string, LoadedPlugin> {
  const byName = new Map<string, LoadedPlugin>()
  for (const loaded of plugins) {
    const other = byName.get(loaded.plugin.name)
    if (other) throw new PluginError(`${pluginLabel(loaded)} has the name of another one: ${pluginLabel(other)}`)
    byName.set(loaded.plugin.name, loaded)
  }
  return byName
}

/** The plugins, with replacements in the position of the replaced ones. */
function withReplacements(plugins: readonly LoadedPlugin[]): LoadedPlugin[] {
  const replacing = pluginsByName(plugins.filter(({ plugin }) => plugin.replaces))
  const others = plugins.filter(({ plugin }) => !plugin.replaces)
  for (const [name, loaded] of replacing) {
    if (others.some(({ plugin }) => plugin.name === name)) continue
    throw new PluginError(`${pluginLabel(loaded)} replaces a plugin that is not there`)
  }
  return others.map((loaded) => replacing.get(loaded.plugin.name) ?? loaded)
}

/** Sorts plugins so that dependencies come first; otherwise the order is kept. */
export function orderPlugins(given: readonly LoadedPlugin[]): LoadedPlugin[] {
  for (const loaded of given) {
    const refusal = definitionRefusal(loaded.plugin)
    if (refusal !== null) throw new PluginError(`${pluginLabel(loaded)} ${refusal}`)
  }
  const plugins = withReplacements(given)
  const byName = pluginsByName(plugins)
  const ordered = new Set<LoadedPlugin>()
  const visit = (loaded: LoadedPlugin, dependents: readonly LoadedPlugin[]) => {
    if (ordered.has(loaded)) return
    const chain = [...dependents, loaded]
    if (dependents.includes(loaded)) {
      const circle = chain.slice(chain.indexOf(loaded)).map(pluginLabel)
      throw new PluginError(`plugins depend on each other: ${circle.join(' -> ')}`)
    }
    for (const name of loaded.plugin.dependencies ?? []) {
      const dependency = byName.get(name)
      if (!dependency) {
        const [near] = nearestNames(name, byName.keys())
        const hint = near === undefined ? '' : `, did you mean "${near}"?`
        throw new PluginError(`${pluginLabel(loaded)} needs plugin "${name}", which is not loaded${hint}`)
      }
      visit(dependency, chain)
    }
    ordered.add(loaded)
  }
  for (const loaded of plugins) visit(loaded, [])
  return [...ordered]
}
