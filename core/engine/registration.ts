// The engine as one plugin sees it: what it adds is recorded under its name, and every refusal says whose it is.

import type { FastifyInstance } from 'fastify'
import type { Access } from '../access/access.ts'
import type { Auth } from '../auth/auth.ts'
import { addOperators } from '../compiler/operators.ts'
import { addTypes } from '../compiler/type-support.ts'
import type { Database } from '../database/database.ts'
import type { Contribution } from '../graphql/contribution.ts'
import type { GraphQLEngine, RequestGuard } from '../graphql/engine.ts'
import type { Route } from '../http/declared-route.ts'
import type { Observer } from '../log/observe.ts'
import type { MetadataRegistry } from '../metadata/registry.ts'
import type { MetadataService } from '../metadata/service.ts'
import type { Slice } from '../metadata/slices.ts'
import type { Dialect } from '../names/dialect.ts'
import type { OperationRegistry } from '../operations/registry.ts'
import type { Settings } from '../options/options.ts'
import type { Outgoing } from '../outgoing/client.ts'
import type { SessionSettings } from '../session/session-settings.ts'
import type { Admission } from './admission.ts'
import type { Apis } from './apis.ts'
import { apiOf } from './apis.ts'
import type { Engine } from './plugin.ts'
import { type LoadedPlugin, pluginFailure } from './plugins.ts'
import type { Wrapping } from './wrapping.ts'

/** What plugins share, and what they have declared so far. */
export interface Services {
  readonly access: Access
  readonly settings: Settings
  readonly dialect: Dialect
  readonly app: FastifyInstance
  readonly database: Database
  readonly observe: Observer
  readonly auth: Auth
  readonly outgoing: Outgoing
  readonly apis: Apis
  readonly operations: OperationRegistry
  readonly registry: MetadataRegistry
  readonly metadata: MetadataService
  readonly graphql: GraphQLEngine
  readonly contributions: Contribution[]
  readonly guards: RequestGuard[]
  readonly admission: Admission
  readonly sessionSettings: SessionSettings
  readonly wrapping: Wrapping
  readonly routes: Map<string, OwnedRoute>
  readonly ready: OwnedHook[]
  readonly closing: OwnedHook[]
}

/** Something that a plugin does at a moment of the server's life. */
export interface OwnedHook {
  readonly run: () => void | Promise<void>
  readonly plugin: LoadedPlugin
}

/** A route with the plugin that answers it. */
export interface OwnedRoute {
  readonly route: Route
  readonly plugin: LoadedPlugin
  /** The API that opens it; null: always open. */
  readonly api: string | null
}

/** The contract's view of the services for one plugin. */
export function engineOf(services: Services, loaded: LoadedPlugin): Engine {
  const { operations, registry, contributions } = services
  const { name } = loaded.plugin
  const owner = { plugin: name, api: apiOf(loaded.plugin) }
  return {
    access: services.access,
    settings: services.settings,
    dialect: services.dialect,
    app: services.app,
    database: services.database,
    observe: services.observe,
    auth: services.auth,
    admission: services.admission,
    sessionSettings: services.sessionSettings,
    wrap: (wrappers) => services.wrapping.add(wrappers),
    outgoing: services.outgoing,
    apis: services.apis,
    operations: { add: (...added) => operations.add(owner, ...added), all: () => operations.all() },
    metadata: {
      slice: (key, slice) => registry.addSlice(withOwner({ ...slice, key } as Slice, loaded), name),
      facet: (facet) => registry.addFacet(facet, name),
      effect: (effect) => registry.addEffect(effect),
      service: services.metadata,
    },
    graphql: {
      contribute: (contribution) => addContribution(contributions, contribution),
      guard: (guard) => services.guards.push(guard),
      engine: services.graphql,
    },
    routes: {
      add: (...routes) => addRoutes(services, loaded, routes),
      all: () => openRoutes(services).map(({ route }) => route),
    },
    types: { add: addTypes },
    comparisons: { add: addOperators },
    get model() {
      return services.metadata.model
    },
    onReady: (run) => services.ready.push({ run, plugin: loaded }),
    onClose: (run) => services.closing.push({ run, plugin: loaded }),
  }
}

/** The slice, whose failures to resolve say whose it is; a broken entry is reported instead, and is no failure. */
function withOwner(slice: Slice, plugin: LoadedPlugin): Slice {
  if (!slice.resolve) return slice
  const resolve: Slice['resolve'] = (value, context) => {
    try {
      return slice.resolve?.(value, context)
    } catch (error) {
      throw pluginFailure(plugin, error, `failed to resolve the metadata "${slice.key}"`)
    }
  }
  return { ...slice, resolve }
}

function addContribution(contributions: Contribution[], contribution: Contribution): void {
  const taken = contributions.some(({ name }) => name === contribution.name)
  if (taken) throw new Error(`GraphQL contribution "${contribution.name}" is declared already`)
  contributions.push(contribution)
}

/** The routes whose API is open. */
export const openRoutes = ({ routes, apis }: Pick<Services, 'routes' | 'apis'>): readonly OwnedRoute[] =>
  [...routes.values()].filter(({ api }) => api === null || apis.isEnabled(api))

function addRoutes({ routes, apis }: Services, plugin: LoadedPlugin, added: readonly Route[]): void {
  for (const route of added) {
    const place = `${route.method} ${route.url}`
    const other = routes.get(place)
    if (other) throw new Error(`route ${place} is declared by plugin "${other.plugin.plugin.name}" already`)
    const api = route.api === undefined ? apiOf(plugin.plugin) : route.api
    if (api !== null && !apis.known.includes(api)) {
      throw new Error(`route ${place} is of API "${api}", which no plugin declares`)
    }
    routes.set(place, { route, plugin, api })
  }
}
