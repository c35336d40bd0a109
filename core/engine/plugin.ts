// The contract between core and plugins. A plugin is a value made by `definePlugin`; built-in ones and those of third
// parties are the same thing.

import type { Static, TSchema } from '@sinclair/typebox'
import type { FastifyInstance } from 'fastify'
import type { AccessService } from '../access/access.ts'
import type { AuthService } from '../auth/auth.ts'
import type { ComparisonOperator } from '../compiler/types/comparison-operator.ts'
import type { TypeSupport } from '../compiler/types/type-support.ts'
import type { Database } from '../database/database.ts'
import type { Migration } from '../database/migrations/migration.ts'
import type { Contribution } from '../graphql/schema/contribution.ts'
import type { GraphQLService } from '../graphql/service.ts'
import type { Route } from '../http/route/declared-route.ts'
import type { Observer } from '../log/observe.ts'
import type { MetadataDocument, TableEntry } from '../metadata/document/document.ts'
import type { Model } from '../metadata/document/model.ts'
import type { GeneratedTypes } from '../metadata/naming/type-names.ts'
import type { MetadataService } from '../metadata/serving/service.ts'
import type { FacetDefinition, ModelEffect, SliceDefinition } from '../metadata/slices/slices.ts'
import type { Source } from '../metadata/slices/sources.ts'
import type { Dialect } from '../names/dialect.ts'
import type { Operation } from '../operations/operation.ts'
import type { RegisteredOperation } from '../operations/registry.ts'
import type { Outgoing } from '../outgoing/client.ts'
import type { SessionSettings } from '../session/session-settings.ts'
import type { Admission } from './admission.ts'
import type { Measure } from './measures.ts'
import type { Settings } from './options.ts'
import type { ServiceKey } from './service-key.ts'
import type { Surroundings } from './work-hooks.ts'

/** The options of a plugin, each made by a function of `option`, by their keys in the configuration file. */
export type PluginOptions = Readonly<Record<string, TSchema>>

/** Their values. */
export type OptionValues<O extends PluginOptions> = { readonly [K in keyof O]: Static<O[K]> }

/** A member of a report of the configuration. */
export interface ConfigurationEntry {
  readonly key: string
  /** Where it stands: the lower first. The members of the interface have the tens. */
  readonly place: number
  readonly value: unknown
}

/** A member of the answer of `/v1alpha1/config`. */
export interface ConfigurationMember extends Omit<ConfigurationEntry, 'value'> {
  readonly schema: TSchema
  /** Asked at each request; nothing of it may be secret. */
  value(): unknown
}

/** Which APIs there are, and which of them are open. */
export interface OpenApis {
  /** Every name that may be enabled. */
  readonly known: readonly string[]
  readonly enabled: readonly string[]
  isEnabled(name: string): boolean
}

/** What a plugin registers with; `Options` are the values of its own options. */
export interface Engine<Options = Readonly<Record<string, unknown>>> {
  /** What roles may do with tables: asking for it, and narrowing it for everybody. */
  readonly access: AccessService
  readonly settings: Settings
  /** The values of the options that the plugin declares. */
  readonly options: Options
  /**
   * The value of a variable that metadata may refer to, as it was at the start; undefined where there is none, and for those that hold
   * secrets of the server itself.
   */
  environment(name: string): string | undefined
  readonly dialect: Dialect
  /** The Fastify instance, for what routes cannot express. */
  readonly app: FastifyInstance
  readonly database: Database
  readonly observe: Observer
  readonly operations: {
    add(...operations: readonly Operation<TSchema>[]): void
    /** Those that can be called, of all plugins: complete when the server is ready. */
    all(): readonly RegisteredOperation[]
  }
  readonly metadata: {
    slice<K extends keyof MetadataDocument, S extends TSchema>(key: K, slice: SliceDefinition<K, S>): void
    facet<K extends string & keyof TableEntry, Resolved>(facet: FacetDefinition<K, Resolved>): void
    /** What resolving needs from elsewhere: fetched outside of all locks, stored, and read by `context.source(key, id)`. */
    source<Definition, Value>(source: Source<Definition, Value>): void
    /** Names of the GraphQL types that the plugin generates, so that nobody else can claim them. */
    typeNames(generated: GeneratedTypes): void
    /** Follows each change of the model in the database, in the transaction that stores the change. */
    effect(effect: ModelEffect): void
    /** Running operations and reading the document, for routes and jobs. */
    readonly service: MetadataService
  }
  /** The GraphQL API: planning and executing requests, and adding to its schemas. */
  readonly graphql: GraphQLService & { contribute(contribution: Contribution): void }
  readonly routes: {
    add(...routes: readonly Route[]): void
    /** Those that are open, of all plugins: complete when the server is ready. */
    all(): readonly Route[]
  }
  /** What is known of types that extensions of the database bring. */
  readonly types: { add(...types: readonly TypeSupport[]): void }
  /** What columns can be compared by, in GraphQL and in expressions of the metadata. */
  readonly comparisons: { add(...operators: readonly ComparisonOperator[]): void }
  /** Who asks: authenticating requests of other transports, and adding a way to authenticate. */
  readonly auth: AuthService
  /** Puts something around the work of the server, or in front of it: each member stands around one kind. */
  around(surroundings: Surroundings): void
  /** What administrators may read of the configuration. */
  readonly configuration: {
    add(...members: readonly ConfigurationMember[]): void
    /** Those of all plugins, in their order: complete when the server is ready. */
    all(): readonly ConfigurationMember[]
  }
  /** Numbers that whoever watches the server may read. */
  readonly measures: {
    add(...measures: readonly Measure[]): void
    /** Those of all plugins: complete when the server is ready. */
    all(): readonly Measure[]
  }
  /** Gives those that depend on this plugin something to use. */
  provide<T>(key: ServiceKey<T>, service: T): void
  /** What another plugin provides, which must be among the dependencies. */
  use<T>(key: ServiceKey<T>): T
  /** Having requests of other transports admitted as those over HTTP are. */
  readonly admission: Admission
  /** What transactions tell the database of the request that they serve. */
  readonly sessionSettings: SessionSettings
  /** Requests to other servers, by the rules that hold for all of them. */
  readonly outgoing: Outgoing
  readonly apis: OpenApis
  /** The model being served now: read it once per request. */
  readonly model: Model
  /** Runs when the server starts to serve, after the first model was built. */
  onReady(run: () => void | Promise<void>): void
  /**
   * Runs when the server begins to stop, while it still listens and answers: the place to end long answers and sockets, for
   * which stopping waits as long as for requests.
   */
  onStopping(run: () => void | Promise<void>): void
  /** Runs when no request is left, before the database is closed. */
  onClose(run: () => void | Promise<void>): void
}

export interface PluginDefinition<O extends PluginOptions = PluginOptions> {
  readonly name: string
  /** The name in `--enabled-apis` that opens its operations and routes; absent: `metadata`. */
  readonly api?: string
  /** Whether the API is open when the option is not given; absent: yes. */
  readonly enabledByDefault?: boolean
  /** Plugins that must be there, and are registered before. */
  readonly dependencies?: readonly string[]
  /**
   * Whether it takes the place of the plugin of its name, such as a built-in one; absent: two of one name are refused. Services that others
   * use of that plugin have to be provided by this one.
   */
  readonly replaces?: boolean
  /** Given like all others, by flag, variable and configuration file; `engine.options` has their values. */
  readonly options?: O
  /** Of its own tables, in order; each is run once, before anything is registered. */
  readonly migrations?: readonly Migration[]
  /** What the log of the start says of its configuration; nothing of it may be secret. */
  logged?(options: OptionValues<O>): readonly ConfigurationEntry[]
  register(engine: Engine<OptionValues<O>>): void | Promise<void>
}

/** A plugin, as `--plugin` and `createEngine({plugins})` take it. */
export interface Plugin extends PluginDefinition {
  readonly trellisPlugin: true
}

/** Declares a plugin. */
export const definePlugin = <const O extends PluginOptions = Readonly<Record<never, TSchema>>>(
  definition: PluginDefinition<O>,
): Plugin => ({ ...definition, trellisPlugin: true })
