// Inherited roles see the rows and values of their parents, and learn nothing more.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { graphqlSseClient, subscribeWith } from '../subscriptions/clients.ts'
import fc from '../support/fast-check.ts'
import { type Answer, inherits, select, startInheriting } from './inheriting.ts'

test('inherited roles', async (t) => {
  const { trellis, ask, data, refusal } = await startInheriting(t)
  const { op, opError } = trellis

  await t.test('a column that only some parents allow is null in the rows of the others', async () => {
    assert.deepEqual(
      await data(
        'both',
        'ann',
        '{ book(where: {id: {_lte: 4}}, order_by: {id: asc}) { id title secret meta(path: "a") label author { email } } }',
      ),
      {
        book: [
          { id: 1, title: 'Book 1', secret: null, meta: null, label: null, author: null },
          { id: 2, title: 'Book 2', secret: null, meta: null, label: null, author: null },
          { id: 3, title: 'Book 3', secret: 'secret 3', meta: 3, label: 'secret 3!', author: { email: 'bob@test' } },
          { id: 4, title: 'Book 4', secret: null, meta: null, label: null, author: null },
        ],
      },
    )
    // Without the parent's session variable, the parent's rows are not visible.
    assert.match((await ask('both', null, '{ book { secret } }')).errors![0]!.message, /user-id/i)
  })

  await t.test('limits are the largest, aggregations are those of any parent', async () => {
    assert.deepEqual(
      await data(
        'both',
        'ann',
        '{ book(order_by: {id: asc}) { id } book_aggregate { aggregate { count max { title } } } }',
      ),
      {
        book: [1, 2, 3, 4, 5].map((id) => ({ id })),
        book_aggregate: { aggregate: { count: 6, max: { title: 'Book 6' } } },
      },
    )
  })

  await t.test('the schema has masked columns as nullable, and no fields that could reveal their values', async () => {
    const type = (name: string) => `__type(name: "${name}") { fields { name type { kind } } }`
    const names = (name: string) =>
      `__type(name: "${name}") { inputFields { name } enumValues { name } fields { name } }`
    const found = await data(
      'both',
      'ann',
      `{
      row: ${type('book')} where: ${names('book_bool_exp')} order: ${names('book_order_by')}
      distinct: ${names('book_select_column')} max: ${names('book_max_fields')} stream: ${names('book_stream_cursor_value_input')}
    }`,
    )
    const { row, where, order, distinct, max, stream } = found as Record<
      string,
      { [key: string]: { name: string; type: { kind: string } }[] }
    >
    assert.deepEqual(
      row!
        ['fields']!.filter(({ name }) => ['id', 'secret', 'author'].includes(name))
        .map(({ name, type }) => [name, type.kind]),
      [
        ['author', 'OBJECT'],
        ['id', 'NON_NULL'],
        ['secret', 'SCALAR'],
      ],
    )
    const has = (list: readonly { name: string }[] | null | undefined) => list?.some(({ name }) => name === 'secret')
    assert.deepEqual([where!['inputFields'], order!['inputFields']].map(has), [true, true])
    assert.deepEqual([distinct!['enumValues'], max!['fields'], stream!['inputFields']].map(has), [false, false, false])
  })

  await t.test('conditions, orders and changes do not reveal masked values', async () => {
    const hidden = '{secret: {_eq: "secret 1"}}'
    const ids = (where: string, order = '{id: asc}') => `{ book(where: ${where}, order_by: ${order}) { id } }`
    const none = { book: [] }
    for (const where of [
      hidden,
      '{secret: {_like: "%1"}}',
      '{secret: {_neq: "secret 3"}, id: {_lte: 3}}',
      '{_not: {secret: {_neq: "secret 1"}}, secret: {_is_null: false}, id: {_neq: 3}}',
      '{price: {_lt: "25"}}',
      '{price: {_cast: {String: {_eq: "10"}}}}'.replace('price', 'meta').replace('"10"', '"{\\"a\\": 1}"'),
      '{meta: {_contains: {a: 1}}}',
      '{label: {_eq: "secret 1!"}}',
      '{author: {email: {_eq: "bob@test"}}, id: {_eq: 1}}',
      '{author: {books: {secret: {_eq: "secret 1"}}}}',
      '{author: {books_aggregate: {count: {predicate: {_gt: 0}, filter: {secret: {_eq: "secret 1"}}}}}}',
    ])
      assert.deepEqual(await data('both', 'ann', ids(where)), none, where)
    assert.deepEqual(await data('both', 'ann', ids('{secret: {_is_null: true}}')), {
      book: [1, 2, 4, 5].map((id) => ({ id })),
    })
    assert.deepEqual(await data('both', 'ann', ids('{}', '[{secret: desc_nulls_last}, {id: desc}]')), {
      book: [6, 3, 5, 4, 2].map((id) => ({ id })),
    })
    assert.deepEqual(await data('both', 'ann', ids('{}', '[{label: asc}, {author: {email: asc}}, {id: asc}]')), {
      book: [3, 6, 1, 2, 4].map((id) => ({ id })),
    })
    assert.deepEqual(
      await data(
        'both',
        'ann',
        '{ author(order_by: {id: asc}) { books(where: {secret: {_eq: "secret 1"}}) { id } books_aggregate(where: {price: {_lte: "20"}}) { aggregate { count } } books_of(where: {secret: {_like: "%2"}}) { id } } }',
      ),
      {
        author: [1, 2].map(() => ({ books: [], books_aggregate: { aggregate: { count: 0 } }, books_of: [] })),
      },
    )
    assert.deepEqual(
      await data(
        'both',
        'ann',
        '{ cheap_books(where: {secret: {_is_null: false}}) { id } all: cheap_books { id secret } }',
      ),
      {
        cheap_books: [],
        all: [
          { id: 1, secret: null },
          { id: 2, secret: null },
        ],
      },
    )
    for (const field of [
      'book(distinct_on: secret) { id }',
      'book_aggregate { aggregate { max { secret } } }',
      'book_aggregate { aggregate { sum { price } } }',
      'book_aggregate { aggregate { count(columns: secret) } }',
      'author(order_by: {books_aggregate: {max: {secret: asc}}}) { id }',
      'author(where: {books_aggregate: {count: {arguments: secret, predicate: {_gt: 0}}}}) { id }',
    ])
      assert.match(await refusal('both', `{ ${field} }`), /secret|price|sum/, field)
  })

  await t.test('live queries show each user the values of its own rows', async (t) => {
    const query = 'subscription { book(where: {secret: {_like: "secret%"}}, order_by: {secret: asc}) { id secret } }'
    const answers = ['ann', 'bob'].map((user) => {
      const headers = { 'x-service-role': 'both', 'x-service-user-id': user }
      return subscribeWith(graphqlSseClient(t, trellis.url, { headers }), query).atLeast(1)
    })
    const rows = (...ids: number[]) => ({ data: { book: ids.map((id) => ({ id, secret: `secret ${id}` })) } })
    assert.deepEqual(await Promise.all(answers), [[rows(3, 6)], [rows(1, 4)]])
  })

  await t.test('a masked key finds no row, and nodes do not show it', async () => {
    await op('bulk', [
      select('book', 'nameless', { columns: ['title'], filter: {} }),
      inherits('keyless', 'nameless', 'owner'),
    ])
    assert.match(await refusal('keyless', '{ book_by_pk(id: 1) { title } }'), /book_by_pk/)
    assert.deepEqual(await data('keyless', 'ann', '{ book(where: {id: {_in: [1, 3]}}) { id title } }'), {
      book: [{ id: 3, title: 'Book 3' }],
    })
    const relay = await trellis.graphql<Answer>('{ book_connection { edges { node { title } } } }', undefined, {
      ...{ role: 'keyless', path: '/v1beta1/relay' },
      headers: { 'x-service-user-id': 'ann' },
    })
    assert.match(relay.errors![0]!.message, /book_connection/)
  })

  await t.test('a relationship can be followed by parents that see both ends, or the columns of the link', async () => {
    await op('bulk', [
      select('book', 'linker', { columns: ['id', 'author_id'], filter: { id: { _lte: 4 } } }),
      inherits('linked', 'linker', 'nested'),
    ])
    const query = '{ book(where: {id: {_in: [1, 3]}}, order_by: {id: asc}) { id author { name email } } }'
    assert.deepEqual(await data('linked', 'ann', query), {
      // The linker sees the author's id, and librarians see authors by their ids.
      book: [
        { id: 1, author: { name: 'Bob', email: 'bob@test' } },
        { id: 3, author: { name: 'Bob', email: 'bob@test' } },
      ],
    })
    await op('bulk', [
      select('book', 'titles', { columns: ['id', 'title'], filter: {} }),
      inherits('apart', 'titles', 'librarian'),
      inherits('partly', 'titles', 'librarian', 'owner'),
    ])
    assert.match(await refusal('apart', '{ book { author { name } } }'), /author/)
    assert.match(await refusal('apart', '{ book(where: {author: {name: {_eq: "Ann"}}}) { id } }'), /author/)
    assert.deepEqual(
      await data(
        'partly',
        'ann',
        '{ book(where: {id: {_lte: 3}}, order_by: {id: asc}) { id author { name } } author { books_aggregate { aggregate { count } } } }',
      ),
      {
        book: [
          { id: 1, author: null },
          { id: 2, author: null },
          { id: 3, author: { name: 'Bob' } },
        ],
        author: [1, 2].map(() => ({ books_aggregate: { aggregate: { count: 1 } } })),
      },
    )
  })

  await t.test('data operations show and refuse the same', async () => {
    const as = { role: 'both', headers: { 'x-service-user-id': 'ann' } }
    assert.deepEqual(
      await op(
        'select',
        {
          table: 'book',
          columns: ['id', 'secret', { name: 'author', columns: ['email'] }],
          where: { id: { $in: [2, 3] } },
          order_by: '+id',
        },
        as,
      ),
      [
        { id: 2, secret: null, author: null },
        { id: 3, secret: 'secret 3', author: { email: 'bob@test' } },
      ],
    )
    for (const args of [
      { where: { secret: 'secret 1' } },
      { order_by: '+secret' },
      { where: { label: 'secret 1!' } },
    ]) {
      const { status } = await opError('select', { table: 'book', columns: ['id'], ...args }, as)
      assert.equal(status, 400)
    }
    assert.deepEqual(
      await op('select', { table: 'book', columns: ['id'], where: { author: { email: 'bob@test' } } }, as),
      [{ id: 3 }],
    )
    assert.equal((await opError('count', { table: 'book', distinct: ['secret'] }, as)).status, 400)
  })

  await t.test('changes are inherited from one parent, or from parents that agree', async () => {
    const update = (role: string, filter: object) => ({
      type: 'create_update_permission',
      args: { table: 'book', role, permission: { columns: ['title', 'price'], filter } },
    })
    await op('bulk', [
      update('owner', {}),
      { type: 'create_delete_permission', args: { table: 'book', role: 'owner', permission: { filter: {} } } },
      { type: 'create_delete_permission', args: { table: 'book', role: 'reader', permission: { filter: {} } } },
    ])
    // Neither the condition nor the answer of a change reveals a masked value.
    const change = 'mutation { update_book(where: {secret: {_eq: "secret 1"}}, _set: {title: "x"}) { affected_rows } }'
    assert.deepEqual(await data('both', 'ann', change), { update_book: { affected_rows: 0 } })
    const seen =
      'mutation { update_book(where: {id: {_in: [1, 3]}}, _inc: {price: 0}) { returning { id secret label author { email } } } }'
    assert.deepEqual(await data('both', 'ann', seen), {
      update_book: {
        returning: [
          { id: 1, secret: null, label: null, author: null },
          { id: 3, secret: 'secret 3', label: 'secret 3!', author: { email: 'bob@test' } },
        ],
      },
    })
    const deleted = 'mutation { delete_book(where: {secret: {_like: "%"}, id: {_eq: 1}}) { affected_rows } }'
    assert.deepEqual(await data('both', 'ann', deleted), { delete_book: { affected_rows: 0 } })
    assert.deepEqual(await op('get_inconsistent_metadata', {}), [])
    await op('create_update_permission', update('reader', { id: { _lt: 3 } }).args)
    const entity = (table: string) => ({
      type: 'inherited role permission inconsistency',
      name: table,
      reason: `Could not inherit permission for the role '${table}' for the entity: 'update permission, table: book, source: 'default''`,
      entity: { permission_type: 'update', source: 'default', table: 'book' },
    })
    assert.deepEqual(await op('get_inconsistent_metadata', {}), ['both', 'nested', 'linked'].map(entity))
    assert.match(await refusal('both', change), /update_book/)
    // A permission of the role itself settles it, for those that inherit from the role too.
    await op('create_update_permission', update('both', { id: { _eq: 2 } }).args)
    assert.deepEqual(await op('get_inconsistent_metadata', {}), [])
    const all = 'mutation { update_book(where: {}, _inc: {price: 0}) { returning { id } } }'
    for (const role of ['both', 'nested'])
      assert.deepEqual(await data(role, 'ann', all), { update_book: { returning: [{ id: 2 }] } })
    await op('bulk', [
      ...['owner', 'reader', 'both'].map((role) => ({ type: 'drop_update_permission', args: { table: 'book', role } })),
      ...['owner', 'reader'].map((role) => ({ type: 'drop_delete_permission', args: { table: 'book', role } })),
    ])
  })

  await t.test('a permission of its own takes the place of the inherited one', async () => {
    await op('bulk', [
      inherits('own', 'reader', 'owner'),
      select('book', 'own', { columns: ['price'], filter: { id: { _eq: 1 } } }),
    ])
    assert.deepEqual(await data('own', 'ann', '{ book { price } author { id } }'), {
      book: [{ price: 10 }],
      author: [{ id: 1 }, { id: 2 }],
    })
    assert.match(await refusal('own', '{ book { title } }'), /title/)
  })

  await t.test('parents that allow the same columns need no masks', async () => {
    await op('bulk', [
      select('book', 'cheap', { columns: ['id', 'price'], filter: { price: { _lt: 20 } } }),
      select('book', 'dear', { columns: ['id', 'price'], filter: { price: { _gt: 50 } } }),
      inherits('outer', 'cheap', 'dear', 'unknown'),
    ])
    const query = '{ book(order_by: {id: asc}) { id price } }'
    assert.deepEqual(await data('outer', null, query), {
      book: [
        { id: 1, price: 10 },
        { id: 6, price: 60 },
      ],
    })
    const explained = await trellis.request<{ sql: string }[]>('/v1/graphql/explain', {
      body: { query: { query }, user: { 'x-service-role': 'outer' } },
    })
    assert.match(explained.body[0]!.sql, /where \("t0"."price" < '20'::numeric or "t0"."price" > '50'::numeric\)/)
    assert.doesNotMatch(explained.body[0]!.sql, /case when \(?"t."."price" [<>]/)
  })

  await t.test('random parents: the role sees the union of their rows', async () => {
    const filters = [
      {},
      { kind: { _eq: 0 } },
      { kind: { _eq: 'X-Service-User-Id' } },
      { b: { _gt: 5 } },
      { _or: [{ a: { _is_null: true } }, { c: { _eq: 'c1' } }] },
      { group: { open: { _eq: true } } },
      { _not: { _exists: { _table: 'item_group', _where: { id: { _eq: 'X-Service-User-Id' } } } } },
    ] as const
    const names = ['kind', 'a', 'b', 'c'] as const
    const parent = fc.record({
      filter: fc.constantFrom(...filters),
      columns: fc.subarray([...names]),
      groups: fc.constantFrom(null, {}, { open: { _eq: true } }),
    })
    const worlds = fc.sample(fc.array(parent, { minLength: 2, maxLength: 3 }), 15)
    await op(
      'bulk',
      worlds.flatMap((parents, i) => [
        ...parents.flatMap(({ filter, columns, groups }, j) => [
          select('item', `p${i}_${j}`, { columns: ['id', ...columns], filter }),
          ...(groups ? [select('item_group', `p${i}_${j}`, { columns: ['id'], filter: groups })] : []),
        ]),
        inherits(`world${i}`, ...parents.map((_, j) => `p${i}_${j}`)),
      ]),
    )
    type Row = { id: number; group?: object | null } & Partial<Record<(typeof names)[number], number | string | null>>
    const read = async (role: string, columns: readonly string[], args = '') => {
      const found = await data(role, '2', `{ item(order_by: {id: asc}${args}) { id ${columns.join(' ')} } }`)
      return found['item'] as Row[]
    }
    for (const [i, parents] of worlds.entries()) {
      const columns = names.filter((name) => parents.some((each) => each.columns.includes(name)))
      const isGrouped = parents.some(({ groups }) => groups)
      const nulls = Object.fromEntries([...columns, ...(isGrouped ? ['group'] : [])].map((name) => [name, null]))
      const group = (shows: boolean) => (shows ? ['group { id }'] : [])
      const union = new Map<number, Row>()
      for (const [j, each] of parents.entries()) {
        for (const row of await read(`p${i}_${j}`, [...each.columns, ...group(each.groups !== null)])) {
          const known: Partial<Row> = union.get(row.id) ?? nulls
          union.set(row.id, { ...known, ...row, ...(isGrouped && { group: row.group ?? known.group ?? null }) } as Row)
        }
      }
      const wanted = [...union.values()].sort((a, b) => a.id - b.id)
      const shown = `of ${JSON.stringify(parents)}`
      const all = [...columns, ...group(isGrouped)]
      assert.deepEqual(await read(`world${i}`, all), wanted, shown)
      for (const name of columns) {
        const value = name === 'c' ? '"c1"' : '2'
        const matching = wanted.filter((row) => String(row[name]) === value.replaceAll('"', ''))
        assert.deepEqual(await read(`world${i}`, all, `, where: {${name}: {_eq: ${value}}}`), matching, shown)
        const ordered = await data(
          `world${i}`,
          '2',
          `{ item(order_by: [{${name}: asc_nulls_first}, {id: asc}]) { id } }`,
        )
        const sorted = wanted.toSorted((a, b) => {
          const [x, y] = [a[name] ?? null, b[name] ?? null]
          return x === y ? a.id - b.id : x === null ? -1 : y === null ? 1 : x < y ? -1 : 1
        })
        assert.deepEqual(ordered, { item: sorted.map(({ id }) => ({ id })) }, shown)
      }
    }
  })
})
