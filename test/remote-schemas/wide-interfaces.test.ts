// Nested interfaces that many types implement.

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

test('each level of interfaces is selected once, not once for each type', async (t) => {
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

test('each level is selected once for a role that sees a part of each type', async (t) => {
  const crm = await startCrm(t, types, { node })
  const trellis = await startLibrary(t, { settings: { enableRemoteSchemaPermissions: true } })
  await trellis.op('add_remote_schema', { name: 'crm', definition: { url: crm.url } })
  const schema = types.replaceAll(/n(?!7\b)\d+: Int/g, '')
  await trellis.op('add_remote_schema_permissions', { remote_schema: 'crm', role: 'clerk', definition: { schema } })
  assert.deepEqual(await trellis.graphql(deep, {}, { role: 'clerk' }), { data: { node: answer } })
  assert.equal(crm.asked()[0]!.query, `query ${deep}`)
})

const deeper = (levels: number): string =>
  levels === 0 ? '{ id }' : `{ id ... on Parent { first children ${deeper(levels - 1)} } ... on T3 { n3 } }`

const family = [
  'type Query { node: Node  root: Root }',
  'type Root { node: Node }',
  'interface Node { id: Int! }',
  'interface Parent implements Node { id: Int!  first: Int  children(of: Int): [Node] }',
  ...Array.from({ length: count }, (_, i) =>
    i < count / 2
      ? `type T${i} implements Node & Parent { id: Int!  first: Int  children(of: Int): [Node]  n${i}: Int }`
      : `type T${i} implements Node { id: Int!  n${i}: Int }`,
  ),
].join('\n')
const parent = { __typename: 'T3', id: 1, first: 2, n3: 3, children: () => [parent, { __typename: 'T40', id: 4 }] }

/** The expected data of a parent, with `levels` below it. */
const generations = (levels: number): unknown =>
  levels === 0 ? { id: 1 } : { id: 1, first: 2, children: [generations(levels - 1), { id: 4 }], n3: 3 }

test('a selection on some of the types of each level is sent once', async (t) => {
  const crm = await startCrm(t, family, { node: parent, root: { node: parent } })
  const trellis = await startLibrary(t, { settings: { enableRemoteSchemaPermissions: true } })
  await trellis.op('add_remote_schema', { name: 'crm', definition: { url: crm.url } })
  const presets = family.replaceAll('(of: Int)', '(of: Int @preset(value: 1))')
  const part = family.replaceAll(/type T5\d .*/g, '')
  const permission = { remote_schema: 'crm', definition: { schema: presets } }
  await trellis.op('add_remote_schema_permissions', { ...permission, role: 'clerk' })
  await trellis.op('add_remote_schema_permissions', { ...permission, role: 'guest', definition: { schema: part } })
  for (const role of ['admin', 'clerk', 'guest']) {
    for (const beside of ['', '__typename ']) {
      const { data } = await trellis.graphql<{ data: object }>(`{ ${beside}node ${deeper(6)} }`, {}, { role })
      assert.deepEqual(data, { ...(beside && { __typename: 'query_root' }), node: generations(6) })
    }
  }
  assert.ok(Math.max(...crm.asked().map(({ query }) => query.length)) < 30_000)
  const rows = { table: 'book', service_fields: [], remote_schema: 'crm', remote_field: { root: { arguments: {} } } }
  await trellis.op('create_remote_relationship', { ...rows, name: 'root' })
  const joined = await trellis.graphql(`{ book(limit: 1) { root { node ${deeper(6)} } } }`)
  assert.deepEqual(joined, { data: { book: [{ root: { node: generations(6) } }] } })
})
