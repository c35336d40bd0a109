// Interfaces and defaults in permissions that show a part of the types.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { buildClientSchema, getIntrospectionQuery, type IntrospectionQuery, printType } from 'graphql'
import { startLibrary } from '../support/library.ts'
import { startCrm } from './crm.ts'

const families = `
  interface Node { id: ID! }
  interface Named implements Node { id: ID! name: String peer: Node }
  type Person implements Named & Node { id: ID! name: String peer: Node friends(where: Filter = { kind: GOOD, n: 1 }): Int }
  type Pet implements Named & Node { id: ID! name: String peer: Person }
  type Query { node: Node  pet: Pet  person(kind: Kind! = BAD, filters: [Filter!] = [{ n: 1 }, { kind: GOOD }]): Person }
  enum Kind { GOOD BAD }
  input Filter { kind: Kind = BAD  n: Int = 5 }
`

async function start(t: TestContext) {
  const crm = await startCrm(t, families, { node: { __typename: 'Person', name: 'Ada' } })
  const trellis = await startLibrary(t, { settings: { enableRemoteSchemaPermissions: true } })
  await trellis.op('add_remote_schema', { name: 'crm', definition: { url: crm.url } })
  const ask = <Body>(query: string) => trellis.graphql<Body>(query, {}, { role: 'clerk' })
  return {
    ask,
    permission: (schema: string) => ({ remote_schema: 'crm', role: 'clerk', definition: { schema } }),
    trellis,
    async introspect() {
      return buildClientSchema((await ask<{ data: IntrospectionQuery }>(getIntrospectionQuery())).data)
    },
  }
}

test('a type implements the interfaces of its interfaces', async (t) => {
  const { trellis, ask, permission, introspect } = await start(t)
  const schema = families.replaceAll('implements Named & Node', 'implements Named')
  await trellis.op('add_remote_schema_permissions', permission(schema))
  const person = (await introspect()).getType('Person')
  assert.ok(person)
  assert.match(printType(person), /^type Person implements Named & Node \{/)
  assert.deepEqual(await ask('{ node { ... on Person { name } } }'), { data: { node: { name: 'Ada' } } })
})

test('a field whose type does not fit the interface is refused', async (t) => {
  const { trellis, permission } = await start(t)
  const schema = families.replace('Person implements Named & Node', 'Person')
  const { body } = await trellis.opError('add_remote_schema_permissions', permission(schema))
  const reason = 'the field "Pet"."peer" is of type Person, not of type Node as in the interface "Named"'
  const error = `validation for the given role-based schema failed because ${reason}`
  assert.equal((body as { error: string }).error, error)
})

test('a default with hidden parts is hidden', async (t) => {
  const { trellis, permission, introspect } = await start(t)
  const schema = families.replace('n: Int = 5', '').replace('enum Kind { GOOD BAD }', 'enum Kind { GOOD }')
  await trellis.op('add_remote_schema_permissions', permission(schema))
  const types = await introspect()
  assert.equal(printType(types.getType('Filter')!), 'input Filter {\n  kind: Kind\n}')
  assert.match(printType(types.getType('Person')!), /friends\(where: Filter\): Int/)
  // Without the default the argument would be required.
  assert.match(printType(types.getQueryType()!), /person\(filters: \[Filter!\], kind: Kind! = BAD\): Person/)
})

test('permissions of several servers must show the same members of a shared type', async (t) => {
  const types = `type Query { user(where: Filter): User }  type Mutation { drop: Int }
    type User { id: Int! name: String }  input Filter { id: Int secret: String }`
  const trellis = await startLibrary(t, { settings: { enableRemoteSchemaPermissions: true } })
  const servers = await Promise.all(['north', 'south'].map(() => startCrm(t, types, { user: { id: 1, name: 'Ada' } })))
  const urls = servers.map(({ url }) => url)
  const definition = (i: number, more = {}) => {
    const name = ['north', 'south'][i]!
    return { name, definition: { url: urls[i], customization: { root_fields_namespace: name, ...more } } }
  }
  for (const i of [0, 1]) await trellis.op('add_remote_schema', definition(i))
  const narrow = `type Query { user(where: Filter): User }  type User { id: Int! }  input Filter { id: Int }`
  const permission = (remote_schema: string, schema: string) => ({
    remote_schema,
    role: 'clerk',
    definition: { schema },
  })
  await trellis.op('add_remote_schema_permissions', permission('north', '*'))
  const { body } = await trellis.opError('add_remote_schema_permissions', permission('south', narrow))
  const { code, error } = body as { code: string; error: string }
  const reason = 'the type "User" is another one in what the role sees of the remote schema "north"'
  assert.deepEqual(
    [code, error],
    ['constraint-violation', `validation for the given role-based schema failed because ${reason}`],
  )
  await trellis.op(
    'add_remote_schema_permissions',
    permission('south', types.replace('type Mutation { drop: Int }', '')),
  )
  await trellis.op('drop_remote_schema_permissions', { remote_schema: 'south', role: 'clerk' })
  await trellis.op('update_remote_schema', definition(1, { type_names: { prefix: 'South' } }))
  await trellis.op('add_remote_schema_permissions', permission('south', narrow))
  const ask = (query: string) => trellis.graphql<object>(query, {}, { role: 'clerk' })
  assert.deepEqual(
    await ask('{ north { user(where: {secret: "x"}) { name } } south { user(where: {id: 1}) { id } } }'),
    {
      data: { north: { user: { name: 'Ada' } }, south: { user: { id: 1 } } },
    },
  )
  assert.match(JSON.stringify(await ask('{ south { user(where: {secret: "x"}) { id } } }')), /\\"secret\\" not found/)
})
