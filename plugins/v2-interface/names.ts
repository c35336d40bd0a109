// The operations whose names begin with the kind of their source: those on objects of the database. All others have the
// same name in every interface.

/** The kind of the one source, as it precedes the names of operations. */
export const sourcePrefix = 'pg_'

const permissionKinds = ['insert', 'select', 'update', 'delete']

/** Data operations, and SQL. */
export const queryTypes: ReadonlySet<string> = new Set(['select', 'insert', 'update', 'delete', 'count', 'run_sql'])

/** The names without the prefix. */
const ofSource: ReadonlySet<string> = new Set([
  ...['track_table', 'untrack_table', 'track_tables', 'untrack_tables', 'set_table_is_enum'],
  ...['set_table_customization', 'set_apollo_federation_config', 'get_source_tables', 'get_table_info'],
  ...['get_source_trackables', 'suggest_relationships'],
  ...['create_object_relationship', 'create_array_relationship', 'drop_relationship', 'rename_relationship'],
  'set_relationship_comment',
  ...permissionKinds.flatMap((kind) => [`create_${kind}_permission`, `drop_${kind}_permission`]),
  'set_permission_comment',
  ...['track_function', 'untrack_function', 'set_function_customization'],
  ...['create_function_permission', 'drop_function_permission'],
  ...['add_computed_field', 'drop_computed_field'],
  ...['create_event_trigger', 'delete_event_trigger', 'redeliver_event', 'invoke_event_trigger'],
  ...['get_event_logs', 'get_event_invocation_logs', 'get_event_by_id'],
  ...['create_remote_relationship', 'update_remote_relationship', 'delete_remote_relationship'],
  ...['add_source', 'update_source', 'drop_source'],
  ...queryTypes,
])

/** The name of a prefixed operation without its prefix; null: no operation has that name. */
export function unprefixed(type: string): string | null {
  if (!type.startsWith(sourcePrefix)) return null
  const name = type.slice(sourcePrefix.length)
  return ofSource.has(name) ? name : null
}
