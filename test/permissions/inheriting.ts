// Books whose roles inherit from each other.

import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { buildSchema } from 'graphql'
import { type LocalCall, remoteSchemas } from '../../plugins/remote-schemas/graphql.ts'
import { definePlugin } from '../../sdk/index.ts'
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

export const select = (table: string, role: string, permission: object) => ({
  type: 'create_select_permission',
  args: { table, role, permission },
})

export const inherits = (role_name: string, ...role_set: string[]) => ({
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

async function startLibrary(t: TestContext): Promise<TestTrellis> {
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

export interface Answer {
  data?: Record<string, unknown>
  errors?: { message: string; extensions: { code: string } }[]
}

/** The library, and requests to it as one of its roles. */
export async function startInheriting(t: TestContext) {
  const trellis = await startLibrary(t)
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
  return { trellis, ask, data, refusal }
}
