import assert from 'node:assert/strict'
import test from 'node:test'
import { startLibrary } from '../support/library.ts'
import { startTrellis } from '../support/trellis.ts'
import { refusalOf, startBlog } from './mutations.ts'

test('existing rows are updated with the named columns', async (t) => {
  const trellis = await startLibrary(t)
  const answer = await trellis.graphql(`mutation {
    insert_publisher(
      objects: [{name: "Ark", info: 1}, {name: "Dune", info: 2}]
      on_conflict: {constraint: publisher_name_key, update_columns: [info]}
    ) { affected_rows returning { name info } }
  }`)
  assert.deepEqual(answer, {
    data: {
      insert_publisher: {
        affected_rows: 2,
        returning: [
          { name: 'Ark', info: 1 },
          { name: 'Dune', info: 2 },
        ],
      },
    },
  })
})

test('without columns to update, existing rows are skipped and not returned', async (t) => {
  const trellis = await startLibrary(t)
  const objects = '[{name: "Ark", info: 1}, {name: "Dune"}]'
  for (const columns of ['', ', update_columns: []']) {
    const answer = await trellis.graphql(`mutation {
      insert_publisher(objects: ${objects}, on_conflict: {constraint: publisher_name_key${columns}}) {
        affected_rows
        returning { name books { title } }
      }
      delete_publisher(where: {name: {_eq: "Dune"}}) { affected_rows }
    }`)
    assert.deepEqual(answer, {
      data: {
        insert_publisher: { affected_rows: 1, returning: [{ name: 'Dune', books: [] }] },
        delete_publisher: { affected_rows: 1 },
      },
    })
  }
  const one = await trellis.graphql(`mutation {
    insert_publisher_one(object: {name: "Ark"}, on_conflict: {constraint: publisher_name_key}) { name books { title } }
    same: insert_publisher_one(object: {name: "Ark"}, on_conflict: {constraint: publisher_name_key}) { name }
  }`)
  assert.deepEqual(one, { data: { insert_publisher_one: null, same: null } })
})

test('where restricts which existing rows are updated', async (t) => {
  const trellis = await startLibrary(t)
  const query = `mutation ($o: [publisher_insert_input!]!, $c: publisher_on_conflict) {
    insert_publisher(objects: $o, on_conflict: $c) { affected_rows returning { name info } }
  }`
  const o = [
    { name: 'Ark', info: 1 },
    { name: 'Bell', info: 2 },
  ]
  const conflict = { constraint: 'publisher_name_key', update_columns: ['info'] }
  const answer = await trellis.graphql(query, { o, c: { ...conflict, where: { info: { _is_null: true } } } })
  assert.deepEqual(answer, {
    data: { insert_publisher: { affected_rows: 1, returning: [{ name: 'Bell', info: 2 }] } },
  })
  const refusal = refusalOf(await trellis.graphql(query, { o, c: { ...conflict, where: null } }))
  assert.deepEqual(refusal, {
    message: 'expected an object for type "publisher_bool_exp", but found null',
    path: '$.selectionSet.insert_publisher.args.on_conflict.where',
    code: 'validation-failed',
  })
})

test('constraints and columns are named as the schema has them', async (t) => {
  const trellis = await startLibrary(t)
  const conflict = '$.selectionSet.insert_publisher.args.on_conflict'
  const refused = async (value: string) =>
    refusalOf(
      await trellis.graphql(`mutation { insert_publisher(objects: [], on_conflict: ${value}) { affected_rows } }`),
    )
  assert.deepEqual(await refused('{constraint: none}'), {
    message:
      'expected one of the values publisher_pkey or publisher_name_key for type "publisher_constraint", but found "none"',
    path: `${conflict}.constraint`,
    code: 'validation-failed',
  })
  assert.deepEqual(await refused('{update_columns: [name]}'), {
    message: 'missing required field "constraint"',
    path: `${conflict}.constraint`,
    code: 'validation-failed',
  })
  assert.deepEqual(await refused('{constraint: publisher_pkey, update_columns: null}'), {
    message: 'expected a list, but found null',
    path: `${conflict}.update_columns`,
    code: 'validation-failed',
  })
  assert.deepEqual(await refused('{constraint: publisher_pkey, update_columns: ["name"]}'), {
    message: 'expected an enum value for type "publisher_update_column", but found a string',
    path: `${conflict}.update_columns[0]`,
    code: 'validation-failed',
  })
})

test('a plan made for one constraint is not used for another', async (t) => {
  const trellis = await startLibrary(t)
  const query = `mutation ($c: publisher_on_conflict!) {
    insert_publisher_one(object: {id: 1, name: "Bell", info: 5}, on_conflict: $c) { id name info }
  }`
  const update_columns = ['info']
  const byName = await trellis.graphql(query, { c: { constraint: 'publisher_name_key', update_columns } })
  assert.deepEqual(byName, { data: { insert_publisher_one: { id: 2, name: 'Bell', info: 5 } } })
  const byKey = await trellis.graphql(query, { c: { constraint: 'publisher_pkey', update_columns } })
  assert.deepEqual(byKey, { data: { insert_publisher_one: { id: 1, name: 'Ark', info: 5 } } })
})

test('a role upserts within its update permission, and both checks hold', async (t) => {
  const trellis = await startBlog(t)
  await trellis.sql(
    `insert into article (title, author_id, published) values ('Mine', null, false), ('Done', null, true)`,
  )
  const role = 'writer'
  const insert = { check: { title: { _neq: 'bad' } }, columns: ['title', 'published'] }
  const update = {
    columns: ['published'],
    filter: { published: false },
    check: { title: { _neq: 'Locked' } },
    set: { reviewer_id: null },
  }
  await trellis.op('create_insert_permission', { table: 'article', role, permission: insert })
  await trellis.op('create_update_permission', { table: 'article', role, permission: update })
  await trellis.sql(`insert into article (title) values ('Locked')`)
  const upsert = (title: string) =>
    trellis.graphql(
      `mutation ($title: String!) {
        insert_article(
          objects: [{title: $title, published: true}]
          on_conflict: {constraint: article_title_key, update_columns: [published]}
        ) { affected_rows }
      }`,
      { title },
      { role },
    )
  const affected = (affected_rows: number) => ({ data: { insert_article: { affected_rows } } })
  const violation = (kind: string) => ({
    message: `Check constraint violation. ${kind} check constraint failed`,
    path: '$.selectionSet.insert_article.args.objects',
    code: 'permission-error',
  })
  assert.deepEqual(await upsert('New'), affected(1))
  assert.deepEqual(await upsert('Mine'), affected(1))
  assert.deepEqual(await upsert('Done'), affected(0))
  assert.deepEqual(refusalOf(await upsert('bad')), violation('insert'))
  assert.deepEqual(refusalOf(await upsert('Locked')), violation('update'))
})

test('the update permission decides about existing rows, even if the insert permission allows all', async (t) => {
  const trellis = await startBlog(t)
  await trellis.sql(`insert into author (id, name) values (7, 'Ann'); insert into article (title) values ('Old')`)
  const role = 'writer'
  const columns = ['title', 'published']
  await trellis.op('create_insert_permission', { table: 'article', role, permission: { check: {}, columns } })
  const check = { published: { _eq: true } }
  const update = { columns: ['published'], filter: {}, check, set: { reviewer_id: 'X-Service-User-Id' } }
  await trellis.op('create_update_permission', { table: 'article', role, permission: update })
  const upsert = (title: string, published: boolean) =>
    trellis.graphql(
      `mutation ($o: [article_insert_input!]!) {
        insert_article(objects: $o, on_conflict: {constraint: article_title_key, update_columns: [published]}) { affected_rows }
      }`,
      { o: [{ title, published }] },
      { role, headers: { 'x-service-user-id': '7' } },
    )
  const one = { data: { insert_article: { affected_rows: 1 } } }
  assert.deepEqual(await upsert('New', false), one)
  assert.deepEqual(refusalOf(await upsert('Old', false)), {
    message: 'Check constraint violation. update check constraint failed',
    path: '$.selectionSet.insert_article.args.objects',
    code: 'permission-error',
  })
  assert.deepEqual(await upsert('Old', true), one)
  assert.deepEqual(await trellis.sql('select title, published, reviewer_id from article order by title'), [
    { title: 'New', published: false, reviewer_id: null },
    { title: 'Old', published: true, reviewer_id: 7 },
  ])
})

test('inserted and updated rows of a partitioned table are distinguished as well', async (t) => {
  const trellis = await startTrellis(t, {
    sql: `
      create table reading (id int primary key, value int) partition by range (id);
      create table low partition of reading for values from (0) to (100);
      create table high (value int, id int not null);
      alter table reading attach partition high for values from (100) to (200);
      insert into reading values (1, 1), (101, 1)`,
  })
  const [server] = await trellis.sql<{ version: number }>(
    `select current_setting('server_version_num')::int as version`,
  )
  await trellis.op('track_table', 'reading')
  const role = 'probe'
  const columns = ['id', 'value']
  await trellis.op('create_insert_permission', {
    table: 'reading',
    role,
    permission: { check: { value: { _lt: 10 } }, columns },
  })
  await trellis.op('create_update_permission', {
    table: 'reading',
    role,
    permission: { filter: {}, check: { value: { _gt: 10 } }, columns: ['value'] },
  })
  const upsert = (objects: string) =>
    trellis.graphql(
      `mutation { insert_reading(objects: ${objects}, on_conflict: {constraint: reading_pkey, update_columns: [value]}) { affected_rows } }`,
      {},
      { role },
    )
  if (server!.version < 180_000) {
    // In that version, inserted and updated rows of a partitioned table cannot be distinguished.
    return assert.equal(refusalOf(await upsert('{id: 1, value: 11}')).message, 'database query error')
  }
  const answer = await upsert('[{id: 1, value: 11}, {id: 101, value: 11}, {id: 2, value: 2}, {id: 102, value: 2}]')
  assert.deepEqual(answer, { data: { insert_reading: { affected_rows: 4 } } })
  for (const object of ['{id: 1, value: 2}', '{id: 3, value: 11}', '{id: 103, value: 11}']) {
    assert.equal(refusalOf(await upsert(object)).code, 'permission-error')
  }
})

test('an existing row with only nulls counts as updated', async (t) => {
  const trellis = await startTrellis(t, {
    sql: 'create table note (slot int, text text, constraint note_slot unique nulls not distinct (slot)); insert into note values (null, null)',
  })
  await trellis.op('track_table', 'note')
  const role = 'writer'
  const check = { text: { _eq: 'new' } }
  await trellis.op('create_insert_permission', { table: 'note', role, permission: { check } })
  await trellis.op('create_update_permission', {
    table: 'note',
    role,
    permission: { columns: ['text'], filter: {}, check: { text: { _eq: 'changed' } } },
  })
  const upsert = (slot: number | null, text: string) =>
    trellis.graphql(
      `mutation ($o: [note_insert_input!]!) {
        insert_note(objects: $o, on_conflict: {constraint: note_slot, update_columns: [text]}) { affected_rows }
      }`,
      { o: [{ slot, text }] },
      { role },
    )
  const done = { data: { insert_note: { affected_rows: 1 } } }
  assert.deepEqual(await upsert(null, 'changed'), done)
  assert.deepEqual(await upsert(1, 'new'), done)
  const refusal = refusalOf(await upsert(2, 'changed'))
  assert.equal(refusal.message, 'Check constraint violation. insert check constraint failed')
})

test('a deferrable constraint is not offered, because ON CONFLICT cannot use it', async (t) => {
  const sql = `
    create table seat (
      id int primary key, place int, guest text,
      constraint seat_place unique (place) deferrable, constraint seat_guest unique (guest) deferrable initially deferred
    );
    create table queue (place int primary key deferrable)`
  const trellis = await startTrellis(t, { sql })
  for (const table of ['seat', 'queue']) await trellis.op('track_table', table)
  const schema = `{
    __type(name: "seat_constraint") { enumValues { name } }
    none: __type(name: "queue_on_conflict") { name }
  }`
  const data = { __type: { enumValues: [{ name: 'seat_pkey' }] }, none: null }
  assert.deepEqual(await trellis.graphql(schema), { data })
  const insert = (constraint: string) => `mutation {
    insert_seat_one(object: {id: 1, place: 1}, on_conflict: {constraint: ${constraint}, update_columns: [place]}) { id }
  }`
  assert.deepEqual(await trellis.graphql(insert('seat_pkey')), { data: { insert_seat_one: { id: 1 } } })
  const refused = await trellis.graphql(insert('seat_place'))
  assert.deepEqual(refusalOf(refused), {
    message: 'expected one of the values seat_pkey for type "seat_constraint", but found "seat_place"',
    path: '$.selectionSet.insert_seat_one.args.on_conflict.constraint',
    code: 'validation-failed',
  })
})
