// The options of the GraphQL API.

import type { ServerSettings } from '../http/options.ts'
import { flagOnly, whole } from '../options/option-kinds.ts'
import type { SettingsOf } from '../options/option-values.ts'

/** The property names are the option keys of the configuration file. */
export const graphqlOptions = {
  stringifyNumericTypes: flagOnly({
    flag: 'stringify-numeric-types',
    variable: 'STRINGIFY_NUMERIC_TYPES',
    description: 'send bigint, numeric and double precision as JSON strings',
  }),
  v1BooleanNullCollapse: flagOnly({
    flag: 'v1-boolean-null-collapse',
    variable: 'V1_BOOLEAN_NULL_COLLAPSE',
    description:
      'a null comparison or expression in a where argument is true, as in dialect hasura, instead of being refused',
  }),
  backwardsCompatNullInNonnullableVariables: flagOnly({
    flag: 'backwards-compat-null-in-nonnullable-variables',
    variable: 'BACKWARDS_COMPAT_NULL_IN_NONNULLABLE_VARIABLES',
    description:
      'accept null in variables of non-null types, as earlier engines did; only places that need a value refuse it',
  }),
  disablePostgresArrays: flagOnly({
    flag: 'disable-postgres-arrays',
    variable: 'DISABLE_POSTGRES_ARRAYS',
    description: 'with --graphql-interface 2, the type of a column text[] is the scalar _text instead of [String!]',
  }),
  queryPlanCacheSize: whole(
    4000,
    { minimum: 0, maximum: 65535 },
    {
      flag: 'query-plan-cache-size',
      variable: 'QUERY_PLAN_CACHE_SIZE',
      placeholder: 'N',
      description: 'number of documents to keep with their query plans; 0 means none',
    },
  ),
  maxRequestCost: whole(
    50_000,
    { minimum: 1, maximum: 1_000_000_000 },
    {
      flag: 'max-request-cost',
      variable: 'MAX_REQUEST_COST',
      placeholder: 'N',
      description: 'highest cost of one GraphQL or data operation: see limits.md',
    },
  ),
}

/** The values of these options. */
export type GraphQLSettings = SettingsOf<typeof graphqlOptions>

/** The settings that fields and handlers of operations may read. */
export type RequestSettings = GraphQLSettings & ServerSettings
