// Computed fields in `where`, `order_by` and permissions.

import assert from 'node:assert/strict'
import test from 'node:test'
import { refusalOf } from '../graphql/mutations.ts'
import { startTrellis } from '../support/trellis.ts'

const sql = `
  create table writer (id int primary key, first text, last text, born int);
  create table book (id int primary key, writer_id int references writer(id), title text, pages int, hidden bool default false);
  insert into writer values (1, 'Ann', 'Oak', 1950), (2, 'Ben', null, 1960), (3, 'Ann', 'Elm', 1970);
  insert into book values (1, 1, 'Tides', 300), (2, 1, 'Ebb', 20), (3, 3, 'Fog', 100);
  insert into book values (4, 3, 'Secret', 999, true);
  create function whole_name(w writer) returns text language sql stable as $$ select w.first || ' ' || w.last $$;
  create function age_in(w writer, session json) returns int language sql stable as
    $$ select (session->>'x-service-year')::int - w.born $$;
  create function books_of(w writer) returns setof book language sql stable as
    $$ select * from book where writer_id = w.id $$;
  create function main_book(w writer) returns book language sql stable as
    $$ select * from book where writer_id = w.id order by pages desc limit 1 $$;
  create function words(b book, per_page int default 300) returns int language sql stable as $$ select b.pages * per_page $$;
  create function near(w writer, years int) returns bool language sql stable as $$ select true $$`

const reader = { role: 'reader', headers: { 'x-service-year': '2000' } }

test('computed fields are conditions and orders', async (t) => {
  const trellis = await startTrellis(t, { sql })
  const { op, graphql } = trellis
  await op('track_table', 'writer')
  await op('track_table', 'book')
  const object = { table: 'book', name: 'writer', using: { foreign_key_constraint_on: 'writer_id' } }
  await op('create_object_relationship', object)
  const add = (table: string, name: string, definition: object) =>
    op('add_computed_field', { table, name, definition: { function: name, ...definition } })
  await add('writer', 'whole_name', {})
  await add('writer', 'age_in', { session_argument: 'session' })
  await add('writer', 'books_of', {})
  await add('writer', 'main_book', {})
  await add('writer', 'near', {})
  await add('book', 'words', {})
  const admin = { headers: { 'x-service-year': '2000' } }
  const ids = async (table: string, args: string, options = admin as object): Promise<unknown> => {
    const body = await graphql<{ data?: Record<string, { id: number }[]> }>(`{ ${table}${args} { id } }`, {}, options)
    return body.data ? body.data[table]!.map(({ id }) => id) : refusalOf(body)
  }
  const where = (table: string, condition: string, options = admin as object) =>
    ids(table, `(where: {${condition}}, order_by: {id: asc})`, options)

  await t.test('scalars in where', async () => {
    assert.deepEqual(await where('writer', 'whole_name: {_ilike: "%OAK%"}'), [1])
    assert.deepEqual(await where('writer', 'whole_name: {_is_null: true}'), [2])
    assert.deepEqual(await where('writer', 'whole_name: {_is_null: false}'), [1, 3])
    assert.deepEqual(await where('writer', '_not: {whole_name: {_in: ["Ann Oak"]}}'), [3])
    assert.deepEqual(await where('writer', 'age_in: {_gte: 40}'), [1, 2])
    assert.deepEqual(await where('book', 'words: {_gt: 10000}'), [1, 3, 4])
    assert.deepEqual(await where('book', 'writer: {whole_name: {_eq: "Ann Elm"}}'), [3, 4])
  })

  await t.test('rows in where: any of them must fulfil the condition', async () => {
    assert.deepEqual(await where('writer', 'books_of: {title: {_eq: "Ebb"}}'), [1])
    assert.deepEqual(await where('writer', 'books_of: {words: {_gt: 50000}}'), [1, 3])
    assert.deepEqual(await where('writer', 'books_of: {}'), [1, 3])
    assert.deepEqual(await where('writer', '_not: {books_of: {}}'), [2])
    assert.deepEqual(await where('writer', 'main_book: {title: {_eq: "Tides"}}'), [1])
    assert.deepEqual(await where('writer', 'main_book: {}'), [1, 3])
    assert.deepEqual(await where('book', 'writer: {books_of: {writer: {books_of: {title: {_eq: "Fog"}}}}}'), [3, 4])
  })

  await t.test('orders by scalars and by aggregates of rows', async () => {
    assert.deepEqual(await ids('writer', '(order_by: [{whole_name: desc_nulls_last}])'), [1, 3, 2])
    assert.deepEqual(await ids('writer', '(order_by: [{whole_name: asc}])'), [3, 1, 2])
    assert.deepEqual(await ids('book', '(order_by: [{writer: {age_in: asc}}, {words: desc}])'), [4, 3, 1, 2])
    assert.deepEqual(await ids('writer', '(order_by: [{books_of_aggregate: {count: desc}}, {id: desc}])'), [3, 1, 2])
    assert.deepEqual(
      await ids('writer', '(order_by: [{books_of_aggregate: {sum: {pages: asc_nulls_first}}}])'),
      [2, 1, 3],
    )
    assert.deepEqual(
      await ids('writer', '(order_by: [{books_of_aggregate: {count: desc}}, {id: desc}], limit: 1)'),
      [3],
    )
  })

  await t.test('computed fields in changes, aggregates, and Relay', async () => {
    const changed = await graphql(
      `mutation { update_writer(where: {whole_name: {_eq: "Ann Elm"}}, _inc: {born: 0}) { affected_rows returning { id } }
                  delete_book(where: {writer: {books_of: {title: {_eq: "None"}}}}) { affected_rows } }`,
    )
    assert.deepEqual(changed, {
      data: { update_writer: { affected_rows: 1, returning: [{ id: 3 }] }, delete_book: { affected_rows: 0 } },
    })
    const counted = await graphql('{ writer_aggregate(where: {books_of: {}}) { aggregate { count } } }')
    assert.deepEqual(counted, { data: { writer_aggregate: { aggregate: { count: 2 } } } })
    const page = (after: string) =>
      graphql<{ data: { writer_connection: { edges: { cursor: string; node: { first: string } }[] } } }>(
        `{ writer_connection(first: 1, order_by: [{whole_name: asc}] ${after}) { edges { cursor node { first last } } } }`,
        {},
        { path: '/v1beta1/relay' },
      )
    const first = (await page('')).data.writer_connection.edges
    assert.deepEqual(first[0]!.node, { first: 'Ann', last: 'Elm' })
    const second = (await page(`, after: "${first[0]!.cursor}"`)).data.writer_connection.edges
    assert.deepEqual(second[0]!.node, { first: 'Ann', last: 'Oak' })
  })

  await t.test('scalars in aggregates', async () => {
    const aggregate = async (query: string, options = admin as object): Promise<unknown> => {
      const body = await graphql<{ data?: Record<string, { aggregate: unknown }> }>(`{ ${query} }`, {}, options)
      return body.data ? Object.values(body.data)[0]!.aggregate : refusalOf(body)
    }
    const words = 'aggregate { sum { words pages } max { words } avg { words } }'
    const all = { sum: { words: 425_700, pages: 1419 }, max: { words: 299_700 }, avg: { words: 106_425 } }
    assert.deepEqual(await aggregate(`book_aggregate { ${words} }`), all)
    const first = { sum: { words: 96_000, pages: 320 }, max: { words: 90_000 }, avg: { words: 48_000 } }
    assert.deepEqual(
      await aggregate(`book_aggregate(order_by: {id: asc}, limit: 2) { ${words} nodes { words } }`),
      first,
    )
    assert.deepEqual(
      await aggregate(
        `book_aggregate(distinct_on: writer_id, order_by: [{writer_id: asc}, {words: asc}]) { aggregate { sum { words } } }`,
      ),
      {
        sum: { words: 36_000 },
      },
    )
    const writers = 'writer_aggregate { aggregate { min { whole_name age_in } max { whole_name } } }'
    assert.deepEqual(await aggregate(writers), {
      min: { whole_name: 'Ann Elm', age_in: 30 },
      max: { whole_name: 'Ann Oak' },
    })
    const permission = {
      columns: ['id'],
      filter: { id: { _gt: 1 } },
      computed_fields: ['age_in'],
      allow_aggregations: true,
    }
    await op('create_select_permission', { table: 'writer', role: 'counter', permission })
    const counter = { ...admin, role: 'counter' }
    assert.deepEqual(await aggregate('writer_aggregate { aggregate { max { age_in } } }', counter), {
      max: { age_in: 40 },
    })
    assert.deepEqual(await aggregate(writers, counter), {
      message: `field "whole_name" not found in type: 'writer_min_fields'`,
      path: '$.selectionSet.writer_aggregate.selectionSet.aggregate.selectionSet.min.selectionSet.whole_name',
      code: 'validation-failed',
    })
    const many = Array.from({ length: 500 }, (_, i) => `a${i}: words`).join(' ')
    assert.equal(
      ((await aggregate(`book_aggregate { aggregate { sum { ${many} } } }`)) as { code: string }).code,
      'cost-limit-exceeded',
    )
    const often = (field: string) => `(where: {_or: [${`{${field}} `.repeat(500)}]})`
    assert.equal(
      ((await ids('writer', often('whole_name: {_eq: "a"}'))) as { code: string }).code,
      'cost-limit-exceeded',
    )
  })

  await t.test('a role has the computed fields that it may select, on rows that it may see', async () => {
    const select = (table: string, permission: object) =>
      op('create_select_permission', { table, role: 'reader', permission })
    await select('writer', { columns: ['id'], filter: {}, computed_fields: ['age_in'] })
    assert.deepEqual(await where('writer', 'age_in: {_lt: 35}', reader), [3])
    for (const field of ['whole_name', 'books_of', 'main_book', 'near', 'none']) {
      assert.deepEqual(await where('writer', `${field}: {}`, reader), {
        message: `field "${field}" not found in type: 'writer_bool_exp'`,
        path: `$.selectionSet.writer.args.where.${field}`,
        code: 'validation-failed',
      })
    }
    await select('book', { columns: ['id', 'title'], filter: { hidden: { _eq: false } } })
    assert.deepEqual(await where('writer', 'books_of: {title: {_eq: "Secret"}}', reader), [])
    assert.deepEqual(await where('writer', 'books_of: {title: {_eq: "Fog"}}', reader), [3])
    assert.deepEqual(await where('writer', 'main_book: {}', reader), [1])
    assert.equal(
      ((await where('writer', 'books_of: {pages: {_gt: 1}}', reader)) as { message: string }).message,
      `field "pages" not found in type: 'book_bool_exp'`,
    )
    const ordered = '(order_by: [{books_of_aggregate: {count: desc}}, {id: asc}])'
    assert.deepEqual(await ids('writer', ordered, reader), [1, 3, 2])
    assert.equal(
      ((await where('writer', 'near: {_eq: true}')) as { message: string }).message,
      `field "near" not found in type: 'writer_bool_exp'`,
    )
  })

  await t.test('permissions and data operations', async () => {
    const allow = async (role: string, table: string, filter: unknown) => {
      await op('create_select_permission', { table, role, permission: { columns: ['id'], filter } })
      return ids(table, '(order_by: {id: asc})', {
        role,
        headers: { 'x-service-year': '2000', 'x-service-name': 'Ann Elm' },
      })
    }
    assert.deepEqual(await allow('a', 'writer', { whole_name: { _eq: 'X-Service-Name' } }), [3])
    assert.deepEqual(await allow('b', 'writer', { age_in: { $gt: 35 } }), [1, 2])
    assert.deepEqual(await allow('c', 'writer', { books_of: { title: 'Ebb' } }), [1])
    assert.deepEqual(await allow('d', 'book', { writer: { main_book: { pages: { _gt: 500 } } } }), [3, 4])
    assert.deepEqual(await allow('e', 'writer', { whole_name: null }), [2])
    assert.deepEqual(await allow('f', 'writer', { whole_name: { _is_null: false } }), [1, 3])
    const refused = await trellis.opError('create_select_permission', {
      table: 'writer',
      role: 'z',
      permission: { columns: ['id'], filter: { near: { _eq: true } } },
    })
    const { path, error, code } = refused.body as { path: string; error: string; code: string }
    assert.deepEqual([refused.status, path, code], [400, '$.args', 'constraint-violation'])
    assert.match(error, /computed fields that take arguments can not be part of the where clause$/)
    const dependent = await trellis.opError('drop_computed_field', { table: 'writer', name: 'whole_name' })
    assert.equal((dependent.body as { code: string }).code, 'dependency-error')
    await op('run_sql', { sql: 'alter table book rename title to heading' })
    assert.deepEqual(await ids('writer', '', { role: 'c', headers: {} }), [1])
    const exported = JSON.stringify(await op('export_metadata', {}))
    assert.ok(exported.includes('{"books_of":{"heading":"Ebb"}}'), exported)
    const select = async (args: object, options = {}) =>
      (await op<{ id: number }[]>('select', { columns: ['id'], order_by: 'id', ...args }, options)).map(({ id }) => id)
    assert.deepEqual(await select({ table: 'writer', where: { whole_name: { $like: '%Oak' } } }), [1])
    assert.deepEqual(await select({ table: 'writer', where: { books_of: { pages: { $gt: 200 } } } }), [1, 3])
    assert.deepEqual(await select({ table: 'writer', where: { age_in: { $lt: 35 } } }, reader), [3])
    const hidden = await trellis.opError(
      'select',
      { table: 'writer', columns: ['id'], where: { whole_name: { $like: '%' } } },
      reader,
    )
    const unknown = await trellis.opError(
      'select',
      { table: 'writer', columns: ['id'], where: { unknown: { $like: '%' } } },
      reader,
    )
    const text = JSON.stringify(unknown).replaceAll('unknown', 'whole_name')
    assert.deepEqual(hidden, JSON.parse(text))
  })
})
