// The routes of plugins, and which of them are enabled.

import type { Route } from '../http/route/declared-route.ts'
import { type Apis, apiOf } from './apis.ts'
import { checkRoute } from './declared.ts'
import { ownedBy } from './owned.ts'
import type { LoadedPlugin } from './plugins.ts'

/** A route and its plugin. */
export interface OwnedRoute {
  readonly route: Route
  readonly plugin: LoadedPlugin
  /** The API that enables it; null: always enabled. */
  readonly api: string | null
}

/** All routes by method and URL, and the APIs that enable them. */
export interface Routes {
  readonly routes: Map<string, OwnedRoute>
  readonly apis: Apis
}

/** The enabled routes. */
export const openRoutes = ({ routes, apis }: Routes): readonly OwnedRoute[] =>
  [...routes.values()].filter(({ api }) => api === null || apis.isEnabled(api))

/** Adds routes of a plugin. Fails where a route is taken, or names an API that no plugin declares. */
export function addRoutes({ routes, apis }: Routes, plugin: LoadedPlugin, added: readonly Route[]): void {
  for (const route of added) {
    checkRoute(route)
    const place = `${route.method} ${route.url}`
    const other = routes.get(place)
    if (other) throw new Error(`route ${place} is declared by plugin "${other.plugin.plugin.name}" already`)
    const api = route.api === null ? null : (route.api?.toLowerCase() ?? apiOf(plugin.plugin))
    if (api !== null && !apis.known.includes(api)) {
      throw new Error(`route ${place} is of API "${api}", which no plugin declares`)
    }
    routes.set(place, { route, plugin, api })
    ownedBy(plugin, route)
  }
}
