// The plugins of a server as administrators see them: versions, APIs, and options without secrets.

import { readFileSync } from 'node:fs'
import { findPackageJSON } from 'node:module'
import { pathToFileURL } from 'node:url'
import { version } from '../names/version.ts'
import { redactedSettings } from '../options/redaction.ts'
import { apiOf } from './apis.ts'
import { optionsIn } from './options.ts'
import { openRoutes, type Routes } from './owned-routes.ts'
import type { DescribedPlugin } from './plugin.ts'
import type { ReadSettings } from './plugin-options.ts'
import type { LoadedPlugin } from './plugins.ts'

function versionOf({ plugin, file }: LoadedPlugin): string | null {
  if (plugin.builtIn) return version
  try {
    const found = file === undefined ? undefined : findPackageJSON(pathToFileURL(file))
    const { version: own }: { version?: unknown } = found === undefined ? {} : JSON.parse(readFileSync(found, 'utf8'))
    return typeof own === 'string' ? own : null
  } catch {
    // A package file that cannot be read says nothing about the plugin.
    return null
  }
}

/** Describes the plugins in the order in which they register. */
export const describePlugins = (
  plugins: readonly LoadedPlugin[],
  values: ReadSettings['ofPlugins'],
  routes: Routes,
): readonly DescribedPlugin[] =>
  plugins.map((loaded) => {
    const { name, options = {}, builtIn = false } = loaded.plugin
    return {
      ...{ name, version: versionOf(loaded), api: apiOf(loaded.plugin), isBuiltIn: builtIn },
      options: redactedSettings(values.get(loaded) ?? {}, optionsIn(options, name)),
      get routes() {
        const own = openRoutes(routes).filter(({ plugin }) => plugin === loaded)
        return own.map(({ route }) => `${route.method} ${route.url}`)
      },
    }
  })
