// The shapes of remote schemas in arguments of operations and in documents.

import { badRequest, compareText, type Dialect, type ObjectOptions, type TProperties, Type } from '../../sdk/index.ts'
import {
  type ConfiguredHeader,
  type ConfiguredUrl,
  checkUrl,
  configuredHeader,
  GraphQLName,
  ObjectName,
  urlSchema,
} from '../../sdk/metadata.ts'
import { type GivenDefinitions, relationshipsSchema, type TypeRelationships } from './type-relationship-shapes.ts'

/** Rules for local names; a mapping wins over prefix and suffix. */
export interface NameChanges {
  prefix?: string
  suffix?: string
  mapping?: Record<string, string>
}

/** The local names of a remote schema, where they differ from the server's. */
export interface Customization {
  root_fields_namespace?: string
  type_names?: NameChanges
  field_names?: (NameChanges & { parent_type: string })[]
}

/** The transport of subscriptions: a WebSocket with `graphql-transport-ws`, or server-sent events. */
export type SubscriptionTransport = 'websocket' | 'sse'

/** The definition of a remote schema in the metadata. */
export interface RemoteSchemaDefinition {
  url?: string
  url_from_env?: string
  headers?: ConfiguredHeader[]
  forward_client_headers?: boolean
  timeout_seconds?: number
  /** Absent: the first that the server accepts. */
  subscription_transport?: SubscriptionTransport
  /** Absent: the URL for other requests. */
  subscription_url?: ConfiguredUrl
  customization?: Customization
  /** The schema that a plugin adds under this name, instead of a URL. */
  plugin?: string
  /** Whether it is served only as a part of others. */
  hidden?: boolean
}

/** The permission of a role: a part of the remote schema in SDL, or `*`. */
export interface RemoteSchemaPermission {
  role: string
  definition: { schema: string }
  comment?: string
}

/** A remote schema in the metadata. */
export interface RemoteSchemaEntry {
  name: string
  definition: RemoteSchemaDefinition
  comment?: string
  permissions?: RemoteSchemaPermission[]
  remote_relationships?: TypeRelationships[]
}

declare module '../../sdk/registry.ts' {
  interface DocumentSlices {
    remote_schemas: RemoteSchemaEntry[]
  }
}

/** The error for a definition with two URLs. */
export const severalUrls = () => badRequest('invalid-params', "both `url` and `url_from_env` can't be present")

/** The HTTP URL for a `ws` or `wss` URL. */
export const asHttpUrl = (text: string): string => text.replace(/^ws(?=s?:)/i, 'http')

function checkSocketUrl(text: string): string {
  checkUrl(asHttpUrl(text))
  return text
}

const NameChangesOf = (options: ObjectOptions, more = {}) =>
  Type.Object(
    {
      ...more,
      prefix: Type.Optional(GraphQLName),
      suffix: Type.Optional(Type.String({ pattern: '^[_0-9A-Za-z]*$' })),
      mapping: Type.Optional(Type.Record(Type.String(), GraphQLName)),
    },
    options,
  )

const customization = (options: ObjectOptions) =>
  Type.Object(
    {
      root_fields_namespace: Type.Optional(GraphQLName),
      type_names: Type.Optional(NameChangesOf(options)),
      field_names: Type.Optional(Type.Array(NameChangesOf(options, { parent_type: GraphQLName }))),
    },
    options,
  )

interface GivenDefinition extends Omit<RemoteSchemaDefinition, 'url'> {
  url?: ConfiguredUrl
}

/** Leaves out members with default values. Documents name a variable that holds the URL by `url_from_env`. */
function canonical({ url, headers = [], forward_client_headers: forward, hidden, ...rest }: GivenDefinition) {
  const isVariable = typeof url === 'object'
  if (isVariable && rest.url_from_env !== undefined) throw severalUrls()
  return {
    ...(isVariable ? { url_from_env: url.from_env } : url !== undefined && { url }),
    ...rest,
    ...(headers.length > 0 && { headers }),
    ...(forward === true && { forward_client_headers: true }),
    ...(hidden === true && { hidden: true }),
  }
}

/** The part of the kinds of servers that the shapes depend on. */
export interface DefinitionKinds {
  properties(members: TProperties, options: ObjectOptions): TProperties
  check(definition: RemoteSchemaDefinition): void
}

/** The services that the shapes depend on. */
export interface Shaping<
  Kinds extends DefinitionKinds = DefinitionKinds,
  Relationships extends GivenDefinitions = GivenDefinitions,
> {
  readonly dialect: Dialect
  readonly kinds: Kinds
  readonly relationships: Relationships
}

const definition = ({ dialect, kinds }: Shaping, options: ObjectOptions) => {
  const members = {
    url: Type.Optional(urlSchema('https://crm.example.com/graphql')),
    url_from_env: Type.Optional(Type.String({ minLength: 1 })),
    headers: Type.Optional(Type.Array(configuredHeader(dialect))),
    forward_client_headers: Type.Optional(Type.Boolean()),
    timeout_seconds: Type.Optional(Type.Integer({ minimum: 0 })),
    subscription_transport: Type.Optional(Type.Union([Type.Literal('websocket'), Type.Literal('sse')])),
    subscription_url: Type.Optional(urlSchema('wss://crm.example.com/graphql', checkSocketUrl)),
    customization: Type.Optional(customization(options)),
    hidden: Type.Optional(Type.Boolean()),
  }
  const convert = (given: GivenDefinition): RemoteSchemaDefinition => {
    const converted = canonical(given)
    kinds.check(converted)
    return converted
  }
  return Type.Object(kinds.properties(members, options), { ...options, missingKey: 'A', convert })
}

const comment = Type.Optional(Type.String())

const permission = (options: ObjectOptions) =>
  Type.Object({ role: ObjectName, definition: Type.Object({ schema: Type.String() }, options), comment }, options)

/** Sorts permissions, and leaves out empty lists. */
const canonicalEntry = ({
  permissions = [],
  remote_relationships = [],
  ...rest
}: RemoteSchemaEntry): RemoteSchemaEntry => ({
  ...rest,
  ...(permissions.length > 0 && { permissions: [...permissions].sort((a, b) => compareText(a.role, b.role)) }),
  ...(remote_relationships.length > 0 && { remote_relationships }),
})

const laterKeys = ['remote_relationships']

/** The arguments of `add_remote_schema` and `update_remote_schema`. */
export const remoteSchemaArgs = (shaping: Shaping) =>
  Type.Unsafe<RemoteSchemaEntry>(
    Type.Object({ name: ObjectName, definition: definition(shaping, {}), comment }, { laterKeys }),
  )

/** `remote_schemas` of a document. */
export function documentSchema(shaping: Shaping) {
  const closed = { additionalProperties: false }
  const permissions = Type.Optional(Type.Array(permission(closed)))
  const remote_relationships = Type.Optional(relationshipsSchema(shaping.relationships))
  const entry = {
    name: ObjectName,
    definition: definition(shaping, closed),
    comment,
    permissions,
    remote_relationships,
  }
  const options = { ...closed, convert: canonicalEntry }
  return Type.Array(Type.Unsafe<RemoteSchemaEntry>(Type.Object(entry, options)))
}

export const RemoteSchemaName = Type.Object({ name: ObjectName })

export const AddPermissionArgs = Type.Object({
  remote_schema: ObjectName,
  role: ObjectName,
  definition: Type.Object({ schema: Type.String({ examples: ['type Query { user(id: ID!): User }'] }) }),
  comment,
})

export const DropPermissionArgs = Type.Object({ remote_schema: ObjectName, role: ObjectName })
