// The schema derives guarantees from constraints only if PostgreSQL enforces them for every row. docs/tables.md has the
// table of decisions.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTrellis, type TestTrellis } from '../support/trellis.ts'

const base = `
  create table target (id int primary key, code text unique);
  insert into target values (1, 'a')`

const tables = `
  create table plain (id int primary key, target_id int not null references target);
  create table unproven (id int primary key, target_id int not null);
  insert into unproven values (1, 2);
  alter table unproven add foreign key (target_id) references target not valid;
  create table deferred (id int primary key, target_id int not null references target deferrable initially deferred,
    code text unique deferrable);
  create table parent (id int primary key, target_id int not null references target, note text not null);
  create table child () inherits (parent);
  insert into child values (1, 3, 'n')`

interface Field {
  readonly name: string
  readonly type: { readonly kind: string }
}

/** The fields of a type that may not be null. */
async function nonNull({ graphql }: TestTrellis, type: string): Promise<string[]> {
  const query = `{ __type(name: "${type}") { fields { name type { kind } } } }`
  const { data } = await graphql<{ data: { __type: { fields: Field[] } } }>(query)
  return data.__type.fields.filter((field) => field.type.kind === 'NON_NULL').map(({ name }) => name)
}

/** The constraints that ON CONFLICT takes; null: there is no such argument. */
async function arbiters({ graphql }: TestTrellis, table: string): Promise<string[] | null> {
  const query = `{ __type(name: "${table}_constraint") { enumValues { name } } }`
  const { data } = await graphql<{ data: { __type: { enumValues: { name: string }[] } | null } }>(query)
  return data.__type?.enumValues.map(({ name }) => name) ?? null
}

const byKey = (table: string, name: string, columns: readonly string[]) => ({
  type: 'create_object_relationship',
  args: { table, name, using: { foreign_key_constraint_on: columns.length === 1 ? columns[0] : columns } },
})

const track = (...names: readonly string[]) => names.map((name) => ({ type: 'track_table', args: name }))

async function versionOf({ sql }: Pick<TestTrellis, 'sql'>): Promise<number> {
  const [row] = await sql<{ version: number }>(`select current_setting('server_version_num')::int / 10000 as version`)
  return row!.version
}

test('a relationship is non-null if every row is known to have a related row', async (t) => {
  const trellis = await startTrellis(t, { sql: `${base};${tables}` })
  const sources = ['plain', 'unproven', 'deferred', 'parent']
  await trellis.op('bulk', [
    ...track('target', ...sources),
    ...sources.map((each) => byKey(each, 'target', ['target_id'])),
  ])
  assert.deepEqual(await nonNull(trellis, 'plain'), ['id', 'target', 'target_id'])
  // Queries read committed rows, and deferred keys are checked before the commit.
  assert.deepEqual(await nonNull(trellis, 'deferred'), ['id', 'target', 'target_id'])
  assert.deepEqual(await nonNull(trellis, 'unproven'), ['id', 'target_id'])
  assert.deepEqual(await nonNull(trellis, 'parent'), ['id', 'note', 'target_id'])
  const { data } = await trellis.graphql<{ data: unknown }>('{ unproven { target { id } } parent { target { id } } }')
  assert.deepEqual(data, { unproven: [{ target: null }], parent: [{ target: null }] })
  assert.deepEqual(await arbiters(trellis, 'deferred'), ['deferred_pkey'])
  await trellis.sql('alter table unproven drop constraint unproven_target_id_fkey; delete from unproven')
  await trellis.op('run_sql', {
    sql: 'alter table unproven add foreign key (target_id) references target',
    check_metadata_consistency: true,
  })
  await trellis.op('reload_metadata', {})
  assert.deepEqual(await nonNull(trellis, 'unproven'), ['id', 'target', 'target_id'])
})

test('a column of a parent table is non-null if it is NOT NULL in all tables that inherit from it', async (t) => {
  const sql = `
    create table parent (id int primary key, a int not null, b int not null, c int);
    create table child () inherits (parent);
    create table grandchild () inherits (child)`
  const trellis = await startTrellis(t, { sql })
  const isStrict = (await versionOf(trellis)) >= 18
  await trellis.sql(
    isStrict
      ? `alter table parent alter b drop not null; alter table parent add constraint b_is not null b no inherit`
      : `alter table grandchild alter b drop not null`,
  )
  await trellis.op('bulk', track('parent'))
  assert.deepEqual(await nonNull(trellis, 'parent'), ['a', 'id'])
})

test('a key of a partitioned table is used once all partitions have it', async (t) => {
  const sql = `
    create table parts (id int not null, part int not null) partition by list (part);
    create table parts_1 partition of parts for values in (1);
    alter table only parts add constraint parts_key primary key (id, part);
    alter table only parts add constraint parts_id unique (part, id);
    insert into parts values (1, 1), (1, 1)`
  const trellis = await startTrellis(t, { sql })
  await trellis.op('bulk', track('parts'))
  assert.equal(await arbiters(trellis, 'parts'), null)
  const byPk = '{ parts_by_pk(id: 1, part: 1) { id } }'
  assert.match(JSON.stringify(await trellis.graphql(byPk)), /field \\"parts_by_pk\\" not found in type: 'query_root'/)
  await trellis.sql(`
    delete from parts;
    alter table parts_1 add primary key (id, part); alter index parts_key attach partition parts_1_pkey`)
  await trellis.op('reload_metadata', {})
  assert.deepEqual(await arbiters(trellis, 'parts'), ['parts_key'])
  assert.deepEqual(await trellis.graphql(byPk), { data: { parts_by_pk: null } })
})

test('a column gets an enum type if every row fulfils its foreign key', async (t) => {
  const sql = `
    create table colour (value text primary key); insert into colour values ('red');
    create table car (id int primary key, colour text); insert into car values (1, 'none');
    alter table car add foreign key (colour) references colour not valid`
  const trellis = await startTrellis(t, { sql })
  await trellis.op('bulk', [{ type: 'track_table', args: { table: 'colour', is_enum: true } }, ...track('car')])
  const query = '{ __type(name: "car") { fields { name type { name } } } }'
  const typeOf = async () => JSON.stringify(await trellis.graphql(query))
  assert.match(await typeOf(), /"name":"colour","type":\{"name":"String"\}/)
  await trellis.sql(`update car set colour = 'red'; alter table car validate constraint car_colour_fkey`)
  await trellis.op('reload_metadata', {})
  assert.match(await typeOf(), /"name":"colour","type":\{"name":"colour_enum"\}/)
})

test('a lookup by a deferrable key yields one row, even while the key is violated', async (t) => {
  const sql = `
    create table place (id int primary key deferrable initially deferred, name text);
    create table visit (id int primary key, place_id int);
    insert into place values (1, 'a'); insert into visit values (1, 1)`
  const trellis = await startTrellis(t, { sql })
  const using = { manual_configuration: { remote_table: 'place', column_mapping: { place_id: 'id' } } }
  await trellis.op('bulk', [
    ...track('place', 'visit'),
    { type: 'create_object_relationship', args: { table: 'visit', name: 'place', using } },
  ])
  const mutation = `mutation {
    insert_place(objects: {id: 1, name: "b"}) { affected_rows }
    update_visit(where: {}, _set: {id: 2}) { affected_rows returning { id place { id } } }
    delete_place(where: {name: {_eq: "b"}}) { affected_rows }
  }`
  assert.deepEqual(await trellis.graphql(mutation), {
    data: {
      insert_place: { affected_rows: 1 },
      update_visit: { affected_rows: 1, returning: [{ id: 2, place: { id: 1 } }] },
      delete_place: { affected_rows: 1 },
    },
  })
})

test('nested inserts are offered if the columns between the tables can be written', async (t) => {
  const sql = `
    create table owner (id int generated always as identity primary key);
    create table pet (id int primary key, twice int generated always as (id * 2) stored references owner,
      owner_id int references owner)`
  const trellis = await startTrellis(t, { sql })
  await trellis.op('bulk', [
    ...track('owner', 'pet'),
    byKey('pet', 'double', ['twice']),
    byKey('pet', 'owner', ['owner_id']),
  ])
  const query = '{ __type(name: "pet_insert_input") { inputFields { name } } }'
  const { data } = await trellis.graphql<{ data: { __type: { inputFields: { name: string }[] } } }>(query)
  assert.deepEqual(
    data.__type.inputFields.map(({ name }) => name),
    ['id', 'owner', 'owner_id'],
  )
})

test('PostgreSQL 18: periods, constraints that are not enforced, NOT NULL that is not validated, virtual columns', async (t) => {
  const trellis = await startTrellis(t)
  if ((await versionOf(trellis)) < 18) return t.skip('needs PostgreSQL 18')
  await trellis.sql(`
    ${base};
    create table room (id int4range, valid daterange, size int, primary key (id, valid without overlaps));
    create table booking (id int primary key, room int4range not null, valid daterange not null,
      foreign key (room, period valid) references room (id, period valid));
    create table lax (id int primary key, target_id int not null references target not enforced, note text, twice int
      generated always as (id * 2) virtual not null);
    insert into lax values (1, 9);
    alter table lax add constraint note_is not null note not valid;
    insert into room values ('[1,2)', '[2026-01-01,2027-01-01)', 3);
    insert into booking values (1, '[1,2)', '[2026-02-01,2026-03-01)')`)
  await trellis.op('bulk', [...track('target', 'room', 'booking', 'lax'), byKey('lax', 'target', ['target_id'])])
  assert.deepEqual(await nonNull(trellis, 'lax'), ['id', 'target_id', 'twice'])
  assert.deepEqual(await trellis.graphql('{ lax { note twice target { id } } }'), {
    data: { lax: [{ note: null, twice: 2, target: null }] },
  })
  assert.deepEqual(
    await trellis.graphql(
      'mutation { update_lax(where: {}, _set: {note: "x"}) { returning { twice target { id } } } }',
    ),
    {
      data: { update_lax: { returning: [{ twice: 2, target: null }] } },
    },
  )
  // Equal periods overlap, so the key finds one row.
  assert.equal(await arbiters(trellis, 'room'), null)
  assert.deepEqual(await trellis.graphql('{ room_by_pk(id: "[1,2)", valid: "[2026-01-01,2027-01-01)") { size } }'), {
    data: { room_by_pk: { size: 3 } },
  })
  const { status, body } = await trellis.opError('create_object_relationship', {
    table: 'booking',
    name: 'room_then',
    using: { foreign_key_constraint_on: ['room', 'valid'] },
  })
  const reason =
    'in table "booking": in relationship "room_then": the foreign key constraint on the given column(s) has a PERIOD, so that equal values do not link rows'
  assert.equal(status, 400)
  assert.partialDeepStrictEqual(body, { path: '$.args', error: reason, code: 'constraint-violation' })
  const upsert = await trellis.opError('insert', {
    table: 'room',
    objects: [{ id: '[1,2)', valid: '[2026-01-01,2027-01-01)' }],
    on_conflict: { action: 'update', constraint: 'room_pkey' },
  })
  assert.deepEqual(upsert, {
    status: 400,
    body: {
      path: '$.args.on_conflict.constraint',
      error: 'constraint "room_pkey" for table "room" is WITHOUT OVERLAPS, so that no row can be updated by it',
      code: 'not-supported',
    },
  })
})
