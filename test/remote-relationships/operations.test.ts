// The operations on remote relationships, their refusals, and changes of tables.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { startCrm } from '../remote-schemas/crm.ts'
import { startLibrary } from '../support/library.ts'
import type { TestTrellis } from '../support/trellis.ts'

const base = { name: 'author', table: 'book', service_fields: ['id'], remote_schema: 'crm' }
const author = { ...base, remote_field: { user: { arguments: { id: '$id' } } } }

async function start(t: TestContext) {
  const crm = await startCrm(t)
  const trellis = await startLibrary(t)
  await trellis.op('add_remote_schema', { name: 'crm', definition: { url: crm.url } })
  return { crm, trellis }
}

type Refusal = [path: string, code: string, error: string]

async function refused(trellis: TestTrellis, type: string, args: unknown, [path, code, error]: Refusal) {
  const { status, body } = await trellis.opError(type, args)
  const answer = body as { path: string; code: string; error: string }
  assert.deepEqual([status, answer.path, answer.code, answer.error], [400, path, code, error])
}

test('malformed remote fields are refused', async (t) => {
  const { trellis } = await start(t)
  const cases: [remoteField: unknown, path: string, error: string][] = [
    [
      'user',
      '$.remote_field',
      'Remote fields should be an object that starts with the name of a field e.g. person: ...',
    ],
    [{}, '$.remote_field', 'Only one field allowed, not multiple.'],
    [{ a: { arguments: {} }, b: { arguments: {} } }, '$.remote_field', 'Only one field allowed, not multiple.'],
    [{ 'a b': { arguments: {} } }, '$.remote_field', 'a b is an invalid key name'],
    [{ user: {} }, '$.remote_field.user', 'key "arguments" not found'],
    [{ user: { arguments: [] } }, '$.remote_field.user.arguments', 'Remote arguments should be an object of keys.'],
    [{ user: { arguments: { '1': 1 } } }, '$.remote_field.user.arguments', '1 is an invalid key name'],
    [{ user: { arguments: { id: '$' } } }, '$.remote_field.user.arguments.id', 'Invalid variable name.'],
    [
      { user: { arguments: {}, field: { a: { arguments: { x: ['$ b'] } } } } },
      '$.remote_field.user.field.a.arguments.x[0]',
      'Invalid variable name.',
    ],
  ]
  for (const [remote_field, path, error] of cases) {
    await refused(trellis, 'create_remote_relationship', { ...base, remote_field }, [path, 'parse-failed', error])
  }
  const { service_fields: _, ...without } = author
  await refused(trellis, 'create_remote_relationship', without, [
    '$',
    'parse-failed',
    "the key 'service_fields' was not present",
  ])
})

test('relationships that do not fit the table or the schema are refused', async (t) => {
  const { trellis } = await start(t)
  const prefix = 'in table "book": in remote relationship"author": '
  const user = (args: object, field?: object) => ({ user: { arguments: args, ...(field && { field }) } })
  const users = (where: unknown) => ({ users: { arguments: { where } } })
  const cases: [change: object, reason: string][] = [
    [{ service_fields: ['nothing'] }, 'field with name "nothing" not found in table "book"'],
    [{ remote_schema: 'other' }, 'remote schema with name "other" not found'],
    [{ remote_field: { nobody: { arguments: {} } } }, 'remote field with name "nobody" and type "Query" not found'],
    [
      { remote_field: user({ id: 1 }, { nothing: { arguments: {} } }) },
      'remote field with name "nothing" and type "User" not found',
    ],
    [{ remote_field: user({ key: 1 }) }, 'argument with name "key" not found in remote schema'],
    [{ remote_field: user({ id: '$other' }) }, 'variable "other" is not found'],
    [{ remote_field: user({ id: '$title' }) }, 'variable "title" is not found'],
    [{ service_fields: ['title'], remote_field: user({ id: '$title' }) }, 'expected type "Int" but got "String"'],
    [{ remote_field: user({ id: 1.5 }) }, 'expected type "Int" but got "Float"'],
    [{ remote_field: user({ id: true }) }, 'expected type "Int" but got "Boolean"'],
    [{ remote_field: { thing: { arguments: { id: true } } } }, 'expected type "ID" but got "Boolean"'],
    [{ remote_field: user({ id: null }) }, 'null is not allowed here'],
    [{ remote_field: user({ id: 1, tags: ['a', 'b'] }) }, 'multiple elements in list value is not supported'],
    [{ remote_field: user({ id: [1] }) }, 'type "Int"is not a list type'],
    [{ remote_field: user({ id: { a: 1 } }) }, 'type "Int"not an input object type'],
    [{ remote_field: users({ nobody: 1 }) }, 'argument with name "nobody" not found in remote schema'],
    [{ remote_field: users({ nested: { ids: ['$other'] } }) }, 'variable "other" is not found'],
    [
      { remote_field: { thing: { arguments: { id: '$id' }, field: { id: { arguments: {} } } } } },
      'type "Thing"only objects or scalar types expected',
    ],
    [
      { remote_field: { version: { arguments: {}, field: { a: { arguments: {} } } } } },
      'type "String"only objects or scalar types expected',
    ],
  ]
  for (const [change, reason] of cases) {
    const refusal: Refusal = ['$.args', 'constraint-violation', prefix + reason]
    await refused(trellis, 'create_remote_relationship', { ...author, ...change }, refusal)
  }
  const conflict: Refusal = ['$.args', 'constraint-violation', 'field definition conflicts with postgres column']
  await refused(trellis, 'create_remote_relationship', { ...author, name: 'title' }, conflict)
})

test('existing names and missing relationships are refused', async (t) => {
  const { trellis } = await start(t)
  await trellis.op('create_remote_relationship', author)
  const exists: Refusal = ['$.args', 'already-exists', 'field with name "author" already exists in table "book"']
  await refused(trellis, 'create_remote_relationship', author, exists)
  const publisher: Refusal = ['$.args', 'already-exists', 'field with name "publisher" already exists in table "book"']
  await refused(trellis, 'create_remote_relationship', { ...author, name: 'publisher' }, publisher)
  const noTable: Refusal = ['$.args', 'not-exists', 'table "shelf" does not exist']
  const nobody: Refusal = ['$.args', 'not-exists', '"nobody" does not exist']
  const other: Refusal = ['$.args', 'unexpected-payload', 'expecting a remote relationship']
  const { table, name } = author
  for (const [type, args] of [
    ['update_remote_relationship', author],
    ['delete_remote_relationship', { table, name }],
  ] as const) {
    await refused(trellis, type, { ...args, table: 'shelf' }, noTable)
    await refused(trellis, type, { ...args, name: 'nobody' }, nobody)
    await refused(trellis, type, { ...args, name: 'publisher' }, other)
  }
  await refused(trellis, 'create_remote_relationship', { ...author, table: 'shelf' }, noTable)
  const dependent: Refusal = [
    '$.args',
    'dependency-error',
    'cannot drop due to the following dependent objects : remote relationship book.author',
  ]
  await refused(trellis, 'remove_remote_schema', { name: 'crm' }, dependent)
})

test('a remote relationship is updated, deleted, exported, and replaced', async (t) => {
  const { trellis } = await start(t)
  await trellis.op('create_remote_relationship', { ...author, service_fields: ['title', 'id', 'id'] })
  const exported = await trellis.op<{ tables: Record<string, unknown>[] }>('export_metadata', {})
  const definition = { remote_schema: 'crm', service_fields: ['id', 'title'], remote_field: author.remote_field }
  assert.deepEqual(exported.tables[0]!.remote_relationships, [{ name: 'author', definition }])
  await trellis.op('clear_metadata', {})
  await trellis.op('replace_metadata', exported)
  assert.deepEqual(await trellis.op('export_metadata', {}), exported)
  await trellis.op('update_remote_relationship', {
    ...author,
    remote_field: { users: { arguments: { limit: '$id' } } },
  })
  assert.deepEqual(await trellis.graphql('{ book_by_pk(id: 1) { author { id } } }'), {
    data: { book_by_pk: { author: [{ id: 1 }] } },
  })
  await trellis.op('delete_remote_relationship', { table: 'book', name: 'author' })
  assert.match(JSON.stringify(await trellis.graphql('{ book { author { id } } }')), /field \\"author\\" not found/)
  const later = { to_remote_schema: { remote_schema: 'crm', lhs_fields: ['id'], remote_field: author.remote_field } }
  const tables = exported.tables.map((table) =>
    table.remote_relationships ? { ...table, remote_relationships: [{ name: 'author', definition: later }] } : table,
  )
  await trellis.op('replace_metadata', { ...exported, tables })
  assert.deepEqual(await trellis.graphql('{ book_by_pk(id: 1) { author { id } } }'), {
    data: { book_by_pk: { author: { id: 1 } } },
  })
  const twice = exported.tables.map((table) => {
    const list = (table.remote_relationships as unknown[] | undefined) ?? []
    return list.length > 0 ? { ...table, remote_relationships: [...list, ...list] } : table
  })
  const { body } = await trellis.opError('replace_metadata', { ...exported, tables: twice })
  assert.match(
    (body as { error: string }).error,
    /^multiple declarations exist for the following remote relationships : "author"/,
  )
})

test('renamed columns and tables are followed, and drops are refused', async (t) => {
  const { trellis } = await start(t)
  await trellis.op('create_remote_relationship', {
    ...author,
    service_fields: ['id', 'title'],
    remote_field: { users: { arguments: { where: { ids: ['$id'], nested: { name: '$title' } } } } },
  })
  const run = (sql: string, cascade = false) => ['run_sql', { sql, cascade }] as const
  await trellis.op(...run('alter table book rename column id to key; alter table book rename to tome'))
  const { tables } = await trellis.op<{ tables: { table: { name: string }; remote_relationships?: unknown[] }[] }>(
    'export_metadata',
    {},
  )
  const table = tables.find(({ table: { name } }) => name === 'tome')
  const remote_field = { users: { arguments: { where: { ids: ['$key'], nested: { name: '$title' } } } } }
  assert.deepEqual(table?.remote_relationships, [
    { name: 'author', definition: { remote_schema: 'crm', service_fields: ['key', 'title'], remote_field } },
  ])
  assert.deepEqual(await trellis.graphql('{ tome_by_pk(key: 2) { author { id } } }'), {
    data: { tome_by_pk: { author: [{ id: 2 }] } },
  })
  const { body } = await trellis.opError(...run('alter table tome drop column title'))
  const { code, error } = body as { code: string; error: string }
  assert.deepEqual(
    [code, error],
    ['dependency-error', 'cannot drop due to the following dependent objects : remote relationship tome.author'],
  )
  await trellis.op(...run('alter table tome drop column title', true))
  assert.match(JSON.stringify(await trellis.graphql('{ tome { author { id } } }')), /field \\"author\\" not found/)
})

test('a change of the remote schema makes relationships inconsistent until it is reverted', async (t) => {
  const { crm, trellis } = await start(t)
  await trellis.op('create_remote_relationship', author)
  const { types } = crm
  crm.types = 'type Query { other: Int }'
  const { status, body } = await trellis.opError('reload_remote_schema', { name: 'crm' })
  assert.deepEqual(
    [status, (body as { error: string }).error],
    [500, 'cannot continue due to newly found inconsistent metadata'],
  )
  await trellis.op('reload_metadata', { reload_remote_schemas: true })
  const [object] = await trellis.op<{ type: string; reason: string; definition: unknown }[]>(
    'get_inconsistent_metadata',
    {},
  )
  assert.deepEqual(object, {
    type: 'remote_relationship',
    definition: { ...author, table: { schema: 'public', name: 'book' } },
    reason: 'in table "book": in remote relationship"author": remote field with name "user" and type "Query" not found',
  })
  crm.types = types
  await trellis.op('reload_metadata', { reload_remote_schemas: ['crm'] })
  assert.deepEqual(await trellis.op('get_inconsistent_metadata', {}), [])
})

test('a relationship to rows of a table is one of the model, with the permissions of its table', async (t) => {
  const { trellis } = await start(t)
  const to_source = {
    relationship_type: 'object',
    source: 'default',
    table: 'publisher',
    field_mapping: { publisher_id: 'id' },
  }
  const home = { table: 'book', name: 'home', definition: { to_source } }
  await trellis.op('create_remote_relationship', home)
  const list = { relationship_type: 'array', table: 'book', field_mapping: { id: 'publisher_id' } }
  await trellis.op('create_remote_relationship', { table: 'publisher', name: 'works', definition: { to_source: list } })
  const query = `{ book(where: {home: {name: {_eq: "Bell"}}}) {
    title home { name works(where: {title: {_eq: "Fog"}}) { id } works_aggregate { aggregate { count } } } } }`
  const home2 = { name: 'Bell', works: [{ id: 3 }], works_aggregate: { aggregate: { count: 1 } } }
  assert.deepEqual(await trellis.graphql(query), { data: { book: [{ title: 'Fog', home: home2 }] } })

  const select = (table: string, filter: object) =>
    trellis.op('create_select_permission', { table, role: 'r', permission: { columns: '*', filter } })
  await select('book', { home: { name: { $in: ['Ark', 'Bell'] } } })
  const asRole = (text: string) => trellis.graphql(text, {}, { role: 'r' })
  assert.match(JSON.stringify(await asRole('{ book { home { name } } }')), /field \\"home\\" not found/)
  await select('publisher', { name: { $ne: 'Ark' } })
  assert.deepEqual(await asRole('{ book(order_by: {id: asc}) { id home { name } } }'), {
    data: {
      book: [
        { id: 1, home: null },
        { id: 2, home: null },
        { id: 3, home: { name: 'Bell' } },
      ],
    },
  })

  await trellis.op('run_sql', { sql: 'alter table publisher rename to house; alter table house rename id to key' })
  await trellis.op('run_sql', { sql: 'alter table book rename publisher_id to house_id' })
  const entry = async () =>
    (
      await trellis.op<{ tables: { table: { name: string }; remote_relationships?: unknown[] }[] }>(
        'export_metadata',
        {},
      )
    ).tables.find(({ table }) => table.name === 'book')?.remote_relationships
  const table = { schema: 'public', name: 'house' }
  const renamed = { relationship_type: 'object', table, field_mapping: { house_id: 'key' } }
  assert.deepEqual(await entry(), [{ name: 'home', definition: { to_source: renamed } }])
  await refused(trellis, 'untrack_table', { table: 'house' }, [
    '$.args',
    'dependency-error',
    'cannot drop due to the following dependent objects : permission book.r.select, relationship book.home, relationship book.publisher',
  ])
  await refused(trellis, 'drop_relationship', { table: 'book', relationship: 'home' }, [
    '$.args',
    'unexpected-payload',
    'expecting a relationship; but, "home" is a remote relationship; ',
  ])
  await refused(trellis, 'delete_remote_relationship', { table: 'book', name: 'home' }, [
    '$.args',
    'dependency-error',
    'cannot drop due to the following dependent objects : permission book.r.select',
  ])
  await trellis.op('untrack_table', { table: 'house', cascade: true })
  assert.deepEqual(await entry(), undefined)
  await refused(trellis, 'delete_remote_relationship', { table: 'book', name: 'home' }, [
    '$.args',
    'not-exists',
    '"home" does not exist',
  ])
})

test('a document keeps a relationship to rows that are not there, and lists it', async (t) => {
  const { trellis } = await start(t)
  const metadata = (source: string, name: string) => ({
    version: 3,
    sources: [
      {
        ...{ name: 'library', kind: 'postgres' },
        tables: [
          {
            table: { schema: 'public', name: 'book' },
            remote_relationships: [
              {
                name: 'other',
                definition: {
                  to_source: {
                    ...{ relationship_type: 'object', source, table: { schema: 'public', name } },
                    field_mapping: { id: 'id' },
                  },
                },
              },
            ],
          },
        ],
      },
    ],
  })
  const ask = async (type: string, args: unknown) =>
    (await trellis.request('/v1/metadata', { body: { type, args } })).body as Record<string, unknown>
  for (const [given, reason] of [
    [metadata('elsewhere', 'book'), 'source with name "elsewhere" does not exist'],
    [metadata('library', 'shelf'), 'table "shelf" does not exist'],
  ] as const) {
    const { inconsistent_objects } = await ask('replace_metadata', {
      allow_inconsistent_metadata: true,
      metadata: given,
    })
    const [object] = inconsistent_objects as { name: string; reason: string }[]
    const where = 'Inconsistent object: in table "book": in remote relationship"other": '
    assert.equal(object?.reason, where + reason)
    assert.equal(object.name, 'remote_relationship other in table book in source library')
    assert.deepEqual(await ask('export_metadata', {}), given)
  }
  assert.deepEqual(await ask('replace_metadata', { metadata: metadata('default', 'book') }), {
    is_consistent: true,
    inconsistent_objects: [],
  })
  await ask('rename_source', { name: 'library', new_name: 'archive' })
  const { sources } = metadata('archive', 'book')
  assert.deepEqual((await ask('export_metadata', {}))['sources'], [{ ...sources[0]!, name: 'archive' }])
})
