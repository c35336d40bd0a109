// The promised part of the SDK for plugins, options, errors, sessions and names. Names leave it only in a major release.

declare module '../registry.ts' {
  interface PluginNames {
    actions: true
    'auth-jwt': true
    'auth-webhook': true
    'catalog-state': true
    collections: true
    'computed-fields': true
    config: true
    console: true
    'custom-types': true
    data: true
    delivery: true
    developer: true
    'event-triggers': true
    explain: true
    federation: true
    feed: true
    functions: true
    graphiql: true
    graphql: true
    health: true
    history: true
    'inherited-roles': true
    introspection: true
    jobs: true
    limits: true
    mcp: true
    metadata: true
    metrics: true
    network: true
    openapi: true
    permissions: true
    'pg-dump': true
    postgis: true
    'rate-limit': true
    relationships: true
    relay: true
    'remote-relationships': true
    'remote-schemas': true
    'rest-endpoints': true
    'role-schemas': true
    scheduled: true
    simulate: true
    sql: true
    stitching: true
    streaming: true
    subscriptions: true
    tables: true
    tracing: true
    transforms: true
    'v1-tables': true
    'v2-interface': true
    version: true
  }
}

export {
  badRequest,
  type CommandCall,
  type CommandFlag,
  type ConfigurationMember,
  type DescribedPlugin,
  type Dialect,
  definePlugin,
  didYouMean,
  type Engine,
  type ErrorCode,
  type ErrorDetails,
  type ErrorHelp,
  environment,
  type Identity,
  internalError,
  isAdmin,
  nameKey,
  notFound,
  type OpenApis,
  OptionRefusal,
  type OptionValues,
  option,
  type Path,
  type PathKey,
  type Plugin,
  type PluginCommand,
  type PluginDefinition,
  type PluginName,
  type PluginOptions,
  parseFailed,
  type QualifiedName,
  type RequestSettings,
  type ServiceKey,
  type Session,
  type SessionSettings,
  type Settings,
  StartError,
  type Static,
  sameName,
  serviceKey,
  TrellisError,
  type TSchema,
  Type,
  unauthorized,
  validationFailed,
  version,
} from '../index.ts'
export * from './access.ts'
export * from './graphql.ts'
export * from './http.ts'
export * from './metadata.ts'
export * from './services.ts'
export * from './sql.ts'
