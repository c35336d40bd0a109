// For plugins that extend the metadata: operations, slices, facets, the resolved model, the catalog.

export { introspectFunctions } from '../core/catalog/functions.ts'
export type { Reader } from '../core/catalog/introspect.ts'
export { introspect } from '../core/catalog/introspect.ts'
export { conflictRefusal, hasRulesOnConflict, isUniqueBy, keysOf } from '../core/catalog/keys.ts'
export { similarFunction, similarName, similarTable } from '../core/catalog/similar-names.ts'
export type * from '../core/catalog/types.ts'
export { builtInType } from '../core/catalog/types.ts'
export type { CustomField, LaterRootFieldKey } from '../core/metadata/document/document.ts'
export {
  laterRootFieldKeys,
  type MetadataDocument,
  type RootFieldKey,
  rootFieldKeys,
  type TableConfiguration,
  type TableEntry,
} from '../core/metadata/document/document.ts'
export type { StoredSource } from '../core/metadata/document/given-document.ts'
export { own, unexpectedKey, type WireObject } from '../core/metadata/document/given-document.ts'
export type {
  ColumnModel,
  ColumnPlace,
  ColumnReader,
  ColumnReading,
  ColumnTransform,
  DeletePermission,
  DependentPart,
  FieldModel,
  InsertPermission,
  MemberValue,
  Model,
  PresetValue,
  RelationshipModel,
  RootFieldVisibility,
  RowCondition,
  SelectPermission,
  TableModel,
  TablePermissions,
  UpdatePermission,
} from '../core/metadata/document/model.ts'
export { memberValue, rowCondition } from '../core/metadata/document/model.ts'
export type { ConflictingObject, DependencyReason } from '../core/metadata/document/objects.ts'
export {
  type Dependency,
  functionRef,
  type Inconsistency,
  type ObjectRef,
  objectKey,
  objectText,
  type Rename,
} from '../core/metadata/document/objects.ts'
export {
  CustomColumnNames,
  CustomRootFields,
  completeConfiguration,
  customRootField,
  DocumentTableConfig,
  isEmptyConfiguration,
  TableConfig,
  withColumnsRenamed,
} from '../core/metadata/document/table-configuration.ts'
export { camelCase, withSuffix } from '../core/metadata/naming/casing.ts'
export type { RootFieldIndex, Tables } from '../core/metadata/naming/root-field-index.ts'
export { rootFieldIndex } from '../core/metadata/naming/root-field-index.ts'
export {
  basesOfRootField,
  basesWithin,
  generatedRootFieldName,
  nameAround,
} from '../core/metadata/naming/root-field-names.ts'
export type {
  ClaimedNames,
  ConflictWording,
  NameConflict,
  RootFieldNames,
} from '../core/metadata/naming/root-fields.ts'
export { type Affixes, Customization, type SourceNaming } from '../core/metadata/naming/source-naming.ts'
export { conflictingDefinitions, type GeneratedTypes } from '../core/metadata/naming/type-names.ts'
export type { ConsistencyCheck } from '../core/metadata/resolving/consistency.ts'
export { inconsistencyJson, inconsistentObjects, type ListingForm } from '../core/metadata/resolving/consistency.ts'
export { dependenciesOn, withDependents } from '../core/metadata/resolving/dependencies.ts'
export { withReasons } from '../core/metadata/resolving/reasons.ts'
export { recordingTables } from '../core/metadata/resolving/recording-tables.ts'
export type { BaseInput, BaseResult } from '../core/metadata/resolving/table-base.ts'
export { resolveBase } from '../core/metadata/resolving/table-base.ts'
export { dependentText, reasonText, type Wording, wordingOf } from '../core/metadata/resolving/wording.ts'
export type { DocumentFormat, ReadDocument } from '../core/metadata/slices/document-format.ts'
export {
  checkSourceSettings,
  requireSource,
  type SourceModel,
  sourceName,
  unnamedSource,
} from '../core/metadata/slices/given-source.ts'
export type { DocumentParts } from '../core/metadata/slices/parts.ts'
export { QueryTags, type TagFormat } from '../core/metadata/slices/query-tags.ts'
export type { Author, ChangeRecorder, PartChange, PartPlace, RecordedChange } from '../core/metadata/slices/recorder.ts'
export {
  type ClaimedTypes,
  type Facet,
  type FacetDefinition,
  type FacetFormat,
  type FormatContext,
  findTable,
  type ModelChange,
  type ModelCheck,
  type ModelEffect,
  type ObjectDescription,
  type RenamePlace,
  type ResolveContext,
  type Slice,
  type SliceContext,
  type SliceDefinition,
  type SliceEntry,
  type SliceRenamePlace,
  type SliceTypes,
  type TableDraft,
  type TypesOfSlice,
} from '../core/metadata/slices/slices.ts'
export type { Source, SourceContext, SourceState, WantedSource } from '../core/metadata/slices/sources.ts'
export type { InterfaceName } from '../core/names/version.ts'
export type { MemberOutcome } from '../core/operations/members.ts'
export type { AccessMode, ByArguments } from '../core/operations/operation.ts'
export {
  type DescriptionEnvironment,
  type MemberRequest,
  mayEdit,
  type Operation,
  type OperationContext,
  type OperationDescription,
  type OperationEnvironment,
  operation,
  type Preview,
  type SourceRequest,
  type SourcesContext,
} from '../core/operations/operation.ts'
export type { OperationOwner, RegisteredOperation } from '../core/operations/registry.ts'
export {
  type FoundOperation,
  type NamedRequest,
  type OperationFinder,
  plainForm,
  type RequestForm,
} from '../core/operations/request-form.ts'
export type { MetadataService, RequestOptions } from '../core/operations/service.ts'
export type { Trial } from '../core/operations/trial.ts'
export { type ConfiguredUrl, checkUrl, type UrlFromEnv, urlSchema } from '../core/outgoing/configured-url.ts'
export {
  type ConfiguredHeader,
  configuredHeader,
  type HeaderFromEnv,
  type HeaderFromValue,
  readHeaderName,
} from '../core/wire/configured-header.ts'
export {
  type DecodeOptions,
  type DecodePart,
  decode,
  decodeOptions,
  type UnknownKeys,
  unknownKeysIn,
} from '../core/wire/decode.ts'
export { ContainedJson, PointInTime } from '../core/wire/log-filter.ts'
export {
  ColumnName,
  DocumentTableName,
  GraphQLName,
  NoArguments,
  ObjectName,
  SourceName,
  TableName,
  VerbatimObject,
} from '../core/wire/types.ts'
