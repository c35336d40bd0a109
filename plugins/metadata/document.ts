// Exporting, clearing and reloading the metadata.

import { original } from 'immer'
import { Type } from '../../sdk/index.ts'
import { type MetadataService, operation } from '../../sdk/metadata.ts'

/** `export_metadata`, whose version 2 wraps the document together with its version. */
export const exportMetadata = (service: MetadataService) => [
  operation({
    type: 'export_metadata',
    about: { summary: 'Answers with all metadata as one document.', result: () => service.format.schema() },
    args: Type.Unknown(),
    editsMetadata: false,
    handle: ({ metadata }) => service.format.write(metadata),
  }),
  operation({
    type: 'export_metadata',
    version: 2,
    about: {
      summary: 'Answers with all metadata as one document, and its version.',
      result: () => Type.Object({ resource_version: Type.Integer(), metadata: service.format.schema() }),
    },
    args: Type.Unknown(),
    editsMetadata: false,
    handle: ({ metadata, model }) => ({
      resource_version: model.resourceVersion,
      metadata: service.format.write(metadata),
    }),
  }),
]

export const clearMetadata = (service: MetadataService) =>
  operation({
    type: 'clear_metadata',
    about: { summary: 'Forgets all metadata.' },
    args: Type.Unknown(),
    check: 'strict',
    handle: ({ metadata }) => service.format.clear(metadata),
  })

const ReloadMetadataArgs = Type.Union([
  Type.Object({ reload_remote_schemas: Type.Optional(Type.Boolean()) }),
  Type.Unknown(),
])

export const reloadMetadata = (service: MetadataService) =>
  operation({
    type: 'reload_metadata',
    about: { summary: 'Reads the database and the stored metadata again.' },
    args: ReloadMetadataArgs,
    async handle({ metadata, transaction, refreshCatalog }) {
      const stored = await service.readStoredDocument(transaction)
      // What earlier members of a bulk edited is not stored yet.
      if (original(metadata) === service.document) service.format.overwrite(metadata, stored)
      refreshCatalog('all')
    },
  })
