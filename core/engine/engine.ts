// The composition root: creates core's services in order, then the plugins, then the first model.

import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { Access } from '../access/access.ts'
import { Auth } from '../auth/auth.ts'
import { Vocabulary } from '../compiler/types/vocabulary.ts'
import { alone, type Workers, workersFor } from '../concurrency/workers.ts'
import { migrate } from '../database/migrations/migrate.ts'
import { PooledDatabase } from '../database/placing/pooled-database.ts'
import { takeStep } from '../database/wire/connect.ts'
import { culpritOf } from '../errors/blame.ts'
import { toTrellisError } from '../errors/errors.ts'
import { StartError } from '../errors/start-error.ts'
import { messageOf, stackOf } from '../errors/thrown.ts'
import { GraphQLEngine } from '../graphql/engine.ts'
import { GraphQLPlanner } from '../graphql/planner.ts'
import type { Contribution } from '../graphql/schema/contribution.ts'
import type { GraphQLService } from '../graphql/service.ts'
import { WarmUp } from '../graphql/warm-up.ts'
import { takeBodiesAsBytes } from '../http/body/body-reading.ts'
import { listen } from '../http/listen.ts'
import { inDialect, toAnswerable } from '../http/route/answer.ts'
import type { Route } from '../http/route/declared-route.ts'
import { createHttp, mountRoute } from '../http/server.ts'
import { createObserver, type Observer } from '../log/observe.ts'
import type { Model } from '../metadata/document/model.ts'
import { camelConvention } from '../metadata/naming/source-naming.ts'
import { ColumnTransforms } from '../metadata/resolving/column-transforms.ts'
import { MetadataRegistry } from '../metadata/slices/registry.ts'
import { type Dialect, dialects } from '../names/dialect.ts'
import { createMetadataService } from '../operations/metadata-service.ts'
import { OperationRegistry } from '../operations/registry.ts'
import type { MetadataService } from '../operations/service.ts'
import { variableIn } from '../options/referable-variables.ts'
import { OutgoingClient } from '../outgoing/client.ts'
import { denyPrivate, type Egress } from '../outgoing/connecting/egress.ts'
import { SessionSettings } from '../session/session-settings.ts'
import { Apis } from './apis.ts'
import { describePlugins } from './described-plugins.ts'
import { Measures } from './measures.ts'
import type { AllSettings, Settings } from './options.ts'
import { type OwnedRoute, openRoutes } from './owned-routes.ts'
import type { DescribedPlugin, OpenApis, Plugin } from './plugin.ts'
import { pluginsNamedIn, type ReadSettings, readSettings } from './plugin-options.ts'
import { findPlugins, type LoadedPlugin, migrationOwners, PluginError, pluginFailure, pluginLabel } from './plugins.ts'
import { engineOf, type OwnedHook, type Services } from './registration.ts'
import type { ServiceKey } from './service-key.ts'
import { ServiceRegistry } from './service-registry.ts'
import { changeMargin, hookMargin } from './tuning.ts'
import { WorkHooks } from './work-hooks.ts'

export interface EngineOptions {
  /** `databaseUrl` is required: core starts no PostgreSQL. Options of plugins are given by their keys. */
  readonly settings: AllSettings
  /** Plugins in addition to those in the settings, including the built-in ones. */
  readonly plugins: readonly Plugin[]
  /** Receives log entries; by default they are written to stdout. */
  readonly observe?: Observer
  /** The processes that serve the same port, each with an engine; absent: this one alone. */
  readonly workers?: Workers
}

/** A running engine. `app.inject` sends requests without a port. */
export interface RunningEngine {
  readonly settings: Settings
  readonly app: FastifyInstance
  readonly metadata: MetadataService
  readonly graphql: GraphQLService
  /** The current model. */
  readonly model: Model
  readonly plugins: readonly LoadedPlugin[]
  readonly apis: OpenApis
  /** Returns the service of a plugin. Throws if no plugin provides it. */
  use<T>(key: ServiceKey<T>): T
  /** The enabled routes of all plugins. */
  readonly routes: readonly Route[]
  /** Opens the configured port and returns it. */
  listen(): Promise<number>
  /**
   * Compiles the code again that describes a large schema: V8 drops compiled code in a full collection. A server that listens
   * does it once by itself.
   */
  warmUp(): Promise<void>
  /** Announces the end while everything is still served: probes answer that this instance is not ready. */
  drain(): Promise<void>
  /**
   * Ends streams and sockets, which is the first step of `close`. For callers that pass requests in and wait for them
   * before they close.
   */
  stop(): Promise<void>
  /** Waits for requests in flight, then ends everything else. */
  close(): Promise<void>
}

/** Creates the engine. When it resolves, the first model is served. */
export async function createEngine(options: EngineOptions): Promise<RunningEngine> {
  const plugins = await findPlugins(options.plugins, pluginsNamedIn(options.settings))
  const given = readSettings(options.settings, plugins)
  const settings = given.core
  const definitions = plugins.map(({ plugin }) => plugin)
  const apis = new Apis(definitions, settings.enabledApis)
  const routes = new Map<string, OwnedRoute>()
  const described = describePlugins(plugins, given.ofPlugins, { routes, apis })
  const made = createServices({ ...options, given, described, routes }, apis)
  const { http, services, metadata, planner, warmUp } = made
  const { drain, stop, close } = closing(made)
  try {
    const { database, observe } = services
    await migrate({ settings, observe, owners: migrationOwners(plugins) })
    await takeStep(settings, observe, () => database.open())
    await registerPlugins(services, plugins)
    services.registration.isOver = true
    await takeStep(settings, observe, () => metadata.start())
    checkFields(planner)
    await mountRoutes(services)
    await http.app.ready()
    await runReadyHooks(services)
  } catch (error) {
    await close()
    throw error
  }
  return {
    settings,
    app: http.app,
    metadata: services.metadata,
    graphql: services.graphql,
    plugins,
    apis,
    use: (key) => services.services.get(key),
    routes: openRoutes(services).map(({ route }) => route),
    get model() {
      return services.metadata.model
    },
    async listen() {
      const port = await listen(http, settings)
      metadata.onChange((model) => warmUp.consider(model))
      warmUp.consider(metadata.model)
      return port
    },
    warmUp: () => warmUp.again(),
    drain,
    stop,
    close,
  }
}

interface ServiceOptions extends EngineOptions {
  readonly given: ReadSettings
  readonly described: readonly DescribedPlugin[]
  readonly routes: Map<string, OwnedRoute>
}

function createServices(options: ServiceOptions, apis: Apis) {
  const settings = options.given.core
  const { observe = createObserver(settings), workers = alone } = options
  const dialect = dialects[settings.dialect]
  const hooks = new WorkHooks()
  const sessionSettings = new SessionSettings(dialect)
  const database = openDatabase({ settings, dialect, observe, hooks })
  const auth = new Auth(settings, dialect)
  const outgoing = new OutgoingClient(dialect, { hooks, egress: egressOf(settings) })
  const http = createHttp({ settings, observe, auth })
  const operations = new OperationRegistry((api) => apis.isEnabled(api))
  const registry = new MetadataRegistry()
  const access = new Access()
  const common = { access, database, dialect, sessionSettings, hooks }
  const vocabulary = new Vocabulary({ offersAll: dialect.lenientSchema })
  const transforms = new ColumnTransforms()
  const { variables } = options.given
  const metadata = createMetadataService({
    ...common,
    ...{ settings, observe, operations, registry, vocabulary, transforms, variables },
    isCamelByDefault: settings.defaultNamingConvention === camelConvention,
    workers: workersFor('metadata', workers),
    validateDocument: (text, options, model) => graphql.validate(text, options, model),
    conflictingType: (model) => planner.conflictingType(model),
  })
  const contributions: Contribution[] = []
  const model = () => metadata.model
  const report = (conflict: string) => observe.log({ type: 'unstructured', level: 'warn', detail: conflict })
  const answerable = (error: unknown) => inDialect(toAnswerable(toTrellisError(error), observe), settings)
  const planner = new GraphQLPlanner({ ...common, settings, contributions, model, report })
  const graphql = new GraphQLEngine({
    ...common,
    ...{ planner, model, toAnswerable: answerable },
    isOutdated: (model, error) => metadata.isOutdated(model, error),
  })
  const services: Services = {
    ...common,
    ...{ settings, observe, auth, outgoing, apis, operations, registry, metadata, contributions, graphql },
    app: http.app,
    workers,
    options: options.given.ofPlugins,
    described: options.described,
    environment: variableIn(variables),
    vocabulary,
    transforms,
    services: new ServiceRegistry(),
    measures: new Measures(),
    configuration: [],
    routes: options.routes,
    registration: { isOver: false },
    ready: [],
    draining: [],
    stopping: [],
    closing: [],
  }
  return { http, services, metadata, outgoing, planner, warmUp: new WarmUp(planner) }
}

/** The egress policy; null: all addresses are reachable. */
const egressOf = ({ egress, egressAllow }: Settings): Egress | null =>
  egress === 'deny-private' ? denyPrivate(egressAllow) : null

interface DatabaseServices {
  readonly settings: Settings
  readonly dialect: Dialect
  readonly observe: Observer
  readonly hooks: WorkHooks
}

function openDatabase({ settings, dialect, observe, hooks }: DatabaseServices): PooledDatabase {
  if (settings.databaseUrl === null) throw new StartError('there is no database to serve: set databaseUrl')
  return new PooledDatabase({
    url: settings.databaseUrl,
    connections: settings.connections * settings.stripes,
    idleTimeout: settings.timeout,
    lifetime: settings.connLifetime || null,
    connectTimeout: settings.connectTimeout,
    poolTimeout: settings.poolTimeout,
    callerShare: settings.callerShare,
    preparedStatements: settings.usePreparedStatements,
    settingNames: [dialect.userSetting, dialect.traceSetting],
    isolation: settings.txIsolation,
    onConnectionError: ({ message }) => observe.log({ type: 'pg-client', level: 'warn', detail: { message } }),
    hooks,
  })
}

/** Registers each plugin as a Fastify plugin of its name, so that Fastify's tools show it. */
async function registerPlugins(services: Services, plugins: readonly LoadedPlugin[]): Promise<void> {
  for (const loaded of plugins) {
    const { name, dependencies = [] } = loaded.plugin
    const register = async () => {
      try {
        await loaded.plugin.register(engineOf(services, loaded))
      } catch (error) {
        throw pluginFailure(loaded, error)
      }
    }
    try {
      await services.app.register(fp(register, { name, dependencies: [...dependencies] }))
    } catch (error) {
      // The plugin's additions to the Fastify instance, which Fastify loads now.
      throw pluginFailure(loaded, error)
    }
  }
}

/** Ends the start for a field that no request can be served by; TypeScript finds most of them. */
function checkFields(planner: GraphQLPlanner): void {
  try {
    planner.checkFields()
  } catch (error) {
    const whose = culpritOf(error)
    throw new PluginError(`${whose === null ? '' : `${whose}: `}${messageOf(error)}`, { cause: error })
  }
}

/** Mounts the enabled routes. */
async function mountRoutes(services: Services): Promise<void> {
  await services.app.register(async (scope) => {
    takeBodiesAsBytes(scope, services.settings.maxBodySize)
    for (const { route, plugin } of openRoutes(services)) {
      try {
        mountRoute(scope, route, services)
      } catch (error) {
        throw pluginFailure(plugin, error)
      }
    }
  })
}

async function runReadyHooks({ ready }: Services): Promise<void> {
  for (const { run, plugin } of ready) {
    try {
      await run()
    } catch (error) {
      throw pluginFailure(plugin, error)
    }
  }
}

/** Ends long responses, then requests, then the plugins' hooks, then the database connections; each once. */
function closing({
  http,
  services,
  metadata,
  outgoing,
  warmUp,
}: ReturnType<typeof createServices>): Pick<RunningEngine, 'drain' | 'stop' | 'close'> {
  const timeout = services.settings.gracefulShutdownTimeout * 1000
  let begun = 0
  /** Milliseconds left for a hook. All hooks share one timeout; after it each has a margin to write its results. */
  const left = () => Math.max(begun + timeout - performance.now(), 0) + hookMargin
  const announce = async () => {
    for (const hook of services.draining) await inTime(hook, hookMargin, services)
  }
  let drained: Promise<void> | undefined
  const drain = () => (drained ??= announce())
  const endLong = async () => {
    warmUp.end()
    await drain()
    begun = performance.now()
    for (const hook of services.stopping.toReversed()) {
      await inTime(hook, left(), services)
    }
  }
  let stopped: Promise<void> | undefined
  const stop = () => (stopped ??= endLong())
  const end = async () => {
    await stop()
    try {
      // A hook of the Fastify instance, which a plugin added, may fail or not end.
      const late = sleep(left() + hookMargin, 'late', { ref: false })
      if ((await Promise.race([http.close(), late])) === 'late') throw new Error('it did not stop in time')
    } catch (error) {
      const detail = `the HTTP server failed to close: ${stackOf(error)}`
      services.observe.log({ type: 'unstructured', level: 'error', detail })
    }
    for (const hook of services.closing.toReversed()) await inTime(hook, left(), services)
    await outgoing.close()
    const stopped = metadata.stop()
    // A change of the metadata that does not end, for example while it waits for a lock, ends with its connection.
    await Promise.race([stopped, sleep(changeMargin, undefined, { ref: false })])
    await Promise.all([stopped, services.database.close()])
  }
  let closed: Promise<void> | undefined
  return { drain, stop, close: () => (closed ??= end()) }
}

/** Runs a closing hook. After the timeout it is no longer awaited. */
async function inTime(hook: OwnedHook, timeout: number, services: Services): Promise<void> {
  const late = sleep(timeout, 'late', { ref: false })
  if ((await Promise.race([runAtEnd(hook, services), late])) !== 'late') return
  const detail = `${pluginLabel(hook.plugin)} did not stop in time`
  services.observe.log({ type: 'unstructured', level: 'error', detail })
}

/** Runs a closing hook. An error is logged, so that the other hooks still run. */
async function runAtEnd({ run, plugin }: OwnedHook, { observe }: Services): Promise<void> {
  try {
    await run()
  } catch (error) {
    const detail = `${pluginLabel(plugin)} failed to close: ${stackOf(error)}`
    observe.log({ type: 'unstructured', level: 'error', detail })
  }
}
