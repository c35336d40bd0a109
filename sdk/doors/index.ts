// The promised part of the SDK for plugins, options, errors, sessions and names. Names leave it only in a major release.

export {
  badRequest,
  type CommandCall,
  type CommandFlag,
  type ConfigurationMember,
  type Dialect,
  definePlugin,
  didYouMean,
  type Engine,
  type ErrorCode,
  type ErrorDetails,
  type ErrorHelp,
  environment,
  internalError,
  isAdmin,
  nameKey,
  notFound,
  type OpenApis,
  type OptionValues,
  option,
  type Path,
  type PathKey,
  type Plugin,
  type PluginCommand,
  type PluginDefinition,
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
