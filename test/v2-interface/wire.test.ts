import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { RequestOptions } from '../support/client.ts'
import { startTrellis, type TestTrellis } from '../support/trellis.ts'

const ok = { message: 'success' }

const library = `
  create table writer (id int primary key, name text);
  create table book (id int primary key, writer_id int references writer, title text);
  create schema shop;
  create table shop.item (id int primary key);
  create function search_books(term text) returns setof book language sql stable
    as 'select * from book where title ilike term';
  create function writer_label(writer) returns text language sql stable as 'select $1.name';
  insert into writer values (1, 'Ann');
  insert into book values (1, 1, 'Dunes');`

const callsOf = ({ request }: TestTrellis) => {
  const send = async (url: string, body: unknown, options: RequestOptions = {}) => {
    const answer = await request(url, { ...options, body })
    return { status: answer.status, body: answer.body }
  }
  return {
    metadata: (type: string, args: unknown, extra: object = {}) => send('/v1/metadata', { type, args, ...extra }),
    query: (type: string, args: unknown, extra: object = {}) => send('/v2/query', { type, args, ...extra }),
    former: (type: string, args: unknown, extra: object = {}) => send('/v1/query', { type, args, ...extra }),
    send,
  }
}

const done = { status: 200, body: ok }

test('the metadata API of version 2 has names with the kind of the source', async (t) => {
  const trellis = await startTrellis(t, { sql: library })
  const { metadata } = callsOf(trellis)

  await t.test('tables are tracked by flat and nested arguments', async () => {
    assert.deepEqual(await metadata('pg_track_table', { source: 'default', table: 'writer' }), done)
    assert.deepEqual(await metadata('pg_track_table', { source: 'default', schema: 'public', name: 'book' }), done)
    const configuration = { custom_name: 'goods' }
    assert.deepEqual(await metadata('pg_track_table', { table: { schema: 'shop', name: 'item' }, configuration }), done)
    assert.deepEqual(await metadata('pg_track_table', { table: 'writer' }), {
      status: 400,
      body: { path: '$.args', error: 'view/table already tracked : "writer"', code: 'already-tracked' },
    })
    assert.deepEqual(await metadata('pg_untrack_table', { schema: 'shop', name: 'item', source: 'default' }), done)
    assert.deepEqual(await metadata('pg_untrack_table', { table: { schema: 'shop', name: 'item' } }), {
      status: 400,
      body: { path: '$.args', error: 'view/table already untracked : "shop.item"', code: 'already-untracked' },
    })
  })

  await t.test('functions are tracked by a text, an object, or a key', async () => {
    assert.deepEqual(await metadata('pg_track_function', { function: 'search_books', source: 'default' }), done)
    assert.deepEqual(
      await metadata('pg_untrack_function', { function: { schema: 'public', name: 'search_books' } }),
      done,
    )
    const configuration = { custom_name: 'find_books' }
    assert.deepEqual(await metadata('pg_track_function', { function: { name: 'search_books' }, configuration }), done)
    assert.deepEqual(await metadata('pg_untrack_function', { schema: 'public', name: 'search_books' }), done)
  })

  await t.test('operations on parts of tables take the source', async () => {
    const source = 'default'
    const using = { foreign_key_constraint_on: 'writer_id' }
    assert.deepEqual(
      await metadata('pg_create_object_relationship', { source, table: 'book', name: 'writer', using }),
      done,
    )
    const permission = { columns: '*', filter: {} }
    const select = { source, table: 'book', role: 'reader', permission }
    assert.deepEqual(await metadata('pg_create_select_permission', select), done)
    const computed = { source, table: 'writer', name: 'label', definition: { function: 'writer_label' } }
    assert.deepEqual(await metadata('pg_add_computed_field', computed), done)
    const trigger = { source, name: 'told', table: 'book', webhook: 'http://127.0.0.1:1', insert: { columns: '*' } }
    assert.deepEqual(await metadata('pg_create_event_trigger', trigger), done)
    assert.deepEqual(await metadata('pg_delete_event_trigger', { source, name: 'told' }), done)
    assert.deepEqual(await metadata('pg_drop_select_permission', { source, table: 'book', role: 'reader' }), done)
    assert.deepEqual(await metadata('pg_drop_relationship', { source, table: 'book', relationship: 'writer' }), done)
    assert.deepEqual(await metadata('pg_drop_computed_field', { source, table: 'writer', name: 'label' }), done)
  })

  await t.test('a bulk holds any of them, with paths of its members', async () => {
    const members = [
      { type: 'pg_set_table_is_enum', args: { source: 'default', table: 'book', is_enum: false } },
      { type: 'create_query_collection', args: { name: 'kept', definition: { queries: [] } } },
      { type: 'pg_track_table', args: { source: 'other', table: 'writer' } },
    ]
    assert.deepEqual(await metadata('bulk', members.slice(0, 1)), { status: 200, body: [ok] })
    assert.deepEqual(await metadata('bulk', members), {
      status: 400,
      body: { path: '$.args[2].args', error: 'source with name "other" does not exist', code: 'not-exists' },
    })
  })

  await t.test('names of v1.3 are understood, unknown ones are refused', async () => {
    assert.deepEqual(await metadata('untrack_table', { table: 'book' }), done)
    assert.deepEqual(await metadata('pg_track_table', { table: 'book' }), done)
    const unknown = (type: string, backend: string) => ({
      status: 400,
      body: {
        path: '$',
        error: `unknown metadata command "${type}"; "${backend}" was not recognized as a valid backend name`,
        code: 'parse-failed',
      },
    })
    assert.deepEqual(await metadata('mssql_track_table', {}), unknown('mssql_track_table', 'mssql'))
    assert.deepEqual(await metadata('pg_add_remote_schema', {}), {
      status: 400,
      body: {
        path: '$',
        error: 'unknown metadata command "add_remote_schema" for backend postgres',
        code: 'parse-failed',
      },
    })
    assert.deepEqual(await metadata('nonsense', {}), unknown('nonsense', 'nonsense'))
  })

  await t.test('the form of the arguments decides the version of replace_metadata', async () => {
    const document = { version: 3, sources: [] }
    assert.deepEqual(await metadata('replace_metadata', document), done)
    const report = { is_consistent: true, inconsistent_objects: [] }
    const second = { allow_inconsistent_metadata: true, metadata: document }
    assert.deepEqual(await metadata('replace_metadata', second), { status: 200, body: report })
  })
})

test('paths of errors in arguments name the arguments', async (t) => {
  const trellis = await startTrellis(t, { sql: library, settings: { graphqlInterface: '2' } })
  const { metadata, query, former } = callsOf(trellis)
  const missing = (path: string, key: string) => ({
    status: 400,
    body: { path, error: `key "${key}" not found`, code: 'parse-failed' },
  })
  assert.deepEqual(await query('run_sql', {}), missing('$.args', 'sql'))
  assert.deepEqual(await query('bulk', [{ type: 'run_sql', args: {} }]), missing('$.args[0].args', 'sql'))
  assert.deepEqual(await query('bulk', [{ type: 'run_sql' }]), missing('$.args[0]', 'args'))
  assert.deepEqual(await metadata('pg_track_table', {}), missing('$.args', 'table'))
  assert.deepEqual(await metadata('add_host_to_tls_allowlist', {}), missing('$.args', 'host'))
  assert.deepEqual(await former('track_table', { schema: 'shop' }), missing('$', 'name'))
  const metadataOf = (sources: unknown) => ({ metadata: { version: 3, sources } })
  assert.deepEqual(await metadata('replace_metadata', metadataOf(1)), {
    status: 400,
    body: {
      path: '$.args.metadata.sources',
      error: 'parsing [] failed, expected Array, but encountered Number',
      code: 'parse-failed',
    },
  })
  const endpoint = { name: 'e', url: '', methods: ['GET'], definition: { query: {} } }
  const emptyUrl = (path: string) => ({
    status: 400,
    body: { path, error: 'empty string not allowed', code: 'parse-failed' },
  })
  const nested = [{ type: 'bulk', args: [{ type: 'create_rest_endpoint', args: endpoint }] }]
  assert.deepEqual(await metadata('create_rest_endpoint', endpoint), emptyUrl('$.args.url'))
  assert.deepEqual(await metadata('bulk', nested), emptyUrl('$.args[0].args[0].args.url'))
  assert.deepEqual(await former('create_rest_endpoint', endpoint), emptyUrl('$.url'))
  assert.deepEqual(await former('bulk', nested), emptyUrl('$[0][0].url'))
  assert.deepEqual(await former('add_collection_to_allowlist', {}), missing('$.args', 'collection'))
  assert.deepEqual(await metadata('add_collection_to_allowlist', {}), missing('$.args', 'collection'))
})

test('each operation may name the one source, by its own name or as default', async (t) => {
  const trellis = await startTrellis(t, { sql: library })
  const { metadata, query, former } = callsOf(trellis)
  const refused = (source: string) => ({
    status: 400,
    body: { path: '$.args', error: `source with name "${source}" does not exist`, code: 'not-exists' },
  })
  const sql = 'select 1 as one'
  assert.deepEqual(await former('run_sql', { sql, source: 'other' }), refused('other'))
  assert.deepEqual(await former('track_table', { table: 'book', source: 'other' }), refused('other'))
  assert.deepEqual(await query('run_sql', { sql, source: 'other' }), refused('other'))
  const sources = [{ name: 'library', kind: 'postgres', tables: [{ table: { schema: 'public', name: 'book' } }] }]
  assert.deepEqual(await metadata('replace_metadata', { version: 3, sources }), done)
  for (const source of ['library', 'default', null]) {
    assert.equal((await query('run_sql', { sql, source })).status, 200)
    assert.equal((await query('pg_select', { table: 'book', columns: ['id'], source })).status, 200)
    assert.equal((await former('run_sql', { sql, source })).status, 200)
  }
  assert.deepEqual(await query('pg_count', { table: 'book', source: 'other' }), refused('other'))
  assert.deepEqual(await query('run_sql', { sql, source: 1 }), {
    status: 400,
    body: {
      path: '$.args.source',
      error: 'parsing Text failed, expected String, but encountered Number',
      code: 'parse-failed',
    },
  })
  const restarted = await startTrellis(t, { database: trellis.database })
  assert.equal((await callsOf(restarted).query('run_sql', { sql, source: 'library' })).status, 200)
  assert.deepEqual(await metadata('replace_metadata', { version: 2, tables: [] }), done)
  assert.deepEqual(await query('run_sql', { sql, source: 'library' }), refused('library'))
})

test('data operations and SQL have an endpoint of their own', async (t) => {
  const trellis = await startTrellis(t, { sql: library })
  const { metadata, query, send } = callsOf(trellis)
  await metadata('pg_track_table', { table: 'book' })
  assert.deepEqual(await query('run_sql', { sql: 'select true as yes, null as no', source: 'default' }), {
    status: 200,
    body: {
      result_type: 'TuplesOk',
      result: [
        ['yes', 'no'],
        ['t', 'NULL'],
      ],
    },
  })
  for (const prefix of ['', 'pg_']) {
    assert.deepEqual(await query(`${prefix}select`, { source: 'default', table: 'book', columns: ['title'] }), {
      status: 200,
      body: [{ title: 'Dunes' }],
    })
  }
  assert.deepEqual(await query('pg_insert', { table: 'book', objects: [{ id: 2 }] }), {
    status: 200,
    body: { affected_rows: 1 },
  })
  assert.deepEqual(await query('update', { table: 'book', $set: { title: 'Moor' }, where: { id: 2 } }), {
    status: 200,
    body: { affected_rows: 1 },
  })
  assert.deepEqual(await query('delete', { table: 'book', where: { id: 2 } }), {
    status: 200,
    body: { affected_rows: 1 },
  })
  const count = { type: 'count', args: { table: 'book' } }
  assert.deepEqual(await query('bulk', [count, { ...count, type: 'pg_count' }], { source: 'default' }), {
    status: 200,
    body: [{ count: 1 }, { count: 1 }],
  })
  const answered = { status: 200, body: { result_type: 'TuplesOk', result: [['one'], ['1']] } }
  for (const type of ['run_sql', 'pg_run_sql'])
    assert.deepEqual(await query(type, { sql: 'select 1 as one' }), answered)
  const unknown = await query('export_metadata', {})
  assert.deepEqual(
    [unknown.status, (unknown.body as { error: string }).error],
    [400, 'Unrecognised RQLQuery type: export_metadata'],
  )

  await t.test('only administrators may use both endpoints and see their errors', async () => {
    const refused = {
      status: 400,
      body: { path: '$.args', error: 'restricted access : admin only', code: 'access-denied' },
    }
    for (const url of ['/v1/metadata', '/v2/query']) {
      assert.deepEqual(
        await send(url, { type: 'select', args: { table: 'book', columns: ['id'] } }, { role: 'reader' }),
        refused,
      )
      assert.deepEqual(await send(url, { type: 'nonsense' }, { role: 'reader' }), refused)
      assert.deepEqual(await send(url, 17, { role: 'reader' }), refused)
    }
    assert.deepEqual(await send('/v1/metadata', 17), {
      status: 400,
      body: {
        path: '$',
        error: 'parsing Object failed, expected Object, but encountered Number',
        code: 'parse-failed',
      },
    })
  })
})

test('the interface option decides the version that clients see, and the names at /v1/query', async (t) => {
  const trellis = await startTrellis(t, { sql: library, settings: { graphqlInterface: '2' } })
  const { former, send } = callsOf(trellis)
  assert.deepEqual((await trellis.request('/v1/version')).body, { version: 'v2.48.0', server_type: 'ce' })
  const { body } = await trellis.request<Record<string, unknown>>('/v1alpha1/config', { method: 'GET' })
  const { jwt, is_function_permissions_inferred, is_remote_schema_permissions_enabled, streaming_queries } = body
  assert.deepEqual([jwt, is_function_permissions_inferred, is_remote_schema_permissions_enabled], [[], true, false])
  assert.deepEqual(streaming_queries, { batch_size: 100, refetch_delay: 1 })
  assert.deepEqual([body['experimental_features'], body['default_naming_convention']], [[], null])
  assert.deepEqual(await former('pg_track_table', { schema: 'public', name: 'book' }), done)
  assert.deepEqual(await send('/v1/query', { type: 'replace_metadata', args: 1 }, { role: 'reader' }), {
    status: 400,
    body: { path: '$.args', error: 'restricted access : admin only', code: 'access-denied' },
  })
  // The views of the server are not for users to track.
  await trellis.sql('create schema if not exists trellis_system; create view trellis_system.own as select 1 as one')
  const listed = await former('pg_get_source_tables', {})
  assert.doesNotMatch(JSON.stringify(listed.body), /trellis_system/)
  await former('pg_track_tables', {})
  assert.doesNotMatch(JSON.stringify((await former('export_metadata', {})).body), /trellis_system/)
  const plain = await startTrellis(t)
  const refused = await callsOf(plain).former('pg_track_table', { table: 'book' })
  assert.equal((refused.body as { error: string }).error, 'unknown type "pg_track_table"')
})
