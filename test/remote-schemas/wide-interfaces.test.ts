// Interfaces that many types implement, one within the other.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startLibrary } from '../support/library.ts'
import { startCrm } from './crm.ts'

const count = 60
const members = 'id: Int!  best: Node  all: [Node!]'
const implementers = Array.from({ length: count }, (_, i) => `type T${i} implements Node { ${members}  n${i}: Int }`)
const types = ['type Query { node: Node }', `interface Node { ${members} }`, ...implementers].join('\n')
const node = { __typename: 'T7', id: 1, n7: 7, best: () => node, all: () => [node] }

const deep = '{ node { all { best { all { ... on T7 { n7 } best { id __typename } } } } } }'
const answer = { all: [{ best: { all: [{ n7: 7, best: { id: 1, __typename: 'T7' } }] } }] }

test('levels of interfaces are asked for once, not once for each type of each level', async (t) => {
  const crm = await startCrm(t, types, { node })
  const trellis = await startLibrary(t)
  await trellis.op('add_remote_schema', { name: 'crm', definition: { url: crm.url } })
  assert.deepEqual(await trellis.graphql(deep), { data: { node: answer } })
  assert.equal(crm.asked()[0]!.query, `query ${deep}`)
  const beside = await trellis.graphql(deep.replace('{', '{ __typename '))
  assert.deepEqual(beside, { data: { __typename: 'query_root', node: answer } })
  assert.ok(crm.asked()[1]!.query.length < 300)
  const refused = await trellis.graphql<{ errors: { message: string }[] }>('{ node { all { best { all { no } } } } }')
  assert.equal(refused.errors[0]?.message, `field "no" not found in type: 'Node'`)
})

test('the same for a role that sees a part of each type', async (t) => {
  const crm = await startCrm(t, types, { node })
  const trellis = await startLibrary(t, { settings: { enableRemoteSchemaPermissions: true } })
  await trellis.op('add_remote_schema', { name: 'crm', definition: { url: crm.url } })
  const schema = types.replaceAll(/n(?!7\b)\d+: Int/g, '')
  await trellis.op('add_remote_schema_permissions', { remote_schema: 'crm', role: 'clerk', definition: { schema } })
  assert.deepEqual(await trellis.graphql(deep, {}, { role: 'clerk' }), { data: { node: answer } })
  assert.equal(crm.asked()[0]!.query, `query ${deep}`)
})
