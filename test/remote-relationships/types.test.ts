// Objects of a remote schema joined to rows of tables, and to fields of another remote schema.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { graphqlWsClient, subscribeWith } from '../subscriptions/clients.ts'
import fc from '../support/fast-check.ts'
import { startTrellis } from '../support/trellis.ts'
import { create, ofOrder, startShop, toBook, toUser, usual } from './types.ts'

type Answer = { data: Record<string, never>; errors: { message: string; path?: unknown[]; extensions: object }[] }

test('objects at any depth are joined with one statement and one request', async (t) => {
  const constant = toUser('id', { version: { arguments: {} } })
  const more = [ofOrder('release', constant), ofOrder('release', constant, 'Item'), ofOrder('lost', toBook('broken'))]
  const { trellis, shop, crm, statements } = await startShop(t, [...usual, ...more])
  const query = `query ($first: Int!, $min: Int = 200) { orders(ids: [1, 10]) {
    id v: volume { ...Book } person { label: name notes(first: $first) { id } }
    related(where: {pages: {_gt: $min}}, order_by: {id: desc}) { title } related_aggregate { aggregate { count } }
    parts { id volume { title publisher { name } } person { id } }
  } } fragment Book on book { name: title ... on book { price } }`
  statements()
  const part = (id: number, title: string, name: string) => ({
    ...{ id, volume: { title, publisher: { name } }, person: { id: id + 4 } },
  })
  assert.deepEqual(await trellis.graphql(query, { first: 1 }), {
    data: {
      orders: [
        {
          ...{ id: 1, v: { name: 'Dawn', price: 12.5 }, person: { label: 'user 5', notes: [{ id: '5-0' }] } },
          ...{ related: [{ title: 'Dawn' }], related_aggregate: { aggregate: { count: 2 } } },
          parts: [part(2, 'Ebb', 'Ark'), part(3, 'Fog', 'Bell')],
        },
        {
          ...{ id: 10, v: null, person: { label: 'user 14', notes: [{ id: '14-0' }] } },
          ...{ related: [], related_aggregate: { aggregate: { count: 0 } }, parts: [] },
        },
      ],
    },
  })
  assert.equal(statements(), 1)
  assert.equal(crm.asked().length, 1)
  const needed = '__8_Purchase_book: book __8_Purchase_buyer: buyer'
  const asked = () => shop.asked().splice(0).length
  assert.equal(shop.asked()[0]!.query, `query { orders(ids: [1, 10]) { id parts { id ${needed} } ${needed} } }`)

  // Within interfaces and unions.
  const fields = '... on Purchase { volume { title } person { id } } ... on Item { volume { title } person { name } }'
  const found = [
    { id: 1, volume: { title: 'Dawn' }, person: { id: 5 } },
    { id: 2, volume: { title: 'Ebb' }, person: { name: 'user 2' } },
    null,
    { id: 10, volume: null, person: { id: 14 } },
  ]
  const union = found.map((each) => each && { volume: each.volume, person: each.person })
  const before = asked()
  assert.deepEqual(await trellis.graphql(`{ nodes { id ${fields} } things { ${fields} } }`), {
    data: { nodes: found, things: union },
  })
  assert.equal(asked() - before, 1)
  assert.equal(crm.asked().length, 2)

  // A relationship that needs nothing of the object.
  assert.deepEqual(await trellis.graphql('{ order(id: 1) { release } things { ... on Item { release } } }'), {
    data: { order: { release: '1' }, things: [{}, { release: '1' }, null, {}] },
  })

  // In mutations, and from rows to objects and back.
  assert.deepEqual(await trellis.graphql('mutation { buy(book: 3) { __typename volume { title } } }'), {
    data: { buy: { __typename: 'Purchase', volume: { title: 'Fog' } } },
  })
  await trellis.op('create_remote_relationship', {
    ...{ name: 'sold', table: 'book', service_fields: ['id'], remote_schema: 'shop' },
    remote_field: { order: { arguments: { id: '$id' } } },
  })
  const deep = '{ book(order_by: {id: asc}, limit: 2) { sold { volume { sold { person { name } } } } } }'
  const sold = (id: number) => ({ sold: { volume: { sold: { person: { name: `user ${id + 4}` } } } } })
  assert.deepEqual(await trellis.graphql(deep), { data: { book: [sold(1), sold(2)] } })

  // In subscriptions to rows.
  const followed = subscribeWith(
    graphqlWsClient(t, trellis.url),
    'subscription { book_by_pk(id: 1) { sold { volume { title } } } }',
  )
  const first = { data: { book_by_pk: { sold: { volume: { title: 'Dawn' } } } } }
  assert.deepEqual(await followed.until((items) => items.length > 0), [first])

  // Errors are at their fields.
  const failed = async (selection: string) => {
    const { data, errors } = await trellis.graphql<Answer>(`{ ${selection} }`)
    return { data, errors: errors.map(({ message, path }) => [message, path]) }
  }
  assert.deepEqual(await failed('order(id: 1) { id lost { id } }'), {
    data: { order: { id: 1, lost: null } },
    errors: [['it is broken', ['order', 'lost']]],
  })
  assert.deepEqual(await failed('orders(ids: [1, -9]) { person { id } }'), {
    data: { orders: [{ person: { id: 5 } }, { person: null }] },
    errors: [['no user -5', ['orders', 1, 'person']]],
  })
  assert.deepEqual(await failed('order(id: 1) { volume { id } } item(id: 10) { id volume { id } }'), {
    data: { order: { volume: { id: 1 } }, item: { id: 10, volume: null } },
    errors: [['invalid input syntax for type integer: "no number"', ['item', 'volume']]],
  })
})

test('customized names, and documents', async (t) => {
  const where = { users: { arguments: { where: { ids: '$tags' } } } }
  const { trellis, shop } = await startShop(t, [])
  const customization = {
    type_names: { prefix: 'Shop' },
    field_names: [{ parent_type: 'Purchase', mapping: { book: 'the_book', tags: 'labels', parts: 'pieces' } }],
    root_fields_namespace: 'shop',
  }
  await trellis.op('update_remote_schema', { name: 'shop', definition: { url: shop.url, customization } })
  await trellis.op(create, ofOrder('watchers', toUser('tags', where)))
  await trellis.op(create, ofOrder('volume', toBook('book')))
  await trellis.op(create, ofOrder('coded', toBook('code')))
  const query = '{ shop { order(id: 2) { b: the_book watchers(limit: 1) { id } volume { id } coded { id } } } }'
  assert.deepEqual(await trellis.graphql(query), {
    data: { shop: { order: { b: 2, watchers: [{ id: 1 }], volume: { id: 2 }, coded: { id: 1 } } } },
  })
  await trellis.op(create, ofOrder('related', toBook('book', 'publisher_id', 'array'), 'Item'))
  type Exported = { metadata: { remote_schemas: { name: string; remote_relationships: unknown }[] } }
  const exported = async () => {
    const { body } = await trellis.request<Exported>('/v1/metadata', {
      body: { type: 'export_metadata', version: 2, args: {} },
    })
    return body.metadata
  }
  const before = await exported()
  const { remote_relationships } = before.remote_schemas.find(({ name }) => name === 'shop')!
  const inPublic = ({ to_source }: ReturnType<typeof toBook>) => ({
    to_source: { ...to_source, table: { schema: 'public', name: 'book' } },
  })
  assert.deepEqual(remote_relationships, [
    {
      type_name: 'Item',
      relationships: [{ name: 'related', definition: inPublic(toBook('book', 'publisher_id', 'array')) }],
    },
    {
      type_name: 'Purchase',
      relationships: [
        { name: 'coded', definition: inPublic(toBook('code')) },
        { name: 'volume', definition: inPublic(toBook('book')) },
        { name: 'watchers', definition: toUser('tags', where) },
      ],
    },
  ])
  const kept = await trellis.opError('remove_remote_schema', { name: 'crm' })
  assert.match(JSON.stringify(kept.body), /dependent objects : remote relationship shop.Purchase.watchers/)
  await trellis.op('replace_metadata', { metadata: before }, { version: 2 })
  assert.equal(JSON.stringify(await exported()), JSON.stringify(before))
  await trellis.op('replace_metadata', await trellis.op('export_metadata', {}))
  assert.equal(JSON.stringify(await exported()), JSON.stringify(before))
  await trellis.op('run_sql', {
    sql: 'alter table book rename column publisher_id to house; alter table book rename to tome',
  })
  const after = JSON.stringify((await exported()).remote_schemas)
  assert.match(after, /"table":\{"schema":"public","name":"tome"\},"field_mapping":\{"book":"house"\}/)
  const { body } = await trellis.opError('run_sql', { sql: 'alter table tome drop column house' })
  assert.match((body as { error: string }).error, /dependent objects : .*, remote relationship shop\.Item\.related$/)
  await trellis.op('run_sql', { sql: 'alter table tome drop column house cascade', cascade: true })
  assert.doesNotMatch(JSON.stringify((await exported()).remote_schemas), /related/)

  // A relationship that no longer fits is listed, and the server starts.
  type Listed = { type: string; reason: string }[]
  shop.types = shop.types.replace('tags: [Int!]', '')
  await trellis.op('reload_metadata', { reload_remote_schemas: true })
  const listed = await trellis.op<Listed>('get_inconsistent_metadata', {})
  const place = 'in remote schema "shop": in type "Purchase": in remote relationship "watchers"'
  assert.deepEqual(
    listed.map(({ type, reason }) => [type, reason]),
    [['remote_schema_remote_relationship', `${place}: field with name "tags" not found in type "Purchase"`]],
  )
  const again = await startTrellis(t, { database: trellis.database })
  assert.deepEqual(await again.op('get_inconsistent_metadata', {}), listed)
  assert.deepEqual(await again.graphql('{ shop { order(id: 1) { volume { id } } } }'), {
    data: { shop: { order: { volume: { id: 1 } } } },
  })
  await again.op('drop_inconsistent_metadata', {})
  assert.deepEqual(await again.op('get_inconsistent_metadata', {}), [])
})

/** Filters of permissions, each with its SQL. */
const filters = fc.constantFrom<readonly [object, string]>(
  [{}, 'true'],
  [{ id: { _neq: 2 } }, 'id <> 2'],
  [{ publisher_id: { _eq: 'x-service-house' } }, 'publisher_id = 1'],
  [{ _or: [{ pages: { _is_null: true } }, { price: { _gt: 10 } }] }, '(pages is null or price > 10)'],
  [{ id: { _gt: 9 } }, 'id > 9'],
)

/** Arguments, each with its SQL; `T` is a column. */
const requests = fc.constantFrom<readonly [string, string]>(
  ['(order_by: {T: asc})', 'order by T'],
  ['(order_by: {T: desc}, limit: 1)', 'order by T desc limit 1'],
  ['(order_by: {T: asc}, where: {T: {_is_null: false}}, offset: 1)', 'and T is not null order by T offset 1'],
)

const columns = fc.subarray(['id', 'title', 'pages'], { minLength: 1 })

test('roles see rows, columns and remote fields by their own permissions', async (t) => {
  const { trellis } = await startShop(t, usual, { settings: { enableRemoteSchemaPermissions: true } })
  const permit = (remote_schema: string, role: string, schema: string) =>
    trellis.op('add_remote_schema_permissions', { remote_schema, role, definition: { schema } })
  const root = 'type Query { order(id: Int!): Purchase orders(ids: [Int!]): [Purchase!]! }'
  await permit('shop', 'clerk', `${root} type Purchase { id: Int! book: Int buyer: Int }`)
  await permit('shop', 'blind', `${root} type Purchase { id: Int! }`)
  await permit('shop', 'alone', `${root} type Purchase { id: Int! book: Int buyer: Int }`)
  await permit('crm', 'clerk', 'type Query { user(id: Int!): User } type User { id: Int! }')
  const select = (role: string, permission: object) =>
    trellis.op('create_select_permission', { table: 'book', role, permission })
  for (const role of ['clerk', 'blind']) await select(role, { columns: ['id', 'title'], filter: { id: { _neq: 2 } } })
  const as = (role: string, fields: string) =>
    trellis.graphql<Answer>(`{ ${fields} }`, {}, { role, headers: { 'x-service-house': '1' } })
  const all = 'volume { title } person { id } related { title }'
  assert.deepEqual(await as('clerk', `order(id: 1) { ${all} }`), {
    data: { order: { volume: { title: 'Dawn' }, person: { id: 5 }, related: [{ title: 'Dawn' }] } },
  })
  assert.deepEqual(await as('clerk', 'order(id: 2) { volume { title } }'), { data: { order: { volume: null } } })
  const refused = async (role: string, fields: string) =>
    (await as(role, `order(id: 1) { ${fields} }`)).errors.map(({ message }) => message)
  const missing = (field: string, type: string) => [`field "${field}" not found in type: '${type}'`]
  assert.deepEqual(await refused('clerk', 'volume { price }'), missing('price', 'book'))
  assert.deepEqual(await refused('clerk', 'person { name }'), missing('name', 'User'))
  const counted = 'related_aggregate { aggregate { count } }'
  assert.deepEqual(await refused('clerk', counted), missing('related_aggregate', 'Purchase'))
  for (const name of ['volume', 'related', 'person']) {
    for (const role of ['blind', 'alone']) {
      assert.deepEqual(await refused(role, `${name} { id }`), missing(name, 'Purchase'))
    }
  }

  // For any permission and request, objects have no other rows and columns than the permission allows.
  const property = fc.asyncProperty(
    columns,
    filters,
    requests,
    fc.boolean(),
    async (columns, filter, request, counts) => {
      const [by, args] = request.map((text) => text.replaceAll('T', columns[0]!))
      await trellis.op('drop_select_permission', { table: 'book', role: 'clerk' })
      await select('clerk', { columns, filter: filter[0], allow_aggregations: counts })
      const ids = [1, 2, 3, 10]
      const fields = `{ ${columns.join(' ')} }`
      const aggregate = counts ? 'related_aggregate { aggregate { count } }' : ''
      const rows = async (where: string, tail = '') => {
        const list = columns.join(', ')
        return await trellis.sql(`select ${list} from book where ${filter[1]} and ${where} ${tail}`)
      }
      const expected: object[] = []
      for (const id of ids) {
        const key = id > 9 ? 'null' : id
        const related = await rows(`publisher_id = ${key}`, args)
        const count = (await rows(`publisher_id = ${key}`)).length
        const volume = (await rows(`id = ${key}`))[0] ?? null
        expected.push({ volume, related, ...(counts && { related_aggregate: { aggregate: { count } } }) })
      }
      const asked = `orders(ids: [${ids}]) { volume ${fields} related${by} ${fields} ${aggregate} }`
      assert.deepEqual(await as('clerk', asked), { data: { orders: expected } })
    },
  )
  await fc.assert(property, { numRuns: 30 })
})
