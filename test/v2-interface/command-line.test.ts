// The requests of the original command line, in its order, for projects of both configurations.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { startTrellis } from '../support/trellis.ts'

const up = 'create table book (id int primary key, title text)'
const seed = `insert into book values (1, 'Dunes')`
const ok = { message: 'success' }
const done = { result_type: 'CommandOk', result: null }

/** A server as the command line sees it: each answer must have status 200. */
async function start(t: TestContext, graphqlInterface: '1.3' | '2') {
  const trellis = await startTrellis(t, { settings: { dialect: 'hasura', graphqlInterface } })
  const post = async <Body = unknown>(url: string, body: unknown): Promise<Body> => {
    const answer = await trellis.request<Body>(url, { body })
    assert.equal(answer.status, 200, answer.text)
    return answer.body
  }
  const first = async () => {
    const version = async () =>
      (await trellis.request<{ version: string }>('/v1/version', { method: 'GET' })).body.version
    assert.equal(await version(), await version())
    assert.equal((await trellis.request('/v1alpha1/config', { method: 'GET' })).status, 200)
    const exported = await post<{ version: number }>('/v1/query', { type: 'export_metadata', args: {} })
    return { version: await version(), format: exported.version }
  }
  return { trellis, post, first }
}

test('a project of config 3', async (t) => {
  const { trellis, post, first } = await start(t, '2')
  type State = { id: string; cli_state: Record<string, unknown> }
  const metadata = <Body>(type: string, args: unknown, more: object = {}) =>
    post<Body>('/v1/metadata', { type, args, ...more })
  const run = <Body = unknown>(sql: string, more: object = {}) =>
    post<Body>('/v2/query', { type: 'run_sql', args: { sql, source: 'library', ...more } })

  assert.deepEqual(await first(), { version: 'v2.48.0', format: 3 })
  const { id } = await metadata<State>('get_catalog_state', {})
  assert.match(id, /^[0-9a-f-]{36}$/)

  const document = {
    version: 3,
    sources: [
      {
        name: 'library',
        kind: 'postgres',
        tables: [{ table: { schema: 'public', name: 'book' } }],
        configuration: { connection_info: { database_url: { from_env: 'PG_DATABASE_URL' } } },
      },
    ],
  }
  const apply = () => {
    const args = { allow_inconsistent_metadata: true, metadata: document }
    return metadata<{ is_consistent: boolean; inconsistent_objects: object[] }>('replace_metadata', args, {
      version: 2,
    })
  }

  await t.test('deploy: metadata, migrations, metadata, reload, seeds', async () => {
    const before = await apply()
    assert.equal(before.is_consistent, false)
    assert.deepEqual(before.inconsistent_objects, [
      {
        type: 'table',
        name: 'table book in source library',
        definition: { schema: 'public', name: 'book' },
        reason: 'Inconsistent object: no such table/view exists in source: "book"',
      },
    ])
    const exported = await metadata<{ sources: { kind: string; name: string }[] }>('export_metadata', {})
    assert.deepEqual([exported.sources[0]!.name, exported.sources[0]!.kind], ['library', 'postgres'])
    const { cli_state } = await metadata<State>('get_catalog_state', {})
    assert.deepEqual(cli_state, {})
    const old = {
      type: 'run_sql',
      args: { source: 'library', sql: 'select version, dirty from hdb_catalog.schema_migrations' },
    }
    const missing = await trellis.request('/v2/query', { body: old })
    const { code, internal } = missing.body as { code: string; internal: { error: { status_code: string } } }
    assert.deepEqual([missing.status, code, internal.error.status_code], [400, 'postgres-error', '42P01'])
    const migrations = (dirty: boolean) => ({ library: { '1700000000000': dirty } })
    const state = (dirty: boolean) => ({
      migrations: migrations(dirty),
      settings: { migration_mode: 'true' },
      isStateCopyCompleted: true,
    })
    assert.deepEqual(await metadata('set_catalog_state', { type: 'cli', state: state(true) }), ok)
    assert.deepEqual(await run(up, { check_metadata_consistency: false }), done)
    assert.deepEqual(await metadata('set_catalog_state', { type: 'cli', state: state(false) }), ok)
    assert.deepEqual((await metadata<State>('get_catalog_state', {})).cli_state, state(false))
    assert.deepEqual(await apply(), { is_consistent: true, inconsistent_objects: [] })
    const reload = { reload_remote_schemas: true, reload_sources: true, recreate_event_triggers: true }
    assert.deepEqual(await metadata('reload_metadata', reload), { ...ok, is_consistent: true })
    const seeds = [{ type: 'run_sql', args: { source: 'library', sql: seed } }]
    assert.deepEqual(await post('/v2/query', { type: 'bulk', source: 'library', args: seeds }), [done])
    assert.deepEqual(await trellis.graphql('{ book { title } }'), { data: { book: [{ title: 'Dunes' }] } })
  })

  await t.test('up.yaml, export, diff, inconsistencies, and clear', async () => {
    const using = { table: { schema: 'public', name: 'book' }, source: 'library' }
    await metadata('pg_create_select_permission', {
      ...using,
      role: 'reader',
      permission: { columns: '*', filter: {} },
    })
    assert.deepEqual(await metadata('get_inconsistent_metadata', {}), { is_consistent: true, inconsistent_objects: [] })
    assert.deepEqual(await metadata('drop_inconsistent_metadata', {}), ok)
    const exported = await metadata<{ sources: { tables: object[]; configuration: unknown }[] }>('export_metadata', {})
    assert.deepEqual(exported.sources[0]!.configuration, document.sources[0]!.configuration)
    assert.deepEqual(Object.keys(exported.sources[0]!.tables[0]!), ['table', 'select_permissions'])
    assert.deepEqual(await metadata('clear_metadata', {}), ok)
    assert.deepEqual(await run('select count(*) from book'), { result_type: 'TuplesOk', result: [['count'], ['1']] })
  })
})

for (const graphqlInterface of ['1.3', '2'] as const) {
  test(`a project of config 2 (interface ${graphqlInterface})`, async (t) => {
    const { post, first } = await start(t, graphqlInterface)
    const endpoint = graphqlInterface === '2' ? '/v1/metadata' : '/v1/query'
    const run = <Body = unknown>(sql: string, more: object = {}) =>
      post<Body>(graphqlInterface === '2' ? '/v2/query' : '/v1/query', { type: 'run_sql', args: { sql, ...more } })
    const { format } = await first()
    assert.equal(format, graphqlInterface === '2' ? 3 : 2)
    const select = {
      type: 'select',
      args: { table: { schema: 'hdb_catalog', name: 'hdb_version' }, columns: ['hasura_uuid', 'cli_state'] },
    }
    const [installation] = await post<{ hasura_uuid: string }[]>('/v1/query', select)
    assert.match(installation!.hasura_uuid, /^[0-9a-f-]{36}$/)

    const exists = (table: string) =>
      run<{ result: string[][] }>(`select count(1) from information_schema.tables
        where table_name = '${table}' and table_schema = 'hdb_catalog' limit 1`)
    for (const [table, columns] of [
      ['schema_migrations', 'version bigint not null primary key, dirty boolean not null'],
      ['migration_settings', 'setting text not null primary key, value text not null'],
    ]) {
      assert.deepEqual((await exists(table!)).result, [['count'], ['0']])
      assert.deepEqual(await run(`create table hdb_catalog.${table} (${columns})`), done)
    }
    await run(`insert into hdb_catalog.schema_migrations values (1700000000000, false)`)
    assert.deepEqual(await run('select version, dirty from hdb_catalog.schema_migrations'), {
      result_type: 'TuplesOk',
      result: [
        ['version', 'dirty'],
        ['1700000000000', 'f'],
      ],
    })
    assert.deepEqual(await run(up, { check_metadata_consistency: false }), done)
    const document = { version: 2, tables: [{ table: { schema: 'public', name: 'book' } }] }
    assert.deepEqual(await post(endpoint, { type: 'replace_metadata', args: document }), ok)
    const exported = await post<{ version: number }>(endpoint, { type: 'export_metadata', args: {} })
    assert.equal(exported.version, format)
    const reload = { reload_remote_schemas: true, reload_sources: true, recreate_event_triggers: true }
    const { message } = await post<{ message: string }>(endpoint, { type: 'reload_metadata', args: reload })
    assert.equal(message, 'success')
    assert.deepEqual(await post(endpoint, { type: 'get_inconsistent_metadata', args: {} }), {
      is_consistent: true,
      inconsistent_objects: [],
    })
    const requests = [{ type: 'run_sql', args: { sql: seed } }]
    assert.deepEqual(await post('/v1/query', { type: 'bulk', args: requests }), [done])
    assert.deepEqual(await post(endpoint, { type: 'clear_metadata', args: {} }), ok)
  })
}
