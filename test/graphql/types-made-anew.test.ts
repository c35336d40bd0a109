import assert from 'node:assert/strict'
import test from 'node:test'
import { startTrellis } from '../support/trellis.ts'

/** Replaces the values of an enum, statement by statement. */
const remake = `
  alter table person alter column mood type text;
  drop type mood;
  create type mood as enum ('happy', 'sad', 'so so');
  alter table person alter column mood type mood using mood::mood`

test('prepared statements still work after one of their types is dropped and created again', async (t) => {
  const trellis = await startTrellis(t, {
    sql: `create type mood as enum ('happy', 'sad');
      create table person (id int primary key, mood mood);
      insert into person values (1, 'happy'), (2, 'sad')`,
  })
  await trellis.op('track_table', 'person')
  const ask = () => trellis.graphql('query ($m: mood) { person(where: {mood: {_eq: $m}}) { id } }', { m: 'sad' })
  const change = () =>
    trellis.graphql(
      'mutation ($m: mood) { update_person(where: {id: {_eq: 1}}, _set: {mood: $m}) { affected_rows } }',
      {
        m: 'happy',
      },
    )
  const insert = () =>
    trellis.graphql(
      `mutation ($m: mood) {
        insert_person(objects: [{id: 3, mood: $m}]) { affected_rows }
        delete_person(where: {id: {_eq: 3}}) { affected_rows }
      }`,
      { m: 'sad' },
    )
  const again = async () => {
    for (let i = 0; i < 10; i++) {
      assert.deepEqual(await ask(), { data: { person: [{ id: 2 }] } })
      assert.deepEqual(await change(), { data: { update_person: { affected_rows: 1 } } })
      assert.deepEqual(await insert(), {
        data: { insert_person: { affected_rows: 1 }, delete_person: { affected_rows: 1 } },
      })
    }
  }
  await again()
  await trellis.op('run_sql', { sql: remake })
  await again()
})

test('a column whose type changed unnoticed gives valid JSON or an error', async (t) => {
  const { op, graphql, sql } = await startTrellis(t, {
    sql: `create table part (id int primary key, a int, b bool, c uuid, d jsonb);
      insert into part values (1, 2, true, gen_random_uuid(), '{"x": 1}')`,
  })
  await op('track_table', 'part')
  const ask = (column: string) => graphql<{ errors?: { extensions: { code: string } }[] }>(`{ part { ${column} } }`)
  for (const column of ['a', 'b', 'c', 'd']) {
    assert.equal((await ask(column)).errors, undefined)
    await sql(`alter table part alter column ${column} type text using 'a "quoted" text'`)
    assert.equal((await ask(column)).errors?.[0]?.extensions.code, 'data-exception')
  }
  await sql("update part set a = '12'")
  assert.deepEqual(await ask('a'), { data: { part: [{ a: 12 }] } })
  await op('reload_metadata', {})
  assert.deepEqual(await ask('b'), { data: { part: [{ b: 'a "quoted" text' }] } })
})

test('prepared statements over functions or changes still work after a column changes its type', async (t) => {
  const { op, graphql, sql } = await startTrellis(t, {
    sql: `create table part (id int primary key, weight int, whole int references part);
      insert into part values (1, 2, null), (2, 3, 1);
      create function parts() returns setof part language plpgsql stable as 'begin return query select * from part; end';
      create function inner_parts(part) returns setof part language plpgsql stable as
        'begin return query select * from part where whole = $1.id; end'`,
  })
  await op('track_table', 'part')
  const using = { foreign_key_constraint_on: 'whole' }
  await op('create_object_relationship', { table: 'part', name: 'of', using })
  await op('track_function', 'parts')
  await op('add_computed_field', { table: 'part', name: 'inner', definition: { function: 'inner_parts' } })
  const again = async () => {
    for (let i = 0; i < 10; i++) {
      assert.deepEqual(await graphql('{ parts { weight } }'), { data: { parts: [{ weight: 2 }, { weight: 3 }] } })
      const part_by_pk = { weight: 2, inner: [{ weight: 3, of: { weight: 2 } }] }
      const inner = '{ part_by_pk(id: 1) { weight inner { weight of { weight } } } }'
      assert.deepEqual(await graphql(inner), { data: { part_by_pk } })
      const change = 'mutation { update_part_by_pk(pk_columns: {id: 2}, _inc: {weight: 0}) { weight of { weight } } }'
      const update_part_by_pk = { weight: 3, of: { weight: 2 } }
      assert.deepEqual(await graphql(change), { data: { update_part_by_pk } })
    }
  }
  await again()
  await sql('alter table part alter column weight type bigint')
  await again()
})

test('mutations of several statements still work after a table or type is created again', async (t) => {
  const table = `
    create type size as enum ('small', 'large');
    create table box (id int primary key, size size, inside int references box)`
  const { op, graphql, sql } = await startTrellis(t, { sql: table })
  await op('track_table', 'box')
  const using = { foreign_key_constraint_on: { table: 'box', column: 'inside' } }
  await op('create_array_relationship', { table: 'box', name: 'boxes', using })
  const mutation = `mutation ($boxes: [box_insert_input!]!) {
    insert_box_one(object: {id: 1, boxes: {data: $boxes}}) { boxes { id size } }
    delete_box(where: {}) { affected_rows }
  }`
  const again = async () => {
    for (let i = 0; i < 5; i++) {
      assert.deepEqual(await graphql(mutation, { boxes: [{ id: 2, size: 'large' }] }), {
        data: { insert_box_one: { boxes: [{ id: 2, size: 'large' }] }, delete_box: { affected_rows: 2 } },
      })
    }
  }
  await again()
  await sql("alter table box alter column size type text; drop type size; create type size as enum ('large')")
  await sql('alter table box alter column size type size using size::size')
  await again()
  await sql(`drop table box; drop type size; ${table}`)
  await again()
})
