import assert from 'node:assert/strict'
import test from 'node:test'
import { GraphQLString } from 'graphql'
import { definePlugin } from '../../core/engine/plugin.ts'
import { startLibrary } from '../support/library.ts'
import { startTrellis } from '../support/trellis.ts'
import { refusalOf } from './mutations.ts'

test('insert returns the number of rows and the rows with defaults, in the given order', async (t) => {
  const trellis = await startLibrary(t)
  const answer = await trellis.graphql(`mutation {
    insert_book(objects: [
      {title: "Gale", publisher_id: 2, price: 3.5},
      {publisher_id: 1, title: "Haze", released_on: "2020-02-29"},
      {title: "Isle", publisher_id: 1, pages: null}
    ]) { __typename n: affected_rows returning { id title price pages released_on } ids: returning { id } }
  }`)
  assert.deepEqual(answer, {
    data: {
      insert_book: {
        __typename: 'book_mutation_response',
        n: 3,
        returning: [
          { id: 4, title: 'Gale', price: 3.5, pages: null, released_on: null },
          { id: 5, title: 'Haze', price: null, pages: null, released_on: '2020-02-29' },
          { id: 6, title: 'Isle', price: null, pages: null, released_on: null },
        ],
        ids: [{ id: 4 }, { id: 5 }, { id: 6 }],
      },
    },
  })
})

test('a single object stands for a list of one, and an object without columns for a row of defaults', async (t) => {
  const trellis = await startTrellis(t, { sql: `create table tick (id serial primary key, at int default 7)` })
  await trellis.op('track_table', 'tick')
  const answer = await trellis.graphql(`mutation {
    one: insert_tick(objects: {at: 1}) { returning { id at } }
    three: insert_tick(objects: [{}, {}, {}]) { affected_rows returning { id at } }
  }`)
  const rows = [2, 3, 4].map((id) => ({ id, at: 7 }))
  assert.deepEqual(answer, {
    data: { one: { returning: [{ id: 1, at: 1 }] }, three: { affected_rows: 3, returning: rows } },
  })
})

test('an empty list inserts nothing and still has an answer', async (t) => {
  const trellis = await startLibrary(t)
  const query = 'mutation ($o: [book_insert_input!]!) { insert_book(objects: $o) { affected_rows returning { id } } }'
  const empty = { data: { insert_book: { affected_rows: 0, returning: [] } } }
  assert.deepEqual(await trellis.graphql(query, { o: [] }), empty)
  assert.deepEqual(await trellis.graphql('mutation { insert_book(objects: []) { affected_rows } }'), {
    data: { insert_book: { affected_rows: 0 } },
  })
})

test('insert_one returns the row', async (t) => {
  const trellis = await startLibrary(t)
  const answer = await trellis.graphql(
    `mutation ($title: String!) { insert_book_one(object: {title: $title, publisher_id: 1}) { id title } }`,
    { title: `it's "quoted" \\ 100% ☂` },
  )
  assert.deepEqual(answer, { data: { insert_book_one: { id: 4, title: `it's "quoted" \\ 100% ☂` } } })
})

test('returned rows show relationships and aggregates after the insert', async (t) => {
  const trellis = await startLibrary(t)
  const answer = await trellis.graphql(`mutation {
    insert_book(objects: [{title: "Gale", publisher_id: 3}, {title: "Haze", publisher_id: 1}]) {
      affected_rows
      returning {
        title
        publisher { name books(order_by: {title: desc}, limit: 1) { title } books_aggregate { aggregate { count } } }
      }
    }
  }`)
  const cove = { name: 'Cove', books: [{ title: 'Gale' }], books_aggregate: { aggregate: { count: 1 } } }
  const ark = { name: 'Ark', books: [{ title: 'Haze' }], books_aggregate: { aggregate: { count: 3 } } }
  assert.deepEqual(answer, {
    data: {
      insert_book: {
        affected_rows: 2,
        returning: [
          { title: 'Gale', publisher: cove },
          { title: 'Haze', publisher: ark },
        ],
      },
    },
  })
})

test('triggers change the returned rows, and rows that they skip are left out', async (t) => {
  const trellis = await startTrellis(t, {
    sql: `
      create table mark (id int primary key, label text);
      create table note (mark_id int references mark, text text);
      create function shout() returns trigger language plpgsql as $$ begin
        if new.label = 'skip' then return null; end if;
        new.label := upper(new.label);
        return new;
      end $$;
      create function annotate() returns trigger language plpgsql as $$ begin
        insert into note values (new.id, 'by trigger'); return null;
      end $$;
      create trigger shout before insert on mark for each row execute function shout();
      create trigger annotate after insert on mark for each row execute function annotate()`,
  })
  await trellis.op('track_table', 'mark')
  await trellis.op('track_table', 'note')
  const using = { foreign_key_constraint_on: { table: 'note', column: 'mark_id' } }
  await trellis.op('create_array_relationship', { table: 'mark', name: 'notes', using })
  const answer = await trellis.graphql(`mutation {
    insert_mark(objects: [{id: 1, label: "a"}, {id: 2, label: "skip"}, {id: 3, label: "b"}]) {
      affected_rows
      returning { id label notes { text } }
    }
    insert_mark_one(object: {id: 4, label: "skip"}) { id }
  }`)
  const notes = [{ text: 'by trigger' }]
  assert.deepEqual(answer, {
    data: {
      insert_mark: {
        affected_rows: 2,
        returning: [
          { id: 1, label: 'A', notes },
          { id: 3, label: 'B', notes },
        ],
      },
      insert_mark_one: null,
    },
  })
})

test('values of every type are stored and returned unchanged, for any number of rows and any selection', async (t) => {
  const row = {
    small: -7,
    big: '9223372036854775807',
    amount: '12345678901234567890.1234',
    cost: '12.50',
    yes: true,
    code: 'ab',
    short: 'wxyz',
    day: '2020-02-29',
    moment: '2020-01-02T03:04:05.678',
    instant: '2020-01-02T03:04:05+02:00',
    span: '1 day 02:00:00',
    ident: '6b1b36cb-1f3e-4a5c-8f6d-9a3b1c2d3e4f',
    plain: { a: [1, null, '"x"'] },
    doc: 'a "string" \\ {}',
    bytes: '\\xdeadbeef',
    bits: '101',
    spread: '[1,5)',
    mood: `it's "ok"`,
    numbers: [1, null, 3],
    texts: ['a,b', '"q"', null, 'NULL', ''],
    grid: [
      [1.5, 2],
      [3, 4],
    ],
    pair: '(1,"x y")',
    positive: 5,
    letter: 'z',
  }
  const trellis = await startTrellis(t, {
    sql: `
      create type mood as enum ('sad', 'it''s "ok"');
      create type pair as (a int, b text);
      create domain positive as int check (value > 0) default 9;
      create table sample (id serial primary key, small int2, big int8, amount numeric(24, 4), cost money, yes bool,
        code char(5), short varchar(4), day date, moment timestamp, instant timestamptz, span interval, ident uuid,
        plain json, doc jsonb, bytes bytea, bits bit(3), spread int4range, mood mood, numbers int[], texts text[],
        grid numeric[][], pair pair, positive positive, letter "char", dropped int);
      alter table sample drop column dropped;
      create table part (id serial primary key, sample_id int references sample)`,
  })
  await trellis.op('track_table', 'sample')
  await trellis.op('track_table', 'part')
  const using = { foreign_key_constraint_on: { table: 'part', column: 'sample_id' } }
  await trellis.op('create_array_relationship', { table: 'sample', name: 'parts', using })
  const columns = Object.keys(row).join(' ')
  const returned = async (query: string, variables: Record<string, unknown>) => {
    const { text } = await trellis.request('/v1/graphql', { body: { query, variables } })
    const found = /\{"small".*?"letter":"z"/s.exec(text)
    assert.ok(found, text)
    return found[0]
  }
  const many = `mutation ($o: [sample_insert_input!]!) { insert_sample(objects: $o) { returning { ${columns} } } }`
  const one = `mutation ($o: sample_insert_input!) { insert_sample_one(object: $o) { ${columns} } }`
  const related = `mutation ($o: sample_insert_input!) { insert_sample_one(object: $o) { ${columns} parts { id } } }`
  const set = `mutation ($s: sample_set_input!) { update_sample(where: {id: {_eq: 1}}, _set: $s) { returning { ${columns} } } }`
  const expected = await returned(many, { o: [row] })
  assert.match(expected, /"big":9223372036854775807,"amount":12345678901234567890.1234,"cost":"\$12.50"/)
  const { plain, texts, grid, doc } = JSON.parse(`${expected}}`)
  assert.deepEqual({ plain, texts, grid, doc }, { plain: row.plain, texts: row.texts, grid: row.grid, doc: row.doc })
  assert.equal(await returned(many, { o: [row, row] }), expected)
  assert.equal(await returned(one, { o: row }), expected)
  assert.equal(await returned(related, { o: row }), expected)
  assert.equal(await returned(set, { s: row }), expected)
})

test('rows of a variable may differ in their columns: those left out have their defaults', async (t) => {
  const trellis = await startTrellis(t, {
    sql: `create domain rank as int default 4;
          create table job (id serial primary key, name text, state text default 'new', rank rank, note text)`,
  })
  await trellis.op('track_table', 'job')
  const query = `mutation ($o: [job_insert_input!]!) { insert_job(objects: $o) { returning { id name state rank note } } }`
  const answer = await trellis.graphql(query, {
    o: [{ name: 'a', state: null }, { note: 'x' }, { id: 9, state: 'old', rank: 1 }, {}],
  })
  const unnamed = { name: null, state: 'new', rank: 4, note: null }
  assert.deepEqual(answer, {
    data: {
      insert_job: {
        returning: [
          { ...unnamed, id: 1, name: 'a', state: null },
          { ...unnamed, id: 2, note: 'x' },
          { ...unnamed, id: 9, state: 'old', rank: 1 },
          { ...unnamed, id: 3 },
        ],
      },
    },
  })
  const nullable = await trellis.graphql(query, { o: [{ name: 'b' }, { note: 'y' }, { note: 'z', name: 'c' }] })
  assert.deepEqual(nullable, {
    data: {
      insert_job: {
        returning: [
          { ...unnamed, id: 4, name: 'b' },
          { ...unnamed, id: 5, note: 'y' },
          { ...unnamed, id: 6, name: 'c', note: 'z' },
        ],
      },
    },
  })
})

test('more values than a statement has parameters are inserted at once', async (t) => {
  const trellis = await startTrellis(t, {
    sql: `create table point (id serial primary key, x int default 1, y int, z int)`,
  })
  await trellis.op('track_table', 'point')
  const query = `mutation ($o: [point_insert_input!]!) { insert_point(objects: $o) { affected_rows returning { id } } }`
  const alike = Array.from({ length: 22_000 }, (_, i) => ({ x: i, y: 2, z: 3 }))
  const mixed = alike.map(({ x, y, z }, i) => (i % 2 === 0 ? { x, y, z } : { y, z }))
  for (const [i, o] of [alike, mixed].entries()) {
    const answer = await trellis.graphql<{ data: { insert_point: { affected_rows: number; returning: unknown[] } } }>(
      query,
      { o },
    )
    const { affected_rows, returning } = answer.data.insert_point
    assert.equal(affected_rows, 22_000)
    assert.deepEqual(
      returning,
      o.map((_, row) => ({ id: i * 22_000 + row + 1 })),
    )
  }
  assert.deepEqual(await trellis.sql('select count(*)::int as n, sum(x)::int as x from point where id > 22000'), [
    { n: 22_000, x: 11_000 * 10_999 + 11_000 },
  ])
})

test('one plan serves lists of any length', async (t) => {
  const trellis = await startLibrary(t)
  const query = 'mutation ($o: [book_insert_input!]!) { insert_book(objects: $o) { affected_rows } }'
  const session = { role: 'admin', variables: { 'x-service-role': 'admin' }, backendOnly: false }
  const planned = (length: number) => {
    const o = Array.from({ length }, (_, i) => ({ title: `T${i}`, publisher_id: 1 }))
    return trellis.engine.graphql.plan({ query, variables: { o }, operationName: null }, session).prepared
  }
  assert.equal(planned(1), planned(200))
})

test('generated columns and identities that are always generated cannot be given', async (t) => {
  const trellis = await startTrellis(t, {
    sql: `create table area (id int generated always as identity primary key, other int generated by default as identity,
            width int, double int generated always as (width * 2) stored)`,
  })
  await trellis.op('track_table', 'area')
  const answer = await trellis.graphql(`{
    insert: __type(name: "area_insert_input") { inputFields { name } }
    set: __type(name: "area_set_input") { inputFields { name } }
  }`)
  const inputFields = [{ name: 'other' }, { name: 'width' }]
  assert.deepEqual(answer, { data: { insert: { inputFields }, set: { inputFields } } })
  const row = await trellis.graphql('mutation { insert_area_one(object: {width: 4}) { id other width double } }')
  assert.deepEqual(row, { data: { insert_area_one: { id: 1, other: 1, width: 4, double: 8 } } })
})

test('errors of the database point at the rows', async (t) => {
  const trellis = await startLibrary(t)
  const many = '$.selectionSet.insert_publisher.args.objects'
  const one = '$.selectionSet.insert_publisher_one.args.object'
  assert.deepEqual(
    refusalOf(
      await trellis.graphql(
        'mutation { x: insert_publisher(objects: [{name: "A"}, {name: "Ark"}]) { affected_rows } }',
      ),
    ),
    {
      message: 'Uniqueness violation. duplicate key value violates unique constraint "publisher_name_key"',
      path: many,
      code: 'constraint-violation',
    },
  )
  assert.deepEqual(refusalOf(await trellis.graphql('mutation { insert_publisher_one(object: {info: 1}) { id } }')), {
    message: 'Not-NULL violation. null value in column "name" of relation "publisher" violates not-null constraint',
    path: one,
    code: 'constraint-violation',
  })
  const book = 'mutation ($o: [book_insert_input!]!) { insert_book(objects: $o) { affected_rows } }'
  const rows = [
    { title: 'A', publisher_id: 1 },
    { title: 'B', publisher_id: 9 },
  ]
  assert.deepEqual(refusalOf(await trellis.graphql(book, { o: rows })), {
    message:
      'Foreign key violation. insert or update on table "book" violates foreign key constraint "book_publisher_id_fkey"',
    path: '$.selectionSet.insert_book.args.objects',
    code: 'constraint-violation',
  })
  assert.deepEqual(refusalOf(await trellis.graphql(book, { o: rows.map((row) => ({ ...row, price: 'cheap' })) })), {
    message: 'invalid input syntax for type numeric: "cheap"',
    path: '$.selectionSet.insert_book.args.objects',
    code: 'data-exception',
  })
  assert.deepEqual(await trellis.sql('select count(*)::int as n from publisher'), [{ n: 3 }])
})

test('values that do not fit are refused with their paths', async (t) => {
  const trellis = await startLibrary(t)
  const objects = '$.selectionSet.insert_book.args.objects'
  const query = 'mutation ($o: [book_insert_input!]!) { insert_book(objects: $o) { affected_rows } }'
  const row = { title: 'A', publisher_id: 1 }
  const refused = async (o: unknown) => refusalOf(await trellis.graphql(query, { o }))
  assert.deepEqual(await refused([row, { ...row, pages: 'many' }]), {
    message: 'expected a 32-bit integer for type "Int", but found a string',
    path: `${objects}[1].pages`,
    code: 'validation-failed',
  })
  assert.deepEqual(await refused([row, { ...row, title: null }]), {
    message: 'expected a string for type "String", but found null',
    path: `${objects}[1].title`,
    code: 'validation-failed',
  })
  assert.deepEqual(await refused([row, { ...row, colour: 1 }]), {
    message: `field "colour" not found in type: 'book_insert_input'`,
    path: `${objects}[1].colour`,
    code: 'validation-failed',
  })
  assert.deepEqual(await refused([row, null]), {
    message: 'expected an object for type "book_insert_input", but found null',
    path: `${objects}[1]`,
    code: 'validation-failed',
  })
  assert.deepEqual(refusalOf(await trellis.graphql('mutation { insert_book(objects: null) { affected_rows } }')), {
    message: 'expected a list, but found null',
    path: objects,
    code: 'validation-failed',
  })
  assert.deepEqual(refusalOf(await trellis.graphql('mutation { insert_book { affected_rows } }')), {
    message: 'missing required field "objects"',
    path: objects,
    code: 'validation-failed',
  })
})

test('the fields of a mutation succeed or fail together', async (t) => {
  const trellis = await startLibrary(t)
  const answer = await trellis.graphql(`mutation {
    first: insert_publisher_one(object: {name: "Dune"}) { id }
    update_book(where: {}, _set: {pages: 1}) { affected_rows }
    second: insert_publisher_one(object: {name: "Dune"}) { id }
  }`)
  assert.deepEqual(refusalOf(answer), {
    message: 'Uniqueness violation. duplicate key value violates unique constraint "publisher_name_key"',
    path: '$.selectionSet.insert_publisher_one.args.object',
    code: 'constraint-violation',
  })
  assert.deepEqual(await trellis.sql('select count(*)::int as n from publisher'), [{ n: 3 }])
  assert.deepEqual(await trellis.sql('select count(*)::int as n from book where pages = 1'), [{ n: 0 }])
})

test('views that PostgreSQL can insert into are inserted into; others have no such field', async (t) => {
  const trellis = await startTrellis(t, {
    sql: `
      create table item (id serial primary key, name text default 'thing', hidden boolean default false);
      create view visible as select id, name from item where not hidden;
      create view counted as select count(*) from item;
      create materialized view frozen as select * from item;
      create view guarded as select name from item group by name;
      create function add_item() returns trigger language plpgsql as $$ begin
        insert into item (name) values (new.name || '!') returning name into new.name;
        return new;
      end $$;
      create trigger add_item instead of insert on guarded for each row execute function add_item()`,
  })
  for (const table of ['visible', 'counted', 'frozen', 'guarded']) await trellis.op('track_table', table)
  const fields = await trellis.graphql('{ __schema { mutationType { fields { name } } } }')
  const names = [
    'delete_visible',
    'insert_guarded',
    'insert_guarded_one',
    'insert_visible',
    'insert_visible_one',
    'update_visible',
    'update_visible_many',
  ]
  assert.deepEqual(fields, { data: { __schema: { mutationType: { fields: names.map((name) => ({ name })) } } } })
  const answer = await trellis.graphql(`mutation {
    insert_visible(objects: [{name: "a"}, {}]) { affected_rows returning { id name } }
    insert_guarded(objects: [{name: "b"}]) { affected_rows returning { name } }
    update_visible(where: {name: {_eq: "a"}}, _set: {name: "c"}) { returning { id name } }
    delete_visible(where: {name: {_eq: "thing"}}) { affected_rows }
  }`)
  assert.deepEqual(answer, {
    data: {
      insert_visible: {
        affected_rows: 2,
        returning: [
          { id: 1, name: 'a' },
          { id: 2, name: 'thing' },
        ],
      },
      insert_guarded: { affected_rows: 1, returning: [{ name: 'b!' }] },
      update_visible: { returning: [{ id: 1, name: 'c' }] },
      delete_visible: { affected_rows: 1 },
    },
  })
})

test('columns that refer to an enum table take its values', async (t) => {
  const trellis = await startTrellis(t, {
    sql: `create table state (value text primary key, comment text);
          insert into state values ('new', 'Just made'), ('done', null);
          create table job (id serial primary key, state text not null references state default 'new')`,
  })
  await trellis.op('track_table', { table: 'state', is_enum: true })
  await trellis.op('track_table', 'job')
  const query = 'mutation ($o: [job_insert_input!]!) { insert_job(objects: $o) { returning { state } } }'
  const returning = [{ state: 'done' }, { state: 'new' }]
  assert.deepEqual(await trellis.graphql(query, { o: returning }), { data: { insert_job: { returning } } })
  const literal = await trellis.graphql('mutation { insert_job(objects: [{state: done}, {}]) { returning { state } } }')
  assert.deepEqual(literal, { data: { insert_job: { returning } } })
  const path = '$.selectionSet.insert_job.args.objects[1].state'
  assert.deepEqual(refusalOf(await trellis.graphql(query, { o: [{ state: 'new' }, { state: 'lost' }] })), {
    message: 'expected one of the values new or done for type "state_enum", but found "lost"',
    path,
    code: 'validation-failed',
  })
  assert.deepEqual(refusalOf(await trellis.graphql(query, { o: [{ state: 'new' }, { state: null }] })), {
    message: 'expected an enum value for type "state_enum", but found null',
    path,
    code: 'validation-failed',
  })
})

test('returned rows include fields that JavaScript answers', async (t) => {
  const shouting = definePlugin({
    name: 'shouting',
    register(engine) {
      const resolve = (rows: readonly Readonly<Record<string, unknown>>[]) => rows.map(({ title }) => `${title}!`)
      const shout = {
        type: GraphQLString,
        extensions: { row: { kind: 'resolved', needs: ['title'], resolve } },
      } as const
      engine.graphql.contribute({
        name: 'shouting',
        rowFields: (_scope, table) => new Map(table.name.name === 'book' ? [['shout', () => shout]] : []),
      })
    },
  })
  const trellis = await startLibrary(t, { plugins: [shouting] })
  const answer = await trellis.graphql(`mutation {
    insert_book(objects: [{title: "Gale", publisher_id: 1}, {title: "Haze", publisher_id: 2}]) {
      returning { shout publisher { books(order_by: {id: desc}, limit: 1) { shout } } }
    }
    update_book_by_pk(pk_columns: {id: 1}, _set: {title: "Dusk"}) { shout }
  }`)
  const related = (shout: string) => ({ shout, publisher: { books: [{ shout }] } })
  assert.deepEqual(answer, {
    data: {
      insert_book: { returning: [related('Gale!'), related('Haze!')] },
      update_book_by_pk: { shout: 'Dusk!' },
    },
  })
})
