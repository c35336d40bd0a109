// Exporting, clearing and reloading the metadata.

import { Type } from '../../sdk/index.ts'
import { operation } from '../../sdk/metadata.ts'

export const exportMetadata = operation({
  type: 'export_metadata',
  about: { summary: 'Answers with all metadata as one document.', result: ({ format }) => format.schema() },
  args: Type.Unknown(),
  editsMetadata: false,
  handle: ({ metadata, format }) => format.write(metadata),
})

/** Version 2 wraps the document together with its version. */
export const exportMetadataV2 = operation({
  type: 'export_metadata',
  version: 2,
  about: {
    summary: 'Answers with all metadata as one document, and its version.',
    result: ({ format }) => Type.Object({ resource_version: Type.Integer(), metadata: format.schema() }),
  },
  args: Type.Unknown(),
  editsMetadata: false,
  handle: ({ metadata, model, format }) => ({
    resource_version: model.resourceVersion,
    metadata: format.write(metadata),
  }),
})

export const clearMetadata = operation({
  type: 'clear_metadata',
  about: { summary: 'Forgets all metadata.' },
  args: Type.Unknown(),
  check: 'strict',
  handle: ({ metadata, format }) => format.clear(metadata),
})

const ReloadMetadataArgs = Type.Union([
  Type.Object({ reload_remote_schemas: Type.Optional(Type.Boolean()) }),
  Type.Unknown(),
])

export const reloadMetadata = operation({
  type: 'reload_metadata',
  about: { summary: 'Reads the database and the stored metadata again.' },
  args: ReloadMetadataArgs,
  async handle({ refreshDocument, refreshCatalog }) {
    await refreshDocument()
    refreshCatalog('all')
  },
})
