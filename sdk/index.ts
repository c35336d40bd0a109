// All names that built-in plugins import. The part that the package promises is in `doors/`.

export {
  Kind,
  KindGuard,
  type ObjectOptions,
  OptionalKind,
  type Static,
  type TObject,
  type TProperties,
  type TRecord,
  type TSchema,
  type TTuple,
  type TUnion,
  Type,
} from '@sinclair/typebox'
export type { AuthSettings } from '../core/auth/options.ts'
export type { Migration } from '../core/database/migrations/migration.ts'
export type { AllSettings, Settings } from '../core/engine/options.ts'
export {
  type CommandCall,
  type CommandFlag,
  type ConfigurationEntry,
  type ConfigurationMember,
  type DescribedPlugin,
  definePlugin,
  type Engine,
  type OpenApis,
  type OptionValues,
  type Plugin,
  type PluginCommand,
  type PluginDefinition,
  type PluginName,
  type PluginOptions,
} from '../core/engine/plugin.ts'
export { type ServiceKey, serviceKey } from '../core/engine/service-key.ts'
export { blaming } from '../core/errors/blame.ts'
export type { ErrorCode, ErrorDetails, LaterWords } from '../core/errors/errors.ts'
export {
  badRequest,
  type ErrorHelp,
  flatError,
  graphqlError,
  internalError,
  notFound,
  parseFailed,
  TrellisError,
  toTrellisError,
  unauthorized,
  validationFailed,
  within,
} from '../core/errors/errors.ts'
export { didYouMean } from '../core/errors/nearest.ts'
export type { PathKey } from '../core/errors/path.ts'
export { below, type Path, pathKeys, pathText } from '../core/errors/path.ts'
export { OptionRefusal, StartError } from '../core/errors/start-error.ts'
export { codeOf, messageOf, messageWithCause, stackOf } from '../core/errors/thrown.ts'
export type { GraphQLSettings, RequestSettings } from '../core/graphql/options.ts'
export type { HttpSettings, ServerSettings } from '../core/http/options.ts'
export type { Dialect, DialectName } from '../core/names/dialect.ts'
export {
  compareNames,
  compareText,
  graphqlBaseName,
  isEnumValueName,
  isGraphQLName,
  nameKey,
  nameText,
  type QualifiedName,
  sameName,
} from '../core/names/names.ts'
export { reportedVersion, version } from '../core/names/version.ts'
export { environment, environmentValue } from '../core/options/environment.ts'
export * as option from '../core/options/option-kinds.ts'
export type {
  AnySettings,
  Authentication,
  Option,
  OptionDeclaration,
  OptionKind,
  SettingsOf,
  TypedOption,
} from '../core/options/option-values.ts'
export { foreignHint, type Identity, isAdmin, type Session, sessionVariableName } from '../core/session/session.ts'
export type { SessionSettings } from '../core/session/session-settings.ts'
export * from './access.ts'
export * from './graphql.ts'
export * from './http.ts'
export * from './metadata.ts'
export * from './services.ts'
export * from './sql.ts'
