// Lists of requests: with each member by itself, all or none, or only reading.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTrellis } from '../support/trellis.ts'

const sql = `
  create table writer (id int primary key, name text);
  create table book (id int primary key, writer_id int references writer, title text);
  insert into writer values (1, 'Ann')`

const ok = { message: 'success' }
const track = (table: string) => ({ type: 'pg_track_table', args: { source: 'default', table } })
const run = (text: string, more: object = {}) => ({ type: 'run_sql', args: { sql: text, ...more } })

test('a bulk of each kind', async (t) => {
  const trellis = await startTrellis(t, { sql })
  const ask = async (type: string, args: unknown, url = '/v1/metadata') => {
    const { status, body } = await trellis.request(url, { body: { type, args } })
    return { status, body }
  }
  const tracked = async () => {
    const { body } = await ask('export_metadata', {})
    const { sources } = body as { sources: { tables: { table: { name: string } }[] }[] }
    return sources[0]!.tables.map(({ table }) => table.name)
  }
  const alreadyTracked = (i: number, table: string) => ({
    path: `$.args[${i}].args`,
    error: `view/table already tracked : "${table}"`,
    code: 'already-tracked',
  })

  await t.test('bulk_keep_going continues after failed members, and undoes only these', async () => {
    const members = [
      track('book'),
      track('book'),
      track('nowhere'),
      run('create table kept (id int primary key)'),
      run('create table lost (); select 1/0'),
      run('insert into writer values (1)'),
      track('writer'),
      {
        type: 'pg_create_object_relationship',
        args: { table: 'book', name: 'writer', using: { foreign_key_constraint_on: 'writer_id' } },
      },
      { type: 'add_remote_schema', args: { name: 'far', definition: { url: 'http://127.0.0.1:1/' } } },
      track('kept'),
    ]
    const { status, body } = await ask('bulk_keep_going', members)
    assert.equal(status, 200)
    const results = body as { message?: string; code?: string; path?: string }[]
    assert.deepEqual(
      results.map(({ message, code }) => message ?? code),
      [
        ...['success', 'already-tracked', 'invalid-configuration', undefined, 'postgres-error', 'postgres-error'],
        ...['success', 'success', 'invalid-configuration', 'success'],
      ],
    )
    assert.deepEqual(results[1], alreadyTracked(1, 'book'))
    assert.deepEqual(results[3], { result_type: 'CommandOk', result: null })
    assert.equal(results[5]!.path, '$.args[5].args')
    assert.deepEqual(await tracked(), ['book', 'kept', 'writer'])
    const [lost] = await trellis.sql<{ lost: unknown }>(`select to_regclass('lost') as lost`)
    assert.equal(lost!.lost, null)
    assert.deepEqual(await trellis.graphql('{ writer { id } book { writer { id } } kept { id } }'), {
      data: { writer: [{ id: 1 }], book: [], kept: [] },
    })
    const again = await startTrellis(t, { database: trellis.database })
    assert.deepEqual(await again.graphql('{ kept { id } }'), { data: { kept: [] } })
  })

  await t.test('bulk_keep_going that only reads', async () => {
    const members = [run('select 1/0', { read_only: true }), run('select 1', { read_only: true })]
    const { body } = await ask('bulk_keep_going', members)
    const [failed, read] = body as { code?: string; result?: unknown }[]
    assert.equal(failed!.code, 'postgres-error')
    assert.deepEqual(read!.result, [['?column?'], ['1']])
  })

  await t.test('a nested bulk succeeds or fails with its member', async () => {
    await ask('bulk', [{ type: 'pg_untrack_table', args: { table: 'kept' } }])
    const inner = { type: 'bulk', args: [track('kept'), run('select count(*) from kept'), track('book')] }
    const { body } = await ask('bulk_keep_going', [inner, track('kept'), track('kept')])
    assert.deepEqual(body, [
      { ...alreadyTracked(2, 'book'), path: '$.args[0].args[2].args' },
      ok,
      alreadyTracked(2, 'kept'),
    ])
  })

  await t.test('bulk_atomic changes all or nothing', async () => {
    await ask('pg_untrack_table', { table: 'kept' })
    const refused = await ask('bulk_atomic', [track('kept'), track('book')])
    assert.deepEqual(refused, { status: 400, body: alreadyTracked(1, 'book') })
    assert.deepEqual(await ask('bulk_atomic', [track('kept'), { type: 'pg_untrack_table', args: { table: 'kept' } }]), {
      status: 200,
      body: ok,
    })
    assert.deepEqual(await tracked(), ['book', 'writer'])
  })

  await t.test('concurrent_bulk only reads', async () => {
    const count = { type: 'count', args: { table: 'writer' } }
    assert.deepEqual(await ask('concurrent_bulk', [count, run('select 2', { read_only: true })], '/v2/query'), {
      status: 200,
      body: [{ count: 1 }, { result_type: 'TuplesOk', result: [['?column?'], ['2']] }],
    })
    assert.deepEqual(await ask('concurrent_bulk', [count, run('select 2')], '/v2/query'), {
      status: 500,
      body: {
        path: '$.args',
        error: 'Only read-only queries are allowed in a concurrent_bulk',
        code: 'unexpected',
      },
    })
    const reading = [
      { type: 'export_metadata', args: {} },
      { type: 'get_inconsistent_metadata', args: {} },
      { type: 'pg_get_source_tables', args: {} },
    ]
    const { status, body } = await ask('concurrent_bulk', reading)
    assert.deepEqual([status, (body as unknown[]).length], [200, 3])
  })

  await t.test('members of a bulk may differ in their access, but not at /v1/query', async () => {
    const members = [
      run('select count(*) from writer', { read_only: true }),
      run(`insert into writer values (2, 'Bob')`),
      run('select count(*) from writer', { read_only: true }),
    ]
    for (const url of ['/v2/query', '/v1/metadata']) {
      const { status, body } = await ask('bulk', members, url)
      const results = body as { result: string[][] | null }[]
      assert.equal(status, 200)
      assert.deepEqual(
        results.map(({ result }) => result?.[1]?.[0]),
        ['1', undefined, '2'],
      )
      await trellis.sql('delete from writer where id = 2')
    }
    const writes = await ask('bulk', [run('delete from writer', { read_only: true }), run('select 1')], '/v2/query')
    const { code, path } = writes.body as { code: string; path: string }
    assert.deepEqual([writes.status, code, path], [400, 'postgres-error', '$.args[0].args'])
    const second = await startTrellis(t, { sql: '', database: trellis.database, settings: { graphqlInterface: '2' } })
    for (const { request } of [trellis, second]) {
      const { status, body } = await request('/v1/query', { body: { type: 'bulk', args: members } })
      assert.equal(status, 400)
      assert.deepEqual(body, {
        path: '$',
        error:
          'incompatible access mode requirements in bulk query, expected access mode: READ ONLY but $.args[1] forces READ WRITE',
        code: 'bad-request',
      })
    }
  })
})
