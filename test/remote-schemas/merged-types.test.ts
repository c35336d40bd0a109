// With `--dialect hasura`, a remote type that equals the type of a table's rows is merged with it.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { GivenSettings } from '../../core/engine/options.ts'
import { startTrellis, type TestTrellis } from '../support/trellis.ts'
import { startCrm } from './crm.ts'

const person = 'type person { id: Int! name: String created: timestamptz }'

const typesWith = (type: string) => `
  scalar timestamptz
  ${type}
  type Robot { id: Int! }
  type Team { lead: person! members: [person!]! }
  union Being = person | Robot
  type Query { someone(id: Int!): person  team: Team  beings: [Being!]! }
`

const anna = { __typename: 'person', id: 7, name: 'Anna', created: '2020-01-01T00:00:00Z' }

const resolvers = {
  someone: () => anna,
  team: () => ({ lead: anna, members: [anna] }),
  beings: () => [anna, { __typename: 'Robot', id: 1 }],
}

const sql = `
  create table person (id int primary key, name text, created timestamptz);
  insert into person values (1, 'Bo', '2021-01-01 00:00:00+00');
`

interface Started {
  readonly trellis: TestTrellis
  readonly add: readonly [string, object]
}

async function start(t: TestContext, type = person, settings: GivenSettings = {}): Promise<Started> {
  const crm = await startCrm(t, typesWith(type), resolvers)
  const trellis = await startTrellis(t, { sql, settings: { dialect: 'hasura', ...settings } })
  return { trellis, add: ['add_remote_schema', { name: 'crm', definition: { url: crm.url } }] }
}

async function startMerged(t: TestContext, settings?: GivenSettings): Promise<TestTrellis> {
  const { trellis, add } = await start(t, person, settings)
  await trellis.op('track_table', 'person')
  await trellis.op(...add)
  return trellis
}

const asClerk = { headers: { 'x-hasura-role': 'clerk' } }

const allowClerk = (trellis: TestTrellis, columns: readonly string[]) =>
  trellis.op('create_select_permission', { table: 'person', role: 'clerk', permission: { columns, filter: {} } })

async function shownFields(trellis: TestTrellis, options = {}): Promise<string[]> {
  const query = '{ __type(name: "person") { fields { name } } __schema { types { name } } }'
  type Shown = { __type: { fields: { name: string }[] }; __schema: { types: { name: string }[] } }
  const { data } = await trellis.graphql<{ data: Shown }>(query, {}, options)
  assert.equal(data.__schema.types.filter(({ name }) => name === 'person').length, 1)
  return data.__type.fields.map(({ name }) => name)
}

const refusal = async (trellis: TestTrellis, query: string): Promise<string | undefined> => {
  const { errors } = await trellis.graphql<{ errors?: { message: string }[] }>(query, {}, asClerk)
  return errors?.[0]?.message
}

async function refusedOperation(trellis: TestTrellis, type: string, args: unknown) {
  const { status, body } = await trellis.opError(type, args)
  assert.equal(status, 400, JSON.stringify(body))
  return body as { readonly code: string; readonly error: string }
}

const notFound = (field: string) => `field "${field}" not found in type: 'person'`

test('one request asks the table and the remote server for the same type', async (t) => {
  const trellis = await startMerged(t)
  const query = `{
    person { ...all }
    someone(id: 7) { ...all }
    team { lead { name } members { id } }
    beings { __typename ... on person { name } ... on Robot { id } }
  }
  fragment all on person { __typename id name created }`
  assert.deepEqual(await trellis.graphql(query), {
    data: {
      person: [{ __typename: 'person', id: 1, name: 'Bo', created: '2021-01-01T00:00:00+00:00' }],
      someone: anna,
      team: { lead: { name: 'Anna' }, members: [{ id: 7 }] },
      beings: [
        { __typename: 'person', name: 'Anna' },
        { __typename: 'Robot', id: 1 },
      ],
    },
  })
})

test('introspection shows the merged type once, described as the table', async (t) => {
  const trellis = await startMerged(t)
  assert.deepEqual(await shownFields(trellis), ['created', 'id', 'name'])
  const query = `{
    __type(name: "person") { description }
    being: __type(name: "Being") { possibleTypes { name fields { name } } }
  }`
  assert.deepEqual(await trellis.graphql(query), {
    data: {
      __type: { description: 'columns and relationships of "person"' },
      being: {
        possibleTypes: [
          { name: 'Robot', fields: [{ name: 'id' }] },
          { name: 'person', fields: [{ name: 'created' }, { name: 'id' }, { name: 'name' }] },
        ],
      },
    },
  })
})

test('a role that may select some columns sees these of the table, and all fields of the remote type', async (t) => {
  const trellis = await startMerged(t)
  assert.deepEqual(await shownFields(trellis, asClerk), ['created', 'id', 'name'])
  assert.match(String(await refusal(trellis, '{ person { id } }')), /field "person" not found/)
  await allowClerk(trellis, ['id'])
  assert.deepEqual(await shownFields(trellis, asClerk), ['created', 'id', 'name'])
  assert.deepEqual(await trellis.graphql('{ person { id } someone(id: 7) { id name } }', {}, asClerk), {
    data: { person: [{ id: 1 }], someone: { id: 7, name: 'Anna' } },
  })
  assert.equal(await refusal(trellis, '{ person { id name } }'), notFound('name'))
  assert.equal(
    await refusal(trellis, '{ someone(id: 7) { id } person { ...f } } fragment f on person { name }'),
    notFound('name'),
  )
})

test('permissions of the table and of the remote schema stay apart', async (t) => {
  const trellis = await startMerged(t, { enableRemoteSchemaPermissions: true })
  await allowClerk(trellis, ['id', 'created'])
  assert.deepEqual(await shownFields(trellis, asClerk), ['created', 'id'])
  const schema = 'type Query { someone(id: Int!): person } type person { id: Int! name: String }'
  await trellis.op('add_remote_schema_permissions', { remote_schema: 'crm', role: 'clerk', definition: { schema } })
  assert.deepEqual(await shownFields(trellis, asClerk), ['created', 'id', 'name'])
  assert.equal(await refusal(trellis, '{ person { name } }'), notFound('name'))
  assert.equal(await refusal(trellis, '{ someone(id: 7) { created } }'), notFound('created'))
  assert.deepEqual(await trellis.graphql('{ person { id } someone(id: 7) { name } }', {}, asClerk), {
    data: { person: [{ id: 1 }], someone: { name: 'Anna' } },
  })
})

const conflict = 'found conflicting definitions for "person" when collecting types from the schema'

test('a type that differs from the rows is refused', async (t) => {
  const differing = [
    'type person { id: Int! name: String }',
    'type person { id: Int name: String created: timestamptz }',
    'type person { id: Int! name: [String] created: timestamptz }',
    'type person { id: Int! name(up: Boolean): String created: timestamptz }',
    'type person { id: Int! name: String created: timestamptz age: Int }',
    'interface Named { name: String } type person implements Named { id: Int! name: String created: timestamptz }',
  ]
  for (const type of differing) {
    const { trellis, add } = await start(t, type)
    await trellis.op('track_table', 'person')
    const { code, error } = await refusedOperation(trellis, ...add)
    assert.deepEqual([code, error], ['constraint-violation', conflict], type)
  }
})

test('the default dialect refuses a type that equals the rows', async (t) => {
  const { trellis, add } = await start(t, person, { dialect: 'trellis' })
  await trellis.op('track_table', 'person')
  assert.equal((await refusedOperation(trellis, ...add)).error, conflict)
})

test('a table is tracked beside an equal remote type, and cannot change afterwards', async (t) => {
  const { trellis, add } = await start(t)
  await trellis.op(...add)
  await trellis.op('track_table', 'person')
  assert.deepEqual(await shownFields(trellis), ['created', 'id', 'name'])
  await trellis.sql('create table pet (id int primary key, owner int references person)')
  await trellis.op('track_table', 'pet')
  const using = { foreign_key_constraint_on: { table: 'pet', column: 'owner' } }
  const relationship = await refusedOperation(trellis, 'create_array_relationship', {
    table: 'person',
    name: 'pets',
    using,
  })
  assert.match(JSON.stringify(relationship), new RegExp(conflict.replaceAll('"', String.raw`\\*"`)))
  const change = await trellis.opError('run_sql', { sql: 'alter table person add column age int' })
  assert.match(JSON.stringify(change.body), new RegExp(conflict.replaceAll('"', String.raw`\\*"`)))
  assert.deepEqual(await shownFields(trellis), ['created', 'id', 'name'])
})
