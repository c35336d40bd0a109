import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { silentObserver } from '../../core/log/observe.ts'
import { startCrm } from '../remote-schemas/crm.ts'
import { atEnd } from '../support/cleanup.ts'
import { startTrellis, type TestTrellis } from '../support/trellis.ts'
import { lead, sql, startOffice } from './office.ts'

const system = (name: string) => ({ schema: 'hdb_catalog', name })

const hasura = { settings: { dialect: 'hasura' } } as const

const office = { ...hasura, sql }

/** People and their leads, tracked, with permissions for a role `agent`. */
async function startHasuraOffice(t: TestContext): Promise<TestTrellis> {
  const trellis = await startTrellis(t, office)
  await trellis.op('bulk', [
    { type: 'track_table', args: 'person' },
    { type: 'track_table', args: lead },
    { type: 'track_table', args: 'totals' },
    {
      type: 'create_array_relationship',
      args: {
        table: 'person',
        name: 'leads',
        using: { foreign_key_constraint_on: { table: lead, column: 'owner_id' } },
      },
    },
    {
      type: 'create_object_relationship',
      args: {
        table: 'person',
        name: 'total',
        using: { manual_configuration: { remote_table: 'totals', column_mapping: { id: 'owner_id' } } },
      },
    },
    ...(['person', lead] as const).map((table) => ({
      type: 'create_select_permission',
      args: { table, role: 'agent', permission: { columns: ['id'], filter: { id: { _lte: 2 } }, limit: 2 } },
    })),
  ])
  return trellis
}

test('tools of dialect hasura read the metadata in tables', async (t) => {
  const { op } = await startHasuraOffice(t)
  const select = (name: string, columns: unknown, where: object = {}) =>
    op<unknown[]>('select', { table: system(name), columns, where, order_by: [] })
  assert.deepEqual(await select('hdb_table', ['table_schema', 'table_name', 'is_enum'], { table_name: 'person' }), [
    { table_schema: 'public', table_name: 'person', is_enum: false },
  ])
  const [person] = (await select(
    'hdb_table',
    [
      'configuration',
      { name: 'primary_key', columns: ['columns'] },
      { name: 'detail', columns: ['table_type'] },
      {
        name: 'columns',
        columns: ['column_name'],
        where: { ordinal_position: { $lte: 2 } },
        order_by: 'ordinal_position',
      },
      { name: 'relationships', columns: ['rel_name', 'rel_type', 'rel_def'], order_by: 'rel_name' },
      { name: 'permissions', columns: ['role_name', 'permissions'] },
    ],
    { table_name: 'person' },
  )) as [Record<string, unknown>]
  assert.deepEqual(person, {
    configuration: { custom_root_fields: {}, custom_column_names: {} },
    primary_key: { columns: ['id'] },
    detail: { table_type: 'BASE TABLE' },
    columns: [{ column_name: 'id' }, { column_name: 'first' }],
    relationships: [
      {
        rel_name: 'leads',
        rel_type: 'array',
        rel_def: { foreign_key_constraint_on: { table: { schema: 'crm', name: 'lead' }, column: 'owner_id' } },
      },
      {
        rel_name: 'total',
        rel_type: 'object',
        rel_def: {
          manual_configuration: {
            remote_table: { schema: 'public', name: 'totals' },
            column_mapping: { id: 'owner_id' },
          },
        },
      },
    ],
    permissions: [
      {
        role_name: 'agent',
        permissions: {
          select: { columns: ['id'], filter: { id: { _lte: 2 } }, limit: 2 },
        },
      },
    ],
  })
  assert.deepEqual(
    await select('hdb_foreign_key_constraint', ['table_name', 'ref_table', 'column_mapping', 'on_delete']),
    [{ table_name: 'lead', ref_table: 'person', column_mapping: { owner_id: 'id' }, on_delete: 'NO ACTION' }],
  )
  assert.deepEqual(await select('hdb_unique_constraint', ['constraint_name', 'columns'], { table_name: 'lead' }), [
    { constraint_name: 'titles', columns: ['owner_id', 'title'] },
  ])
  assert.deepEqual(
    await select('hdb_role', ['role_name', { name: 'permissions', columns: ['table_name'], order_by: 'table_name' }]),
    [{ role_name: 'agent', permissions: [{ table_name: 'lead' }, { table_name: 'person' }] }],
  )
})

test("definitions of remote relationships use the dialect's key for join columns", async (t) => {
  const { op } = await startTrellis(t, { ...hasura, sql: 'create table a (id int)' })
  const { url } = await startCrm(t)
  await op('track_table', 'a')
  await op('add_remote_schema', { name: 'crm', definition: { url } })
  const definition = {
    remote_schema: 'crm',
    hasura_fields: ['id'],
    remote_field: { user: { arguments: { id: '$id' } } },
  }
  await op('create_remote_relationship', { name: 'contact', table: 'a', ...definition })
  const columns = ['table_name', 'remote_relationship_name', 'definition']
  assert.deepEqual(await op('select', { table: system('hdb_remote_relationship'), columns }), [
    { table_name: 'a', remote_relationship_name: 'contact', definition },
  ])
})

test('definitions of actions have their omitted lists', async (t) => {
  const { op } = await startTrellis(t, hasura)
  const args = { name: 'id', type: 'Int!' }
  const given = { handler: 'http://127.0.0.1:1', output_type: 'Int', type: 'query' }
  await op('create_action', { name: 'a', definition: given })
  await op('create_action', { name: 'b', definition: { ...given, arguments: [args], forward_client_headers: true } })
  const columns = ['action_name', 'action_defn']
  assert.deepEqual(await op('select', { table: system('hdb_action'), columns, order_by: '+action_name' }), [
    { action_name: 'a', action_defn: { ...given, arguments: [], headers: [], forward_client_headers: false } },
    { action_name: 'b', action_defn: { ...given, arguments: [args], headers: [], forward_client_headers: true } },
  ])
})

test('every system table can be read, and counted', async (t) => {
  const { op, opError } = await startTrellis(t, { ...office, sql: 'create table a (id int check (id > 0))' })
  await op('bulk', [
    { type: 'track_table', args: 'a' },
    { type: 'create_query_collection', args: { name: 'c', definition: { queries: [] } } },
    { type: 'add_collection_to_allowlist', args: { collection: 'c' } },
  ])
  const counts: Readonly<Record<string, number>> = {
    hdb_table: 1,
    hdb_primary_key: 0,
    hdb_check_constraint: 1,
    hdb_relationship: 0,
    hdb_permission_agg: 0,
    hdb_computed_field: 0,
    hdb_remote_relationship: 0,
    hdb_function: 0,
    hdb_query_collection: 1,
    hdb_allowlist: 1,
    hdb_version: 1,
    remote_schemas: 0,
    event_triggers: 0,
    event_log: 0,
    event_invocation_logs: 0,
    hdb_cron_events: 0,
    hdb_cron_event_invocation_logs: 0,
    hdb_scheduled_events: 0,
    hdb_scheduled_event_invocation_logs: 0,
    hdb_custom_types: 0,
    hdb_action: 0,
    hdb_action_permission: 0,
    hdb_role: 0,
    hdb_cron_triggers: 0,
  }
  for (const [name, count] of Object.entries(counts)) {
    assert.ok(Array.isArray(await op('select', { table: system(name), columns: ['*'] })), name)
    const found = await op<{ count: number }>('count', { table: system(name) })
    // PostgreSQL has constraints of the server's own tables, too.
    if (!name.includes('_constraint') && name !== 'hdb_primary_key') assert.deepEqual(found, { count }, name)
  }
  const schemata = {
    table: { schema: 'information_schema', name: 'schemata' },
    columns: ['schema_name'],
    where: { schema_name: 'public' },
  }
  assert.deepEqual(await op('select', schemata), [{ schema_name: 'public' }])
  assert.deepEqual(await opError('select', { table: system('hdb_nothing'), columns: ['*'] }), {
    status: 400,
    body: { path: '$.args.table', error: 'table "hdb_catalog.hdb_nothing" does not exist', code: 'not-exists' },
  })
})

test('database functions are described', async (t) => {
  const many = `create table a (id int);
    create function many(word text, variadic ids int[] default '{}') returns setof a language sql stable as 'select * from a';
    comment on function many is 'All of them'`
  const { op } = await startTrellis(t, { ...office, sql: many })
  await op('track_table', 'a')
  const columns = [
    'description',
    'has_variadic',
    'function_type',
    'return_type_name',
    'returns_set',
    'input_arg_types',
    'input_arg_names',
    'default_args',
    { name: 'return_table_info', columns: ['is_enum'] },
  ]
  assert.deepEqual(
    await op('select', { table: system('hdb_function_agg'), columns, where: { function_name: 'many' } }),
    [
      {
        description: 'All of them',
        has_variadic: true,
        function_type: 'STABLE',
        return_type_name: 'a',
        returns_set: true,
        input_arg_types: [
          { schema: 'pg_catalog', name: 'text', type: 'b' },
          { schema: 'pg_catalog', name: '_int4', type: 'b' },
        ],
        input_arg_names: ['word', 'ids'],
        default_args: 1,
        return_table_info: { is_enum: false },
      },
    ],
  )
})

test('each permission is a row of its own', async (t) => {
  const { op } = await startHasuraOffice(t)
  await op('set_permission_comment', { table: 'person', role: 'agent', permission: 'select', comment: 'their own' })
  const columns = ['table_schema', 'table_name', 'role_name', 'perm_type', 'perm_def', 'comment', 'is_system_defined']
  const row = {
    role_name: 'agent',
    perm_type: 'select',
    perm_def: { columns: ['id'], filter: { id: { _lte: 2 } }, limit: 2 },
    is_system_defined: false,
  }
  const table = system('hdb_permission')
  assert.deepEqual(await op('select', { table, columns, order_by: 'table_name' }), [
    { table_schema: 'crm', table_name: 'lead', ...row, comment: null },
    { table_schema: 'public', table_name: 'person', ...row, comment: 'their own' },
  ])
  const text = `select perm_def ->> 'limit' as most from hdb_catalog.hdb_permission where table_name = 'lead'`
  assert.deepEqual((await op<{ result: unknown }>('run_sql', { sql: text })).result, [['most'], ['2']])
})

test('data operations and SQL in a bulk see its earlier changes', async (t) => {
  const { op, opError, sql } = await startTrellis(t, office)
  const names = {
    type: 'select',
    args: { table: system('hdb_table'), columns: ['table_name'], order_by: 'table_name' },
  }
  const count = { type: 'count', args: { table: system('hdb_table') } }
  const text = { type: 'run_sql', args: { sql: 'select table_name from hdb_catalog.hdb_table' } }
  const results = await op<unknown[]>('bulk', [
    { type: 'track_table', args: 'person' },
    names,
    text,
    { type: 'track_table', args: lead },
    count,
    { type: 'untrack_table', args: { table: 'person' } },
    names,
    { type: 'bulk', args: [{ type: 'untrack_table', args: { table: lead } }, count] },
    { type: 'track_table', args: 'totals' },
  ])
  const success = { message: 'success' }
  assert.deepEqual(results, [
    success,
    [{ table_name: 'person' }],
    { result_type: 'TuplesOk', result: [['table_name'], ['person']] },
    success,
    { count: 2 },
    success,
    [{ table_name: 'lead' }],
    [success, { count: 0 }],
    success,
  ])
  assert.deepEqual(await op(names.type, names.args), [{ table_name: 'totals' }])
  const failing = [{ type: 'track_table', args: 'person' }, names, { type: 'track_table', args: 'nowhere' }]
  assert.equal((await opError('bulk', failing)).status, 400)
  assert.deepEqual(await op(names.type, names.args), [{ table_name: 'totals' }])
  const version = () => sql('select resource_version from trellis.metadata')
  const before = await version()
  await op('bulk', [names, count])
  assert.deepEqual(await version(), before)
})

test('metadata changed by SQL is read in the same bulk, along with its earlier edits', async (t) => {
  const { op } = await startTrellis(t, office)
  await op('bulk', [
    { type: 'track_table', args: 'person' },
    { type: 'track_table', args: lead },
    { type: 'run_sql', args: { sql: `delete from trellis.metadata_entry where entry #>> '{table,name}' = 'lead'` } },
    { type: 'reload_metadata', args: {} },
    { type: 'track_table', args: 'totals' },
  ])
  const { tables } = await op<{ tables: { table: { name: string } }[] }>('export_metadata', {})
  assert.deepEqual(tables.map(({ table }) => table.name).sort(), ['person', 'totals'])
})

test('system tables are read-only, and only for administrators', async (t) => {
  const { op, opError, graphql } = await startHasuraOffice(t)
  const table = system('hdb_table')
  const error = 'select on "hdb_catalog.hdb_table" for role "agent" is not allowed. '
  const missing = { path: '$.args', error, code: 'permission-denied' }
  assert.deepEqual(await opError('select', { table, columns: ['*'] }, { role: 'agent' }), {
    status: 400,
    body: missing,
  })
  assert.deepEqual(await opError('insert', { table, objects: [{ table_name: 'x' }] }), {
    status: 400,
    body: { path: '$.args', error: 'view "trellis_system.hdb_table" is not insertable', code: 'not-supported' },
  })
  assert.deepEqual(await opError('untrack_table', { table }), {
    status: 400,
    body: { path: '$.args', error: '"hdb_catalog.hdb_table" is system defined, cannot untrack', code: 'not-supported' },
  })
  assert.deepEqual(await opError('track_table', table), {
    status: 400,
    body: { path: '$.args', error: 'view/table already tracked : "hdb_catalog.hdb_table"', code: 'already-tracked' },
  })
  const views = { schema: 'information_schema', name: 'views' }
  assert.deepEqual(await opError('track_table', views), {
    status: 400,
    body: { path: '$.args', error: 'view/table already tracked : "information_schema.views"', code: 'already-tracked' },
  })
  const { tables } = await op<{ tables: unknown[] }>('export_metadata', {})
  assert.equal(tables.length, 3)
  const answer = await graphql<{ errors: unknown[] }>('{ hdb_catalog_hdb_table { table_name } }')
  assert.equal(answer.errors.length, 1)
})

test('other tables in the schemas of system tables are ordinary tables', async (t) => {
  const { op, opError, sql } = await startHasuraOffice(t)
  await sql(`create table hdb_catalog.schema_migrations (version bigint primary key);
    insert into hdb_catalog.schema_migrations values (7)`)
  const migrations = system('schema_migrations')
  assert.deepEqual(await opError('untrack_table', { table: migrations }), {
    status: 400,
    body: {
      path: '$.args',
      error: 'view/table already untracked : "hdb_catalog.schema_migrations"',
      code: 'already-untracked',
    },
  })
  await op('track_table', migrations)
  await op('track_table', { schema: 'information_schema', name: 'sequences' })
  assert.deepEqual(await op('select', { table: migrations, columns: ['version'] }), [{ version: 7 }])
  await op('untrack_table', { table: migrations })
})

test('two servers that start at once create the views once; a start keeps existing views', async (t) => {
  const first = await startTrellis(t, hasura)
  const oid = () => first.sql(`select 'trellis_system.hdb_table'::regclass::oid as oid`)
  const before = await oid()
  await Promise.all([1, 2].map(() => startTrellis(t, { ...hasura, database: first.database })))
  assert.deepEqual(await oid(), before)
  await first.sql('drop schema trellis_system cascade')
  const both = await Promise.all([1, 2].map(() => startTrellis(t, { ...hasura, database: first.database })))
  for (const { op } of both) assert.deepEqual(await op('select', { table: system('hdb_table'), columns: ['*'] }), [])
})

test('SQL finds the tables under the same names', async (t) => {
  const { op, sql } = await startHasuraOffice(t)
  const run = async (text: string) => (await op<{ result: string[][] }>('run_sql', { sql: text })).result
  assert.deepEqual(await run(`select table_name, is_enum from hdb_catalog.hdb_table where table_schema = 'crm'`), [
    ['table_name', 'is_enum'],
    ['lead', 'f'],
  ])
  const event = `insert into hdb_catalog.event_log (schema_name, table_name, trigger_name, payload, delivered)
    values ('crm', 'lead', 'gone', '{}', true)`
  await run(event)
  assert.deepEqual(await sql('select trigger_name, delivered, error from trellis.event_log'), [
    { trigger_name: 'gone', delivered: true, error: false },
  ])
  const [columns] = await run('select * from hdb_catalog.hdb_cron_events')
  const known = ['id', 'trigger_name', 'scheduled_time', 'status', 'tries', 'created_at', 'next_retry_at']
  assert.deepEqual(columns, known)
  await run('delete from hdb_catalog.event_invocation_logs')
  await run('delete from hdb_catalog.event_log where delivered = true or error = true')
  assert.deepEqual(await sql('select 1 from trellis.event_log'), [])
})

test('the command line tool of v1.3 records its applied migrations', async (t) => {
  const { op, database, sql } = await startTrellis(t, hasura)
  const run = (text: string) => op<{ result: string[][] }>('run_sql', { sql: text })
  const found = `SELECT COUNT(1) FROM information_schema.tables WHERE table_name = 'schema_migrations'
    AND table_schema = 'hdb_catalog' LIMIT 1`
  assert.deepEqual((await run(found)).result, [['count'], ['0']])
  await run('CREATE TABLE hdb_catalog.schema_migrations (version bigint not null primary key, dirty boolean not null)')
  await run('INSERT INTO hdb_catalog.schema_migrations (version, dirty) VALUES (1594281000, false)')
  await op('clear_metadata', {})
  await sql(`comment on schema hdb_catalog is 'system tables of another time'`)
  const again = await startTrellis(t, { ...hasura, database })
  const versions = { sql: 'SELECT version, dirty FROM hdb_catalog.schema_migrations' }
  const { result } = await again.op<{ result: string[][] }>('run_sql', versions)
  assert.deepEqual(result.slice(1), [['1594281000', 'f']])
})

test('a foreign schema of the same name is left alone, and views on ours stay', async (t) => {
  const first = await startTrellis(t, {
    sql: 'create schema hdb_catalog; create table hdb_catalog.hdb_version (v int)',
  })
  const hasuraAgain = () => startTrellis(t, { ...hasura, database: first.database })
  const names = async () =>
    (
      await first.sql<{ name: string }>(`select relname::text as name from pg_class where relkind in ('r', 'v')
        and relnamespace = 'hdb_catalog'::regnamespace order by 1`)
    ).map(({ name }) => name)
  await hasuraAgain()
  assert.deepEqual(await names(), ['hdb_version'])
  await first.sql('drop schema hdb_catalog cascade')
  await hasuraAgain()
  const ours = await names()
  assert.ok(ours.includes('event_log') && ours.includes('hdb_cron_events') && !ours.includes('hdb_version'))
  await first.sql(`create view late as select id from hdb_catalog.event_log;
    drop view hdb_catalog.hdb_function, hdb_catalog.hdb_role;
    comment on schema hdb_catalog is 'system tables of another time'`)
  const { op } = await hasuraAgain()
  assert.deepEqual(await first.sql('select * from late'), [])
  assert.deepEqual(await op('select', { table: system('hdb_role'), columns: ['*'] }), [])
  await first.sql('drop view late')
  await hasuraAgain()
  assert.deepEqual(await names(), ours)
})

test('a database that refuses new views is served without them', async (t) => {
  const { database, sql } = await startTrellis(t, { sql: 'create table a (id int)' })
  await sql(`create role clerk login password 'sesame';
    grant usage on schema trellis to clerk; grant all on all tables in schema trellis, public to clerk`)
  atEnd(t, () => sql('drop owned by clerk; drop role clerk'))
  const url = new URL(database.url)
  url.username = 'clerk'
  url.password = 'sesame'
  const lines: string[] = []
  const observe = { ...silentObserver, log: ({ detail }: { detail: unknown }) => void lines.push(String(detail)) }
  const trellis = await startTrellis(t, { ...hasura, database: { ...database, url: url.href }, observe })
  await trellis.op('track_table', 'a')
  assert.deepEqual(await trellis.op('select', { table: 'a', columns: ['id'] }), [])
  assert.equal((await trellis.opError('select', { table: system('hdb_table'), columns: ['*'] })).status, 400)
  assert.ok(lines.some((line) => line.startsWith('the tables of hdb_catalog cannot be created: ')))
})

test('the default dialect has no hdb_catalog tables', async (t) => {
  const trellis = await startOffice(t)
  const { status } = await trellis.opError('select', { table: system('hdb_table'), columns: ['*'] })
  assert.equal(status, 400)
  const schemas = `select nspname from pg_namespace where nspname in ('trellis_system', 'hdb_catalog')`
  assert.deepEqual(await trellis.sql(schemas), [])
})

test('an entry with the character U+0000 does not hide other entries', async (t) => {
  const { op } = await startTrellis(t, hasura)
  const trigger = { webhook: 'http://127.0.0.1:1', schedule: '0 0 1 1 *', include_in_metadata: true }
  await op('create_cron_trigger', { ...trigger, name: 'plain' })
  const payload = ['\0\\u0000', 'ä', '\ud83d', 'x\udc00\udc00', '😀\\ud83d']
  await op('create_cron_trigger', { ...trigger, name: 'null', payload })
  await op('set_catalog_state', { type: 'cli', state: { a: '\0' } })
  const columns = ['name', 'payload', { name: 'cron_events', columns: ['status'], limit: 1 }]
  assert.deepEqual(await op('select', { table: system('hdb_cron_triggers'), columns, order_by: '+name' }), [
    {
      name: 'null',
      payload: ['\ufffd\\u0000', 'ä', '\ufffd', 'x\ufffd\ufffd', '😀\\ud83d'],
      cron_events: [{ status: 'scheduled' }],
    },
    { name: 'plain', payload: null, cron_events: [{ status: 'scheduled' }] },
  ])
  assert.deepEqual(await op('select', { table: system('hdb_version'), columns: ['cli_state'] }), [
    { cli_state: { a: '\ufffd' } },
  ])
})

test('SQL joins schedules with their events, and deletes events', async (t) => {
  const { op, sql } = await startTrellis(t, hasura)
  const trigger = { name: 'nightly', webhook: 'http://127.0.0.1:1', schedule: '0 0 1 1 *', include_in_metadata: true }
  await op('create_cron_trigger', { ...trigger, headers: [{ name: 'X', value: 'v' }] })
  const run = async (text: string) => (await op<{ result: unknown }>('run_sql', { sql: text })).result
  const found = await run(`select name, header_conf::json,
      (select count(*) from hdb_catalog.hdb_cron_events where trigger_name = name)
    from hdb_catalog.hdb_cron_triggers`)
  assert.deepEqual(found, [
    ['name', 'header_conf', 'count'],
    ['nightly', '[{"name":"X","value":"v"}]', '100'],
  ])
  await run(`delete from hdb_catalog.hdb_cron_events`)
  assert.deepEqual(await sql('select from trellis.hdb_cron_events'), [])
})
