// The metadata API: its endpoint, and the operations on the metadata as a whole.

import { definePlugin } from '../../sdk/index.ts'
import { clearMetadata, exportMetadata, exportMetadataV2, reloadMetadata } from './document.ts'
import { dropInconsistentMetadata, dumpInternalState, getInconsistentMetadata } from './inconsistencies.ts'
import { replaceMetadata, replaceMetadataV2, validateMetadata } from './replace.ts'
import { bulk, queryRoute } from './requests.ts'

export default definePlugin({
  name: 'metadata',
  register({ settings, dialect, operations, routes, metadata, environment }) {
    operations.add(bulk, exportMetadata, exportMetadataV2, replaceMetadata, replaceMetadataV2)
    operations.add(validateMetadata, clearMetadata, reloadMetadata(metadata.service))
    operations.add(getInconsistentMetadata, dropInconsistentMetadata, dumpInternalState(environment))
    routes.add(queryRoute(metadata.service, { settings, dialect }))
  },
})
