// The interface of version 2: its endpoints, and its names and forms of the operations that other plugins declare.

import { definePlugin, type Engine } from '../../sdk/index.ts'
import { bulkAtomic, bulkKeepGoing, concurrentBulk } from './batches.ts'
import { getSourceTables, getSourceTrackables, getTableInfo } from './database-objects.ts'
import {
  getFeatureFlag,
  getSourceKindCapabilities,
  listSourceKinds,
  removeMetricsConfig,
  setMetricsConfig,
} from './features.ts'
import { v1QueryForm } from './forms.ts'
import {
  createLogicalModelPermission,
  dropLogicalModelPermission,
  logicalModelOperations,
  nativeQueryOperations,
} from './native-queries.ts'
import { routesOf } from './routes.ts'
import { addSource, dropSource, renameSource, setQueryTags, updateSource } from './sources.ts'

export default definePlugin({
  name: 'v2-interface',
  dependencies: ['metadata', 'tables'],
  register(engine) {
    const { settings, operations, routes, metadata } = engine
    operations.add(bulkKeepGoing, bulkAtomic, concurrentBulk)
    operations.add(addSource, updateSource, renameSource, dropSource, setQueryTags)
    operations.add(getSourceTables, getSourceTrackables, getTableInfo)
    operations.add(listSourceKinds, getSourceKindCapabilities, getFeatureFlag)
    operations.add(...nativeQueryOperations, ...logicalModelOperations)
    operations.add(createLogicalModelPermission, dropLogicalModelPermission)
    operations.add(setMetricsConfig, removeMetricsConfig)
    if (settings.graphqlInterface === '2') {
      operations.form(v1QueryForm)
      engine.onReady(() => logSource(engine))
    }
    routes.add(...routesOf(metadata.service, engine))
  },
})

/** One line for the source, as tools that watch the start of version 2 expect. */
function logSource({ model, observe }: Pick<Engine, 'model' | 'observe'>): void {
  const info = { source: model.slices.source?.name, kind: 'postgres' }
  observe.log({ type: 'startup', level: 'info', detail: { kind: 'resolve_source', info } })
}
