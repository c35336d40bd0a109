// The contract between core and plugins. A plugin is a value made by `definePlugin`. Built-in and third-party plugins
// are the same.

import type { Static, TSchema } from '@sinclair/typebox'
import type { FastifyInstance } from 'fastify'
import type { PluginNames } from '../../sdk/registry.ts'
import type { AccessService } from '../access/access.ts'
import type { AuthService } from '../auth/auth.ts'
import type { ComparisonOperator } from '../compiler/types/comparison-operator.ts'
import type { TypeSupport } from '../compiler/types/type-support.ts'
import type { Workers } from '../concurrency/workers.ts'
import type { Database } from '../database/database.ts'
import type { Migration } from '../database/migrations/migration.ts'
import type { Contribution } from '../graphql/schema/contribution.ts'
import type { GraphQLService } from '../graphql/service.ts'
import type { Route } from '../http/route/declared-route.ts'
import type { Observer } from '../log/observe.ts'
import type { MetadataDocument, TableEntry } from '../metadata/document/document.ts'
import type { ColumnTransform, Model } from '../metadata/document/model.ts'
import type { GeneratedTypes } from '../metadata/naming/type-names.ts'
import type { ChangeRecorder } from '../metadata/slices/recorder.ts'
import type { FacetDefinition, ModelCheck, ModelEffect, SliceDefinition } from '../metadata/slices/slices.ts'
import type { Source } from '../metadata/slices/sources.ts'
import type { Dialect } from '../names/dialect.ts'
import type { Operation } from '../operations/operation.ts'
import type { RegisteredOperation } from '../operations/registry.ts'
import type { RequestForm } from '../operations/request-form.ts'
import type { MetadataService } from '../operations/service.ts'
import type { Outgoing } from '../outgoing/client.ts'
import type { Session } from '../session/session.ts'
import type { SessionSettings } from '../session/session-settings.ts'
import type { Measure } from './measures.ts'
import type { AllSettings, Settings } from './options.ts'
import type { ServiceKey } from './service-key.ts'
import type { Admission, Surroundings } from './work-hooks.ts'

/** The name of a built-in plugin, or of another one. */
export type PluginName = keyof PluginNames | (string & {})

/** A plugin's options by their keys in the configuration file. Each is made by a function of `option`. */
export type PluginOptions = Readonly<Record<string, TSchema>>

/** The values of these options. */
export type OptionValues<O extends PluginOptions> = { readonly [K in keyof O]: Static<O[K]> }

/** A member of the configuration report. */
export interface ConfigurationEntry {
  readonly key: string
  /** Its position in ascending order. The members of the interface use multiples of ten. */
  readonly place: number
  readonly value: unknown
}

/** A member of the response of `/v1alpha1/config`. */
export interface ConfigurationMember extends Omit<ConfigurationEntry, 'value'> {
  readonly schema: TSchema
  /** Called at each request, with its session; must not contain secrets. */
  value(session: Session): unknown
}

/** A plugin of the server. */
export interface DescribedPlugin {
  readonly name: string
  /** Of its package; null: it was given as a value, or is in no package. */
  readonly version: string | null
  /** The API of its operations and routes. */
  readonly api: string
  /** Whether it comes with the server. */
  readonly isBuiltIn: boolean
  /** The values of its options; secrets are hidden. */
  readonly options: Readonly<Record<string, unknown>>
  /** Its enabled routes so far, as `GET /v1/version`. */
  readonly routes: readonly string[]
}

/** All APIs, and which of them are enabled. */
export interface OpenApis {
  /** Every name that can be enabled. */
  readonly known: readonly string[]
  readonly enabled: readonly string[]
  isEnabled(name: string): boolean
}

/** The registration interface of a plugin; `Options` are the values of its own options. */
export interface Engine<Options = Readonly<Record<string, unknown>>> {
  /** Table permissions of roles: reads them, and narrows them for all requests. */
  readonly access: AccessService
  readonly settings: Settings
  /** The values of the plugin's options. */
  readonly options: Options
  /**
   * The value at startup of a variable that metadata may refer to; undefined if it is not set, or is a secret of the
   * server.
   */
  environment(name: string): string | undefined
  readonly dialect: Dialect
  /** The Fastify instance, for cases that routes do not cover. */
  readonly app: FastifyInstance
  readonly database: Database
  readonly observe: Observer
  readonly operations: {
    add(...operations: readonly Operation<TSchema>[]): void
    /** Sets the form of requests at endpoints that have none of their own, such as `/v1/query`. */
    form(form: RequestForm): void
    /** All operations of all plugins whose API is enabled; complete when the server is ready. */
    all(): readonly RegisteredOperation[]
  }
  readonly metadata: {
    slice<K extends keyof MetadataDocument, S extends TSchema>(key: K, slice: SliceDefinition<K, S>): void
    facet<K extends string & keyof TableEntry, Resolved>(facet: FacetDefinition<K, Resolved>): void
    /** External data for resolving: fetched outside of all locks, stored, and read by `context.source(key, id)`. */
    source<Definition, Value>(source: Source<Definition, Value>): void
    /** Reserves names of GraphQL types that the plugin generates. */
    typeNames(generated: GeneratedTypes): void
    /** Updates the database on each model change, in the transaction that stores the change. */
    effect(effect: ModelEffect): void
    /** Looks at each model as a whole, and lists objects that do not fit it. */
    check(check: ModelCheck): void
    /** Records each change of the document, in the transaction that stores it; an error undoes the change. */
    record(recorder: ChangeRecorder): void
    /** Runs operations and reads the document, for routes and jobs. */
    readonly service: MetadataService
  }
  /** The GraphQL API: plans and executes requests, and extends the schemas. */
  readonly graphql: GraphQLService & { contribute(contribution: Contribution): void }
  readonly routes: {
    add(...routes: readonly Route[]): void
    /** All enabled routes of all plugins; complete when the server is ready. */
    all(): readonly Route[]
  }
  /** Support for types of database extensions. */
  readonly types: { add(...types: readonly TypeSupport[]): void }
  /** Columns whose stored values differ from those that roles read, under their own names. */
  readonly columns: { transform(transform: ColumnTransform): void }
  /** Comparison operators of columns, in GraphQL and in expressions of the metadata. */
  readonly comparisons: { add(...operators: readonly ComparisonOperator[]): void }
  /** Authenticates requests of other transports, and registers an authenticator. */
  readonly auth: AuthService
  /**
   * Adds hooks around the server's work; each member hooks one kind of work. `isNeeded` tells whether they have something
   * to do under a model: while they have not, they cost nothing. Absent: they always have.
   */
  around(surroundings: Surroundings, isNeeded?: (model: Model) => boolean): void
  /** The configuration that administrators can read. */
  readonly configuration: {
    add(...members: readonly ConfigurationMember[]): void
    /** The members of all plugins, in order; complete when the server is ready. */
    all(): readonly ConfigurationMember[]
  }
  /** Metrics for monitoring. */
  readonly measures: {
    add(...measures: readonly Measure[]): void
    /** The metrics of all plugins; complete when the server is ready. */
    all(): readonly Measure[]
  }
  /** Provides a service to plugins that depend on this one. */
  provide<T>(key: ServiceKey<T>, service: T): void
  /** Returns the service of another plugin, which must be a dependency. */
  use<T>(key: ServiceKey<T>): T
  /** Admits requests of other transports as HTTP requests are. */
  readonly admission: Admission
  /** The settings by which transactions describe their request to the database. */
  readonly sessionSettings: Pick<SessionSettings, 'add' | 'of' | 'apply'>
  /** Sends requests to other servers, with the common limits and policies. */
  readonly outgoing: Outgoing
  readonly apis: OpenApis
  /** The processes that serve the port together. */
  readonly workers: Workers
  /** All plugins of the server, in the order in which they register. */
  readonly plugins: readonly DescribedPlugin[]
  /** The current model. Read it once per request. */
  readonly model: Model
  /** Runs when the server starts to serve, after the first model was built. */
  onReady(run: () => void | Promise<void>): void
  /** Runs when the end of the server is certain and everything is still served, for `--shutdown-delay` seconds or longer. */
  onDraining(run: () => void | Promise<void>): void
  /**
   * Runs when the server begins to stop, while it still listens and answers. End long responses and sockets here,
   * because stopping waits for them as for requests.
   */
  onStopping(run: () => void | Promise<void>): void
  /** Runs when no request is in flight, before the database is closed. */
  onClose(run: () => void | Promise<void>): void
}

/** A flag of a sub-command, which takes a value. */
export interface CommandFlag {
  readonly placeholder: string
  readonly description: string
}

/** A call of a sub-command. */
export interface CommandCall {
  /** The values of its flags, in the order given; absent: the flag was not given. */
  readonly flags: Readonly<Record<string, readonly string[]>>
  /** The values of all options of the server; rules about several of them are not checked. */
  readonly settings: AllSettings
  /** The dialect that the settings choose. */
  readonly dialect: Dialect
}

/** A sub-command of the program, which runs without a server. */
export interface PluginCommand {
  readonly name: string
  /** One line for the help text. */
  readonly description: string
  /** By name, without dashes. */
  readonly flags: Readonly<Record<string, CommandFlag>>
  /** Returns the text to print on stdout; throws a `StartError` for anything that its caller can mend. */
  run(call: CommandCall): string | Promise<string>
}

/** A plugin as its author writes it, for `definePlugin`. */
export interface PluginDefinition<O extends PluginOptions = PluginOptions> {
  readonly name: string
  /** The name in `--enabled-apis` that enables its operations and routes; absent: `metadata`. */
  readonly api?: string
  /** Whether the API is enabled by default; absent: yes. */
  readonly enabledByDefault?: boolean
  /** Required plugins, which are registered before this one. */
  readonly dependencies?: readonly PluginName[]
  /**
   * Whether it replaces the plugin of the same name, such as a built-in one; absent: duplicate names are refused. It
   * must provide the services that other plugins use of the replaced one.
   */
  readonly replaces?: boolean
  /** Options by flag, variable and configuration file. `engine.options` has their values. */
  readonly options?: O
  /** Sub-commands of the program. */
  readonly commands?: readonly PluginCommand[]
  /** Migrations of its own tables, in order. Each runs once, before any registration. */
  readonly migrations?: readonly Migration[]
  /** Entries for the startup log; must not contain secrets. */
  logged?(options: OptionValues<O>): readonly ConfigurationEntry[]
  register(engine: Engine<OptionValues<O>>): void | Promise<void>
}

/** A plugin, for `--plugin` and `createEngine({ plugins })`. */
export interface Plugin extends PluginDefinition {
  readonly trellisPlugin: true
  /** Whether it comes with Trellis; the log then does not blame errors on it. */
  readonly builtIn?: boolean
}

/** Defines a plugin. */
export const definePlugin = <const O extends PluginOptions = Readonly<Record<never, TSchema>>>(
  definition: PluginDefinition<O>,
): Plugin => ({ ...definition, trellisPlugin: true })
