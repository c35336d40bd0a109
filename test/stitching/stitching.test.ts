// Schemas that are stitched of members: merged types, and all features of remote schemas.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startLibrary } from '../support/library.ts'
import { shop, startOrders, startPeople } from './shop.ts'

test('types of two servers are merged', async (t) => {
  const [people, orders] = [await startPeople(t), await startOrders(t)]
  const trellis = await startLibrary(t, { settings: { enableRemoteSchemaPermissions: true } })
  const add = (name: string, definition: object) => trellis.op('add_remote_schema', { name, definition })
  await add('people', { url: people.url, hidden: true })
  await add('orders', { url: orders.url, hidden: true })
  await add('shop', { stitch: shop })
  const asked = () => [people.asked().length, orders.asked().length]

  await t.test('fields of one type come from both', async () => {
    const before = asked()
    const answer = await trellis.graphql('{ users { __typename name spent orders { total } } }')
    const user = (id: number) => ({
      __typename: 'User',
      name: `user ${id}`,
      spent: id * 100,
      orders: [{ total: id * 100 + 10 }],
    })
    assert.deepEqual(answer, { data: { users: [user(1), user(2)] } })
    assert.deepEqual(asked(), [before[0]! + 1, before[1]! + 1])
  })

  await t.test('three levels over two servers', async () => {
    const answer = await trellis.graphql('{ orders { id user { name orders { user { name height big } } } } }')
    const of = (id: string) => ({
      id,
      user: { name: `user ${id}`, orders: [{ user: { name: `user ${id}1`, height: 1.5, big: 10 } }] },
    })
    assert.deepEqual(answer, { data: { orders: [of('1'), of('2')] } })
  })

  await t.test('keys of several fields, and members that lack a value', async () => {
    const answer = await trellis.graphql('{ seats { label price } users(limit: 14) { spent } }')
    const { data } = answer as { data: { seats: object[]; users: object[] } }
    assert.deepEqual(data.seats, [
      { label: 'A1', price: 7 },
      { label: 'A2', price: null },
      { label: 'A3', price: 21 },
    ])
    assert.deepEqual(data.users.slice(11), [{ spent: 1200 }, { spent: null }, { spent: 1400 }])
  })

  await t.test('unions and interfaces', async () => {
    const answer = await trellis.graphql(
      '{ things { ... on User { name spent } ... on Car { name } } named { name ... on User { spent } } }',
    )
    const data = {
      things: [{ name: 'user 1', spent: 100 }, { name: 'Beetle' }],
      named: [{ name: 'user 2', spent: 200 }, { name: 'Beetle' }],
    }
    assert.deepEqual(answer, { data })
  })

  await t.test('response names may be names of keys', async () => {
    const ask = (fields: string) => trellis.graphql(`{ users(limit: 1) { ${fields} } }`)
    const answers: [fields: string, user: object][] = [
      ['id: name key: id spent total: spent', { id: 'user 1', key: '1', spent: 100, total: 100 }],
      ['id: name client_id meta spent', { id: 'user 1', client_id: 'c1', meta: { id: '1', client_id: 5 }, spent: 100 }],
      ['__typename: name spent', { __typename: 'user 1', spent: 100 }],
      ['spent: name name: spent', { spent: 'user 1', name: 100 }],
      ['orders { id: total user { id: spent } }', { orders: [{ id: 110, user: { id: 1100 } }] }],
    ]
    for (const [fields, user] of answers) assert.deepEqual(await ask(fields), { data: { users: [user] } }, fields)
    assert.deepEqual(await trellis.graphql('{ things { ... on User { __typename: name spent } } }'), {
      data: { things: [{ __typename: 'user 1', spent: 100 }, {}] },
    })
  })

  await t.test('an error has the response names of the client', async () => {
    orders.answer = () => ({ body: { errors: [{ message: 'it is closed' }] } })
    const { data, errors } = await trellis.graphql<{ data: unknown; errors: { path: unknown }[] }>(
      '{ users(limit: 1) { id: spent } }',
    )
    orders.answer = null
    assert.deepEqual([data, errors.map(({ path }) => path)], [{ users: [{ id: null }] }, [['users', 0, 'id']]])
  })

  await t.test('fields that look up one value are aliased fields of one request to each member', async () => {
    const byId = { key: 'id', field: 'buyer', argument: 'id' }
    const ofPeople = { remote_schema: 'people', merge: { User: { key: 'id', field: 'user', argument: 'id' } } }
    const Seat = { key: ['hall', 'row'], field: 'priceOf', argument: { hall: 'hall', row: 'row' } }
    for (const User of [byId, { ...byId, argument: { id: 'id' } }]) {
      const stitch = [ofPeople, { remote_schema: 'orders', merge: { User, Seat } }]
      await trellis.op('update_remote_schema', { name: 'shop', definition: { stitch } })
      const before = asked()
      const answer = await trellis.graphql('{ users(limit: 20) { spent } seats { price } orders { user { name } } }')
      const { data } = answer as { data: { users: object[]; seats: object[]; orders: object[] } }
      assert.deepEqual(data.users.slice(11, 14), [{ spent: 1200 }, { spent: null }, { spent: 1400 }])
      assert.deepEqual(data.seats, [{ price: 7 }, { price: null }, { price: 21 }])
      assert.deepEqual(data.orders, [{ user: { name: 'user 1' } }, { user: { name: 'user 2' } }])
      // One for the root fields, and one for all lookups.
      assert.deepEqual(asked(), [before[0]! + 2, before[1]! + 2])
    }
    await trellis.op('update_remote_schema', { name: 'shop', definition: { stitch: shop } })
  })

  await t.test('a key that is a list is an input object, also with one field', async () => {
    const User = { key: ['id'], field: 'usersByKeys', argument: 'keys' }
    const stitch = [shop[0], { remote_schema: 'orders', merge: { User, Seat: shop[1]!.merge.Seat } }]
    await trellis.op('update_remote_schema', { name: 'shop', definition: { stitch } })
    const users = [{ spent: 100 }, { spent: 200 }]
    assert.deepEqual(await trellis.graphql('{ users { spent } }'), { data: { users } })
    await trellis.op('update_remote_schema', { name: 'shop', definition: { stitch: shop } })
  })

  await t.test('a thousand merged rows need one request to each member', async () => {
    const before = asked()
    const { data } = await trellis.graphql<{ data: { users: { spent: number | null }[] } }>(
      '{ users(limit: 1000) { name spent } }',
    )
    assert.equal(data.users.length, 1000)
    assert.deepEqual(data.users.at(-1), { name: 'user 1000', spent: 100_000 })
    assert.deepEqual(asked(), [before[0]! + 1, before[1]! + 1])
  })

  await t.test('roles see their part of the stitched schema, with presets', async () => {
    const schema =
      'type Query { user(id: ID! @preset(value: "x-service-user-id")): User } type User { name: String! spent: Float }'
    await trellis.op('add_remote_schema_permissions', { remote_schema: 'shop', role: 'buyer', definition: { schema } })
    const headers = { 'x-service-role': 'buyer', 'x-service-user-id': '5' }
    const answer = await trellis.graphql('{ user { name spent } }', {}, { headers })
    assert.deepEqual(answer, { data: { user: { name: 'user 5', spent: 500 } } })
    const hidden = await trellis.graphql<{ errors: { message: string }[] }>(
      '{ user { orders { id } } }',
      {},
      { headers },
    )
    assert.match(hidden.errors[0]!.message, /^field "orders" not found in type: 'User'/)
  })

  await t.test('rows are joined to a merged type, with one request to each member', async () => {
    const before = asked()
    const remote_field = { user: { arguments: { id: '$id' } } }
    const relationship = { table: 'book', name: 'author', service_fields: ['id'], remote_schema: 'shop', remote_field }
    await trellis.op('create_remote_relationship', relationship)
    const answer = await trellis.graphql('{ book(order_by: {id: asc}) { author { name spent } } }')
    const book = [1, 2, 3].map((id) => ({ author: { name: `user ${id}`, spent: id * 100 } }))
    assert.deepEqual(answer, { data: { book } })
    assert.deepEqual(asked(), [before[0]! + 1, before[1]! + 1])
    await trellis.op('delete_remote_relationship', { table: 'book', name: 'author' })
  })

  await t.test('mutations run in order, and read merged fields', async () => {
    const text = 'mutation { a: rename(id: 3, name: "Eve") { name spent } b: rename(id: 3, name: "Una") { name } }'
    assert.deepEqual(await trellis.graphql(text), { data: { a: { name: 'Eve', spent: 300 }, b: { name: 'Una' } } })
  })

  await t.test('names are customized, and the introspection shows the merged types', async () => {
    const customization = { root_fields_namespace: 'shop', type_names: { prefix: 'Shop' } }
    await trellis.op('update_remote_schema', { name: 'shop', definition: { stitch: shop, customization } })
    const answer = await trellis.graphql('{ shop { user(id: 1) { __typename name spent } } }')
    assert.deepEqual(answer, { data: { shop: { user: { __typename: 'ShopUser', name: 'user 1', spent: 100 } } } })
    await trellis.op('update_remote_schema', { name: 'shop', definition: { stitch: shop } })
    const text = await trellis.op('introspect_remote_schema', { name: 'shop' })
    assert.match(JSON.stringify(text), /"name":"spent"/)
  })

  await t.test('a member that is used cannot be removed', async () => {
    const { body } = await trellis.opError('remove_remote_schema', { name: 'orders' })
    assert.match(JSON.stringify(body), /dependency-error/)
  })

  await t.test('a member that fails, is wrong, or is down leaves the fields of the other', async () => {
    const text = '{ users { name spent } }'
    type Answer = { data: unknown; errors: { message: string; path: unknown[]; extensions: { code: string } }[] }
    const data = {
      users: [
        { name: 'user 1', spent: null },
        { name: 'user 2', spent: null },
      ],
    }
    const answers: [object, string][] = [
      [{ status: 500, body: 'oops' }, "Remote server response is not valid JSON: Unexpected token 'o'"],
      [{ body: { errors: [{ message: 'it is closed' }] } }, 'it is closed'],
      [{ body: { data: { usersOf: [{ id: '1', spent: 5 }] } } }, ''],
      [{ body: { data: { usersOf: [{ spent: 5 }] } } }, '"usersOf" of "orders" answered with 1 values for 2 keys'],
    ]
    for (const [answer, message] of answers) {
      orders.answer = () => answer as never
      const found = await trellis.graphql<Answer>(text)
      if (message === '') {
        assert.deepEqual(found, {
          data: {
            users: [
              { name: 'user 1', spent: 5 },
              { name: 'user 2', spent: null },
            ],
          },
        })
        continue
      }
      assert.deepEqual(found.data, data, message)
      assert.deepEqual(
        found.errors.map((error) => [error.message, error.path]),
        [
          [message, ['users', 0, 'spent']],
          [message, ['users', 1, 'spent']],
        ],
      )
    }
    orders.answer = null
  })

  await t.test('values that do not fit their type are errors, and numbers may be written in any way', async () => {
    const answers: [usersOf: string, spent: (number | null)[], errors: [string, string?][]][] = [
      ['[{"id": 1.0, "spent": 100.0}, {"id": "2", "spent": 1.50}]', [100, 1.5], []],
      ['[{"id": 2, "spent": 1e3}, {"id": 1, "spent": 18446744073709551616}]', [2 ** 64, 1000], []],
      ['[{"id": "1", "spent": "much"}, {"id": "2", "spent": 2}]', [null, 2], [[badFloat('"much"')]]],
      [
        '[{"id": "1", "spent": 1e400}, {"id": "2", "spent": {}}]',
        [null, null],
        [[badFloat('Infinity')], [badFloat('{}')]],
      ],
      [
        '["one", "two"]',
        [null, null],
        [
          [unfit, 'unexpected'],
          [unfit, 'unexpected'],
        ],
      ],
      [
        '7',
        [null, null],
        [
          [unfit, 'unexpected'],
          [unfit, 'unexpected'],
        ],
      ],
    ]
    for (const [usersOf, spent, messages] of answers) {
      orders.answer = () => ({ body: `{"data": {"usersOf": ${usersOf}}}` })
      const found = await trellis.graphql<{
        data: object
        errors?: { message: string; extensions?: { code: string } }[]
      }>('{ users { spent } }')
      assert.deepEqual(found.data, { users: spent.map((each) => ({ spent: each })) }, usersOf)
      const errors = (found.errors ?? []).map((each) => [
        each.message,
        ...(each.extensions ? [each.extensions.code] : []),
      ])
      assert.deepEqual(errors, messages, usersOf)
    }
    // Several root fields are one request, whose response names are those of the library.
    people.answer = () => ({ body: { data: { user: { name: 'Ann' } } } })
    const both = await trellis.graphql<{ data: object; errors: { message: string }[] }>(
      '{ a: user(id: 1) { name } b: user(id: 2) { name } }',
    )
    assert.deepEqual(both.data, { a: null, b: null })
    assert.deepEqual(
      both.errors.map(({ message }) => message),
      [unfit, unfit],
    )
    people.answer = null
    const roots: [string, number | null, string[]][] = [
      ['1.50', 1.5, []],
      ['null', null, []],
      ['"much"', null, [badFloat('"much"')]],
    ]
    for (const [revenue, value, messages] of roots) {
      orders.answer = () => ({ body: `{"data": {"revenue": ${revenue}}}` })
      const found = await trellis.graphql<{ data: object; errors?: { message: string; path: unknown }[] }>(
        '{ revenue }',
      )
      assert.deepEqual(found.data, { revenue: value })
      assert.deepEqual(
        (found.errors ?? []).map(({ message, path }) => [message, path]),
        messages.map((each) => [each, ['revenue']]),
      )
    }
    orders.answer = null
  })

  await t.test('an ID that a member writes as a number keeps its digits, also in requests to others', async () => {
    people.answer = () => ({ body: '{"data": {"users": [{"id": 18446744073709551615, "name": "last"}]}}' })
    orders.answer = () => ({ body: '{"data": {"usersOf": [{"id": "18446744073709551615", "spent": 7}]}}' })
    assert.deepEqual(await trellis.graphql('{ users { id name spent } }'), {
      data: { users: [{ id: '18446744073709551615', name: 'last', spent: 7 }] },
    })
    assert.match(orders.received.at(-1)!.body, /"ids":\["18446744073709551615"\]/)
    people.answer = orders.answer = null
  })

  await t.test('items of lists are read as single values are, beside nulls', async () => {
    const cases: [text: string, member: string, data: object, errors: [string, unknown[]][]][] = [
      [
        '{ users(limit: 1) { spendings } }',
        '{"usersOf": [{"id": 1, "spendings": [1.50, null, "much", 18446744073709551616]}]}',
        { users: [{ spendings: [1.5, null, null, 2 ** 64] }] },
        [[badFloat('"much"'), ['users', 0, 'spendings', 2]]],
      ],
      [
        '{ revenues }',
        '{"revenues": [[1.50, null, "much"], null, [18446744073709551616]]}',
        { revenues: [[1.5, null, null], null, [2 ** 64]] },
        [[badFloat('"much"'), ['revenues', 0, 2]]],
      ],
    ]
    for (const [text, member, data, messages] of cases) {
      orders.answer = () => ({ body: `{"data": ${member}}` })
      const found = await trellis.graphql<{ data: object; errors?: { message: string; path: unknown[] }[] }>(text)
      assert.deepEqual(found.data, data)
      assert.deepEqual(
        (found.errors ?? []).map(({ message, path }) => [message, path]),
        messages,
      )
    }
    // Errors of the member stay at their items.
    const errors = [{ message: 'it is closed', path: ['usersOf', 0, 'spendings', 1] }]
    orders.answer = () => ({ body: { data: { usersOf: [{ id: '1', spendings: [1, null, null] }] }, errors } })
    assert.deepEqual(await trellis.graphql('{ users(limit: 1) { spendings } }'), {
      data: { users: [{ spendings: [1, null, null] }] },
      errors: [{ message: 'it is closed', path: ['users', 0, 'spendings', 1] }],
    })
    // Errors without a place stand beside the answer, as those of any remote schema do.
    const unplaced = { message: 'it is late', extensions: { code: 'late' } }
    orders.answer = () => ({ body: { data: { usersOf: [{ id: '1', spendings: [1, null] }] }, errors: [unplaced] } })
    assert.deepEqual(await trellis.graphql('{ users(limit: 1) { name spendings } }'), {
      data: { users: [{ name: 'user 1', spendings: [1, null] }] },
      errors: [unplaced],
    })
    orders.answer = null
  })
})

const badFloat = (value: string) => `Float cannot represent non numeric value: ${value}`
const unfit = 'a member answered with a value that does not fit its type'

test('a field that no member can look up is an error, not null', async (t) => {
  const [people, orders] = [await startPeople(t), await startOrders(t)]
  const trellis = await startLibrary(t)
  await trellis.op('add_remote_schema', { name: 'people', definition: { url: people.url, hidden: true } })
  await trellis.op('add_remote_schema', { name: 'orders', definition: { url: orders.url, hidden: true } })
  await trellis.op('add_remote_schema', {
    name: 'shop',
    definition: { stitch: [{ remote_schema: 'people' }, shop[1]] },
  })
  const answer = await trellis.graphql('{ users { name spent } orders(first: 1) { id user { height spent } } }')
  const message = '"User.height" is not known for this value: "people" does not merge "User"'
  const users = [1, 2].map((id) => ({ name: `user ${id}`, spent: id * 100 }))
  assert.deepEqual(answer, {
    data: { users, orders: [{ id: '1', user: { height: null, spent: 100 } }] },
    errors: [{ message, path: ['orders', 0, 'user', 'height'] }],
  })
})
