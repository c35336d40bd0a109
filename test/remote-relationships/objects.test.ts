// Objects in answers of actions, joined to fields of another GraphQL server.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { actionHandlers } from '../../plugins/actions/index.ts'
import { definePlugin } from '../../sdk/index.ts'
import { startShop } from '../actions/shop.ts'
import { crmResolvers, crmTypes, startCrm } from '../remote-schemas/crm.ts'
import { graphqlWsClient, subscribeWith } from '../subscriptions/clients.ts'
import type { TrellisOptions } from '../support/trellis.ts'

const toUser = (name: string, field: string, remote_field: object = { user: { arguments: { id: `$${field}` } } }) => ({
  ...{ name, remote_schema: 'crm', service_fields: [field], remote_field },
})

const fields = (types: Readonly<Record<string, string>>) =>
  Object.entries(types).map(([name, type]) => ({ name, type }))

const purchase = {
  name: 'Purchase',
  fields: fields({ id: 'Int!', buyer_id: 'Int', watchers: '[Int!]', key: 'bigint', book_id: 'Int', lines: '[Line!]' }),
  relationships: [
    toUser('buyer', 'buyer_id'),
    toUser('watching', 'watchers', { users: { arguments: { where: { ids: '$watchers' } } } }),
    toUser('said', 'buyer_id', {
      user: { arguments: { id: '$buyer_id' }, field: { notes: { arguments: {}, field: { text: { arguments: {} } } } } },
    }),
    toUser('tag', 'key', { tag: { arguments: { id: '$key' } } }),
    { name: 'book', type: 'object', remote_table: 'book', field_mapping: { book_id: 'id' } },
  ],
}

const line = {
  name: 'Line',
  fields: fields({ who: 'Int', inner: 'Line' }),
  relationships: [
    {
      name: 'person',
      definition: {
        to_remote_schema: {
          remote_schema: 'crm',
          lhs_fields: ['who'],
          remote_field: { user: { arguments: { id: '$who' } } },
        },
      },
    },
  ],
}

const types = { objects: [purchase, line] }

/** The webhook's answers by the name of the action. */
type Answers = Readonly<Record<string, unknown>>

/** Starts a shop whose custom types have relationships to the remote server. */
async function start(t: TestContext, answers: Answers, options: TrellisOptions = {}) {
  const crm = await startCrm(t, crmTypes.replace('broken:', 'tag(id: ID!): String\n    broken:'), {
    ...crmResolvers,
    tag: ({ id }: { id: string }) => `#${id}`,
  })
  const shop = await startShop(t, ({ path }) => ({ body: answers[path.slice(1)] }), options)
  await shop.op('set_custom_types', {})
  await shop.op('add_remote_schema', { name: 'crm', definition: { url: crm.url } })
  await shop.op('set_custom_types', types)
  return { crm, shop }
}

test('objects in lists, and nested objects, are joined with one request', async (t) => {
  const list = [
    { id: 1, buyer_id: 5, watchers: [8, 9], lines: [{ who: 1, inner: { who: 2 } }, { who: 5 }] },
    { id: 2, buyer_id: null, watchers: null, lines: null },
    { id: 3, watchers: [], lines: [{ who: null, inner: null }] },
    { id: 4, buyer_id: 5, watchers: [8, 9], key: JSON.rawJSON('9007199254740993'), book_id: 2 },
  ]
  const { crm, shop } = await start(t, { list })
  await shop.action('list', { type: 'query', output_type: '[Purchase!]!' })
  const query = `query ($first: Int, $no: Boolean = false) { list {
    id b: buyer { ...Named notes(first: $first) { id } } said watching(limit: 1) { id }
    lines { person { name } inner { person { id secret @include(if: $no) } } }
    buyer @skip(if: $no) { id @skip(if: $no) } tag book { title }
  } } fragment Named on User { label: name }`
  assert.deepEqual(await shop.graphql(query, { first: 1 }), {
    data: {
      list: [
        {
          ...{ id: 1, b: { label: 'user 5', notes: [{ id: '5-0' }] }, said: ['note 0'], watching: [{ id: 8 }] },
          lines: [
            { person: { name: 'user 1' }, inner: { person: { id: 2 } } },
            { person: { name: 'user 5' }, inner: null },
          ],
          ...{ buyer: { id: 5 }, tag: null, book: null },
        },
        { id: 2, b: null, said: null, watching: null, lines: null, buyer: null, tag: null, book: null },
        {
          ...{ id: 3, b: null, said: null, watching: [], lines: [{ person: null, inner: null }] },
          ...{ buyer: null, tag: null, book: null },
        },
        {
          ...{ id: 4, b: { label: 'user 5', notes: [{ id: '5-0' }] }, said: ['note 0'], watching: [{ id: 8 }] },
          ...{ lines: null, buyer: { id: 5 }, tag: '#9007199254740993', book: { title: 'Ebb' } },
        },
      ],
    },
  })
  assert.equal(crm.asked().length, 1)
  const { query: sent, variables } = crm.asked()[0]!
  assert.equal(sent.match(/__\d+:/g)?.length, 9, sent)
  assert.doesNotMatch(sent, /secret/)
  assert.ok(Object.values(variables).includes('9007199254740993'))
})

test('joins work in mutations, functions, asynchronous status, and its subscription', async (t) => {
  const bought = { id: 1, buyer_id: 5, key: 7, lines: [{ who: 1, inner: { who: 2000 } }, { who: null }] }
  const handlers = definePlugin({
    name: 'handlers',
    dependencies: ['actions'],
    register(engine) {
      engine.use(actionHandlers).handle('made', () => bought)
    },
  })
  const { crm, shop } = await start(
    t,
    { buy: bought, later: [bought, null, { id: 2, key: JSON.rawJSON('9007199254740993') }] },
    { plugins: [handlers], settings: { asyncActionsFetchInterval: 50, liveQueriesRefetchInterval: 50 } },
  )
  for (const name of ['buy', 'made']) await shop.action(name, { output_type: 'Purchase' })
  await shop.action('later', { output_type: '[Purchase]', kind: 'asynchronous' })
  const selection = '{ id buyer { name } watching { id } tag lines { who person { id } inner { person { id } } } }'
  const result = {
    ...{ id: 1, buyer: { name: 'user 5' }, watching: null, tag: '#7' },
    lines: [
      { who: 1, person: { id: 1 }, inner: { person: null } },
      { who: null, person: null, inner: null },
    ],
  }
  assert.deepEqual(await shop.graphql(`mutation { buy ${selection} made ${selection} }`), {
    data: { buy: result, made: result },
  })
  const { data } = await shop.graphql<{ data: { later: string } }>('mutation { later }')
  const status = `($id: uuid!) { later(id: $id) { errors output ${selection} } }`
  const received = subscribeWith(graphqlWsClient(t, shop.url), `subscription ${status}`, { id: data.later })
  const other = { id: 2, buyer: null, watching: null, tag: '#9007199254740993', lines: null }
  const done = { data: { later: { errors: null, output: [result, null, other] } } }
  await received.until((items) => JSON.stringify(items.at(-1)) === JSON.stringify(done))
  const before = crm.asked().length
  assert.deepEqual(await shop.graphql(`query ${status}`, { id: data.later }), done)
  assert.equal(crm.asked().length, before + 1)
  const explained = await shop.request<object>('/v1/graphql/explain', {
    body: { query: { query: `query ${status}`, variables: { id: data.later } } },
  })
  assert.deepEqual(
    [explained.status, explained.body],
    [400, { path: '$', error: 'Remote relationships are not allowed in explain query', code: 'not-supported' }],
  )
})

test('errors are at their objects, and discard all data in the other dialect', async (t) => {
  const list = [
    { id: 1, buyer_id: 5 },
    { id: 2, buyer_id: -3, lines: [{ who: -4 }] },
  ]
  const { crm, shop } = await start(t, { list }, { settings: { remoteJoinBatchSize: 2 } })
  await shop.action('list', { type: 'query', output_type: '[Purchase!]!' })
  const error = (message: string, path: readonly unknown[], fields: readonly string[]) => {
    const at = `$${fields.map((name) => `.selectionSet.${name}`).join('')}`
    return { extensions: { path: at, code: 'unexpected' }, message, path }
  }
  type Answer = { data: unknown; errors: readonly { message: string; path: unknown[] }[] }
  const query = '{ list { id buyer { id fails } lines { person { id } } } }'
  const { data, errors } = await shop.graphql<Answer>(query)
  assert.deepEqual(data, {
    list: [
      { id: 1, buyer: { id: 5, fails: null }, lines: null },
      { id: 2, buyer: null, lines: [{ person: null }] },
    ],
  })
  assert.deepEqual(errors, [
    error('cannot say for 5', ['list', 0, 'buyer', 'fails'], ['list', 'buyer']),
    error('no user -3', ['list', 1, 'buyer'], ['list', 'buyer']),
    error('no user -4', ['list', 1, 'lines', 0, 'person'], ['list', 'lines', 'person']),
  ])
  assert.equal(crm.asked().length, 2)
  await crm.stop()
  const gone = await shop.graphql<Answer>('{ list { id buyer { id } } }')
  assert.deepEqual(gone.data, {
    list: [
      { id: 1, buyer: null },
      { id: 2, buyer: null },
    ],
  })
  assert.deepEqual(
    gone.errors.map(({ path }) => path),
    [
      ['list', 0, 'buyer'],
      ['list', 1, 'buyer'],
    ],
  )
  const other = await start(t, { list }, { settings: { dialect: 'hasura' } })
  await other.shop.action('list', { type: 'query', output_type: '[Purchase!]!' })
  const refused = await other.shop.graphql<Answer>(query)
  assert.deepEqual(
    [refused.data, refused.errors.map(({ message }) => message)],
    [undefined, ['Errors from remote server']],
  )
})

test('roles see relationships to visible fields, with presets and remaining arguments', async (t) => {
  const { shop } = await start(
    t,
    { one: { id: 1, buyer_id: 5, watchers: [8] } },
    {
      settings: { enableRemoteSchemaPermissions: true },
    },
  )
  await shop.action('one', { type: 'query', output_type: 'Purchase' })
  const schema = `type Query { users(where: UserFilter, limit: Int @preset(value: 1)): [User!]! }
    type User { id: Int! name: String! } input UserFilter { ids: [Int!] city: String @preset(value: "x-service-city") }`
  await shop.op('add_remote_schema_permissions', { remote_schema: 'crm', role: 'clerk', definition: { schema } })
  for (const role of ['clerk', 'guest']) await shop.op('create_action_permission', { action: 'one', role })
  type Types = { data: { __type: { fields: { name: string; args: { name: string }[] }[] } } }
  const seen = async (role: string) => {
    const { data } = await shop.graphql<Types>(
      '{ __type(name: "Purchase") { fields { name args { name } } } }',
      {},
      { role },
    )
    const remote = data.__type.fields.filter(({ name }) => ['buyer', 'said', 'tag', 'watching', 'book'].includes(name))
    return Object.fromEntries(remote.map(({ name, args }) => [name, args.map((each) => each.name)]))
  }
  assert.deepEqual(await seen('clerk'), { watching: [] })
  assert.deepEqual(await seen('guest'), {})
  const all = { book: [], buyer: ['tags'], said: [], tag: [], watching: ['limit', 'order', 'where'] }
  assert.deepEqual(await seen('admin'), all)
  const headers = { 'x-service-city': 'Oslo' }
  assert.deepEqual(await shop.graphql('{ one { watching { id } } }', {}, { role: 'clerk', headers }), {
    data: { one: { watching: [{ id: 8 }] } },
  })
  const { errors } = await shop.graphql<{ errors: object[] }>('{ one { buyer { id } } }', {}, { role: 'clerk' })
  assert.deepEqual(errors, [
    {
      extensions: { path: '$.selectionSet.one.selectionSet.buyer', code: 'validation-failed' },
      message: `field "buyer" not found in type: 'Purchase'`,
    },
  ])
  const left = 'UserFilter_remote_rel_Purchasewatching'
  assert.deepEqual(await shop.graphql(`{ __type(name: "${left}") { inputFields { name } } }`), {
    data: { __type: { inputFields: ['city', 'kind', 'name', 'nested'].map((name) => ({ name })) } },
  })
})
