// Inherited roles see the rows and values of their parents, and learn nothing more.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { buildSchema } from 'graphql'
import { type LocalCall, remoteSchemas } from '../../plugins/remote-schemas/graphql.ts'
import { definePlugin } from '../../sdk/index.ts'
import { graphqlSseClient, subscribeWith } from '../subscriptions/clients.ts'
import fc from '../support/fast-check.ts'
import { startTrellis, type TestTrellis } from '../support/trellis.ts'

const sql = `
  create table author (id int primary key, name text not null, email text not null);
  create table book (
    id int primary key, title text not null, secret text not null, price numeric not null, owner text not null,
    meta jsonb not null, author_id int not null references author
  );
  create function label(b book) returns text language sql stable as $$ select b.secret || '!' $$;
  create function books_of(a author) returns setof book language sql stable
    as $$ select * from book where author_id = a.id order by id $$;
  create function bought_books() returns setof book language sql volatile as $$ select * from book order by id $$;
  create function cheap_books() returns setof book language sql stable
    as $$ select * from book where price < 30 order by id $$;
  insert into author values (1, 'Ann', 'ann@test'), (2, 'Bob', 'bob@test');
  insert into book select i, 'Book ' || i, 'secret ' || i, i * 10, (array['ann', 'bob', 'cid'])[1 + i % 3],
    jsonb_build_object('a', i), 1 + i % 2 from generate_series(1, 6) as i;
  create table item (id int primary key, kind int not null, a int, b int not null, c text not null, group_id int not null);
  insert into item select i, i % 3, nullif(i % 5, 0), i * 7 % 11, 'c' || i % 4, i % 4 from generate_series(1, 24) as i;
  create table item_group (id int primary key, open bool not null);
  insert into item_group values (0, true), (1, false), (2, true), (3, false)`

const select = (table: string, role: string, permission: object) => ({
  type: 'create_select_permission',
  args: { table, role, permission },
})

const inherits = (role_name: string, ...role_set: string[]) => ({
  type: 'add_inherited_role',
  args: { role_name, role_set },
})

/** Two servers with a type of the same name. */
const remote = definePlugin({
  name: 'remote',
  dependencies: ['remote-schemas'],
  register(engine) {
    const schemas = engine.use(remoteSchemas)
    const echo = ({ text }: { text: string }) => text
    const rootValue = { who: (_: unknown, { session }: LocalCall) => ({ role: session.role, secret: 'kept' }) }
    for (const name of ['first', 'second']) {
      const schema = buildSchema(
        `type Query { ${name}: Who echo_${name}(text: String): String } type Who { role: String secret: String }`,
      )
      schemas.add({ name, schema, rootValue: { [name]: rootValue.who, [`echo_${name}`]: echo } })
    }
  },
})

const ofUser = { owner: { _eq: 'X-Service-User-Id' } }

async function startLibrary(t: Parameters<typeof startTrellis>[0]): Promise<TestTrellis> {
  const settings = { enableRemoteSchemaPermissions: true }
  const trellis = await startTrellis(t, { sql, settings, plugins: [remote] })
  await trellis.op('bulk', [
    ...['author', 'book', 'item', 'item_group'].map((table) => ({ type: 'track_table', args: table })),
    {
      type: 'create_object_relationship',
      args: { table: 'book', name: 'author', using: { foreign_key_constraint_on: 'author_id' } },
    },
    {
      type: 'create_array_relationship',
      args: {
        table: 'author',
        name: 'books',
        using: { foreign_key_constraint_on: { table: 'book', column: 'author_id' } },
      },
    },
    {
      type: 'create_object_relationship',
      args: {
        table: 'item',
        name: 'group',
        using: { manual_configuration: { remote_table: 'item_group', column_mapping: { group_id: 'id' } } },
      },
    },
    { type: 'add_computed_field', args: { table: 'book', name: 'label', definition: { function: 'label' } } },
    { type: 'add_computed_field', args: { table: 'author', name: 'books_of', definition: { function: 'books_of' } } },
    { type: 'track_function', args: 'cheap_books' },
    // Sees every book, but little of it.
    select('book', 'reader', { columns: ['id', 'title'], filter: {}, limit: 5 }),
    // Sees everything of its own books, and their authors.
    select('book', 'owner', {
      columns: '*',
      computed_fields: ['label'],
      filter: ofUser,
      limit: 3,
      allow_aggregations: true,
    }),
    select('author', 'owner', { columns: '*', filter: {} }),
    select('author', 'librarian', { columns: ['id', 'name'], filter: {} }),
    inherits('both', 'reader', 'owner'),
    inherits('nested', 'both', 'librarian'),
  ])
  return trellis
}

interface Answer {
  data?: Record<string, unknown>
  errors?: { message: string; extensions: { code: string } }[]
}

test('inherited roles', async (t) => {
  const trellis = await startLibrary(t)
  const { op, opError, sql } = trellis
  const ask = (role: string, user: string | null, query: string, variables?: Record<string, unknown>) =>
    trellis.graphql<Answer>(query, variables, {
      role,
      ...(user !== null && { headers: { 'x-service-user-id': user } }),
    })
  const data = async (role: string, user: string | null, query: string, variables?: Record<string, unknown>) => {
    const { data, errors } = await ask(role, user, query, variables)
    assert.equal(errors, undefined, JSON.stringify(errors))
    return data!
  }
  const refusal = async (role: string, query: string) => {
    const { errors } = await ask(role, 'ann', query)
    assert.ok(errors, `${query} is answered`)
    return errors[0]!.message
  }

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

  await t.test('impossible roles are refused', async () => {
    const refused: [string, object, string, string][] = [
      [
        'add_inherited_role',
        { role_name: 'both', role_set: ['reader'] },
        'already-exists',
        'the inherited role "both" already exists',
      ],
      [
        'add_inherited_role',
        { role_name: 'loop', role_set: ['reader', 'loop'] },
        'constraint-violation',
        'found cycle(s) in roles: ["loop"]',
      ],
      [
        'add_inherited_role',
        { role_name: 'reader', role_set: ['nested'] },
        'constraint-violation',
        'found cycle(s) in roles: ["reader","nested","both"]',
      ],
      [
        'add_inherited_role',
        { role_name: 'admin', role_set: ['reader'] },
        'constraint-violation',
        'the role "admin" has all permissions and cannot inherit any',
      ],
      [
        'add_inherited_role',
        { role_name: 'boss', role_set: ['admin'] },
        'constraint-violation',
        'the permissions of the role "admin" cannot be inherited',
      ],
      ['drop_inherited_role', { role_name: 'nobody' }, 'not-exists', 'the inherited role "nobody" does not exist'],
    ]
    const before = await op('export_metadata', {})
    for (const [type, args, code, error] of refused) {
      const { status, body } = await opError(type, args)
      assert.deepEqual([status, body], [400, { path: '$.args', error, code }])
    }
    assert.deepEqual(await op('export_metadata', {}), before)
    const many = Array.from({ length: 301 }, (_, i) => `role ${i}`)
    assert.equal((await opError('add_inherited_role', { role_name: 'many', role_set: many })).status, 400)
  })

  await t.test('permissions of remote schemas are inherited if they agree', async () => {
    const grant = (remote_schema: string, role: string, type: string) => ({
      type: 'add_remote_schema_permissions',
      args: {
        remote_schema,
        role,
        definition: {
          schema: `type Query { ${remote_schema}: Who echo_${remote_schema}(text: String): String } type Who { ${type} }`,
        },
      },
    })
    await op('bulk', [
      grant('first', 'reader', 'role: String'),
      grant('first', 'owner', 'role:   String'),
      inherits('remote', 'reader', 'owner'),
    ])
    assert.deepEqual(await data('remote', 'ann', '{ first { role } }'), { first: { role: 'remote' } })
    assert.match(await refusal('remote', '{ first { secret } }'), /secret/)
    // A join sends no value that the role does not see to the other server.
    const remote_field = { echo_first: { arguments: { text: '$secret' } } }
    const joined = { name: 'echo', table: 'book', service_fields: ['secret'], remote_schema: 'first', remote_field }
    await op('create_remote_relationship', joined)
    assert.deepEqual(
      await data('both', 'ann', '{ book(where: {id: {_in: [1, 3]}}, order_by: {id: asc}) { id echo } }'),
      {
        book: [
          { id: 1, echo: null },
          { id: 3, echo: 'secret 3' },
        ],
      },
    )
    await op('bulk', [
      ...['first', 'second']
        .map((name) => grant(name, 'whole', ''))
        .map(({ type, args }) => ({
          type,
          args: { ...args, definition: { schema: ' * ' } },
        })),
      inherits('seeing', 'whole', 'titles'),
    ])
    const all = await data('seeing', 'ann', '{ first { role secret } second { role } }')
    assert.deepEqual(all, { first: { role: 'seeing', secret: 'kept' }, second: { role: 'seeing' } })
    // A type that two remote schemas share shows no more of it than each parent may see.
    await op('bulk', [grant('second', 'owner', 'role: String')])
    assert.deepEqual(await data('remote', 'ann', '{ second { role } }'), { second: { role: 'remote' } })
    await op('bulk', [
      { type: 'drop_remote_schema_permissions', args: { remote_schema: 'second', role: 'owner' } },
      grant('second', 'librarian', 'secret: String'),
      inherits('types', 'reader', 'librarian'),
    ])
    assert.match(await refusal('types', '{ second { secret } }'), /second/)
    assert.deepEqual(await data('types', 'ann', '{ first { role } }'), { first: { role: 'types' } })
    await op('bulk', [grant('first', 'speaker', 'secret: String'), inherits('torn', 'reader', 'speaker')])
    const reason = "Could not inherit permission for the role 'torn' for the entity: 'remote schema: first'"
    const listed = {
      type: 'inherited role permission inconsistency',
      name: 'torn',
      reason,
      entity: { remote_schema: 'first' },
    }
    assert.deepEqual(await op('get_inconsistent_metadata', {}), [listed])
    assert.match(await refusal('torn', '{ first { role } }'), /first/)
    await op('drop_inherited_role', { role_name: 'torn' })
  })

  await t.test('actions and functions can be called if any parent may call them', async () => {
    const handler = 'http://127.0.0.1:9/'
    const configuration = { exposed_as: 'mutation' }
    await op('bulk', [
      { type: 'set_custom_types', args: { objects: [{ name: 'Done', fields: [{ name: 'ok', type: 'Boolean!' }] }] } },
      {
        type: 'create_action',
        args: { name: 'ship', definition: { kind: 'asynchronous', handler, output_type: 'Done' } },
      },
      { type: 'create_action_permission', args: { action: 'ship', role: 'owner' } },
      { type: 'track_function', version: 2, args: { function: 'bought_books', configuration } },
      { type: 'create_function_permission', args: { function: 'bought_books', role: 'reader' } },
    ])
    const call = 'mutation { ship bought_books(where: {secret: {_is_null: false}}) { id secret } }'
    const { ship, bought_books } = await data('both', 'ann', call)
    assert.match(String(ship), /^[0-9a-f-]{36}$/)
    assert.deepEqual(bought_books, [
      { id: 3, secret: 'secret 3' },
      { id: 6, secret: 'secret 6' },
    ])
    assert.match(await refusal('apart', 'mutation { ship }'), /ship|mutation/)
  })

  await t.test('random parents: the role sees the union of what they see', async () => {
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

  await t.test('documents hold inherited roles, in both formats, and replace them', async () => {
    const exported = await op<{ inherited_roles: object[] }>('export_metadata', {})
    const { inherited_roles } = exported
    assert.deepEqual(inherited_roles[0], { role_name: 'apart', role_set: ['titles', 'librarian'] })
    const looped = [...inherited_roles, { role_name: 'x', role_set: ['y'] }, { role_name: 'y', role_set: ['x'] }]
    const { body } = await opError('replace_metadata', { ...exported, inherited_roles: looped })
    assert.match(JSON.stringify(body), /found cycle\(s\) in roles/)
    await op(
      'replace_metadata',
      { allow_inconsistent_metadata: true, metadata: { ...exported, inherited_roles: looped } },
      { version: 2 },
    )
    const listed = await op<{ type: string; reason: string }[]>('get_inconsistent_metadata', {})
    assert.deepEqual(
      listed.map(({ type, reason }) => [type, reason]),
      [
        ['inherited_role', 'found cycle(s) in roles: ["x","y"]'],
        ['inherited_role', 'found cycle(s) in roles: ["y","x"]'],
      ],
    )
    await op('drop_inconsistent_metadata', {})
    assert.deepEqual(await op('export_metadata', {}), exported)
    await op('drop_inherited_role', { role_name: 'nested' })
    assert.match(await refusal('nested', '{ book { id } }'), /book/)
    await op('clear_metadata', {})
    await op('replace_metadata', exported)
  })

  await t.test('stored roles that were not served before are served', async (t) => {
    await op('clear_metadata', {})
    const { sql: _, ...rest } = trellis
    const { database } = rest
    const kept = { inherited_roles: [{ role_name: 'both', role_set: ['a', 'b', 'a'] }], backend_configs: { x: 1 } }
    await sql(`insert into trellis.metadata_entry values ('unserved', '', '${JSON.stringify(kept)}')`)
    const again = await startTrellis(t, { database })
    assert.deepEqual(await again.op('export_metadata', {}), {
      version: 2,
      tables: [],
      inherited_roles: [{ role_name: 'both', role_set: ['a', 'b'] }],
      backend_configs: { x: 1 },
    })
  })
})
