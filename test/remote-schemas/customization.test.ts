// Remote schemas with customized names.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { startLibrary } from '../support/library.ts'
import { startTrellis } from '../support/trellis.ts'
import { startCrm } from './crm.ts'

async function start(t: TestContext, customization: object) {
  const crm = await startCrm(t)
  const trellis = await startLibrary(t)
  await trellis.op('add_remote_schema', { name: 'crm', definition: { url: crm.url, customization } })
  return { crm, trellis }
}

test('types and fields are renamed in requests and answers', async (t) => {
  const { crm, trellis } = await start(t, {
    type_names: { prefix: 'crm_', suffix: '_t', mapping: { User: 'Person' } },
    field_names: [
      { parent_type: 'Query', prefix: 'crm_' },
      { parent_type: 'User', mapping: { name: 'full_name', city: 'name' } },
      { parent_type: 'Named', mapping: { name: 'full_name' } },
      { parent_type: 'Car', mapping: { name: 'full_name' } },
    ],
  })
  const query = `query ($where: crm_UserFilter_t, $order: crm_Order_t = ASC) {
    crm_users(where: $where, order: $order) { __typename full_name name n: name id notes { text kind: __typename } }
    crm_named { __typename ... on Person { id } ... on crm_Car_t { wheels } full_name }
  }`
  assert.deepEqual(await trellis.graphql(query, { where: { ids: [1] } }), {
    data: {
      crm_users: [
        {
          ...{ __typename: 'Person', full_name: 'user 1', name: 'Oslo', n: 'Oslo', id: 1 },
          notes: [{ text: 'note 0', kind: 'crm_Note_t' }],
        },
      ],
      crm_named: [
        { __typename: 'Person', id: 1, full_name: 'user 1' },
        { __typename: 'crm_Car_t', wheels: 4, full_name: 'Beetle' },
      ],
    },
  })
  assert.match(crm.asked()[0]!.query, /^query\(\$where: UserFilter, \$order: Order = ASC\)/)
})

test('root fields are served in a namespace', async (t) => {
  const { crm, trellis } = await start(t, { root_fields_namespace: 'crm' })
  const query =
    '{ crm { user(id: 1) { name } lost: user(id: -1) { id } __typename } again: crm { user(id: 2) { id } } none: crm { __typename } book_by_pk(id: 1) { title } }'
  const { data, errors } = await trellis.graphql<{ data: unknown; errors: { message: string; path: unknown }[] }>(query)
  assert.deepEqual(data, {
    crm: { user: { name: 'user 1' }, lost: null, __typename: 'crm_query' },
    again: { user: { id: 2 } },
    none: { __typename: 'crm_query' },
    book_by_pk: { title: 'Dawn' },
  })
  assert.deepEqual(
    errors.map(({ message, path }) => [message, path]),
    [['no user -1', ['crm', 'lost']]],
  )
  assert.equal(crm.asked().length, 1)
  assert.deepEqual(await trellis.graphql('mutation { crm { rename(id: 1, name: "A") { name } } }'), {
    data: { crm: { rename: { name: 'A' } } },
  })
})

test('a failed non-null field of a namespace makes the namespace null', async (t) => {
  const { trellis } = await start(t, { root_fields_namespace: 'crm' })
  const query = '{ crm { user(id: 1) { name } users { id } broken } book_by_pk(id: 1) { title } }'
  assert.deepEqual(await trellis.graphql(query), {
    data: { crm: null, book_by_pk: { title: 'Dawn' } },
    errors: [
      {
        extensions: { path: '$.selectionSet.crm', code: 'unexpected' },
        message: 'it is broken',
        path: ['crm', 'broken'],
      },
    ],
  })
})

test('scalars of GraphQL itself may have other names, also in variables', async (t) => {
  const crm = await startCrm(t)
  const trellis = await startLibrary(t)
  const type_names = { mapping: { Int: 'Whole', String: 'Text' } }
  await trellis.op('add_remote_schema', { name: 'crm', definition: { url: crm.url, customization: { type_names } } })
  assert.deepEqual(await trellis.graphql('query ($id: Whole!) { user(id: $id) { id name } }', { id: 5 }), {
    data: { user: { id: 5, name: 'user 5' } },
  })
  assert.match(crm.asked().at(-1)!.query, /\$id: Int!/)
  type Fields = { data: { __type: { fields: { name: string; type: { ofType: { name: string } | null } }[] } } }
  const { data } = await trellis.graphql<Fields>(
    '{ __type(name: "User") { fields { name type { ofType { name } } } } }',
  )
  const scalars = data.__type.fields.flatMap(({ type }) => type.ofType?.name ?? [])
  assert.deepEqual(new Set(scalars), new Set(['Whole', 'Text', 'Note']))
  type Refused = { errors: { message: string }[] }
  const { errors } = await trellis.graphql<Refused>('query ($id: Int!) { user(id: $id) { id } }', { id: 5 })
  assert.equal(errors[0]!.message, 'variable "id" is declared as Int!, but used where Whole! is expected')
  const wrong = await trellis.graphql<Refused>('query ($id: Whole!) { user(id: $id) { id } }', { id: 'x' })
  assert.match(wrong.errors[0]!.message, /Int cannot represent non-integer value/)
})

test('invalid customizations are refused', async (t) => {
  const crm = await startCrm(t)
  const trellis = await startLibrary(t)
  const cases: [customization: object, reason: string][] = [
    [{ type_names: { mapping: { User: 'Car' } } }, 'the types "User" and "Car" are both called "Car"'],
    [{ field_names: [{ parent_type: 'Nobody', prefix: 'a' }] }, 'there is no object or interface type "Nobody"'],
    [
      { field_names: [{ parent_type: 'User', mapping: { name: 'id' } }] },
      'several fields of the type "User" are called "id"',
    ],
    [
      { field_names: [{ parent_type: 'User', prefix: 'a_' }] },
      'the field "name" of the type "User" is not called the same in the interface "Named"',
    ],
    [{ type_names: { mapping: { User: '__User' } } }, 'the name "__User" begins with two underscores'],
    [
      { field_names: [{ parent_type: 'Car', mapping: { wheels: '__typename' } }] },
      'the name "__typename" begins with two underscores',
    ],
    [{ root_fields_namespace: '__crm' }, 'the name "__crm" begins with two underscores'],
  ]
  for (const [customization, reason] of cases) {
    const { status, body } = await trellis.opError('add_remote_schema', {
      name: 'crm',
      definition: { url: crm.url, customization },
    })
    const { path, code, error } = body as { path: string; code: string; error: string }
    assert.deepEqual([status, path, code], [400, '$.args', 'constraint-violation'])
    assert.equal(error.split(': ')[1], reason, error)
  }
  const { body } = await trellis.opError('add_remote_schema', {
    name: 'crm',
    definition: {
      url: crm.url,
      customization: { root_fields_namespace: 'crm', type_names: { mapping: { User: 'crm_query' } } },
    },
  })
  assert.equal(
    (body as { error: string }).error,
    'found conflicting definitions for "crm_query" when collecting types from the schema',
  )
})

test('another Trellis, and Trellis itself, are served with a prefix', async (t) => {
  const other = await startTrellis(t, {
    sql: 'create table song (id int primary key, title text); insert into song values (1, $$A$$), (2, $$B$$)',
  })
  await other.op('track_table', 'song')
  const trellis = await startLibrary(t)
  const definition = (url: string, name: string) => ({
    name,
    definition: {
      url: `${url}/v1/graphql`,
      customization: { root_fields_namespace: name, type_names: { prefix: `${name}_` } },
    },
  })
  await trellis.op('add_remote_schema', definition(other.url, 'music'))
  const query =
    'query ($w: music_song_bool_exp) { music { song(where: $w, order_by: {id: desc}) { id title __typename } } book(limit: 1) { id } }'
  assert.deepEqual(await trellis.graphql(query, { w: { title: { _neq: 'C' } } }), {
    data: {
      music: {
        song: [
          { id: 2, title: 'B', __typename: 'music_song' },
          { id: 1, title: 'A', __typename: 'music_song' },
        ],
      },
      book: [{ id: 1 }],
    },
  })
  await trellis.op('add_remote_schema', definition(trellis.url, 'own'))
  assert.deepEqual(await trellis.graphql('{ own { book(limit: 1) { title } music { song(limit: 1) { id } } } }'), {
    data: { own: { book: [{ title: 'Dawn' }], music: { song: [{ id: 1 }] } } },
  })
  await trellis.op('reload_remote_schema', { name: 'own' })
  assert.deepEqual(await trellis.graphql('{ own { own { own_book: book(limit: 1) { id } } } }'), {
    data: { own: { own: { own_book: [{ id: 1 }] } } },
  })
})
