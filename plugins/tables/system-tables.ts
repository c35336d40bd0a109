// Tables of the server itself, as tools of a dialect that has them know them: tracked from the beginning, though no
// document holds them.

import type { Dialect, QualifiedName } from '../../sdk/index.ts'

const names = [
  'hdb_table',
  'hdb_primary_key',
  'hdb_unique_constraint',
  'hdb_check_constraint',
  'hdb_foreign_key_constraint',
  'hdb_relationship',
  'hdb_permission',
  'hdb_permission_agg',
  'hdb_computed_field',
  'hdb_remote_relationship',
  'hdb_function',
  'hdb_function_agg',
  'hdb_query_collection',
  'hdb_allowlist',
  'remote_schemas',
  'hdb_custom_types',
  'hdb_action',
  'hdb_action_permission',
  'hdb_action_log',
  'hdb_role',
  'hdb_version',
  'event_triggers',
  'event_log',
  'event_invocation_logs',
  'hdb_cron_triggers',
  'hdb_cron_events',
  'hdb_cron_events_stats',
  'hdb_cron_event_invocation_logs',
  'hdb_scheduled_events',
  'hdb_scheduled_event_invocation_logs',
  'information_schema.tables',
  'information_schema.schemata',
  'information_schema.views',
  'information_schema.columns',
] as const

/** The name of one, without its schema where that is the dialect's. */
export type SystemTableName = (typeof names)[number]

const known: ReadonlySet<string> = new Set(names)

/** Whether a table is one of them. */
export function isSystemTable({ schema, name }: QualifiedName, { systemSchema }: Dialect): boolean {
  if (systemSchema === null) return false
  return known.has(schema === systemSchema ? name : `${schema}.${name}`)
}
