// Query collections, and the allow-list: which of them roles other than `admin` may run.

import { definePlugin, option, serviceKey, Type } from '../../sdk/index.ts'
import { allowListCheck, allowListGate, allowlistSlice, type DocumentGate, queryCollectionsSlice } from './metadata.ts'
import {
  addCollectionToAllowlist,
  addQueryToCollection,
  createQueryCollection,
  dropCollectionFromAllowlist,
  dropQueryCollection,
  dropQueryFromCollection,
  renameQueryCollection,
  updateScopeInAllowlist,
} from './operations.ts'
import { collectionsCheck, type QueryUse, queryUses } from './validity.ts'

export { allowedQueries } from './allowed-queries.ts'
export { type QueryUse, queryUses } from './validity.ts'

/** Tells which documents a session may run. */
export const documentGate = serviceKey<DocumentGate>('document-gate')

export default definePlugin({
  name: 'collections',
  dependencies: ['metadata'],
  options: {
    enableAllowlist: option.flagOnly({
      flag: 'enable-allowlist',
      variable: 'ENABLE_ALLOWLIST',
      description: 'let roles other than admin run only the GraphQL queries of the collections in the allow-list',
    }),
  },
  logged: ({ enableAllowlist }) => [{ key: 'enable_allowlist', place: 122, value: enableAllowlist }],
  register(engine) {
    const { enableAllowlist } = engine.options

    engine.metadata.slice('query_collections', queryCollectionsSlice)
    engine.metadata.slice('allowlist', allowlistSlice)
    engine.operations.add(createQueryCollection, dropQueryCollection, addQueryToCollection, dropQueryFromCollection)
    engine.operations.add(
      renameQueryCollection,
      addCollectionToAllowlist,
      updateScopeInAllowlist,
      dropCollectionFromAllowlist,
    )
    engine.configuration.add({
      key: 'is_allow_list_enabled',
      place: 24,
      schema: Type.Boolean(),
      value: () => enableAllowlist,
    })
    const uses: QueryUse[] = []
    engine.provide(queryUses, uses)
    engine.provide(documentGate, enableAllowlist ? allowListGate(() => engine.model) : () => true)
    engine.metadata.check(collectionsCheck((text, model) => engine.graphql.validate(text, {}, model), uses))
    if (enableAllowlist) engine.around({ document: allowListCheck(() => engine.model) })
  },
})
