// What of interfaces and defaults a role is shown, where it sees a part of what they speak of.

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

test('what implements an interface implements those of it', async (t) => {
  const { trellis, ask, permission, introspect } = await start(t)
  const schema = families.replaceAll('implements Named & Node', 'implements Named')
  await trellis.op('add_remote_schema_permissions', permission(schema))
  const person = (await introspect()).getType('Person')
  assert.ok(person)
  assert.match(printType(person), /^type Person implements Named & Node \{/)
  assert.deepEqual(await ask('{ node { ... on Person { name } } }'), { data: { node: { name: 'Ada' } } })
})

test('a field that is not of the type of the interface is refused', async (t) => {
  const { trellis, permission } = await start(t)
  const schema = families.replace('Person implements Named & Node', 'Person')
  const { body } = await trellis.opError('add_remote_schema_permissions', permission(schema))
  const reason = 'the field "Pet"."peer" is of type Person, which is no Node as in the interface "Named"'
  const error = `validation for the given role-based schema failed because ${reason}`
  assert.equal((body as { error: string }).error, error)
})

test('a default that holds what is hidden is hidden', async (t) => {
  const { trellis, permission, introspect } = await start(t)
  const schema = families.replace('n: Int = 5', '').replace('enum Kind { GOOD BAD }', 'enum Kind { GOOD }')
  await trellis.op('add_remote_schema_permissions', permission(schema))
  const types = await introspect()
  assert.equal(printType(types.getType('Filter')!), 'input Filter {\n  kind: Kind\n}')
  assert.match(printType(types.getType('Person')!), /friends\(where: Filter\): Int/)
  // Without it the value would have to be given.
  assert.match(printType(types.getQueryType()!), /person\(filters: \[Filter!\], kind: Kind! = BAD\): Person/)
})
