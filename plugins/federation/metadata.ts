// The facet `apollo_federation_config` of a table, and the operation that sets it.

import { badRequest, nameText } from '../../sdk/index.ts'
import { type FacetDefinition, operation } from '../../sdk/metadata.ts'
import { requireTable } from '../tables/index.ts'
import { FederationConfig, SetFederationArgs } from './schema.ts'

/** The key of a table's entry, and of its extension in the model. */
export const facetKey = 'apollo_federation_config'

/** The facet. Where federation is off, settings are kept and listed. */
export const federationFacet = (isOn: boolean): FacetDefinition<typeof facetKey, true> => ({
  key: facetKey,
  isSingle: true,
  stage: 'rules',
  schema: FederationConfig,
  duplicates: { kind: 'federation settings', name: () => facetKey },
  identify: () => facetKey,
  describe: (table, config) => ({
    ref: { kind: 'federation settings', table, name: facetKey },
    type: facetKey,
    definition: { table, [facetKey]: config },
    // Without an entity, the API is as closed as the document says.
    isTolerated: true,
  }),
  resolve(_config, table) {
    const where = `in table "${nameText(table.name)}"`
    if (!isOn) {
      throw badRequest('not-supported', `${where}: Apollo Federation is off: --enable-apollo-federation serves it`)
    }
    if (!table.primaryKey) throw badRequest('not-supported', `${where}: an entity needs a primary key`)
    return true
  },
})

export const setFederationConfig = operation({
  type: 'pg_set_apollo_federation_config',
  about: { summary: 'Makes rows of a table entities of Apollo Federation, or no longer.' },
  args: SetFederationArgs,
  handle({ metadata }, { table, apollo_federation_config: config }) {
    const entry = requireTable(metadata, table)
    if (config) entry.apollo_federation_config = config
    else delete entry.apollo_federation_config
  },
})
