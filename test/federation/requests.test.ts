// Entities by every way of a request, and for every kind of caller.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTrellis, type TestTrellis } from '../support/trellis.ts'
import { entitiesOf, startSubgraph } from './federation.ts'

const query = '{ _entities(representations: {__typename: "book", id: 1}) { ... on book { title } } }'
const data = { _entities: [{ title: 'Dawn' }] }

/** A collection with the query. */
const collection = [
  {
    type: 'create_query_collection',
    args: { name: 'app', definition: { queries: [{ name: 'ask', query }] } },
  },
]

/** The code and path of the refusal. */
async function refusal({ graphql }: TestTrellis, text: string) {
  interface Refused {
    readonly errors: readonly { readonly extensions: { readonly code: string; readonly path: string } }[]
  }
  const { code, path } = (await graphql<Refused>(text)).errors[0]!.extensions
  return [code, path]
}

test('entities are read by GET, in a batch, and by a REST endpoint', async (t) => {
  const trellis = await startSubgraph(t)
  const got = await trellis.request(`/v1/graphql?query=${encodeURIComponent(query)}`)
  assert.deepEqual(got.body, { data })
  const batch = await trellis.request('/v1/graphql', { body: [{ query }, { query: '{ _service { __typename } }' }] })
  assert.deepEqual(batch.body, [{ data }, { data: { _service: { __typename: '_Service' } } }])
  const definition = { query: { collection_name: 'app', query_name: 'ask' } }
  await trellis.op('bulk', [
    ...collection,
    { type: 'create_rest_endpoint', args: { name: 'ask', url: 'entities', methods: ['GET'], definition } },
  ])
  assert.deepEqual((await trellis.request('/api/rest/entities')).body, data)
})

test('only queries have entities: mutations, subscriptions and the schema of Relay do not', async (t) => {
  const trellis = await startSubgraph(t)
  for (const kind of ['mutation', 'subscription']) {
    assert.deepEqual(await refusal(trellis, `${kind} ${query}`), ['validation-failed', '$.selectionSet._entities'])
  }
  const { body } = await trellis.request<{ errors: { message: string }[] }>('/v1beta1/relay', { body: { query } })
  assert.equal(body.errors[0]!.message, `field "_entities" not found in type: 'query_root'`)
})

test('the allow-list holds for entities and the schema of a gateway', async (t) => {
  const trellis = await startSubgraph(t, { settings: { enableAllowlist: true } })
  const permission = { columns: ['id', 'title'], filter: {} }
  const allowed = { type: 'add_collection_to_allowlist', args: { collection: 'app' } }
  const permit = { type: 'create_select_permission', args: { table: 'book', role: 'reader', permission } }
  await trellis.op('bulk', [...collection, allowed, permit])
  const reader = { role: 'reader' }
  assert.deepEqual(await trellis.graphql(query, {}, reader), { data })
  for (const other of ['{ _service { sdl } }', query.replace('title', 'id')]) {
    const { errors } = await trellis.graphql<{ errors: { message: string }[] }>(other, {}, reader)
    assert.equal(errors[0]!.message, 'query is not allowed')
  }
})

test('an inherited role has the entities whose key its parents show, each with the values that a parent sees', async (t) => {
  const trellis = await startSubgraph(t)
  const permit = (role: string, columns: readonly string[], id: number) => ({
    type: 'create_select_permission',
    args: { table: 'book', role, permission: { columns, filter: { id: { _eq: id } } } },
  })
  await trellis.op('bulk', [
    permit('titles', ['id', 'title'], 1),
    permit('lengths', ['id', 'pages'], 2),
    permit('unnamed', ['pages'], 3),
    { type: 'add_inherited_role', args: { role_name: 'both', role_set: ['titles', 'lengths'] } },
    { type: 'add_inherited_role', args: { role_name: 'all', role_set: ['titles', 'unnamed'] } },
  ])
  const books = [1, 2, 3].map((id) => ({ __typename: 'book', id }))
  assert.deepEqual(await entitiesOf(trellis, books, '... on book { title pages }', { role: 'both' }), [
    { title: 'Dawn', pages: null },
    { title: null, pages: 120 },
    null,
  ])
  // One parent sees a row without its key, so the key does not lead to the row.
  await assert.rejects(entitiesOf(trellis, books, '__typename', { role: 'all' }), /field \\"_entities\\" not found/)
})

test('a request with the read secret reads entities, and a function below one cannot write', async (t) => {
  const sql = `
    create table trace (id int);
    create function trace_it() returns boolean language plpgsql volatile as $$
      begin insert into trace values (1); return true; end $$;
    create function traced(book) returns text language plpgsql stable as $$
      begin perform trace_it(); return 'traced'; end $$;`
  const trellis = await startSubgraph(t, { sql })
  await trellis.op('add_computed_field', { table: 'book', name: 'traced', definition: { function: 'traced' } })
  const settings = { enableApolloFederation: true, adminSecret: 'sesame', readSecret: 'look' }
  const guarded = await startTrellis(t, { database: trellis.database, settings })
  const look = { headers: { 'x-service-admin-secret': 'look' } }
  assert.deepEqual(await guarded.graphql(query, {}, look), { data })
  const { errors } = await guarded.graphql<{ errors: object[] }>(query.replace('title', 'traced'), {}, look)
  assert.match(JSON.stringify(errors), /read-only transaction/)
  assert.deepEqual(await trellis.sql('select * from trace'), [])
})
