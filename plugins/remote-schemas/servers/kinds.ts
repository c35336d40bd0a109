// The kinds of servers that a definition may name: a URL, a schema of this process, or one that another plugin declares.

import type { GraphQLSchema } from 'graphql'
import { badRequest, type ObjectOptions, type TProperties, type TSchema, Type } from '../../../sdk/index.ts'
import type { SourceContext, SourceState } from '../../../sdk/metadata.ts'
import type { RemoteSchemaDefinition, RemoteSchemaEntry } from '../schema.ts'
import type { RemoteTransport } from './transport.ts'

/** A server, as resolved from an entry. */
export interface ResolvedServer {
  /** The answer to an introspection; the same object as long as the schema is the same. */
  readonly introspection: object
  readonly transport: RemoteTransport
  /** The schema itself, with the parts that an introspection leaves out; absent for other servers. */
  readonly schema?: GraphQLSchema
  /** The names of other remote schemas that it consists of. */
  readonly members?: readonly string[]
}

/** The context of resolving one entry. */
export interface ServerContext {
  /** The value of an environment variable of the server. */
  environment(name: string): string | undefined
  /** The fetched introspection of the entry. */
  source(): SourceState
  /** Lists the entry as inconsistent, although it is served. */
  report(reason: string): void
  /** The entry of another remote schema; undefined if there is no such entry. */
  entry(name: string): RemoteSchemaEntry | undefined
  /** The server of another remote schema; throws the reason why it has none. */
  server(name: string): ResolvedServer
}

/** A kind of servers. */
export interface ServerKind {
  /** The key of the definitions that name such a server; null: those without the key of another kind. */
  readonly key: Exclude<keyof RemoteSchemaDefinition, 'url'> | null
  /** The schema of the value under the key; `options` treat unknown keys. */
  schema?(options: ObjectOptions): TSchema
  /** The part of a definition that an introspection depends on; null: nothing is fetched. */
  request(definition: RemoteSchemaDefinition): RemoteSchemaDefinition | null
  /** Fetches the introspection for such a part. */
  fetch?(request: RemoteSchemaDefinition, signal: AbortSignal, context: SourceContext): Promise<object>
  /** The names of remote schemas whose introspections a reload fetches instead of its own. */
  members?(definition: RemoteSchemaDefinition): readonly string[]
  /** The server of an entry; throws if the entry is invalid. */
  resolve(entry: RemoteSchemaEntry, context: ServerContext): ResolvedServer
}

/** The keys that only servers reached over HTTP have. */
const httpKeys = [
  ...(['url', 'url_from_env', 'headers', 'forward_client_headers'] as const),
  ...(['subscription_transport', 'subscription_url'] as const),
]

/** All kinds of servers. */
export class ServerKinds {
  readonly #kinds: ServerKind[] = []
  /** The members of the schemas of definitions, which later kinds extend. They are compiled at the first use. */
  readonly #schemas: { readonly members: TProperties; readonly options: ObjectOptions }[] = []

  add(kind: ServerKind): void {
    this.#kinds.push(kind)
    for (const { members, options } of this.#schemas) extend(members, kind, options)
  }

  /** The members of a definition's schema with those of all kinds. */
  properties(members: TProperties, options: ObjectOptions): TProperties {
    for (const kind of this.#kinds) extend(members, kind, options)
    this.#schemas.push({ members, options })
    return members
  }

  /** The kind of a definition. */
  of(definition: RemoteSchemaDefinition): ServerKind {
    const isOf = ({ key }: ServerKind) => key !== null && definition[key] !== undefined
    return this.#kinds.find(isOf) ?? this.#kinds.find(({ key }) => key === null)!
  }

  /** Refuses a definition with keys of several kinds. */
  check(definition: RemoteSchemaDefinition): void {
    const { key } = this.of(definition)
    if (key === null) return
    const others = this.#kinds.flatMap((kind) => (kind.key === null || kind.key === key ? [] : [kind.key]))
    const other = [...httpKeys, ...others].find((each) => definition[each] !== undefined)
    if (other === undefined) return
    throw badRequest('invalid-params', `both \`${key}\` and \`${other}\` can't be present`)
  }
}

function extend(members: TProperties, { key, schema }: ServerKind, options: ObjectOptions): void {
  if (key !== null && schema) members[key] = Type.Optional(schema(options))
}
