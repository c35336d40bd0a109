// The tables in which v1.3 keeps its metadata, as views over the stored document and PostgreSQL's catalog, for tools that were
// made for v1.3. A name without a query is a table of Trellis itself, if it exists.

import type { SystemTableName } from '../tables/index.ts'

/** A relationship between two of the tables; `on` maps columns here to columns there. */
export interface SystemRelationship {
  readonly type: 'object' | 'array'
  readonly target: string
  readonly on: Readonly<Record<string, string>>
}

export interface SystemTable {
  /** The query of the view; absent: a table of that name in the schema `trellis`. */
  readonly query?: string
  /** For a table without a query: its columns in v1.3, which SQL finds. */
  readonly columns?: string
  readonly relationships?: Readonly<Record<string, SystemRelationship>>
}

/**
 * JSON that PostgreSQL's operators can read: they refuse U+0000, and halves of surrogate pairs. Both become U+FFFD, so that
 * one such entry does not make the whole view fail.
 */
const readable = (json: string): string => `case when ${json}::text !~* '\\\\u(0000|d[89a-f])' then ${json}
    else regexp_replace(${json}::text, '${unreadable}', '\\1\\\\ufffd', 'gi')::json end`

const high = String.raw`\\ud[89ab][0-9a-f]{2}`
const low = String.raw`\\ud[c-f][0-9a-f]{2}`

/** Matches such escapes, but not after an escaped backslash. */
const unreadable = String.raw`(?<!\\)((?:\\\\)*)(?:\\u0000|${high}(?!${low})|(?<!${high})${low})`

/** The stored document. */
const entries = `(select slice, ${readable('entry')} as entry from trellis.metadata_entry) as entries`

const stateOf = (tool: string): string =>
  `coalesce((select ${readable('state')} from trellis.catalog_state where tool = '${tool}'), '{}')::jsonb as ${tool}_state`

const tableName = `entry #>> '{table,schema}' as table_schema, entry #>> '{table,name}' as table_name`

/** The tables' entries, one row for each item of a list in the entry. */
const itemsOf = (key: string, columns: string): string =>
  `select ${tableName}, ${columns}
    from ${entries}, json_array_elements(entry -> '${key}') as item where slice = 'tables'`

/** The definition of a remote relationship; its join columns are stored by the neutral name. */
const joinDefinition = `case when item #> '{definition,to_source}' is not null then (item -> 'definition')::jsonb
    else ((item -> 'definition')::jsonb - 'service_fields')
      || jsonb_build_object('hasura_fields', item #> '{definition,service_fields}') end`

/** The entries of a slice of the document. */
const entriesOf = (slice: string, columns: string): string =>
  `select ${columns} from ${entries} where slice = '${slice}'`

const relationshipsOf = (type: string): string =>
  itemsOf(
    `${type}_relationships`,
    `item ->> 'name' as rel_name, '${type}' as rel_type, (item -> 'using')::jsonb as rel_def,
      item ->> 'comment' as comment, false as is_system_defined`,
  )

const permissionsOf = (kind: string): string =>
  itemsOf(
    `${kind}_permissions`,
    `item ->> 'role' as role_name, '${kind}' as perm_type, (item -> 'permission')::jsonb as perm_def,
      item ->> 'comment' as comment, false as is_system_defined`,
  )

const permissionRows = ['insert', 'select', 'update', 'delete'].map(permissionsOf).join(' union all ')

/** The definition of an action with defaults: tools expect its lists to exist. */
const actionDefinition = `'{"arguments": [], "headers": [], "forward_client_headers": false}'::jsonb
    || (entry -> 'definition')::jsonb`

const actionPermissions = `select entry ->> 'name' as action_name, item ->> 'role' as role_name,
    '{}'::jsonb as definition, item ->> 'comment' as comment
  from ${entries}, json_array_elements(entry -> 'permissions') as item where slice = 'actions'`

/** The columns of a constraint, as a JSON array of names. */
const columnNames = (numbers: string, table: string): string =>
  `(select json_agg(attname order by position) from unnest(${numbers}) with ordinality as n (number, position)
      join pg_attribute on attrelid = ${table} and attnum = number)`

const constraintsOf = (kind: string, columns: string): string =>
  `select t.relnamespace::regnamespace::text as table_schema, t.relname::text as table_name, c.conname::text as constraint_name,
      ${columns}
    from pg_constraint c join pg_class t on t.oid = c.conrelid
    where c.contype = '${kind}' and t.relnamespace::regnamespace::text !~ '^(pg_|information_schema)'`

const action = (column: string): string =>
  `case c.${column} when 'a' then 'NO ACTION' when 'r' then 'RESTRICT' when 'c' then 'CASCADE' when 'n' then 'SET NULL'
    else 'SET DEFAULT' end`

const foreignKeys = constraintsOf(
  'f',
  `c.oid::int as constraint_oid, r.relnamespace::regnamespace::text as ref_table_table_schema, r.relname::text as ref_table,
    (select json_object_agg(a.attname, b.attname) from unnest(c.conkey, c.confkey) as n (here, there)
      join pg_attribute a on a.attrelid = c.conrelid and a.attnum = here
      join pg_attribute b on b.attrelid = c.confrelid and b.attnum = there) as column_mapping,
    ${action('confupdtype')} as on_update, ${action('confdeltype')} as on_delete,
    ${columnNames('c.conkey', 'c.conrelid')} as columns, ${columnNames('c.confkey', 'c.confrelid')} as ref_columns`,
).replace(
  ' where ',
  // Temporal foreign keys (PERIOD) make no relationship; `conperiod` exists from PostgreSQL 18 on.
  ` join pg_class r on r.oid = c.confrelid
    where t.relnamespace <> 'trellis'::regnamespace and (to_jsonb(c) ->> 'conperiod') is distinct from 'true' and `,
)

const functionDetails = `select p.proname::text as function_name, n.nspname::text as function_schema,
    obj_description(p.oid) as description, p.provariadic <> 0 as has_variadic,
    case p.provolatile when 'i' then 'IMMUTABLE' when 's' then 'STABLE' else 'VOLATILE' end as function_type,
    pg_get_functiondef(p.oid) as function_definition, rn.nspname::text as return_type_schema,
    r.typname::text as return_type_name, r.typtype::text as return_type_type, p.proretset as returns_set,
    (select coalesce(json_agg(json_build_object('schema', a.typnamespace::regnamespace::text, 'name', a.typname, 'type', a.typtype)
        order by position), '[]') from unnest(p.proargtypes) with ordinality as given (type, position)
        join pg_type a on a.oid = given.type) as input_arg_types,
    to_json(coalesce(p.proargnames, array[]::text[])) as input_arg_names, p.pronargdefaults as default_args
  from pg_proc p join pg_namespace n on n.oid = p.pronamespace join pg_type r on r.oid = p.prorettype
    join pg_namespace rn on rn.oid = r.typnamespace
  where n.nspname !~ '^(pg_|information_schema)' and p.prokind = 'f'`

const invocationColumns = 'id, event_id, status, request, response, created_at'

const ofTable = { table_schema: 'table_schema', table_name: 'table_name' }
const many = (target: string): SystemRelationship => ({ type: 'array', target, on: ofTable })
const link = (type: 'object' | 'array', target: string, here: string, there: string): SystemRelationship => ({
  type,
  target,
  on: { [here]: there },
})

/** Keys are the names that clients know. */
export const systemTables: Readonly<Record<string, SystemTable>> = {
  hdb_table: {
    query: entriesOf(
      'tables',
      `${tableName}, coalesce(entry -> 'configuration', '{"custom_root_fields": {}, "custom_column_names": {}}')::jsonb as configuration,
        false as is_system_defined, coalesce((entry ->> 'is_enum')::boolean, false) as is_enum`,
    ),
    relationships: {
      detail: { type: 'object', target: 'information_schema.tables', on: ofTable },
      primary_key: { type: 'object', target: 'hdb_primary_key', on: ofTable },
      columns: many('information_schema.columns'),
      foreign_key_constraints: many('hdb_foreign_key_constraint'),
      relationships: many('hdb_relationship'),
      permissions: many('hdb_permission_agg'),
      computed_fields: many('hdb_computed_field'),
      check_constraints: many('hdb_check_constraint'),
      unique_constraints: many('hdb_unique_constraint'),
    },
  },
  hdb_primary_key: { query: constraintsOf('p', `${columnNames('c.conkey', 'c.conrelid')} as columns`) },
  hdb_unique_constraint: { query: constraintsOf('u', `${columnNames('c.conkey', 'c.conrelid')} as columns`) },
  hdb_check_constraint: { query: constraintsOf('c', 'pg_get_constraintdef(c.oid) as "check"') },
  hdb_foreign_key_constraint: { query: foreignKeys },
  hdb_relationship: { query: `${relationshipsOf('object')} union all ${relationshipsOf('array')}` },
  hdb_permission: { query: permissionRows },
  hdb_permission_agg: {
    query: `select table_schema, table_name, role_name, json_object_agg(perm_type, perm_def) as permissions
      from (${permissionRows}) as permission group by table_schema, table_name, role_name`,
  },
  hdb_computed_field: {
    query: itemsOf(
      'computed_fields',
      `item ->> 'name' as computed_field_name, (item -> 'definition')::jsonb as definition, item ->> 'comment' as comment`,
    ),
  },
  hdb_remote_relationship: {
    query: itemsOf(
      'remote_relationships',
      `item ->> 'name' as remote_relationship_name, ${joinDefinition} as definition`,
    ),
  },
  hdb_function: {
    query: entriesOf(
      'functions',
      `entry #>> '{function,schema}' as function_schema, entry #>> '{function,name}' as function_name,
        coalesce(entry -> 'configuration', '{}')::jsonb as configuration, false as is_system_defined`,
    ),
  },
  hdb_function_agg: {
    query: functionDetails,
    relationships: {
      return_table_info: {
        type: 'object',
        target: 'hdb_table',
        on: { return_type_schema: 'table_schema', return_type_name: 'table_name' },
      },
    },
  },
  hdb_query_collection: {
    query: entriesOf(
      'query_collections',
      `entry ->> 'name' as collection_name, (entry -> 'definition')::jsonb as collection_defn,
        entry ->> 'comment' as comment, false as is_system_defined`,
    ),
  },
  hdb_allowlist: { query: entriesOf('allowlist', `entry ->> 'collection' as collection_name`) },
  remote_schemas: {
    query: entriesOf(
      'remote_schemas',
      `row_number() over (order by entry ->> 'name') as id, entry ->> 'name' as name, entry -> 'definition' as definition,
        entry ->> 'comment' as comment`,
    ),
  },
  hdb_custom_types: { query: entriesOf('custom_types', 'entry::jsonb as custom_types') },
  hdb_action: {
    query: entriesOf(
      'actions',
      `entry ->> 'name' as action_name, ${actionDefinition} as action_defn, entry ->> 'comment' as comment,
        false as is_system_defined`,
    ),
    relationships: { permissions: link('array', 'hdb_action_permission', 'action_name', 'action_name') },
  },
  hdb_action_permission: { query: actionPermissions },
  hdb_action_log: {
    columns: `id, action_name, input_payload, request_headers, session_variables, response_payload, errors, created_at,
      response_received_at, status`,
  },
  hdb_role: {
    query: `select role_name from (${permissionRows}) as permission
      union select role_name from (${actionPermissions}) as permission`,
    relationships: {
      action_permissions: link('array', 'hdb_action_permission', 'role_name', 'role_name'),
      permissions: link('array', 'hdb_permission_agg', 'role_name', 'role_name'),
    },
  },
  hdb_version: {
    query: `select id as hasura_uuid, '42'::text as version,
        ${stateOf('cli')}, ${stateOf('console')}
      from trellis.metadata`,
  },
  event_triggers: {
    query: `select item ->> 'name' as name, 'table'::text as type, entry #>> '{table,schema}' as schema_name,
        entry #>> '{table,name}' as table_name, item as configuration, null::text as comment
      from ${entries}, json_array_elements(entry -> 'event_triggers') as item where slice = 'tables'`,
    relationships: { events: link('array', 'event_log', 'name', 'trigger_name') },
  },
  event_log: {
    columns: `id, schema_name, table_name, trigger_name, payload, delivered, error, tries, created_at, locked, next_retry_at,
      archived`,
    relationships: {
      trigger: link('object', 'event_triggers', 'trigger_name', 'name'),
      logs: link('array', 'event_invocation_logs', 'id', 'event_id'),
    },
  },
  event_invocation_logs: {
    columns: invocationColumns,
    relationships: { event: link('object', 'event_log', 'event_id', 'id') },
  },
  hdb_cron_triggers: {
    query: entriesOf(
      'cron_triggers',
      `entry ->> 'name' as name, entry -> 'webhook' as webhook_conf, entry ->> 'schedule' as cron_schedule,
        entry -> 'payload' as payload, coalesce(entry -> 'headers', '[]') as header_conf, coalesce(entry -> 'retry_conf',
          '{"num_retries":0,"retry_interval_seconds":10,"timeout_seconds":60,"tolerance_seconds":21600}') as retry_conf,
        coalesce((entry ->> 'include_in_metadata')::boolean, false) as include_in_metadata, entry ->> 'comment' as comment`,
    ),
    relationships: { cron_events: link('array', 'hdb_cron_events', 'name', 'trigger_name') },
  },
  hdb_cron_events: {
    columns: 'id, trigger_name, scheduled_time, status, tries, created_at, next_retry_at',
    relationships: {
      cron_trigger: link('object', 'hdb_cron_triggers', 'trigger_name', 'name'),
      cron_event_logs: link('array', 'hdb_cron_event_invocation_logs', 'id', 'event_id'),
    },
  },
  hdb_cron_events_stats: {
    query: `select trigger_name as name, count(*) as upcoming_events_count, max(scheduled_time) as max_scheduled_time
      from trellis.hdb_cron_events where tries = 0 and status = 'scheduled' group by trigger_name`,
  },
  hdb_cron_event_invocation_logs: {
    columns: invocationColumns,
    relationships: { cron_event: link('object', 'hdb_cron_events', 'event_id', 'id') },
  },
  hdb_scheduled_events: {
    columns: `id, webhook_conf, scheduled_time, retry_conf, payload, header_conf, status, tries, created_at, next_retry_at,
      comment`,
    relationships: {
      scheduled_event_logs: link('array', 'hdb_scheduled_event_invocation_logs', 'id', 'event_id'),
    },
  },
  hdb_scheduled_event_invocation_logs: {
    columns: invocationColumns,
    relationships: { scheduled_event: link('object', 'hdb_scheduled_events', 'event_id', 'id') },
  },
  'information_schema.tables': {},
  'information_schema.schemata': {},
  'information_schema.views': {},
  'information_schema.columns': {},
} satisfies Record<SystemTableName, SystemTable>
