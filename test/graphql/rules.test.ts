// Tables and views with rules. PostgreSQL refuses some statements on them, above all in WITH; only accepted forms are
// sent.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTrellis, type TestTrellis } from '../support/trellis.ts'

const sql = `
  create table owner (id int primary key, name text);
  create table note (id int primary key, body text, owner_id int references owner);
  create table history (what text, id int);
  create rule log_insert as on insert to note do also insert into history values ('insert', new.id);
  create rule log_update as on update to note do also insert into history values ('update', new.id);
  create rule log_delete as on delete to note do also insert into history values ('delete', old.id);
  create view desk as select * from note;
  create rule desk_insert as on insert to desk do instead (
    insert into history values ('desk', new.id);
    insert into note values (new.id, new.body, new.owner_id) returning note.*);
  create rule desk_update as on update to desk do instead
    update note set body = new.body where id = old.id returning note.*;
  create rule desk_delete as on delete to desk do instead nothing;
  create view till as select * from note;
  create rule till_insert as on insert to till do instead (
    insert into note values (new.id) returning note.*; insert into history values ('till', new.id));
  create rule till_update as on update to till do instead
    (update note set body = new.body where id = old.id returning note.*; insert into history values ('till', old.id));
  create rule till_delete as on delete to till do instead
    (update note set body = '' where id = old.id returning note.*; insert into history values ('till', old.id));
  create view pad as select id, body from note;
  create table soft (id int primary key, gone boolean not null default false, owner_id int);
  create rule soften as on delete to soft do instead update soft set gone = true where id = old.id returning soft.*;
  insert into soft values (1, false, 1), (2, false, 2), (3, false, null);
  create table kept (id int primary key, gone boolean not null default false);
  create rule keep as on delete to kept do instead update kept set gone = true where id = old.id;
  create rule off as on update to kept do also nothing; alter table kept disable rule off;
  insert into owner values (1, 'Ann'), (2, 'Bob');
  insert into kept values (1)`

const toOwner = (table: string) => ({
  type: 'create_object_relationship',
  args: {
    table,
    name: 'owner',
    using: { manual_configuration: { remote_table: 'owner', column_mapping: { owner_id: 'id' } } },
  },
})

async function start(t: Parameters<typeof startTrellis>[0]): Promise<TestTrellis> {
  const trellis = await startTrellis(t, { sql })
  await trellis.op('bulk', [
    ...['owner', 'note', 'desk', 'till', 'kept', 'soft', 'pad'].map((args) => ({ type: 'track_table', args })),
    toOwner('note'),
    toOwner('desk'),
    toOwner('soft'),
    {
      type: 'create_array_relationship',
      args: {
        table: 'owner',
        name: 'notes',
        using: { foreign_key_constraint_on: { table: 'note', column: 'owner_id' } },
      },
    },
  ])
  return trellis
}

const answers = async ({ graphql }: TestTrellis, field: string, expected: unknown, role?: string) => {
  const answer = await graphql(`mutation { answer: ${field} }`, {}, role === undefined ? {} : { role })
  assert.deepEqual(answer, { data: { answer: expected } }, field)
}

const history = async ({ sql }: TestTrellis) =>
  (await sql('select what, id from history')).map((row) => Object.values(row))

test('rows of a table whose rules also do something are inserted, updated and deleted', async (t) => {
  const trellis = await start(t)
  await answers(
    trellis,
    'insert_note(objects: [{id: 1, body: "a", owner_id: 1}, {id: 2}]) { affected_rows returning { id body } }',
    {
      affected_rows: 2,
      returning: [
        { id: 1, body: 'a' },
        { id: 2, body: null },
      ],
    },
  )
  await answers(trellis, 'insert_note_one(object: {id: 3, owner: {data: {id: 3, name: "Eve"}}}) { owner { name } }', {
    owner: { name: 'Eve' },
  })
  await answers(
    trellis,
    'insert_owner_one(object: {id: 4, notes: {data: [{id: 4}, {id: 5}]}}) { notes(order_by: {id: asc}) { id } }',
    {
      notes: [{ id: 4 }, { id: 5 }],
    },
  )
  await answers(trellis, 'update_note(where: {id: {_lt: 3}}, _set: {body: "b"}) { affected_rows }', {
    affected_rows: 2,
  })
  await answers(trellis, 'update_note_by_pk(pk_columns: {id: 1}, _set: {body: "c"}) { body owner { name } }', {
    body: 'c',
    owner: { name: 'Ann' },
  })
  await answers(trellis, 'delete_note(where: {id: {_gt: 3}}) { affected_rows returning { id } }', {
    affected_rows: 2,
    returning: [{ id: 4 }, { id: 5 }],
  })
  await answers(trellis, 'delete_note(where: {id: {_gt: 9}}) { affected_rows returning { id } }', {
    affected_rows: 0,
    returning: [],
  })
  const all = await history(trellis)
  assert.deepEqual(
    all.filter(([what]) => what === 'insert').map(([, id]) => id),
    [1, 2, 3, 4, 5],
  )
})

test('a view accepts only changes that its INSTEAD rules perform and return', async (t) => {
  const trellis = await start(t)
  await answers(
    trellis,
    'insert_desk(objects: [{id: 1, body: "a", owner_id: 2}]) { affected_rows returning { id owner { name } } }',
    {
      affected_rows: 1,
      returning: [{ id: 1, owner: { name: 'Bob' } }],
    },
  )
  assert.deepEqual(await history(trellis), [
    ['desk', 1],
    ['insert', 1],
  ])
  await answers(
    trellis,
    'update_desk(where: {owner: {name: {_eq: "Bob"}}}, _set: {body: "b"}) { returning { body } }',
    {
      returning: [{ body: 'b' }],
    },
  )
  await answers(trellis, 'insert_pad(objects: {id: 7}) { affected_rows returning { id } }', {
    affected_rows: 1,
    returning: [{ id: 7 }],
  })
  await answers(trellis, 'delete_pad(where: {id: {_eq: 7}}) { affected_rows }', { affected_rows: 1 })
  await answers(trellis, 'update_till(where: {}, _set: {body: "t"}) { affected_rows }', { affected_rows: 1 })
  const query = '{ __schema { mutationType { fields { name } } } }'
  const { data } = await trellis.graphql<{ data: { __schema: { mutationType: { fields: { name: string }[] } } } }>(
    query,
  )
  const names = data.__schema.mutationType.fields.map(({ name }) => name).filter((name) => /desk|kept|till/.test(name))
  assert.deepEqual(names.sort(), [
    'insert_desk',
    'insert_desk_one',
    'insert_kept',
    'insert_kept_one',
    'update_desk',
    'update_desk_many',
    'update_kept',
    'update_kept_by_pk',
    'update_kept_many',
    'update_till',
    'update_till_many',
  ])
  for (const [table, what] of [
    ['desk', 'view'],
    ['till', 'view'],
    ['kept', 'table'],
  ]) {
    assert.deepEqual(await trellis.opError('delete', { table, where: {} }), {
      status: 400,
      body: { path: '$.args', error: `${what} "${table}" is not deletable`, code: 'not-supported' },
    })
  }
})

test('an INSTEAD rule with a statement of another kind returns its rows', async (t) => {
  const trellis = await start(t)
  await answers(trellis, 'delete_soft(where: {id: {_eq: 1}}) { affected_rows returning { id gone } }', {
    affected_rows: 1,
    returning: [{ id: 1, gone: true }],
  })
  await answers(trellis, 'delete_soft_by_pk(id: 2) { gone }', { gone: true })
  await answers(trellis, 'delete_soft(where: {id: {_lt: 3}}) { returning { id owner { name } } }', {
    returning: [
      { id: 1, owner: { name: 'Ann' } },
      { id: 2, owner: { name: 'Bob' } },
    ],
  })
})

test('ON CONFLICT is offered unless a rule prevents it', async (t) => {
  const trellis = await start(t)
  const has = async (table: string) => {
    const query = `{ __type(name: "${table}_on_conflict") { name } }`
    const { data } = await trellis.graphql<{ data: { __type: unknown } }>(query)
    return data.__type !== null
  }
  assert.deepEqual([await has('note'), await has('owner'), await has('kept')], [false, true, true])
  for (const given of [{ constraint: 'note_pkey' }, {}]) {
    const on_conflict = { action: 'ignore', ...given }
    assert.deepEqual(await trellis.opError('insert', { table: 'note', objects: [{ id: 1 }], on_conflict }), {
      status: 400,
      body: {
        path: '$.args.on_conflict',
        error: '"note" has rules for inserts or updates, for which PostgreSQL has no ON CONFLICT',
        code: 'not-supported',
      },
    })
  }
})

test('permissions apply to rewritten statements, and invalid values fail with any rows', async (t) => {
  const trellis = await start(t)
  const permission = (kind: string, more: object) => ({
    type: `create_${kind}_permission`,
    args: {
      table: 'note',
      role: 'writer',
      permission: { ...(kind !== 'delete' && { columns: ['id', 'body'] }), ...more },
    },
  })
  const small = { id: { _lt: 10 } }
  await trellis.op('bulk', [
    permission('insert', { check: small }),
    permission('select', { filter: small }),
    permission('update', { filter: small, check: { body: { _ne: 'bad' } } }),
    permission('delete', { filter: small }),
  ])
  const refusedBy = async (field: string) => {
    const { errors } = await trellis.graphql<{ errors: { message: string; extensions: object }[] }>(
      `mutation { answer: ${field} }`,
      {},
      { role: 'writer' },
    )
    return errors.map(({ message, extensions }) => ({ message, ...extensions }))
  }
  await answers(trellis, 'insert_note(objects: {id: 1}) { affected_rows }', { affected_rows: 1 }, 'writer')
  assert.partialDeepStrictEqual(await refusedBy('insert_note(objects: [{id: 2}, {id: 20}]) { affected_rows }'), [
    { message: 'Check constraint violation. insert check constraint failed', code: 'permission-error' },
  ])
  assert.partialDeepStrictEqual(
    await refusedBy('update_note(where: {}, _set: {body: "bad"}) { affected_rows returning { id } }'),
    [{ message: 'Check constraint violation. update check constraint failed', code: 'permission-error' }],
  )
  await trellis.sql('insert into note values (30)')
  await answers(
    trellis,
    'delete_note(where: {}) { affected_rows returning { id } }',
    { affected_rows: 1, returning: [{ id: 1 }] },
    'writer',
  )
  assert.deepEqual(await trellis.sql('select id from note'), [{ id: 30 }])
  assert.partialDeepStrictEqual(
    await refusedBy('delete_note(where: {id: {_eq: 5}, body: {_regex: "("}}) { affected_rows }'),
    [{ code: 'data-exception' }],
  )
})

test('data operations on tables with rules', async (t) => {
  const { op } = await start(t)
  const objects = [
    { id: 1, body: 'a' },
    { id: 2, body: 'b' },
  ]
  assert.deepEqual(await op('insert', { table: 'note', objects, returning: ['id', 'body'] }), {
    affected_rows: 2,
    returning: objects,
  })
  const update = { table: 'note', where: { id: 2 }, $set: { body: 'c' }, returning: ['body'] }
  assert.deepEqual(await op('update', update), { affected_rows: 1, returning: [{ body: 'c' }] })
  assert.deepEqual(await op('delete', { table: 'note', where: {} }), { affected_rows: 2 })
  assert.deepEqual(await op('delete', { table: 'note', where: {}, returning: ['id'] }), {
    affected_rows: 0,
    returning: [],
  })
})

test('a view with INSTEAD OF triggers, a partitioned table and a rule that comes later', async (t) => {
  const trellis = await startTrellis(t, {
    sql: `
      create table parts (id int, body text) partition by list (id);
      create table parts_1 partition of parts default;
      create view pane as select * from parts;
      create function put() returns trigger language plpgsql as $$ begin
        insert into parts values (new.id, 'put'); new.body := 'put'; return new; end $$;
      create trigger puts instead of insert on pane for each row execute function put();`,
  })
  await trellis.op(
    'bulk',
    ['parts', 'pane'].map((args) => ({ type: 'track_table', args })),
  )
  const inserts = async (table: string, id: number, body: string | null) => {
    await answers(trellis, `insert_${table}(objects: {id: ${id}}) { affected_rows returning { body } }`, {
      affected_rows: 1,
      returning: [{ body }],
    })
  }
  await inserts('parts', 1, null)
  await inserts('pane', 2, 'put')
  await trellis.op('run_sql', {
    sql: `create table seen (id int); create rule see as on insert to parts do also insert into seen values (new.id)`,
  })
  await trellis.op('reload_metadata', {})
  await inserts('parts', 3, null)
  assert.deepEqual(await trellis.sql('select id from seen'), [{ id: 3 }])
})
