// Remote fields of rows that results of actions are related to.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { actionHandlers } from '../../plugins/actions/index.ts'
import { definePlugin } from '../../sdk/index.ts'
import { startShop, until } from '../actions/shop.ts'
import { startCrm } from '../remote-schemas/crm.ts'
import { graphqlWsClient, subscribeWith } from '../subscriptions/clients.ts'
import { author } from './joined.ts'

test('rows of an action are joined in its result, its asynchronous status, and its subscription', async (t) => {
  const body = { id: 5, book_id: 2, lines: [{ book_id: 3 }, { book_id: 99 }, { book_id: 1 }] }
  const shop = await startShop(t, () => ({ body }), {
    settings: { asyncActionsFetchInterval: 50, liveQueriesRefetchInterval: 50 },
  })
  const crm = await startCrm(t)
  const customization = { type_names: { prefix: 'crm_' } }
  await shop.op('add_remote_schema', { name: 'crm', definition: { url: crm.url, customization } })
  await shop.op('create_remote_relationship', author)
  await shop.action('look', { type: 'query' })
  await shop.action('order', { kind: 'asynchronous' })
  const selection = '{ id book { title author { name } } lines { book { author { id } } } }'
  const line = (id: number) => ({ book: { author: { id } } })
  const result = {
    id: 5,
    book: { title: 'Ebb', author: { name: 'user 2' } },
    lines: [line(3), { book: null }, line(1)],
  }
  assert.deepEqual(await shop.graphql(`{ look ${selection} }`), { data: { look: result } })
  const { data } = await shop.graphql<{ data: { order: string } }>('mutation { order }')
  const status = `($id: uuid!) { order(id: $id) { errors output ${selection} } }`
  const received = subscribeWith(graphqlWsClient(t, shop.url), `subscription ${status}`, { id: data.order })
  const done = { data: { order: { errors: null, output: result } } }
  await received.until((items) => JSON.stringify(items.at(-1)) === JSON.stringify(done))
  const asked = await until(
    () => shop.graphql<{ data: unknown }>(`query ${status}`, { id: data.order }),
    () => true,
  )
  assert.deepEqual(asked, done)
})

test('a request of a handler that fails at a remote server is rolled back alone', async (t) => {
  const told: unknown[] = []
  const handler = definePlugin({
    name: 'handler',
    dependencies: ['actions'],
    register(engine) {
      engine.use(actionHandlers).handle('add', async ({ client }) => {
        const add = (title: string, fields: string) =>
          client.graphql(`mutation { insert_book_one(object: {title: "${title}", publisher_id: 1}) { ${fields} } }`)
        told.push(await add('Lost', 'id author { fails }').catch((error: Error) => error.message))
        await add('Kept', 'id author { name }')
        return { id: 1 }
      })
    },
  })
  const shop = await startShop(t, () => ({}), { plugins: [handler] })
  const crm = await startCrm(t)
  const customization = { type_names: { prefix: 'crm_' } }
  await shop.op('add_remote_schema', { name: 'crm', definition: { url: crm.url, customization } })
  await shop.op('create_remote_relationship', author)
  await shop.action('add')
  assert.deepEqual(await shop.graphql('mutation { add { id } }'), { data: { add: { id: 1 } } })
  assert.match(String(told), /^cannot say for /)
  assert.deepEqual(await shop.graphql('{ book(where: {title: {_in: ["Lost", "Kept"]}}) { title } }'), {
    data: { book: [{ title: 'Kept' }] },
  })
})
