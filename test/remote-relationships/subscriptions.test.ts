// Live queries and streams whose rows are joined to fields of a remote server.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { definePlugin } from '../../sdk/index.ts'
import { crmTypes, startCrm } from '../remote-schemas/crm.ts'
import { graphqlSseClient, graphqlWsClient, subscribeWith } from '../subscriptions/clients.ts'
import { eventually } from '../support/waiting.ts'
import { author, startJoined } from './joined.ts'

const fast = { settings: { liveQueriesRefetchInterval: 50, streamingQueriesRefetchInterval: 50 } } as const
const ofBook = 'subscription ($id: Int!) { book_by_pk(id: $id) { title author { name } } }'
const book = (title: string, id: number) => ({ data: { book_by_pk: { title, author: { name: `user ${id}` } } } })

test('changed rows are joined again, and equal subscribers share the request', async (t) => {
  const { crm, trellis } = await startJoined(t, [author], fast)
  const set = (title: string) =>
    trellis.graphql(
      'mutation ($title: String!) { update_book(where: {id: {_eq: 1}}, _set: {title: $title}) { affected_rows } }',
      {
        title,
      },
    )
  const clients = [graphqlWsClient(t, trellis.url), graphqlWsClient(t, trellis.url)]
  const all = clients.map((client) => subscribeWith(client, ofBook, { id: 1 }))
  for (const received of all) assert.deepEqual(await received.atLeast(1), [book('Dawn', 1)])
  const before = crm.asked().length
  await set('Dusk')
  for (const received of all) assert.deepEqual((await received.atLeast(2))[1], book('Dusk', 1))
  assert.equal(crm.asked().length, before + 1)
  await trellis.graphql('mutation { update_book(where: {id: {_eq: 2}}, _set: {title: "Eve"}) { affected_rows } }')
  await new Promise((resolve) => setTimeout(resolve, 200))
  assert.equal(crm.asked().length, before + 1)
  const asReader = graphqlWsClient(t, trellis.url, {
    connectionParams: { headers: { 'x-service-role': 'admin', 'x-service-user-id': '9' } },
  })
  const other = subscribeWith(asReader, ofBook, { id: 1 })
  assert.deepEqual(await other.atLeast(1), [book('Dusk', 1)])
  await set('Noon')
  for (const received of [...all, other])
    await received.until((items) => items.length > 1 && same(items.at(-1), book('Noon', 1)))
  const users = crm.received
    .filter(({ body }) => !body.includes('__schema'))
    .slice(-2)
    .map(({ headers }) => headers['x-service-user-id'])
  assert.deepEqual(new Set(users), new Set([undefined, '9']))
})

const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)

test('columns that only the join reads are never sent, even after a change of the metadata', async (t) => {
  const { trellis } = await startJoined(t, [], fast)
  await trellis.op('create_object_relationship', {
    ...{ table: 'book', name: 'author' },
    using: { manual_configuration: { remote_table: 'publisher', column_mapping: { publisher_id: 'id' } } },
  })
  await trellis.op('create_select_permission', {
    ...{ table: 'book', role: 'reader', permission: { columns: ['title'], filter: {} } },
  })
  await trellis.op('create_select_permission', {
    ...{ table: 'publisher', role: 'reader', permission: { columns: ['name'], filter: {} } },
  })
  const client = graphqlSseClient(t, trellis.url, { headers: { 'x-service-role': 'reader' } })
  const received = subscribeWith(client, 'subscription { book(order_by: {title: asc}, limit: 1) { author { name } } }')
  assert.deepEqual(await received.atLeast(1), [{ data: { book: [{ author: { name: 'Ark' } }] } }])
  await trellis.op('bulk', [
    { type: 'drop_relationship', args: { table: 'book', relationship: 'author' } },
    { type: 'create_remote_relationship', args: author },
  ])
  assert.deepEqual((await received.atLeast(2))[1], { data: { book: [{ author: { name: 'user 1' } }] } })
})

test('a change of the joined values is sent, although the rows are the same', async (t) => {
  const { trellis } = await startJoined(t, [author], fast)
  const received = subscribeWith(graphqlWsClient(t, trellis.url), ofBook, { id: 1 })
  assert.deepEqual(await received.atLeast(1), [book('Dawn', 1)])
  const remote_field = { users: { arguments: { where: { ids: ['$id'] }, limit: 1 } } }
  await trellis.op('update_remote_relationship', { ...author, remote_field })
  const [, listed] = await received.atLeast(2)
  assert.deepEqual(listed, { data: { book_by_pk: { title: 'Dawn', author: [{ name: 'user 1' }] } } })
  await trellis.op('update_remote_relationship', { ...author, remote_field: { user: { arguments: { id: 2 } } } })
  assert.deepEqual((await received.atLeast(3))[2], book('Dawn', 2))
  const other = await startCrm(t, crmTypes, { user: () => ({ name: 'another server' }) })
  await trellis.op('update_remote_schema', { name: 'crm', definition: { url: other.url } })
  const [, , , last] = await received.atLeast(4)
  assert.deepEqual(last, { data: { book_by_pk: { title: 'Dawn', author: { name: 'another server' } } } })
  await trellis.op('reload_metadata', {})
  await new Promise((resolve) => setTimeout(resolve, 300))
  assert.equal((await received.atLeast(4)).length, 4)
})

test('streams join each batch in order', async (t) => {
  const { trellis } = await startJoined(t, [author], fast)
  const client = graphqlWsClient(t, trellis.url)
  const text =
    'subscription { book_stream(batch_size: 2, cursor: {initial_value: {id: 0}, ordering: ASC}) { id author { name } } }'
  const received = subscribeWith(client, text)
  const row = (id: number) => ({ id, author: { name: `user ${id}` } })
  const batches = [{ data: { book_stream: [row(1), row(2)] } }, { data: { book_stream: [row(3)] } }]
  assert.deepEqual(await received.atLeast(2), batches)
  await trellis.graphql('mutation { insert_book_one(object: {title: "Gale", publisher_id: 1}) { id } }')
  assert.deepEqual((await received.atLeast(3))[2], { data: { book_stream: [row(4)] } })
})

test('errors of the remote server come with the answer, and replace it in the other dialect', async (t) => {
  for (const dialect of ['trellis', 'hasura'] as const) {
    const { crm, trellis } = await startJoined(t, [{ ...author, ...(dialect === 'hasura' && renamed) }], {
      settings: { ...fast.settings, dialect },
    })
    crm.answer = () => ({ body: { data: { user__0: null }, errors: [{ message: 'gone', path: ['user__0'] }] } })
    const client = graphqlWsClient(t, trellis.url)
    const received = subscribeWith(client, ofBook, { id: 1 })
    const [first] = (await received.atLeast(1)) as { data: unknown; errors: { message: string }[] }[]
    const { data, errors } = first!
    const isPartial = dialect === 'trellis'
    assert.deepEqual(data, isPartial ? { book_by_pk: { title: 'Dawn', author: null } } : null)
    assert.equal(errors[0]!.message, isPartial ? 'gone' : 'Errors from remote server')
    crm.answer = null
    await trellis.graphql('mutation { update_book(where: {id: {_eq: 1}}, _set: {title: "Dusk"}) { affected_rows } }')
    assert.deepEqual((await received.atLeast(2))[1], book('Dusk', 1))
  }
})

test('a failed join is retried until it succeeds', async (t) => {
  for (const dialect of ['trellis', 'hasura'] as const) {
    const { crm, trellis } = await startJoined(t, [{ ...author, ...(dialect === 'hasura' && renamed) }], {
      settings: { ...fast.settings, dialect },
    })
    crm.answer = () => ({ status: 502, body: 'no server' })
    const clients = [graphqlWsClient(t, trellis.url), graphqlWsClient(t, trellis.url)]
    const all = clients.map((client) => subscribeWith(client, ofBook, { id: 1 }))
    for (const received of all) {
      const [first] = (await received.atLeast(1)) as { errors: { message: string }[] }[]
      assert.match(first!.errors[0]!.message, /not valid JSON/)
    }
    crm.answer = null
    for (const received of all) assert.deepEqual((await received.atLeast(2))[1], book('Dawn', 1))
    const asked = crm.asked().length
    assert.ok(asked <= 4)
    // Errors in a server's answer are final.
    crm.answer = () => ({ body: { data: { user__0: null }, errors: [{ message: 'gone', path: ['user__0'] }] } })
    const later = subscribeWith(clients[0]!, ofBook, { id: 2 })
    await later.atLeast(1)
    await new Promise((resolve) => setTimeout(resolve, 1500))
    assert.equal(crm.asked().length, asked + 1)
  }
})

test('a request to a remote server is aborted when its last subscriber disconnects', async (t) => {
  let [asked, waiting] = [0, 0]
  const counting = definePlugin({
    name: 'counting',
    register({ around }) {
      around({
        async outgoing(request, send) {
          asked++
          waiting++
          return send(request).finally(() => waiting--)
        },
      })
    },
  })
  const { crm, trellis } = await startJoined(t, [author], { ...fast, plugins: [counting] })
  const clients = [graphqlWsClient(t, trellis.url), graphqlWsClient(t, trellis.url)]
  const all = clients.map((client) => subscribeWith(client, ofBook, { id: 1 }))
  for (const received of all) await received.atLeast(1)
  crm.answer = () => null
  asked = 0
  await trellis.graphql('mutation { update_book(where: {id: {_eq: 1}}, _set: {title: "Dusk"}) { affected_rows } }')
  await eventually(() => waiting === 1)
  await clients[0]!.dispose()
  await new Promise((resolve) => setTimeout(resolve, 300))
  assert.deepEqual([asked, waiting], [1, 1])
  await clients[1]!.dispose()
  await eventually(() => waiting === 0)
})

const renamed = { hasura_fields: ['id'] }
