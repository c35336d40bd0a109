// Query collections, and the allow-list: which of them roles other than `admin` may run.

import { definePlugin } from '../../sdk/index.ts'
import { allowListCheck } from './allow-list.ts'
import { allowlistSlice, queryCollectionsSlice } from './metadata.ts'
import {
  addCollectionToAllowlist,
  addQueryToCollection,
  createQueryCollection,
  dropCollectionFromAllowlist,
  dropQueryCollection,
  dropQueryFromCollection,
} from './operations.ts'

export default definePlugin({
  name: 'collections',
  dependencies: ['metadata'],
  register(engine) {
    engine.metadata.slice('query_collections', queryCollectionsSlice)
    engine.metadata.slice('allowlist', allowlistSlice)
    engine.operations.add(createQueryCollection, dropQueryCollection, addQueryToCollection, dropQueryFromCollection)
    engine.operations.add(addCollectionToAllowlist, dropCollectionFromAllowlist)
    if (engine.settings.enableAllowlist) engine.around({ document: allowListCheck(() => engine.model) })
  },
})
