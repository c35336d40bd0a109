// The metadata API: its endpoint, and the operations on the metadata as a whole.

import { definePlugin, option } from '../../sdk/index.ts'
import { clearMetadata, exportMetadata, exportMetadataV2, reloadMetadata } from './document.ts'
import { dropInconsistentMetadata, dumpInternalState, getInconsistentMetadata } from './inconsistencies.ts'
import { refuseChanges } from './maintenance.ts'
import { replaceMetadata, replaceMetadataV2, validateMetadata } from './replace.ts'
import { bulk, queryRoute } from './requests.ts'

export default definePlugin({
  name: 'metadata',
  options: {
    enableMaintenanceMode: option.flagOnly({
      flag: 'enable-maintenance-mode',
      variable: 'ENABLE_MAINTENANCE_MODE',
      description: 'refuse each change of the metadata, for a time such as that of an upgrade; all else is served',
    }),
  },
  register({ settings, options, dialect, operations, routes, metadata, environment }) {
    if (options.enableMaintenanceMode) metadata.record(refuseChanges)
    operations.add(bulk, exportMetadata, exportMetadataV2, replaceMetadata, replaceMetadataV2)
    operations.add(validateMetadata, clearMetadata, reloadMetadata(metadata.service))
    operations.add(getInconsistentMetadata, dropInconsistentMetadata, dumpInternalState(environment))
    routes.add(queryRoute(metadata.service, { settings, dialect }))
  },
})
