// `replace_metadata`: a document takes the place of everything that documents hold.

import { type Dialect, type TSchema, Type } from '../../sdk/index.ts'
import {
  decode,
  type MetadataDocument,
  type MetadataService,
  type Operation,
  operation,
  own,
  type ReadDocument,
  unexpectedKey,
  type WireObject,
} from '../../sdk/metadata.ts'
import { jsonType } from '../../sdk/services.ts'
import { ConsistencyReport, consistencyReport } from './inconsistencies.ts'

/** A document as it was read, which takes what all plugins declared: see `decode` of the operations. */
const GivenDocument = Type.Unsafe<ReadDocument>(Type.Unknown())

const ReplaceMetadataV2Args = Type.Object({
  allow_inconsistent_metadata: Type.Optional(Type.Boolean()),
  metadata: GivenDocument,
})

/** `replace_metadata`, whose version 2 may keep a document with inconsistent objects. */
export function replaceMetadata(service: MetadataService, dialect: Dialect): readonly Operation<TSchema>[] {
  const { format } = service
  const replace = async (draft: MetadataDocument, document: ReadDocument) => {
    await format.validate(document)
    format.fill(draft, document.content)
  }
  return [
    operation({
      type: 'replace_metadata',
      about: {
        summary: 'Replaces all metadata by a document.',
        args: () => Type.Union([format.givenSchema(), exportedSchema(format.givenSchema())]),
      },
      args: GivenDocument,
      check: 'strict',
      decode: (args) => (isExported(args) ? readExported(args, service) : format.read(args)),
      handle: ({ metadata }, document) => replace(metadata, document),
    }),
    operation({
      type: 'replace_metadata',
      version: 2,
      about: {
        summary: 'Replaces all metadata by a document, which may be inconsistent where that is allowed.',
        args: () => Type.Object({ ...ReplaceMetadataV2Args.properties, metadata: format.givenSchema() }),
        result: ConsistencyReport,
      },
      args: ReplaceMetadataV2Args,
      check: ({ allow_inconsistent_metadata: allow = false }) => (allow ? 'none' : 'strict'),
      async decode(args) {
        const given = decode(ReplaceMetadataV2Args, args)
        return { ...given, metadata: await format.read(given.metadata, ['metadata']) }
      },
      handle: ({ metadata }, args) => replace(metadata, args.metadata),
      respond: ({ inconsistencies }) => consistencyReport(inconsistencies, dialect),
    }),
  ]
}

const exportedSchema = (document: TSchema) =>
  Type.Object({ resource_version: Type.Optional(Type.Integer()), metadata: document }, { additionalProperties: false })

/** Whether this is what version 2 of `export_metadata` answers: a document and its version. */
const isExported = (args: unknown): args is WireObject =>
  jsonType(args) === 'Object' && jsonType(own(args as WireObject, 'metadata')) === 'Object'

/** The version is that of the engine that exported it, and says nothing here. */
function readExported(args: WireObject, { format }: MetadataService): Promise<ReadDocument> {
  const other = Object.keys(args).find((key) => key !== 'metadata' && key !== 'resource_version')
  if (other !== undefined) throw unexpectedKey([], other)
  return format.read(own(args, 'metadata'), ['metadata'])
}
