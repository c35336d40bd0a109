// The metadata API: its endpoint, and the operations on the metadata as a whole.

import { definePlugin } from '../../sdk/index.ts'
import { bulk } from '../../sdk/metadata.ts'
import { clearMetadata, exportMetadata, reloadMetadata } from './document.ts'
import { dropInconsistentMetadata, dumpInternalState, getInconsistentMetadata } from './inconsistencies.ts'
import { replaceMetadata } from './replace.ts'
import { queryRoute } from './routes.ts'

export default definePlugin({
  name: 'metadata',
  register({ operations, routes, metadata, dialect }) {
    const { service } = metadata
    operations.add(bulk, ...exportMetadata(service), ...replaceMetadata(service, dialect))
    operations.add(clearMetadata(service), reloadMetadata(service))
    operations.add(getInconsistentMetadata(dialect), dropInconsistentMetadata, dumpInternalState)
    routes.add(queryRoute(service))
  },
})
