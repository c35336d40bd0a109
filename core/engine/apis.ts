// The names for `--enabled-apis`, and which of them are enabled. Plugins declare them. Those of the interface are
// known even if no plugin serves them, so that a configuration is valid with any set of plugins.

import { OptionsError } from '../options/option-values.ts'
import type { OpenApis, PluginDefinition } from './plugin.ts'

const interfaceApis = ['metadata', 'graphql', 'pgdump', 'developer', 'config']

/** The API of a plugin's operations and routes. */
export const apiOf = (plugin: Pick<PluginDefinition, 'api'>): string => (plugin.api ?? 'metadata').toLowerCase()

export class Apis implements OpenApis {
  readonly known: readonly string[]
  readonly enabled: readonly string[]
  readonly #open: ReadonlySet<string>

  /** `requested` replaces the defaults; null keeps them. Refuses unknown names. */
  constructor(plugins: readonly PluginDefinition[], requested: readonly string[] | null) {
    const standard = plugins.filter(({ enabledByDefault }) => enabledByDefault !== false).map(apiOf)
    this.known = [...new Set([...interfaceApis, ...plugins.map(apiOf)])]
    const names = (requested ?? standard).map((name) => name.toLowerCase())
    if (names.some((name) => !this.known.includes(name))) {
      throw new OptionsError(`Only expecting list of comma separated API types ${this.known.join(',')}`, 'enabledApis')
    }
    this.#open = new Set(names)
    this.enabled = [...this.#open]
  }

  isEnabled(name: string): boolean {
    return this.#open.has(name.toLowerCase())
  }
}
