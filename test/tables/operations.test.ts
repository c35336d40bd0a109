import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { startTrellis, type TestTrellis } from '../support/trellis.ts'

const ok = { message: 'success' }

interface TableEntry {
  readonly table: { readonly schema: string; readonly name: string }
}

interface TableList {
  readonly tables: readonly unknown[]
}

async function exported(trellis: TestTrellis): Promise<readonly TableEntry[]> {
  return (await trellis.op<{ tables: readonly TableEntry[] }>('export_metadata', {})).tables
}

const publicTable = (name: string) => ({ schema: 'public', name })

const harbour = (t: TestContext) =>
  startTrellis(t, {
    sql: `
      create table harbour (id int primary key, name text, "from" text);
      insert into harbour values (1, 'Bergen');
      create schema crm;
      create table crm.lead (id int primary key);
      create view harbours as select * from harbour`,
  })

test('track_table adds the table to the schema under its own name', async (t) => {
  const trellis = await harbour(t)
  assert.deepEqual(await trellis.op('track_table', { schema: 'public', name: 'harbour' }), ok)
  assert.deepEqual(await trellis.graphql('{ harbour { id name } }'), { data: { harbour: [{ id: 1, name: 'Bergen' }] } })
})

test('track_table takes a table in each of its forms', async (t) => {
  const trellis = await harbour(t)
  await trellis.op('track_table', 'harbour')
  await trellis.op('track_table', { table: { schema: 'crm', name: 'lead' }, is_enum: null })
  await trellis.op('add_existing_table_or_view', { name: 'harbours' })
  const tables = [publicTable('harbour'), publicTable('harbours')]
  assert.deepEqual(await exported(trellis), [
    { table: { schema: 'crm', name: 'lead' } },
    ...tables.map((table) => ({ table })),
  ])
})

test('track_table, version 2, renames root fields and columns', async (t) => {
  const trellis = await harbour(t)
  const configuration = {
    custom_root_fields: { select: 'ports', select_by_pk: 'port' },
    custom_column_names: { name: 'title', from: 'since' },
  }
  assert.deepEqual(await trellis.op('track_table', { table: 'harbour', configuration }, { version: 2 }), ok)
  const data = { ports: [{ title: 'Bergen' }], port: { title: 'Bergen', since: null } }
  assert.deepEqual(await trellis.graphql('{ ports { title } port(id: 1) { title since } }'), { data })
  assert.deepEqual(await exported(trellis), [{ table: publicTable('harbour'), configuration }])
})

test('track_table, version 2, does without a configuration, and may swap the names of two columns', async (t) => {
  const trellis = await harbour(t)
  await trellis.op('track_table', { table: { table: 'harbours', is_enum: false } }, { version: 2 })
  const configuration = { custom_column_names: { name: 'from', from: 'name' } }
  await trellis.op('track_table', { table: 'harbour', configuration }, { version: 2 })
  assert.deepEqual(await trellis.graphql('{ harbour { from } }'), { data: { harbour: [{ from: 'Bergen' }] } })
})

const configured = (configuration: unknown) => ({ table: 'harbour', configuration })
const noHarbour = { message: 'field "harbour" not found in type: \'query_root\'' }

const refusals: readonly (readonly [
  title: string,
  call: { readonly type: string; readonly args: unknown; readonly version?: number },
  answer: { readonly path: string; readonly error: string; readonly code: string },
])[] = [
  [
    'a table that is tracked',
    { type: 'track_table', args: 'known' },
    { path: '$.args', error: 'view/table already tracked : "known"', code: 'already-tracked' },
  ],
  [
    'a table of another schema that does not exist',
    { type: 'track_table', args: { schema: 'crm', name: 'nope' } },
    { path: '$.args', error: 'no such table/view exists in postgres: "crm.nope"', code: 'constraint-violation' },
  ],
  [
    'arguments without a name',
    { type: 'track_table', args: { schema: 'crm' } },
    { path: '$', error: 'key "name" not found', code: 'parse-failed' },
  ],
  [
    'arguments that are no table name',
    { type: 'track_table', args: 5 },
    { path: '$', error: 'expecting a string/object for QualifiedObject', code: 'parse-failed' },
  ],
  [
    'two root fields of one name',
    {
      type: 'track_table',
      version: 2,
      args: configured({ custom_root_fields: { select: 'a', insert: 'b', update: 'a', delete: 'b' } }),
    },
    {
      path: '$.configuration.custom_root_fields',
      error: 'the following custom root field names are duplicated: "a" and "b"',
      code: 'parse-failed',
    },
  ],
  [
    'a custom name for a column that does not exist',
    { type: 'track_table', version: 2, args: configured({ custom_column_names: { sum: 'Total' } }) },
    {
      path: '$.args',
      error: 'the custom field name "Total" was given for the column "sum", but no such column exists',
      code: 'constraint-violation',
    },
  ],
  [
    'two columns of one name',
    { type: 'track_table', version: 2, args: configured({ custom_column_names: { name: 'id' } }) },
    {
      path: '$.args',
      error: 'the definitions of columns "id" and "name" are in conflict: they are mapped to the same field name, "id"',
      code: 'constraint-violation',
    },
  ],
  [
    'untracking what is not tracked',
    { type: 'untrack_table', args: { table: { schema: 'crm', name: 'lead' } } },
    { path: '$.args', error: 'view/table already untracked : "crm.lead"', code: 'already-untracked' },
  ],
  [
    'untracking without a table',
    { type: 'untrack_table', args: {} },
    { path: '$', error: "the key 'table' was not present", code: 'parse-failed' },
  ],
  [
    'making an enum of what is not tracked',
    { type: 'set_table_is_enum', args: { table: 'colour', is_enum: true } },
    { path: '$.args', error: 'table "colour" does not exist', code: 'not-exists' },
  ],
  [
    'set_table_is_enum without is_enum',
    { type: 'set_table_is_enum', args: { table: 'known' } },
    { path: '$', error: "the key 'is_enum' was not present", code: 'parse-failed' },
  ],
  [
    'configuring what is not tracked',
    { type: 'set_table_custom_fields', version: 2, args: { table: 'colour' } },
    { path: '$.args', error: 'table "colour" does not exist', code: 'not-exists' },
  ],
  [
    'configuring two root fields of one name',
    {
      type: 'set_table_custom_fields',
      version: 2,
      args: { table: 'known', custom_root_fields: { select: 'a', insert: 'a' } },
    },
    {
      path: '$.custom_root_fields',
      error: 'the following custom root field names are duplicated: "a"',
      code: 'parse-failed',
    },
  ],
  [
    'configuring a column that does not exist',
    {
      type: 'set_table_custom_fields',
      version: 2,
      args: { table: 'known', custom_column_names: JSON.parse('{"__proto__": "x"}') },
    },
    {
      path: '$.args',
      error: 'the custom field name "x" was given for the column "__proto__", but no such column exists',
      code: 'constraint-violation',
    },
  ],
]

test('operations on tables are refused', async (t) => {
  const trellis = await harbour(t)
  await trellis.sql('create table known (id int primary key)')
  await trellis.op('track_table', 'known')
  const before = await exported(trellis)
  for (const [title, { type, args, version }, answer] of refusals) {
    await t.test(`for ${title}`, async () => {
      const { status, body } = await trellis.opError(type, args, version === undefined ? {} : { version })
      const { internal: _, ...shown } = body as Record<string, unknown>
      assert.deepEqual({ status, body: shown }, { status: 400, body: answer })
    })
  }
  assert.deepEqual(await exported(trellis), before)
})

test('the root fields of introspection are reserved', async (t) => {
  const trellis = await harbour(t)
  await trellis.op('run_sql', { sql: 'create table __type (id int primary key)' })
  const refused = (root: string, name: string) => ({
    path: '$.args',
    error: `following ${root} root fields are duplicated: ${name}`,
    code: 'unexpected',
  })
  for (const [key, name, root] of [
    ['select', '__schema', 'query'],
    ['select_aggregate', '__type', 'query'],
    ['select_by_pk', '__typename', 'query'],
    ['delete', '__typename', 'mutation'],
  ] as const) {
    const args = { table: 'harbour', configuration: { custom_root_fields: { [key]: name } } }
    const { body } = await trellis.opError('track_table', args, { version: 2 })
    assert.deepEqual(body, refused(root, name))
  }
  assert.deepEqual((await trellis.opError('track_table', '__type')).body, refused('query', '__type'))
  const schema = await trellis.graphql('{ __schema { queryType { name } } }')
  assert.deepEqual(schema, { data: { __schema: { queryType: { name: 'query_root' } } } })
})

test('set_table_custom_fields replaces the whole configuration', async (t) => {
  const trellis = await harbour(t)
  const configuration = { custom_root_fields: { select: 'ports' }, custom_column_names: { name: 'title' } }
  await trellis.op('track_table', { table: 'harbour', configuration }, { version: 2 })
  const call = { table: 'harbour', custom_column_names: { name: 'label' } }
  assert.deepEqual(await trellis.op('set_table_custom_fields', call, { version: 2 }), ok)
  assert.deepEqual(await trellis.graphql('{ harbour { label } }'), { data: { harbour: [{ label: 'Bergen' }] } })
  await trellis.op('set_table_custom_fields', { table: 'harbour' }, { version: 2 })
  assert.deepEqual(await exported(trellis), [{ table: publicTable('harbour') }])
})

test('set_table_custom_fields exists in version 2 only', async (t) => {
  const trellis = await harbour(t)
  const { body } = await trellis.opError('set_table_custom_fields', { table: 'harbour' })
  assert.equal((body as { code: string }).code, 'parse-failed')
})

test('a custom column name that a relationship has is refused, naming the relationship', async (t) => {
  const trellis = await startTrellis(t, {
    sql: 'create table lead (id int primary key, boss_id int references lead, note text)',
  })
  await trellis.op('track_table', 'lead')
  const using = { foreign_key_constraint_on: 'boss_id' }
  await trellis.op('create_object_relationship', { table: 'lead', name: 'boss', using })
  const call = { table: 'lead', custom_column_names: { note: 'boss' } }
  assert.deepEqual(await trellis.opError('set_table_custom_fields', call, { version: 2 }), {
    status: 400,
    body: {
      path: '$.args',
      error: 'cannot continue due to new inconsistent metadata',
      code: 'unexpected',
      internal: [
        {
          type: 'object_relation',
          definition: { table: publicTable('lead'), name: 'boss', using, comment: null },
          reason: 'field definition conflicts with custom field name for postgres column "note"',
        },
      ],
    },
  })
})

test('untrack_table removes the table, its relationships and its permissions', async (t) => {
  const trellis = await startTrellis(t, {
    sql: 'create table lead (id int primary key, boss_id int references lead)',
  })
  await trellis.op('track_table', 'lead')
  await trellis.op('create_object_relationship', {
    table: 'lead',
    name: 'boss',
    using: { foreign_key_constraint_on: 'boss_id' },
  })
  await trellis.op('create_delete_permission', {
    table: 'lead',
    role: 'a',
    permission: { filter: { boss: { id: 1 } } },
  })
  assert.deepEqual(await trellis.op('untrack_table', { table: 'lead' }), ok)
  assert.deepEqual(await exported(trellis), [])
})

const office = async (t: TestContext) => {
  const trellis = await startTrellis(t, {
    sql: `
      create table person (id int primary key, name text);
      create table lead (id int primary key, owner_id int references person);
      create table other (id int primary key)`,
  })
  for (const table of ['person', 'lead', 'other']) await trellis.op('track_table', table)
  await trellis.op('create_object_relationship', {
    table: 'lead',
    name: 'owner',
    using: { foreign_key_constraint_on: 'owner_id' },
  })
  const permission = (filter: unknown) => ({ columns: '*', filter })
  const grant = (table: string, role: string, filter: unknown) =>
    trellis.op('create_select_permission', { table, role, permission: permission(filter) })
  await grant('lead', 'agent', { owner: { name: 'x-service-name' } })
  await grant('lead', 'clerk', {})
  await grant('other', 'agent', { _exists: { _table: 'person', _where: {} } })
  await grant('person', 'agent', {})
  return trellis
}

test('untrack_table is refused while objects of other tables depend on the table', async (t) => {
  const trellis = await office(t)
  const before = await exported(trellis)
  assert.deepEqual(await trellis.opError('untrack_table', { table: 'person' }), {
    status: 400,
    body: {
      path: '$.args',
      error:
        'cannot drop due to the following dependent objects : ' +
        'permission lead.agent.select, permission other.agent.select, relationship lead.owner',
      code: 'dependency-error',
    },
  })
  assert.deepEqual(await exported(trellis), before)
})

test('untrack_table with cascade removes dependent objects, and no more', async (t) => {
  const trellis = await office(t)
  assert.deepEqual(await trellis.op('untrack_table', { table: 'person', cascade: true }), ok)
  const clerk = { role: 'clerk', permission: { columns: '*', filter: {} } }
  assert.deepEqual(await exported(trellis), [
    { table: publicTable('lead'), select_permissions: [clerk] },
    { table: publicTable('other') },
  ])
})

test('untrack_tables checks hundreds of tables that need each other faster than they were related', async (t) => {
  const numbers = Array.from({ length: 400 }, (_, i) => i + 1)
  const create = numbers.map((i) => `create table t${i} (id int primary key, next int references t${i - 1})`)
  const trellis = await startTrellis(t, { sql: `create table t0 (id int primary key); ${create.join(';')}` })
  const using = { foreign_key_constraint_on: 'next' }
  await trellis.op('track_tables', {})
  const relate = numbers.map((i) => ({
    type: 'create_object_relationship',
    args: { table: `t${i}`, name: 'before', using },
  }))
  const begin = performance.now()
  await trellis.op('bulk', relate)
  const related = performance.now()
  // t399 must stay, because t400 is not listed; so each must stay because of the next.
  const tables = numbers.slice(0, -1).map((i) => `t${i}`)
  const { body } = await trellis.opError('untrack_tables', { tables })
  const checked = performance.now()
  assert.equal((body as { internal: unknown[] }).internal.length, tables.length)
  assert.ok(checked - related < related - begin)
  const all = await trellis.op<TableList>('untrack_tables', { tables: ['t0', ...tables, 't400'] })
  assert.deepEqual([all.tables.length, await exported(trellis)], [401, []])
})

test('a table that is gone from the database can be untracked', async (t) => {
  const trellis = await harbour(t)
  await trellis.op('track_table', { schema: 'crm', name: 'lead' })
  await trellis.sql('drop table crm.lead')
  await trellis.op('reload_metadata', {})
  assert.deepEqual(await trellis.op('get_inconsistent_metadata', {}), [
    {
      type: 'table',
      definition: { schema: 'crm', name: 'lead' },
      reason: 'no such table/view exists in postgres: "crm.lead"',
    },
  ])
  const { body } = await trellis.opError('track_table', { schema: 'crm', name: 'lead' })
  assert.equal((body as { code: string }).code, 'already-tracked')
  assert.deepEqual(await trellis.op('untrack_table', { table: { schema: 'crm', name: 'lead' } }), ok)
  assert.deepEqual(await exported(trellis), [])
})

test('an untracked table is not in the schema', async (t) => {
  const trellis = await harbour(t)
  await trellis.op('track_table', 'harbour')
  await trellis.op('track_table', 'harbours')
  await trellis.op('untrack_table', { table: 'harbour' })
  const { errors } = await trellis.graphql<{ errors: readonly { message: string }[] }>('{ harbour { id } }')
  assert.equal(errors[0]?.message, noHarbour.message)
})
