// `replace_metadata`: a document takes the place of everything that documents hold.

import { type TSchema, Type } from '@sinclair/typebox'
import type { Dialect } from '../../core/dialect.ts'
import { toTrellisError } from '../../core/errors.ts'
import type { MetadataDocument } from '../../core/metadata/document.ts'
import type { MetadataService } from '../../core/metadata/service.ts'
import { decode } from '../../core/operations/decode.ts'
import { type Operation, operation } from '../../core/operations/operation.ts'
import { ConsistencyReport, consistencyReport } from './inconsistencies.ts'

/** A document in its stored form: reading it takes what all plugins declared, see `decode` of the operations. */
const StoredDocument = Type.Unsafe<MetadataDocument>(Type.Unknown())

const ReplaceMetadataV2Args = Type.Object({
  allow_inconsistent_metadata: Type.Optional(Type.Boolean()),
  metadata: StoredDocument,
})

/** `replace_metadata`, whose version 2 may keep a document with inconsistent objects. */
export function replaceMetadata(service: MetadataService, dialect: Dialect): readonly Operation<TSchema>[] {
  const { format } = service
  const replace = async (draft: MetadataDocument, document: MetadataDocument) => {
    await format.validate(document)
    format.fill(draft, document)
  }
  return [
    operation({
      type: 'replace_metadata',
      about: { summary: 'Replaces all metadata by a document.', args: () => format.schema() },
      args: StoredDocument,
      check: 'strict',
      decode: (args) => format.read(args),
      handle: ({ metadata }, document) => replace(metadata, document),
    }),
    operation({
      type: 'replace_metadata',
      version: 2,
      about: {
        summary: 'Replaces all metadata by a document, which may be inconsistent where that is allowed.',
        args: () => Type.Object({ ...ReplaceMetadataV2Args.properties, metadata: format.schema() }),
        result: ConsistencyReport,
      },
      args: ReplaceMetadataV2Args,
      check: ({ allow_inconsistent_metadata: allow = false }) => (allow ? 'none' : 'strict'),
      async decode(args) {
        const given = decode(ReplaceMetadataV2Args, args)
        return { ...given, metadata: await inMetadata(() => format.read(given.metadata)) }
      },
      handle: ({ metadata }, args) => inMetadata(() => replace(metadata, args.metadata)),
      respond: ({ inconsistencies }) => consistencyReport(inconsistencies, dialect),
    }),
  ]
}

/** Runs `work` on the member `metadata` of the arguments; its errors are located there. */
async function inMetadata<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw toTrellisError(error).at('metadata')
  }
}
