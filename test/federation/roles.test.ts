import assert from 'node:assert/strict'
import { test } from 'node:test'
import { buildSchema } from 'graphql'
import type { TestTrellis } from '../support/trellis.ts'
import { entitiesOf, entity, refused, sdlOf, startSubgraph } from './federation.ts'

const reader = { role: 'reader' }

/** Readers see two titles, and publishers without their key. */
const permit = ({ op }: TestTrellis, extra: object = {}) =>
  op('bulk', [
    {
      type: 'create_select_permission',
      args: {
        table: 'book',
        role: 'reader',
        permission: { columns: ['id', 'title'], filter: { id: { _lt: 3 } }, ...extra },
      },
    },
    {
      type: 'create_select_permission',
      args: { table: 'publisher', role: 'reader', permission: { columns: ['name'], filter: {} } },
    },
  ])

const books = [1, 2, 3].map((id) => ({ __typename: 'book', id }))

/** The types of entities of a role, and whether the role has the root field. */
async function entityTypes(trellis: TestTrellis, role: string): Promise<readonly string[] | null> {
  const query = `{ union: __type(name: "_Entity") { possibleTypes { name } } root: __type(name: "query_root") { fields { name } } }`
  const { data } = await trellis.graphql<{
    data: { union: { possibleTypes: { name: string }[] } | null; root: { fields: { name: string }[] } }
  }>(query, {}, { role })
  assert.equal(
    data.root.fields.some(({ name }) => name === '_entities'),
    data.union !== null,
  )
  return data.union?.possibleTypes.map(({ name }) => name) ?? null
}

test('permissions for rows and columns apply to entities', async (t) => {
  const trellis = await startSubgraph(t)
  await permit(trellis)
  assert.deepEqual(await entitiesOf(trellis, books, '... on book { title }', reader), [
    { title: 'Dawn' },
    { title: 'Ebb' },
    null,
  ])
  assert.deepEqual(await refused(trellis, books, '... on book { pages }', reader), [
    'validation-failed',
    '$.selectionSet._entities.selectionSet.pages',
    `field "pages" not found in type: 'book'`,
  ])
  const hidden = await refused(trellis, [{ __typename: 'publisher', id: 1 }], '__typename', reader)
  assert.deepEqual(hidden, [
    'validation-failed',
    '$.selectionSet._entities.args.representations[0].__typename',
    'no entity has the type "publisher"',
  ])
})

test('a role has the entities whose keys it may select', async (t) => {
  const trellis = await startSubgraph(t)
  await permit(trellis)
  assert.deepEqual(await entityTypes(trellis, 'reader'), ['book'])
  assert.equal(await entityTypes(trellis, 'nobody'), null)
  assert.deepEqual(await refused(trellis, books, '__typename', { role: 'nobody' }), [
    'validation-failed',
    '$.selectionSet._entities',
    `field "_entities" not found in type: 'query_root'`,
  ])
  const sdl = await sdlOf(trellis, 'reader')
  assert.match(sdl, /type book @key\(fields: "id"\) \{/)
  assert.match(sdl, /\ntype publisher \{/)
})

test('a role without the root field of one row has no entity of the table', async (t) => {
  const trellis = await startSubgraph(t)
  await permit(trellis, { query_root_fields: ['select'] })
  assert.equal(await entityTypes(trellis, 'reader'), null)
})

test('the SDL has the types of the role without those of federation, and is complete', async (t) => {
  const trellis = await startSubgraph(t)
  await permit(trellis)
  for (const role of ['admin', 'reader', 'nobody']) {
    const sdl = await sdlOf(trellis, role)
    assert.doesNotMatch(sdl, /_service|_entities|_Any|_Entity|_Service|no_queries_available/)
    const known = 'directive @key(fields: String!) repeatable on OBJECT\n'
    const schema = buildSchema(role === 'nobody' ? `${known}${sdl.replace(/extend schema\n.*\n/, '')}` : known + sdl)
    assert.equal(schema.getQueryType()?.name, role === 'nobody' ? undefined : 'query_root')
  }
  assert.match(await sdlOf(trellis), /scalar numeric\n/)
})

test('a role that may not ask for the schema gets no SDL', async (t) => {
  const trellis = await startSubgraph(t)
  await permit(trellis)
  await trellis.op('set_graphql_schema_introspection_options', { disabled_for_roles: ['reader'] })
  const answer = await trellis.graphql<{ errors: { message: string }[] }>('{ s: _service { sdl } }', {}, reader)
  assert.equal(answer.errors[0]!.message, 'introspection is disabled for role: "reader"')
  assert.deepEqual(await entitiesOf(trellis, books.slice(0, 1), '... on book { title }', reader), [{ title: 'Dawn' }])
})

test('the SDL follows changes of the metadata', async (t) => {
  const trellis = await startSubgraph(t)
  const args = { table: 'book', apollo_federation_config: null }
  await trellis.op('pg_set_apollo_federation_config', args)
  assert.doesNotMatch(await sdlOf(trellis), /type book @key/)
  await trellis.op('bulk', [entity('book')])
  assert.match(await sdlOf(trellis), /type book @key/)
})

test('entities cannot be subscribed to, and Relay has none', async (t) => {
  const trellis = await startSubgraph(t)
  const types = '{ __type(name: "subscription_root") { fields { name } } }'
  const { data } = await trellis.graphql<{ data: { __type: { fields: { name: string }[] } } }>(types)
  assert.deepEqual(
    data.__type.fields.filter(({ name }) => name.startsWith('_')),
    [],
  )
  const relay = await trellis.graphql<{ errors: { message: string }[] }>(
    '{ _service { sdl } }',
    {},
    { path: '/v1beta1/relay' },
  )
  assert.equal(relay.errors[0]!.message, `field "_service" not found in type: 'query_root'`)
})

test('names of the source are those of entities, and the root fields keep their names', async (t) => {
  const trellis = await startSubgraph(t, { settings: { dialect: 'hasura', graphqlInterface: '2' } })
  const source = {
    ...{ name: 'default', configuration: {}, replace_configuration: true },
    customization: {
      naming_convention: 'graphql-default',
      type_names: { prefix: 'Lib' },
      root_fields: { namespace: 'lib' },
    },
  }
  await trellis.op('pg_update_source', source, { version: 1 })
  const sdl = await sdlOf(trellis)
  const name = /type (\w+) @key\(fields: "id"\)/.exec(sdl)![1]!
  assert.match(name, /^Lib/)
  const [first] = await entitiesOf(trellis, [{ __typename: name, id: 1 }], `__typename ... on ${name} { id }`)
  assert.deepEqual(first, { __typename: name, id: 1 })
})
