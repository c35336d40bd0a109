// The settings of a table for Apollo Federation.

import { type Static, Type } from '../../sdk/index.ts'
import { TableName } from '../../sdk/metadata.ts'

/** `{"enable": "v1"}`: rows of the table are entities. */
export const FederationConfig = Type.Object({ enable: Type.Literal('v1') })
export type FederationConfig = Static<typeof FederationConfig>

declare module '../../sdk/registry.ts' {
  interface TableFacets {
    apollo_federation_config?: FederationConfig
  }
}

/** The arguments of `pg_set_apollo_federation_config`; null or absent: no settings. */
export const SetFederationArgs = Type.Object({
  table: TableName,
  apollo_federation_config: Type.Optional(Type.Union([FederationConfig, Type.Null()])),
})
