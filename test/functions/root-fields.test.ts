import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTrellis } from '../support/trellis.ts'

const sql = `
  create schema a;
  create table person (id int primary key);
  create table person_aggregate (id int primary key);
  create table chosen (id int primary key);
  insert into person values (1);
  create function everyone() returns setof person language sql stable as $$ select * from person $$;
  create function a.b_c() returns setof person language sql stable as $$ select * from person $$;
  create function a_b_c() returns setof person language sql stable as $$ select * from person $$;
  create function person_by_pk() returns setof person language sql stable as $$ select * from person $$`

const reason = (names: string) => `following query root fields are duplicated: ${names}`

const duplicated = (names: string) => ({
  status: 400,
  body: { path: '$.args', error: reason(names), code: 'unexpected' },
})

test('a function cannot have the root field of a table or another function', async (t) => {
  const { op, opError, graphql } = await startTrellis(t, { sql })
  await op('track_table', 'person')
  assert.deepEqual(await opError('track_function', 'person_by_pk'), duplicated('person_by_pk'))
  await op('track_function', 'a_b_c')
  assert.deepEqual(await opError('track_function', { schema: 'a', name: 'b_c' }), duplicated('a_b_c, a_b_c_aggregate'))
  assert.deepEqual(await graphql('{ a_b_c { id } }'), { data: { a_b_c: [{ id: 1 }] } })
  assert.deepEqual(await op('get_inconsistent_metadata', {}), [])
})

test('a table cannot have the root field of a function', async (t) => {
  const { op, opError, graphql } = await startTrellis(t, { sql })
  await op('track_table', 'person')
  await op('track_function', 'everyone')
  for (const select of ['everyone', 'everyone_aggregate']) {
    const clash = { table: 'chosen', configuration: { custom_root_fields: { select } } }
    assert.deepEqual(await opError('track_table', clash, { version: 2 }), duplicated(select))
  }
  await op('track_table', { table: 'chosen', configuration: { custom_root_fields: { select: 'all' } } }, { version: 2 })
  assert.deepEqual(await graphql('{ everyone { id } all { id } }'), { data: { everyone: [{ id: 1 }], all: [] } })
})

test('at the start the table is served, and the function listed until the table is gone', async (t) => {
  const { op, graphql } = await startTrellis(t, { sql })
  const clash = {
    version: 2,
    tables: [{ table: 'person' }, { table: 'chosen', configuration: { custom_root_fields: { select: 'everyone' } } }],
    functions: [{ function: 'everyone' }, { function: 'a_b_c' }],
  }
  const listed = [{ type: 'function', definition: { schema: 'public', name: 'everyone' }, reason: reason('everyone') }]
  const kept = { allow_inconsistent_metadata: true, metadata: clash }
  assert.deepEqual(await op('replace_metadata', kept, { version: 2 }), {
    is_consistent: false,
    inconsistent_objects: listed,
  })
  assert.deepEqual(await graphql('{ everyone { id } a_b_c { id } }'), { data: { everyone: [], a_b_c: [{ id: 1 }] } })
  await op('untrack_table', { table: 'chosen' })
  assert.deepEqual(await op('get_inconsistent_metadata', {}), [])
  assert.deepEqual(await graphql('{ everyone { id } }'), { data: { everyone: [{ id: 1 }] } })
})
