// `run_sql` with functions of Citus, with a stand-in that makes the rows of the catalog which the server reads.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTrellis } from '../support/trellis.ts'

const sql = `
  create table item (tenant_id int, id int, primary key (tenant_id, id));
  create table note (id int primary key);
  create table pg_dist_partition (
    logicalrelid regclass, partmethod "char", partkey text, colocationid int, repmodel "char");
  alter table pg_dist_partition set schema pg_catalog;
  create function create_distributed_table(name text, "column" text) returns void language sql as $$
    insert into pg_dist_partition values (name::regclass, 'h', '{VAR :varattno 1 }', 1, 's') $$`

test('a table that run_sql distributes is served as one at once', async (t) => {
  const { op, request, graphql } = await startTrellis(t, { sql })
  await op('track_tables', {})
  const insert = 'mutation { insert_item(objects: { id: 1 }) { affected_rows } }'
  const code = async () => {
    const { errors } = await graphql<{ errors?: { extensions: { code: string } }[] }>(insert)
    return errors?.[0]?.extensions.code
  }
  assert.equal(await code(), 'constraint-violation')
  await op('run_sql', { sql: `select create_distributed_table('item', 'tenant_id')` })
  assert.equal(await code(), 'not-supported')

  await op('create_event_trigger', {
    name: 'notes',
    table: 'note',
    webhook: 'http://127.0.0.1:1',
    insert: { columns: '*' },
  })
  const { status, body } = await request<{ error: string; internal: readonly { reason: string }[] }>('/v1/query', {
    body: { type: 'run_sql', args: { sql: `select create_distributed_table('note', 'id')` } },
  })
  assert.equal(status, 500)
  assert.match(JSON.stringify(body), /event triggers are not supported on the distributed table/)
  const [placed] = await op<{ result: string[][] }>('run_sql', { sql: 'select count(*) from pg_dist_partition' }).then(
    ({ result }) => result.slice(1).map(([count]) => count),
  )
  assert.equal(placed, '1')
})
