import assert from 'node:assert/strict'
import test from 'node:test'
import { startTrellis } from '../support/trellis.ts'

const sql = `
  create table book (id int primary key, title text not null);
  insert into book values (1, 'Dawn');
  create view shelf as select id, title from book;
  create view tally as select count(*) as books from book;
  create view inbox as select title, count(*) as copies from book group by title;
  create function receive() returns trigger language plpgsql as $$
    begin insert into book values (nextval('book_ids'), new.title); return new; end $$;
  create sequence book_ids start 100;
  create trigger receive instead of insert on inbox for each row execute function receive()`

test('every role can change a view as far as PostgreSQL supports it', async (t) => {
  const trellis = await startTrellis(t, { sql })
  const role = 'clerk'
  for (const table of ['shelf', 'tally', 'inbox']) {
    await trellis.op('track_table', table)
    for (const [kind, permission] of [
      ['select', { columns: '*', filter: {} }],
      ['insert', { columns: '*', check: {} }],
      ['update', { columns: '*', filter: {} }],
      ['delete', { filter: {} }],
    ] as const) {
      await trellis.op(`create_${kind}_permission`, { table, role, permission })
    }
  }
  for (const options of [{}, { role }]) {
    const { data } = await trellis.graphql<{ data: { __schema: { mutationType: { fields: { name: string }[] } } } }>(
      '{ __schema { mutationType { fields { name } } } }',
      undefined,
      options,
    )
    assert.deepEqual(
      data.__schema.mutationType.fields.map(({ name }) => name),
      [
        'delete_shelf',
        'insert_inbox',
        'insert_inbox_one',
        'insert_shelf',
        'insert_shelf_one',
        'update_shelf',
        'update_shelf_many',
      ],
    )
    const refused = async (type: string, table: string, args: object) => {
      const { status, body } = await trellis.request('/v1/query', {
        body: { type, args: { table, ...args } },
        ...options,
      })
      const what = { insert: 'insertable', update: 'updatable', delete: 'deletable' }[type]
      const error = `view "${table}" is not ${what}`
      assert.deepEqual({ status, body }, { status: 400, body: { path: '$.args', error, code: 'not-supported' } })
    }
    await refused('insert', 'tally', { objects: [{ books: 2 }] })
    await refused('update', 'tally', { where: {}, $set: { books: 2 } })
    await refused('delete', 'tally', { where: {} })
    await refused('update', 'inbox', { where: {}, $set: { title: 'Ebb' } })
    await refused('delete', 'inbox', { where: {} })
  }
  const insert = 'mutation { insert_inbox(objects: {title: "Ebb"}) { affected_rows } }'
  assert.deepEqual(await trellis.graphql(insert, undefined, { role }), { data: { insert_inbox: { affected_rows: 1 } } })
  assert.deepEqual(await trellis.sql('select id, title from book order by id'), [
    { id: 1, title: 'Dawn' },
    { id: 100, title: 'Ebb' },
  ])
})
