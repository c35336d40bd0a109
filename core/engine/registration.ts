// The engine as one plugin sees it. Additions are recorded with the plugin's name, and errors name it.

import type { FastifyInstance } from 'fastify'
import type { Access, AccessService } from '../access/access.ts'
import type { Auth } from '../auth/auth.ts'
import type { Vocabulary } from '../compiler/types/vocabulary.ts'
import { type Workers, workersFor } from '../concurrency/workers.ts'
import type { PooledDatabase } from '../database/placing/pooled-database.ts'
import type { GraphQLEngine } from '../graphql/engine.ts'
import type { Contribution } from '../graphql/schema/contribution.ts'
import { contributable } from '../graphql/service.ts'
import type { Observer } from '../log/observe.ts'
import type { ColumnTransforms } from '../metadata/resolving/column-transforms.ts'
import type { MetadataRegistry } from '../metadata/slices/registry.ts'
import type { Slice } from '../metadata/slices/slices.ts'
import type { Dialect } from '../names/dialect.ts'
import { serviceOf } from '../operations/author.ts'
import type { OperationRegistry } from '../operations/registry.ts'
import type { MetadataService } from '../operations/service.ts'
import type { Outgoing } from '../outgoing/client.ts'
import type { SessionSettings } from '../session/session-settings.ts'
import type { Apis } from './apis.ts'
import { apiOf } from './apis.ts'
import {
  checkComparison,
  checkConfigurationMember,
  checkContribution,
  checkFacet,
  checkGeneratedTypes,
  checkMeasure,
  checkNarrowing,
  checkOperation,
  checkSlice,
  checkSource,
  checkSurroundings,
  checkTransform,
  checkType,
  requireFunction,
} from './declared.ts'
import type { Measures } from './measures.ts'
import type { Settings } from './options.ts'
import { operatorOf, ownedBy, ownSettings, reconciling, typeOf, wantedBy, withOwner } from './owned.ts'
import { addRoutes, type OwnedRoute, openRoutes } from './owned-routes.ts'
import type { ConfigurationMember, DescribedPlugin, Engine } from './plugin.ts'
import { databaseForPlugin } from './plugin-database.ts'
import type { ReadSettings } from './plugin-options.ts'
import { type LoadedPlugin, PluginError, pluginLabel } from './plugins.ts'
import type { ServiceRegistry } from './service-registry.ts'
import type { WorkHooks } from './work-hooks.ts'
import { admissionBy } from './work-hooks.ts'

/** The services shared by plugins, and their declarations so far. */
export interface Services {
  readonly access: Access
  readonly settings: Settings
  /** All plugins, as administrators see them. */
  readonly described: readonly DescribedPlugin[]
  /** The option values of each plugin. */
  readonly options: ReadSettings['ofPlugins']
  readonly environment: Engine['environment']
  readonly services: ServiceRegistry
  readonly measures: Measures
  readonly configuration: ConfigurationMember[]
  readonly dialect: Dialect
  readonly app: FastifyInstance
  readonly workers: Workers
  readonly database: PooledDatabase
  readonly observe: Observer
  readonly auth: Auth
  readonly outgoing: Outgoing
  readonly apis: Apis
  readonly operations: OperationRegistry
  readonly registry: MetadataRegistry
  readonly vocabulary: Vocabulary
  readonly transforms: ColumnTransforms
  readonly metadata: MetadataService
  readonly graphql: GraphQLEngine
  readonly contributions: Contribution[]
  readonly sessionSettings: SessionSettings
  readonly hooks: WorkHooks
  readonly routes: Map<string, OwnedRoute>
  /** Whether all plugins have registered. */
  readonly registration: { isOver: boolean }
  readonly ready: OwnedHook[]
  readonly draining: OwnedHook[]
  readonly stopping: OwnedHook[]
  readonly closing: OwnedHook[]
}

/** A lifecycle hook of a plugin. */
export interface OwnedHook {
  readonly run: () => void | Promise<void>
  readonly plugin: LoadedPlugin
}

/** Creates one plugin's view of the services. */
export function engineOf(services: Services, loaded: LoadedPlugin): Engine {
  const { contributions } = services
  const early = earlyOnly(services, loaded)
  return {
    access: checkedAccess(services.access.forPlugin(loaded.plugin.name)),
    settings: services.settings,
    options: services.options.get(loaded) ?? {},
    environment: services.environment,
    dialect: services.dialect,
    app: services.app,
    workers: workersFor(`plugin ${loaded.plugin.name}`, services.workers),
    database: databaseForPlugin(pluginLabel(loaded), services),
    observe: services.observe,
    auth: services.auth,
    admission: admissionBy(services.hooks),
    sessionSettings: ownSettings(services.sessionSettings, loaded),
    around(surroundings, isNeeded) {
      checkSurroundings(surroundings)
      const engage = services.hooks.add(surroundings, pluginLabel(loaded))
      // A forgotten result must not leave the hook out.
      if (isNeeded) services.metadata.onChange((model) => engage(isNeeded(model) ?? true))
    },
    outgoing: services.outgoing,
    apis: services.apis,
    plugins: services.described,
    configuration: {
      add: (...members) => addMembers(services.configuration, members),
      all: () => services.configuration.toSorted((a, b) => a.place - b.place),
    },
    measures: {
      add: eachChecked(checkMeasure, (measure) => services.measures.add(measure)),
      all: () => services.measures.all(),
    },
    provide: (key, service) => services.services.provide(key, service, loaded),
    use: (key) => services.services.use(key, loaded),
    operations: declaringOperations(services, loaded),
    metadata: {
      ...declaringMetadata(services, loaded),
      service: serviceOf(services.metadata, loaded.plugin.name),
    },
    graphql: contributable(
      services.graphql,
      early('a GraphQL contribution', (contribution) => addContribution(contributions, contribution, loaded)),
    ),
    routes: {
      add: early('a route', (...routes) => addRoutes(services, loaded, routes)),
      all: () => openRoutes(services).map(({ route }) => route),
    },
    ...declaringColumns(services, loaded),
    get model() {
      // The empty model of this time would be kept by mistake: `const { model } = engine`.
      if (!services.registration.isOver && !loaded.plugin.builtIn)
        throw new PluginError(`${pluginLabel(loaded)} ${earlyModel}`)
      return services.metadata.model
    },
    onReady: early('what runs when the server is ready', (run) => {
      services.ready.push(hookOf('onReady', run, loaded))
    }),
    onDraining: (run) => services.draining.push(hookOf('onDraining', run, loaded)),
    onStopping: (run) => services.stopping.push(hookOf('onStopping', run, loaded)),
    onClose: (run) => services.closing.push(hookOf('onClose', run, loaded)),
  }
}

/** The declarations of a plugin about types and columns. */
function declaringColumns(services: Services, loaded: LoadedPlugin): Pick<Engine, 'types' | 'comparisons' | 'columns'> {
  const early = earlyOnly(services, loaded)
  return {
    types: {
      add: early(
        'a type',
        eachChecked(checkType, (type) => services.vocabulary.addTypes(typeOf(type, loaded))),
      ),
    },
    columns: {
      transform: early('a transformation of columns', (transform) => {
        checkTransform(transform)
        services.transforms.add(transform, loaded.plugin.name)
      }),
    },
    comparisons: {
      add: early(
        'an operator',
        eachChecked(checkComparison, (operator) => services.vocabulary.addOperators(operatorOf(operator, loaded))),
      ),
    },
  }
}

const earlyModel = 'reads engine.model in register(), before a model is served: read it where a request is served'

/**
 * Allows a declaration only during registration. A later one would be ignored, as a route, or break shared state, as
 * a slice that the document was built without.
 */
const earlyOnly =
  ({ registration }: Services, plugin: LoadedPlugin) =>
  <Given extends readonly unknown[]>(what: string, declare: (...given: Given) => void) =>
  (...given: Given): void => {
    if (registration.isOver) {
      const reason = 'declarations are complete when register() returns'
      throw new PluginError(`${pluginLabel(plugin)} declares ${what} too late: ${reason}`)
    }
    declare(...given)
  }

/** Checks all values before adding the first. */
const eachChecked =
  <T>(check: (value: T) => void, add: (value: T) => void) =>
  (...values: readonly T[]): void => {
    for (const value of values) check(value)
    for (const value of values) add(value)
  }

function declaringOperations(services: Services, loaded: LoadedPlugin): Engine['operations'] {
  const { operations } = services
  const early = earlyOnly(services, loaded)
  const owner = { plugin: loaded.plugin.name, api: apiOf(loaded.plugin) }
  return {
    add: eachChecked(checkOperation, (operation) => {
      operations.add(owner, operation)
      ownedBy(loaded, operation)
    }),
    form: early('the form of requests', (form) => {
      operations.form = form
    }),
    all: () => operations.all(),
  }
}

/** The metadata declarations of a plugin, recorded with its name. */
function declaringMetadata(services: Services, loaded: LoadedPlugin): Omit<Engine['metadata'], 'service'> {
  const { registry } = services
  const { name } = loaded.plugin
  const early = earlyOnly(services, loaded)
  return {
    slice: early('a slice of the metadata', (key, slice) => {
      const declared = { ...slice, key } as Slice
      checkSlice(declared)
      registry.addSlice(withOwner(declared, loaded), name)
    }),
    facet: early('a facet of tables', (facet) => {
      checkFacet(facet)
      registry.addFacet(facet, name)
    }),
    source: early('a source', (source) => {
      checkSource(source)
      registry.addSource(wantedBy(source, loaded), name)
    }),
    typeNames: early('names of types', (generated) => {
      checkGeneratedTypes(generated)
      registry.addGeneratedTypes(generated)
    }),
    check: early('a check of the model', (check) => {
      requireFunction('metadata', 'check', check)
      registry.addCheck(check)
    }),
    effect: early('an effect', (effect) => {
      requireFunction('metadata', 'effect', effect)
      registry.addEffect(reconciling(effect, loaded))
    }),
    record: early('a recorder of changes', (recorder) => {
      requireFunction('metadata', 'record', recorder)
      registry.addRecorder(recorder)
    }),
  }
}

function hookOf(name: string, run: OwnedHook['run'], plugin: LoadedPlugin): OwnedHook {
  requireFunction('a hook of the server', name, run)
  return { run, plugin }
}

const checkedAccess = (access: AccessService): AccessService => ({
  narrow(narrowing) {
    checkNarrowing(narrowing)
    access.narrow(narrowing)
  },
  compose: access.compose,
  share: access.share,
  shared: access.shared,
  roles: access.roles,
  of: access.of,
})

function addMembers(configuration: ConfigurationMember[], members: readonly ConfigurationMember[]): void {
  for (const member of members) {
    checkConfigurationMember(member)
    const taken = configuration.some(({ key }) => key === member.key)
    if (taken) throw new Error(`the member "${member.key}" of the configuration is declared already`)
    configuration.push(member)
  }
}

function addContribution(contributions: Contribution[], contribution: Contribution, plugin: LoadedPlugin): void {
  checkContribution(contribution)
  const taken = contributions.some(({ name }) => name === contribution.name)
  if (taken) throw new Error(`GraphQL contribution "${contribution.name}" is declared already`)
  contributions.push(contribution)
  ownedBy(plugin, contribution)
}
