// The parts that plugins of the server add to the console, as far as its APIs are open.

import type { PluginPage, PluginParts } from './config-parts.ts'
import { type ServerConfig, useConfig } from './queries.ts'

const nothing: PluginParts = { pages: [], table_tabs: [], column_actions: [], cells: [], commands: [] }

/** The parts that the server offers; pages whose APIs are closed are left out. */
export function partsOf(config: ServerConfig | undefined): PluginParts {
  const parts = config?.console
  if (!parts) return nothing
  const isOpen = ({ apis }: PluginPage) => apis.every((api) => config.apis.enabled.includes(api))
  return { ...parts, pages: parts.pages.filter(isOpen) }
}

/** The parts in a component. */
export const useParts = (): PluginParts => partsOf(useConfig())

/** The path of a page below the console. */
export const pagePath = ({ plugin, path }: Pick<PluginPage, 'plugin' | 'path'>): string => `x/${plugin}/${path}`
