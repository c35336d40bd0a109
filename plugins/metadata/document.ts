// Exporting, clearing and reloading the metadata.

import { Type } from '../../sdk/index.ts'
import { operation, own, type WantedSource } from '../../sdk/metadata.ts'
import { isJsonObject } from '../../sdk/services.ts'

export const exportMetadata = operation({
  type: 'export_metadata',
  about: { summary: 'Answers with all metadata as one document.', result: ({ format }) => format.schema() },
  args: Type.Unknown(),
  editsMetadata: false,
  onlyReads: true,
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
  onlyReads: true,
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

const ReloadMetadataArgs = Type.Unknown({
  shown: Type.Union([Type.Object({ reload_remote_schemas: Type.Optional(Type.Boolean()) }), Type.Unknown()]),
})

/** Whether an argument that is true, or a list of ids, asks for a source. */
function asksFor(args: unknown, { id, reloadedBy }: WantedSource): boolean {
  if (reloadedBy === undefined) return true
  const asked = isJsonObject(args) ? own(args, reloadedBy) : undefined
  return asked === true || (Array.isArray(asked) && asked.includes(id))
}

export const reloadMetadata = operation({
  type: 'reload_metadata',
  about: { summary: 'Reads the database and the stored metadata again.' },
  args: ReloadMetadataArgs,
  sources: (args, { metadata, wanted }) =>
    wanted(metadata)
      .filter((each) => asksFor(args, each))
      .map((each) => ({ ...each, isOptional: true })),
  async handle({ refreshDocument, refreshCatalog }) {
    await refreshDocument()
    refreshCatalog('all')
  },
})
