import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testDatabase } from '../support/database.ts'
import { startProxy } from '../support/proxy.ts'
import { startTrellis } from '../support/trellis.ts'

const sql = `
  create table note (id int primary key);
  insert into note values (1);
  create function doomed() returns setof note language sql stable
    as $$ select note.* from note where pg_terminate_backend(pg_backend_pid()) $$`

test('a connection that PostgreSQL has closed is not used for the next request', async (t) => {
  const { op, graphql } = await startTrellis(t, { sql })
  await op('track_table', 'note')
  await op('track_function', 'doomed')
  for (let round = 0; round < 10; round++) {
    const lost = await graphql<{ errors: { message: string }[] }>('{ doomed { id } }')
    assert.equal(lost.errors[0]!.message, 'connection error')
    assert.deepEqual(await graphql('{ note { id } }'), { data: { note: [{ id: 1 }] } })
  }
})

test('a connection on which a commit failed is kept', async (t) => {
  const { op, graphql } = await startTrellis(t, {
    sql: `create table node (id int primary key, pid int default pg_backend_pid(),
      parent int references node deferrable initially deferred)`,
    settings: { connections: 1 },
  })
  await op('track_table', 'node')
  const insert = (object: string) => graphql(`mutation { insert_node_one(object: ${object}) { pid } }`)
  const first = await insert('{id: 1}')
  const { errors } = (await insert('{id: 2, parent: 9}')) as { errors: { extensions: object }[] }
  assert.deepEqual(errors[0]!.extensions, { path: '$', code: 'constraint-violation' })
  assert.deepEqual(await insert('{id: 3}'), first)
})

test('a connection closed by PostgreSQL is recognized in any language of its messages', async (t) => {
  const database = await testDatabase(t)
  const translate = (chunk: Buffer) =>
    Buffer.from(chunk.toString('latin1').replaceAll('SFATAL\0', 'SFATEL\0'), 'latin1')
  const { url } = await startProxy(t, database.url, { rewrite: translate })
  await database.sql(sql)
  const { op, graphql } = await startTrellis(t, { database: { ...database, url } })
  await op('track_table', 'note')
  await op('track_function', 'doomed')
  for (let round = 0; round < 10; round++) {
    const lost = await graphql<{ errors: { message: string }[] }>('{ doomed { id } }')
    assert.equal(lost.errors[0]!.message, 'connection error')
    assert.deepEqual(await graphql('{ note { id } }'), { data: { note: [{ id: 1 }] } })
  }
})
