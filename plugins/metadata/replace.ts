// `replace_metadata`: a document replaces everything that documents can hold.

import { type TSchema, Type } from '../../sdk/index.ts'
import {
  type DocumentFormat,
  decode,
  inconsistencyJson,
  type OperationContext,
  operation,
  own,
  type ReadDocument,
  type SourceRequest,
  type SourcesContext,
  unexpectedKey,
  unknownKeysIn,
  type WireObject,
} from '../../sdk/metadata.ts'
import { isJsonObject, jsonType } from '../../sdk/services.ts'
import { ConsistencyReport, consistencyReport, listingForm } from './inconsistencies.ts'

/** A decoded document. It may contain keys of all plugins, so `decode` of the operations reads it. */
const GivenDocument = Type.Unsafe<ReadDocument>(Type.Unknown())

const DryRun = Type.Optional(Type.Boolean())

const ReplaceMetadataV2Args = Type.Object({
  allow_inconsistent_metadata: Type.Optional(Type.Boolean()),
  // Faults are inconsistent objects here, so there are no warnings.
  allow_warnings: Type.Optional(Type.Boolean()),
  dry_run: DryRun,
  metadata: GivenDocument,
})

const PassedOver = Type.Optional(
  Type.Array(Type.Object({ reason: Type.String() }, { additionalProperties: true, title: 'PassedOver' })),
)

const ReplacementReport = Type.Object(
  { ...ConsistencyReport.properties, passed_over: PassedOver },
  { title: 'ReplacementReport' },
)

/** A document to replace the metadata, or to try. */
interface Replacement {
  readonly document: ReadDocument
  readonly isDryRun: boolean
}

async function replace({ metadata, format, refreshCatalog }: OperationContext, document: ReadDocument): Promise<void> {
  await format.validate(document)
  format.fill(metadata, document.content)
  // Unchanged entries may refer to tables that have changed in the database.
  refreshCatalog('all')
}

/**
 * Sources that a document needs and that are not known yet. If a fetch fails, the objects that need it are
 * inconsistent.
 */
const sourcesOf = ({ content }: ReadDocument, { wanted, isKnown }: SourcesContext): SourceRequest[] =>
  wanted(content)
    .filter((each) => !isKnown(each))
    .map((each) => ({ ...each, isOptional: true }))

/** The parts of the document that the server passes over, if there are any: ignored ones, and kept ones. */
function passedOver({ ignored }: ReadDocument, context: Pick<OperationContext, 'model' | 'dialect' | 'interface'>) {
  // In interface 2 inconsistent objects are listed beside it, and a connection is kept like all that is not served.
  if (context.interface === '2') {
    const unknown = ignored.filter((each) => each.key !== undefined)
    return unknown.length > 0 ? { passed_over: unknown } : {}
  }
  const kept = context.model.inconsistencies.filter(({ isTolerated }) => isTolerated === true)
  const all = [...ignored, ...kept.map((each) => inconsistencyJson(each, listingForm(context)))]
  return all.length > 0 ? { passed_over: all } : {}
}

export const replaceMetadata = operation({
  type: 'replace_metadata',
  about: {
    summary: 'Replaces all metadata by a document.',
    args: ({ format }) => Type.Union([format.givenSchema(), exportedSchema(format.givenSchema())]),
    result: Type.Union([Type.Object({ message: Type.String(), passed_over: PassedOver }), ReplacementReport]),
  },
  args: Type.Unsafe<Replacement>(Type.Unknown()),
  mayBeLarge: true,
  check: 'strict',
  isDryRun: ({ isDryRun }) => isDryRun,
  async decode(args, { format }) {
    if (isExported(args)) return readExported(args, format)
    return { document: await format.read(args), isDryRun: false }
  },
  sources: ({ document }, context) => sourcesOf(document, context),
  handle: (context, { document }) => replace(context, document),
  respond(after, { document, isDryRun }) {
    const answer = isDryRun ? consistencyReport(after) : { message: 'success' }
    return { ...answer, ...passedOver(document, after) }
  },
})

/** Version 2 may accept a document with inconsistent objects. */
export const replaceMetadataV2 = operation({
  type: 'replace_metadata',
  version: 2,
  about: {
    summary: 'Replaces all metadata by a document; inconsistent objects can be allowed.',
    args: ({ format }) => Type.Object({ ...ReplaceMetadataV2Args.properties, metadata: format.givenSchema() }),
    result: ReplacementReport,
  },
  args: ReplaceMetadataV2Args,
  mayBeLarge: true,
  check: ({ allow_inconsistent_metadata: allow = false }) => (allow ? 'none' : 'strict'),
  isDryRun: ({ dry_run: isDryRun = false }) => isDryRun,
  async decode(args, { dialect, format }) {
    const given = decode(ReplaceMetadataV2Args, args, [], unknownKeysIn(dialect))
    return { ...given, metadata: await format.read(given.metadata, ['metadata']) }
  },
  sources: ({ metadata }, context) => sourcesOf(metadata, context),
  handle: (context, { metadata }) => replace(context, metadata),
  respond: (after, { metadata }) => ({
    ...consistencyReport(after),
    ...passedOver(metadata, after),
  }),
})

const ValidateMetadataArgs = Type.Object({ metadata: GivenDocument }, { missingKey: 'A' })

/** Tries a document: its inconsistent objects are the answer, and nothing changes. */
export const validateMetadata = operation({
  type: 'validate_metadata',
  about: {
    summary: 'Lists what would be inconsistent in a document, and changes nothing.',
    args: ({ format }) => Type.Object({ metadata: format.givenSchema() }),
    result: ReplacementReport,
  },
  args: ValidateMetadataArgs,
  mayBeLarge: true,
  check: 'none',
  isDryRun: () => true,
  async decode(args, { dialect, format }) {
    const given = decode(ValidateMetadataArgs, args, [], unknownKeysIn(dialect))
    return { metadata: await format.read(given.metadata, ['metadata']) }
  },
  sources: ({ metadata }, context) => sourcesOf(metadata, context),
  handle: (context, { metadata }) => replace(context, metadata),
  respond: (after, { metadata }) => ({ ...consistencyReport(after), ...passedOver(metadata, after) }),
})

const exportedSchema = (document: TSchema) =>
  Type.Object(
    { resource_version: Type.Optional(Type.Integer()), metadata: document, dry_run: DryRun },
    { additionalProperties: false },
  )

/** Whether this is a result of version 2 of `export_metadata`: a document and its version. */
const isExported = (args: unknown): args is WireObject =>
  isJsonObject(args) && jsonType(own(args, 'metadata')) === 'Object'

const exportedKeys: readonly string[] = ['metadata', 'resource_version', 'dry_run']

/** Ignores the version, which belongs to the exporting engine. */
async function readExported(args: WireObject, format: DocumentFormat): Promise<Replacement> {
  const other = Object.keys(args).find((key) => !exportedKeys.includes(key))
  if (other !== undefined) throw unexpectedKey([], other)
  const { dry_run: isDryRun = false } = decode(Type.Object({ dry_run: DryRun }), args)
  return { document: await format.read(own(args, 'metadata'), ['metadata']), isDryRun }
}
