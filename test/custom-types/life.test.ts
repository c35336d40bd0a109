// Custom types and actions after changes of the tables that they refer to.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Refused, type Shop, startShop, types } from '../actions/shop.ts'
import { startTrellis } from '../support/trellis.ts'

interface Document {
  custom_types?: {
    objects?: { name: string; relationships?: { name: string; field_mapping: object; remote_table: object }[] }[]
  }
  actions?: { name: string }[]
}

const exported = (shop: Shop): Promise<Document> => shop.op<Document>('export_metadata', {})

const relationshipsOf = async (shop: Shop) =>
  (await exported(shop)).custom_types?.objects?.find(({ name }) => name === 'Order')?.relationships

const order = { id: 1, book_id: 1, publisher_id: 1 }

test('a document with types and actions is exported, cleared, and replaced', async (t) => {
  const shop = await startShop(t, () => ({ body: order }))
  await shop.action('look', { type: 'query', timeout: 5 }, 'Looks')
  await shop.op('create_action_permission', { action: 'look', role: 'editor', comment: 'may' })
  const document = await exported(shop)
  assert.deepEqual(Object.keys(document).slice(-2), ['actions', 'custom_types'])
  await shop.op('clear_metadata', {})
  assert.deepEqual(await exported(shop), { version: 2, tables: [] })
  const { errors } = await shop.graphql<Refused>('{ look { id } }')
  assert.equal(errors[0]!.extensions['code'], 'validation-failed')
  await shop.op('replace_metadata', document)
  assert.deepEqual(await exported(shop), document)
  assert.deepEqual(await shop.graphql('{ look { book { title } } }'), { data: { look: { book: { title: 'Dawn' } } } })
  const next = await startTrellis(t, { database: shop.database })
  assert.deepEqual(await next.graphql('{ look { id } }'), { data: { look: { id: 1 } } })
})

test('a bulk may create types and their actions, and a document with a repeated name is refused', async (t) => {
  const shop = await startShop(t, () => ({ body: { n: 1 } }))
  const definition = { handler: shop.hook.url, output_type: 'New', type: 'query' }
  const bulk = [
    {
      type: 'set_custom_types',
      args: { ...types, objects: [...types.objects, { name: 'New', fields: [{ name: 'n', type: 'Int' }] }] },
    },
    { type: 'create_action', args: { name: 'fresh', definition } },
    { type: 'create_action_permission', args: { action: 'fresh', role: 'editor' } },
  ]
  await shop.op('bulk', bulk)
  assert.deepEqual(await shop.graphql('{ fresh { n } }', {}, { role: 'editor' }), { data: { fresh: { n: 1 } } })
  const document = await exported(shop)
  const twice = { ...document, actions: [...document.actions!, ...document.actions!] }
  const { status, body } = await shop.opError('replace_metadata', twice)
  assert.equal(status, 400)
  assert.deepEqual(body, {
    path: '$.args.actions',
    error: 'multiple declarations exist for the following actions : "fresh"',
    code: 'already-exists',
  })
  assert.deepEqual(await exported(shop), document)
})

test('built-in types of PostgreSQL have the names of their scalars', async (t) => {
  const shop = await startShop(t, () => ({ body: {} }))
  // Internal types have their own category since PostgreSQL 14.
  const rows = await shop.sql<{ name: string }>(`select typname::text as name from pg_type
    where typnamespace = 'pg_catalog'::regnamespace and typtype in ('b', 'r', 'm') and typcategory not in ('A', 'Z')
      and typname <> all('{char,pg_node_tree,pg_ndistinct,pg_dependencies,pg_mcv_list,pg_ddl_command}')`)
  const others: Record<string, string> = {
    int2: 'smallint',
    int4: 'Int',
    int8: 'bigint',
    float4: 'Float',
    bool: 'Boolean',
  }
  const named = rows.map(({ name }) => (name === 'text' || name === 'varchar' ? 'String' : (others[name] ?? name)))
  const fields = named.map((type, i) => ({ name: `f${i}`, type }))
  assert.ok(fields.length > 60)
  await shop.op('set_custom_types', { objects: [{ name: 'All', fields }], input_objects: [{ name: 'Given', fields }] })
})

test('renamed tables and columns are followed', async (t) => {
  const shop = await startShop(t, () => ({ body: order }))
  await shop.action('look', { type: 'query' })
  await shop.op('run_sql', { sql: 'alter table book rename column publisher_id to owner_id' })
  assert.deepEqual((await relationshipsOf(shop))?.[1]?.field_mapping, { publisher_id: 'owner_id' })
  await shop.op('run_sql', { sql: 'alter table book rename to volume' })
  assert.deepEqual((await relationshipsOf(shop))?.[0]?.remote_table, { schema: 'public', name: 'volume' })
  assert.deepEqual(await shop.graphql('{ look { book { title } books { id } } }'), {
    data: { look: { book: { title: 'Dawn' }, books: [{ id: 1 }, { id: 2 }] } },
  })
})

test('dropping a table removes the relationships to it', async (t) => {
  const shop = await startShop(t, () => ({ body: order }))
  await shop.action('look', { type: 'query' })
  const before = await exported(shop)
  const refusal = (...objects: readonly string[]) => ({
    status: 400,
    body: {
      path: '$.args',
      error: `cannot drop due to the following dependent objects : ${objects.join(', ')}`,
      code: 'dependency-error',
    },
  })
  const drop = { sql: 'alter table book drop column publisher_id cascade' }
  assert.deepEqual(
    await shop.opError('run_sql', drop),
    refusal('relationship Order.books', 'relationship book.publisher', 'relationship publisher.books'),
  )
  const all = refusal(
    'relationship Line.book',
    'relationship Order.book',
    'relationship Order.books',
    'relationship publisher.books',
  )
  assert.deepEqual(await shop.opError('untrack_table', { table: 'book' }), all)
  assert.deepEqual(await exported(shop), before)
  await shop.op('untrack_table', { table: 'book', cascade: true })
  assert.deepEqual(await relationshipsOf(shop), undefined)
  assert.deepEqual(await shop.graphql('{ look { id } }'), { data: { look: { id: 1 } } })
})

test('types whose table was dropped elsewhere are listed, left out, and restored', async (t) => {
  const shop = await startShop(t, () => ({ body: order }))
  await shop.action('look', { type: 'query' })
  await shop.sql('alter table book rename to hidden')
  await shop.op('reload_metadata', {})
  type Listed = { type: string; reason: string; definition: Record<string, unknown> }
  const listed = async () => shop.op<Listed[]>('get_inconsistent_metadata', {})
  const found = await listed()
  const custom = found.find(({ type }) => type === 'custom_types')!
  assert.deepEqual(Object.keys(custom.definition), ['input_objects', 'objects', 'scalars', 'enums'])
  const action = found.find(({ type }) => type === 'action')!
  assert.deepEqual(
    [action.reason, action.definition['comment'], action.definition['name']],
    ['custom types are inconsistent', null, 'look'],
  )
  const { errors } = await shop.graphql<Refused>('{ look { id } }')
  assert.equal(errors[0]!.extensions['code'], 'validation-failed')
  await shop.sql('alter table hidden rename to book')
  await shop.op('reload_metadata', {})
  assert.deepEqual(await listed(), [])
  assert.deepEqual(await shop.graphql('{ look { id } }'), { data: { look: { id: 1 } } })
  await shop.sql('alter table book rename to hidden')
  await shop.op('reload_metadata', {})
  await shop.op('drop_inconsistent_metadata', {})
  const document = await exported(shop)
  assert.deepEqual([document.custom_types, document.actions], [undefined, undefined])
})

test('the definition of refused types has null for absent members', async (t) => {
  const { opError } = await startTrellis(t)
  const { body } = await opError('set_custom_types', {
    input_objects: [{ name: 'Given', fields: [{ name: 'id', type: 'Int' }] }],
    objects: [
      { name: 'Taken', description: 'one', fields: [{ name: 'id', type: 'Nothing', description: 'its id' }] },
      { name: 'Other', fields: [{ name: 'id', type: 'Int' }] },
    ],
    enums: [{ name: 'Kind', values: [{ value: 'A' }] }],
  })
  const field = { name: 'id', type: 'Int', description: null }
  const { internal } = body as unknown as { internal: { definition: object }[] }
  assert.deepEqual(internal[0]!.definition, {
    input_objects: [{ name: 'Given', description: null, fields: [field] }],
    objects: [
      {
        name: 'Taken',
        description: 'one',
        relationships: null,
        fields: [{ name: 'id', type: 'Nothing', description: 'its id', arguments: null }],
      },
      { name: 'Other', description: null, relationships: null, fields: [{ ...field, arguments: null }] },
    ],
    scalars: null,
    enums: [{ name: 'Kind', description: null, values: [{ value: 'A', description: null, is_deprecated: null }] }],
  })
})

test('a table cannot take the name of a custom type', async (t) => {
  const shop = await startShop(t, () => ({ body: order }))
  await shop.sql('create table "Order" (id int primary key)')
  const { status, body } = await shop.opError('track_table', 'Order')
  const { internal: _, ...answer } = body as Record<string, unknown>
  assert.equal(status, 400)
  assert.equal(answer['code'], 'invalid-custom-types')
})

test('thousands of types in cycles are accepted', async (t) => {
  const shop = await startShop(t, () => ({ body: { next: { next: null } } }))
  // A hundred cycles of thirty objects, and as many of input objects.
  const circle = (i: number) => (i % 30 === 29 ? i - 29 : i + 1)
  const objects = Array.from({ length: 3000 }, (_, i) => ({
    name: `T${i}`,
    fields: [
      { name: 'next', type: `T${circle(i)}` },
      { name: 'kind', type: `E${i % 10}` },
      ...(i === 0 ? Array.from({ length: 99 }, (_, n) => ({ name: `t${n}`, type: `[T${30 * (n + 1)}!]` })) : []),
    ],
  }))
  const input_objects = Array.from({ length: 3000 }, (_, i) => ({
    name: `I${i}`,
    fields: [
      { name: 'next', type: `[I${circle(i)}!]` },
      ...(i === 0 ? Array.from({ length: 99 }, (_, n) => ({ name: `i${n}`, type: `I${30 * (n + 1)}` })) : []),
    ],
  }))
  const enums = Array.from({ length: 10 }, (_, i) => ({ name: `E${i}`, values: [{ value: 'A' }] }))
  await shop.op('set_custom_types', { objects, input_objects, enums })
  await shop.action('go', { type: 'query', output_type: 'T0', arguments: [{ name: 'i', type: 'I0' }] })
  assert.deepEqual(await shop.graphql('{ go(i: {next: {next: []}}) { next { next { kind } } } }'), {
    data: { go: { next: { next: null } } },
  })
  const { data } = await shop.graphql<{ data: { __schema: { types: object[] } } }>('{ __schema { types { name } } }')
  assert.ok(data.__schema.types.length > 6000)
})

test('a role sees the types that its actions need', async (t) => {
  const shop = await startShop(t, () => ({ body: order }))
  await shop.action('look', { type: 'query', arguments: [{ name: 'line', type: 'LineInput' }] })
  await shop.op('create_action_permission', { action: 'look', role: 'editor' })
  type Types = { data: { __schema: { types: { name: string }[] } } }
  const names = async (role: string) => {
    const { data } = await shop.graphql<Types>('{ __schema { types { name } } }', {}, { role })
    return data.__schema.types.map(({ name }) => name).filter((name) => /Order|Line|Wrapping|Anything/.test(name))
  }
  assert.deepEqual((await names('editor')).sort(), ['Anything', 'Line', 'LineInput', 'Order', 'Wrapping'])
  assert.deepEqual(await names('nobody'), [])
  const query = '{ __type(name: "Wrapping") { enumValues(includeDeprecated: true) { name description isDeprecated } } }'
  assert.deepEqual(await shop.graphql(query, {}, { role: 'editor' }), {
    data: {
      __type: {
        enumValues: [
          { name: 'FOIL', description: 'shiny', isDeprecated: true },
          { name: 'PAPER', description: null, isDeprecated: false },
        ],
      },
    },
  })
})

test('a scalar with the name of a member of every object is a scalar as others', async (t) => {
  const shop = await startShop(t, ({ body }) => ({ body: { id: 1, note: JSON.parse(body).input.note } }))
  const objects = [
    {
      name: 'Note',
      fields: [
        { name: 'id', type: 'Int' },
        { name: 'note', type: 'toString' },
      ],
    },
  ]
  await shop.op('set_custom_types', { scalars: [{ name: 'toString' }, { name: 'constructor' }], objects })
  const noted = { type: 'query', output_type: 'Note', arguments: [{ name: 'note', type: 'toString' }] }
  await shop.action('noted', noted)
  const answer = { data: { noted: { id: 1, note: { a: [1] } } } }
  assert.deepEqual(await shop.graphql('{ noted(note: {a: [1]}) { id note } }'), answer)
  const byVariable = 'query ($note: toString) { noted(note: $note) { id note } }'
  assert.deepEqual(await shop.graphql(byVariable, { note: { a: [1] } }), answer)
})
