// Operations by which tools learn the abilities of the server, and settings that are only kept.

import { badRequest, Type } from '../../sdk/index.ts'
import { type MetadataDocument, NoArguments, operation } from '../../sdk/metadata.ts'

const reading = { editsMetadata: false, onlyReads: true } as const

const Kinds = Type.Object({
  sources: Type.Array(
    Type.Object({
      kind: Type.String(),
      display_name: Type.String(),
      builtin: Type.Boolean(),
      available: Type.Boolean(),
    }),
  ),
})

/** `list_source_kinds`. */
export const listSourceKinds = operation({
  ...reading,
  type: 'list_source_kinds',
  about: { summary: 'Lists the kinds of databases that the server can serve.', result: Kinds },
  args: NoArguments,
  handle: () => ({ sources: [{ kind: 'pg', display_name: 'pg', builtin: true, available: true }] }),
})

const kindNames: ReadonlySet<string> = new Set(['pg', 'postgres'])

/** The features that tools may offer for a source of PostgreSQL. */
const capabilities = {
  queries: { foreach: {} },
  mutations: { insert: {}, update: {}, delete: {}, returning: {}, atomicity_support_level: 'heterogeneous_operations' },
  subscriptions: {},
  relationships: {},
  comparisons: { subquery: { supports_relations: true } },
  aggregations: {},
  user_defined_functions: {},
  explain: {},
  raw: {},
} as const

/** `get_source_kind_capabilities`. */
export const getSourceKindCapabilities = operation({
  ...reading,
  type: 'get_source_kind_capabilities',
  about: {
    summary: 'Returns the capabilities of a kind of database.',
    result: Type.Object({
      display_name: Type.String(),
      capabilities: Type.Record(Type.String(), Type.Record(Type.String(), Type.Unknown())),
    }),
  },
  args: Type.Object({ name: Type.String() }, { missingKey: 'A' }),
  handle(_, { name }) {
    if (kindNames.has(name)) return { display_name: 'pg', capabilities }
    throw badRequest('not-found', `source kind "${name}" was not found`, { path: ['name'] })
  },
})

/** `get_feature_flag`: this server has no flags of that engine. */
export const getFeatureFlag = operation({
  ...reading,
  type: 'get_feature_flag',
  about: {
    summary: 'Returns the value of a flag: null, because there are no flags.',
    result: Type.Object({ value: Type.Null() }),
  },
  args: Type.Object({ identifier: Type.String() }, { missingKey: 'A' }),
  handle: () => ({ value: null }),
})

const metricsKey = 'metrics_config'

/** Keeps or removes the settings of metrics. Without an effect, they are listed like all that is not served. */
function keepMetrics(metadata: MetadataDocument, settings: unknown): void {
  const { [metricsKey]: _, ...others } = metadata.unserved ?? {}
  const kept = settings === null ? others : { ...others, [metricsKey]: settings }
  metadata.unserved = Object.keys(kept).length > 0 ? kept : null
}

/** `set_metrics_config`. */
export const setMetricsConfig = operation({
  type: 'set_metrics_config',
  about: { summary: 'Keeps settings of metrics for exports; they have no effect.' },
  args: Type.Object(
    { analyze_query_variables: Type.Boolean(), analyze_response_body: Type.Boolean() },
    { missingKey: 'A' },
  ),
  handle({ metadata }, settings) {
    keepMetrics(metadata, settings)
  },
})

/** `remove_metrics_config`. */
export const removeMetricsConfig = operation({
  type: 'remove_metrics_config',
  about: { summary: 'Removes the settings of metrics.' },
  args: NoArguments,
  handle({ metadata }) {
    keepMetrics(metadata, null)
  },
})
