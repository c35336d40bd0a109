// The services that plugins provide to each other.

import type { LoadedPlugin } from './plugins.ts'
import type { ServiceKey } from './service-key.ts'

/** The services of all plugins of an engine. */
export class ServiceRegistry {
  readonly #provided = new Map<string, { readonly plugin: string; readonly service: unknown }>()

  provide<T>({ name }: ServiceKey<T>, service: T, { plugin }: LoadedPlugin): void {
    const other = this.#provided.get(name)
    if (other) throw new Error(`service "${name}" is provided by plugin "${other.plugin}" already`)
    this.#provided.set(name, { plugin: plugin.name, service })
  }

  use<T>({ name }: ServiceKey<T>, { plugin }: LoadedPlugin): T {
    const provided = this.#provided.get(name)
    if (!provided) throw new Error(`service "${name}" is not provided by any plugin registered before`)
    if (provided.plugin !== plugin.name && !plugin.dependencies?.includes(provided.plugin)) {
      throw new Error(`service "${name}" belongs to plugin "${provided.plugin}", which is not among its dependencies`)
    }
    return provided.service as T
  }

  /** The service for the program that runs the engine, which has no dependencies. */
  get<T>({ name }: ServiceKey<T>): T {
    const provided = this.#provided.get(name)
    if (!provided) throw new Error(`service "${name}" is not provided by any plugin`)
    return provided.service as T
  }
}
