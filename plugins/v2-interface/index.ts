// The interface of version 2: its endpoints, and its names and forms of the operations that other plugins declare.

import { definePlugin } from '../../sdk/index.ts'
import { bulkAtomic, bulkKeepGoing, concurrentBulk } from './batches.ts'
import { formerForm } from './forms.ts'
import { routesOf } from './routes.ts'
import { addSource, dropSource, getSourceTables, listSourceKinds, renameSource, updateSource } from './sources.ts'

export default definePlugin({
  name: 'v2-interface',
  dependencies: ['metadata', 'tables'],
  register({ settings, operations, routes, metadata }) {
    operations.add(bulkKeepGoing, bulkAtomic, concurrentBulk)
    operations.add(addSource, updateSource, renameSource, dropSource, listSourceKinds, getSourceTables)
    if (settings.graphqlInterface === '2') operations.form(formerForm)
    routes.add(...routesOf(metadata.service, settings))
  },
})
