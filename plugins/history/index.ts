// The history of the metadata: who changed what and when, and the way back.

import { definePlugin } from '../../sdk/index.ts'
import { historyMigrations } from './migrations.ts'
import { getMetadataHistory, revertMetadata } from './operations.ts'
import { recordChange } from './record.ts'

export { readVersion } from './read.ts'

export default definePlugin({
  name: 'history',
  dependencies: ['metadata'],
  migrations: historyMigrations,
  register({ database, metadata, operations }) {
    metadata.record(recordChange)
    operations.add(getMetadataHistory, revertMetadata(database))
  },
})
