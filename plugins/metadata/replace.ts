// `replace_metadata`: a document replaces everything that documents can hold.

import { type TSchema, Type } from '../../sdk/index.ts'
import {
  type DocumentFormat,
  decode,
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
import { ConsistencyReport, consistencyReport } from './inconsistencies.ts'

/** A decoded document. It may contain keys of all plugins, so `decode` of the operations reads it. */
const GivenDocument = Type.Unsafe<ReadDocument>(Type.Unknown())

const ReplaceMetadataV2Args = Type.Object({
  allow_inconsistent_metadata: Type.Optional(Type.Boolean()),
  metadata: GivenDocument,
})

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

export const replaceMetadata = operation({
  type: 'replace_metadata',
  about: {
    summary: 'Replaces all metadata by a document.',
    args: ({ format }) => Type.Union([format.givenSchema(), exportedSchema(format.givenSchema())]),
  },
  args: GivenDocument,
  check: 'strict',
  decode: (args, { format }) => (isExported(args) ? readExported(args, format) : format.read(args)),
  sources: sourcesOf,
  handle: (context, document) => replace(context, document),
})

/** Version 2 may accept a document with inconsistent objects. */
export const replaceMetadataV2 = operation({
  type: 'replace_metadata',
  version: 2,
  about: {
    summary: 'Replaces all metadata by a document; inconsistent objects can be allowed.',
    args: ({ format }) => Type.Object({ ...ReplaceMetadataV2Args.properties, metadata: format.givenSchema() }),
    result: ConsistencyReport,
  },
  args: ReplaceMetadataV2Args,
  check: ({ allow_inconsistent_metadata: allow = false }) => (allow ? 'none' : 'strict'),
  async decode(args, { dialect, format }) {
    const given = decode(ReplaceMetadataV2Args, args, [], unknownKeysIn(dialect))
    return { ...given, metadata: await format.read(given.metadata, ['metadata']) }
  },
  sources: ({ metadata }, context) => sourcesOf(metadata, context),
  handle: (context, { metadata }) => replace(context, metadata),
  respond: ({ model, dialect }) => consistencyReport(model.inconsistencies, dialect),
})

const exportedSchema = (document: TSchema) =>
  Type.Object({ resource_version: Type.Optional(Type.Integer()), metadata: document }, { additionalProperties: false })

/** Whether this is a result of version 2 of `export_metadata`: a document and its version. */
const isExported = (args: unknown): args is WireObject =>
  isJsonObject(args) && jsonType(own(args, 'metadata')) === 'Object'

/** Ignores the version, which belongs to the exporting engine. */
function readExported(args: WireObject, format: DocumentFormat): Promise<ReadDocument> {
  const other = Object.keys(args).find((key) => key !== 'metadata' && key !== 'resource_version')
  if (other !== undefined) throw unexpectedKey([], other)
  return format.read(own(args, 'metadata'), ['metadata'])
}
