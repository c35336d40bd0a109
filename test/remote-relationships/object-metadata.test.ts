// Remote relationships of objects in the metadata: refusals, forms, and later inconsistencies.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { type Refused, startShop } from '../actions/shop.ts'
import { startCrm } from '../remote-schemas/crm.ts'
import type { TrellisOptions } from '../support/trellis.ts'

const remote_field = { user: { arguments: { id: '$buyer_id' } } }

const flat = { name: 'buyer', remote_schema: 'crm', service_fields: ['buyer_id'], remote_field }

const types = (relationships: object[], more: object[] = []) => ({
  objects: [
    {
      name: 'Purchase',
      fields: [
        { name: 'id', type: 'Int!' },
        { name: 'buyer_id', type: 'Int' },
        { name: 'watchers', type: '[Int!]' },
        { name: 'text', type: 'String' },
        { name: 'kind', type: 'Size' },
        { name: 'self', type: 'Purchase' },
      ],
      relationships,
    },
    ...more,
  ],
  enums: [{ name: 'Size', values: [{ value: 'BIG' }] }],
})

async function start(t: TestContext, options: TrellisOptions = {}) {
  const crm = await startCrm(t)
  const shop = await startShop(t, () => ({ body: { id: 1, buyer_id: 5 } }), options)
  await shop.op('set_custom_types', {})
  await shop.op('add_remote_schema', { name: 'crm', definition: { url: crm.url } })
  const set = (...relationships: object[]) => shop.op('set_custom_types', types(relationships))
  const refused = async (...relationships: object[]) => {
    const { status, body } = await shop.opError('set_custom_types', types(relationships))
    const { internal: _, ...answer } = body as Record<string, unknown>
    return { status, ...answer } as { status: number; error?: unknown; path?: unknown }
  }
  type Document = { custom_types?: { objects?: { relationships?: unknown[] }[] }; actions?: unknown[] }
  const exported = () => shop.op<Document>('export_metadata', {})
  const kept = async () => (await exported()).custom_types?.objects?.[0]?.relationships
  return { crm, shop, set, refused, exported, kept }
}

test('entries that do not fit the object or the remote schema are refused with their paths', async (t) => {
  const { refused, kept, set } = await start(t)
  const broken = async (members: object) => {
    const { error, ...rest } = await refused({ ...flat, ...members })
    assert.deepEqual(rest, { status: 400, code: 'constraint-violation', path: '$.args' })
    return error
  }
  const where = 'in object type "Purchase": in remote relationship "buyer": '
  const to = (id: unknown, service_fields = ['buyer_id', 'watchers', 'text', 'kind', 'self']) =>
    broken({ service_fields, remote_field: { user: { arguments: { id } } } })
  const field = (given: object) => broken({ remote_field: given })
  assert.deepEqual(
    [
      await broken({ remote_schema: 'other' }),
      await broken({ service_fields: ['nothing'] }),
      await to('$buyer_id', []),
      await to('$text'),
      await to('$kind'),
      await to('$self'),
      await to('$watchers'),
      await to(null),
      await field({ nobody: { arguments: {} } }),
      await field({ user: { arguments: { key: 1 } } }),
    ],
    [
      'remote schema with name "other" not found',
      'field with name "nothing" not found in object type "Purchase"',
      'variable "buyer_id" is not found',
      'expected type "Int" but got "String"',
      'enum value is not supported',
      'expected type "Int" but got "Purchase"',
      'expected type "Int" but got "[Int]"',
      'null is not allowed here',
      'remote field with name "nobody" and type "Query" not found',
      'argument with name "key" not found in remote schema',
    ].map((reason) => `${where}${reason}`),
  )
  assert.deepEqual(await refused(flat, { ...flat, name: 'id' }), {
    status: 400,
    path: '$.args',
    error: 'validation for the given custom types failed because the object "Purchase" has duplicate fields: "id"',
    code: 'constraint-violation',
  })
  const unread = async (given: object) => {
    const { path, error, ...rest } = await refused(given)
    assert.deepEqual(rest, { status: 400, code: 'parse-failed' })
    return [path, error]
  }
  const at = '$.objects[0].relationships[0]'
  const { service_fields: _, ...noFields } = flat
  const { remote_field: __, ...noField } = flat
  assert.deepEqual(
    [
      await unread(noFields),
      await unread(noField),
      await unread({ ...flat, name: 'a b' }),
      await unread({ ...flat, type: 'many' }),
      await unread({ ...flat, remote_field: { user: { arguments: { id: '$a b' } } } }),
      await unread({ ...flat, extra: 1 }),
      await unread({ name: 'buyer', definition: 1 }),
      await unread({ name: 'buyer', definition: { to_remote_schema: { remote_schema: 'crm' } } }),
      await unread({ name: 'buyer' }),
    ],
    [
      ['', "the key 'service_fields' was not present"],
      ['', "the key 'remote_field' was not present"],
      ['.name', '"a b" is not a valid GraphQL name'],
      ['.type', "expected one of 'object', 'array'"],
      ['.remote_field.user.arguments.id', 'Invalid variable name.'],
      ['.extra', 'unexpected key "extra"'],
      ['.definition', 'parsing Object failed, expected Object, but encountered Number'],
      ['.definition.to_remote_schema', "the key 'remote_field' was not present"],
      ['', "the key 'type' was not present"],
    ].map(([place, error]) => [`${at}${place}`, error]),
  )
  assert.equal(await kept(), undefined)
  await set(flat)
})

test('all forms are accepted, one is stored, and documents round-trip', async (t) => {
  const { shop, set, exported, kept } = await start(t)
  const { name, service_fields, ...rest } = flat
  const stored = [{ name, definition: { remote_schema: 'crm', service_fields, remote_field } }]
  const forms = [
    flat,
    { ...flat, type: 'object' },
    ...stored,
    { name, ...rest, lhs_fields: service_fields },
    { name, definition: { to_remote_schema: { ...rest, lhs_fields: service_fields } } },
  ]
  for (const form of forms) {
    await set(form)
    assert.deepEqual(await kept(), stored, JSON.stringify(form))
  }
  await shop.action('look', { type: 'query', output_type: 'Purchase' })
  const document = await exported()
  await shop.op('clear_metadata', {})
  await shop.op('replace_metadata', document)
  assert.deepEqual(await exported(), document)
  const look = { data: { look: { id: 1, buyer: { name: 'user 5' } } } }
  assert.deepEqual(await shop.graphql('{ look { id buyer { name } } }'), look)
  // The form of later engines' documents.
  const later = structuredClone(document) as { custom_types: { objects: { relationships: object[] }[] } }
  later.custom_types.objects[0]!.relationships = [forms[4]!]
  await shop.op('replace_metadata', later)
  assert.deepEqual(await exported(), document)
  await shop.op('reload_metadata', {})
  assert.deepEqual(await shop.graphql('{ look { id buyer { name } } }'), look)
})

test('the other dialect has its own key for the fields', async (t) => {
  const { set, kept } = await start(t, { settings: { dialect: 'hasura' } })
  const { service_fields, ...rest } = flat
  await set({ ...rest, hasura_fields: service_fields })
  assert.deepEqual(await kept(), [
    { name: 'buyer', definition: { remote_schema: 'crm', hasura_fields: service_fields, remote_field } },
  ])
})

test('an entry that breaks later is left out alone, listed, and restored', async (t) => {
  const { crm, shop, set, exported, kept } = await start(t)
  await set(flat, { ...flat, name: 'people', remote_field: { users: { arguments: {} } } })
  await shop.action('look', { type: 'query', output_type: 'Purchase' })
  const answer = async (query: string) => {
    const { errors, data } = await shop.graphql<Refused & { data?: unknown }>(query)
    return errors ? errors[0]?.message : data
  }
  const removed = await shop.opError('remove_remote_schema', { name: 'crm' })
  assert.deepEqual(removed, {
    status: 400,
    body: {
      path: '$.args',
      error:
        'cannot drop due to the following dependent objects : remote relationship Purchase.buyer, remote relationship Purchase.people',
      code: 'dependency-error',
    },
  })
  const { types: before } = crm
  crm.types = before.replace('user(id: Int!', 'user(id: String!')
  const { status, body } = await shop.opError('reload_remote_schema', { name: 'crm' })
  assert.deepEqual(
    [status, (body as { error: string }).error],
    [500, 'cannot continue due to newly found inconsistent metadata'],
  )
  await shop.op('reload_metadata', { reload_remote_schemas: true })
  const broken = {
    type: 'remote_relationship',
    definition: { object_type: 'Purchase', ...flat },
    reason: 'in object type "Purchase": in remote relationship "buyer": expected type "String" but got "Int"',
  }
  assert.deepEqual(await shop.op('get_inconsistent_metadata', {}), [broken])
  assert.deepEqual(await answer('{ look { people(limit: 1) { id } } }'), { look: { people: [{ id: 1 }] } })
  assert.equal(await answer('{ look { buyer { id } } }'), `field "buyer" not found in type: 'Purchase'`)
  const document = await exported()
  assert.equal((await kept())?.length, 2)
  crm.types = before
  await shop.op('reload_metadata', { reload_remote_schemas: ['crm'] })
  assert.deepEqual(await shop.op('get_inconsistent_metadata', {}), [])
  assert.deepEqual(await answer('{ look { buyer { id } } }'), { look: { buyer: { id: 5 } } })
  assert.deepEqual(await exported(), document)
  crm.types = before.replace('user(id: Int!', 'user(id: String!')
  await shop.op('reload_metadata', { reload_remote_schemas: true })
  await shop.op('drop_inconsistent_metadata', {})
  assert.deepEqual(await kept(), [
    {
      name: 'people',
      definition: {
        remote_schema: 'crm',
        service_fields: ['buyer_id'],
        remote_field: { users: { arguments: {} } },
      },
    },
  ])
  assert.equal((await exported()).actions?.length, 1)
})
