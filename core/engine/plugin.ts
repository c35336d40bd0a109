// The contract between core and plugins. A plugin is a value made by `definePlugin`; built-in ones and those of third
// parties are the same thing.

import type { TSchema } from '@sinclair/typebox'
import type { FastifyInstance } from 'fastify'
import type { Access } from '../access/access.ts'
import type { Auth } from '../auth/auth.ts'
import type { ComparisonOperator } from '../compiler/operators.ts'
import type { TypeSupport } from '../compiler/type-support.ts'
import type { Database } from '../database/database.ts'
import type { Contribution } from '../graphql/contribution.ts'
import type { GraphQLEngine, RequestGuard } from '../graphql/engine.ts'
import type { Route } from '../http/declared-route.ts'
import type { Observer } from '../log/observe.ts'
import type { MetadataDocument, TableEntry } from '../metadata/document.ts'
import type { Model } from '../metadata/model.ts'
import type { MetadataService } from '../metadata/service.ts'
import type { Facet, ModelEffect, Slice } from '../metadata/slices.ts'
import type { Dialect } from '../names/dialect.ts'
import type { Operation } from '../operations/operation.ts'
import type { RegisteredOperation } from '../operations/registry.ts'
import type { Settings } from '../options/options.ts'
import type { Outgoing } from '../outgoing/client.ts'
import type { SessionSettings } from '../session/session-settings.ts'
import type { Admission } from './admission.ts'
import type { Wrappers } from './wrapping.ts'

/** What a plugin registers with. */
export interface Engine {
  /** What roles may do with tables: asking for it, and narrowing it for everybody. */
  readonly access: Pick<Access, 'of' | 'narrow'>
  readonly settings: Settings
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
    slice<K extends keyof MetadataDocument, S extends TSchema>(key: K, slice: Omit<Slice<K, S>, 'key'>): void
    facet<K extends string & keyof TableEntry, Resolved>(
      facet: Facet<NonNullable<TableEntry[K]> extends readonly (infer E)[] ? E : never, Resolved> & { readonly key: K },
    ): void
    /** Follows each change of the model in the database, in the transaction that stores the change. */
    effect(effect: ModelEffect): void
    /** Running operations and reading the document, for routes and jobs. */
    readonly service: MetadataService
  }
  readonly graphql: {
    contribute(contribution: Contribution): void
    /** Adds a check of each request's document; it throws to refuse. */
    guard(guard: RequestGuard): void
    /** Executing requests, for routes and transports. */
    readonly engine: GraphQLEngine
  }
  readonly routes: {
    add(...routes: readonly Route[]): void
    /** Those that are open, of all plugins: complete when the server is ready. */
    all(): readonly Route[]
  }
  /** What is known of types that extensions of the database bring. Like `comparisons`, of all engines of the process. */
  readonly types: { add(...types: readonly TypeSupport[]): void }
  /** What columns can be compared by, in GraphQL and in expressions of the metadata. */
  readonly comparisons: { add(...operators: readonly ComparisonOperator[]): void }
  /** Who asks: authenticating requests of other transports, and adding a way to authenticate. */
  readonly auth: Pick<Auth, 'mode' | 'configuration' | 'authenticate' | 'use'>
  /** Whether a request is served now: adding a check, and asking all of them for requests of other transports. */
  readonly admission: Pick<Admission, 'add' | 'checkRequest' | 'checkBatch'>
  /** Puts something around requests, operations, statements and requests to other servers. */
  wrap(wrappers: Wrappers): void
  /** What transactions tell the database of the request that they serve. */
  readonly sessionSettings: SessionSettings
  /** Requests to other servers, by the rules that hold for all of them. */
  readonly outgoing: Outgoing
  /** Which APIs exist and which are open. */
  readonly apis: { isEnabled(name: string): boolean; readonly enabled: readonly string[] }
  /** The model being served now: read it once per request. */
  readonly model: Model
  /** Runs when the server starts to serve, after the first model was built. */
  onReady(run: () => void | Promise<void>): void
  /** Runs when the server stops, before the database is closed. */
  onClose(run: () => void | Promise<void>): void
}

export interface PluginDefinition {
  readonly name: string
  /** The name in `--enabled-apis` that opens its operations and routes; absent: `metadata`. */
  readonly api?: string
  /** Whether the API is open when the option is not given; absent: yes. */
  readonly enabledByDefault?: boolean
  /** Plugins that must be there, and are registered before. */
  readonly dependencies?: readonly string[]
  register(engine: Engine): void | Promise<void>
}

/** A plugin, as `--plugin` and `createEngine({plugins})` take it. */
export interface Plugin extends PluginDefinition {
  readonly trellisPlugin: true
}

/** Declares a plugin. */
export const definePlugin = (definition: PluginDefinition): Plugin => ({ ...definition, trellisPlugin: true })
