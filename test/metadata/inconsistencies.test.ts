import assert from 'node:assert/strict'
import test from 'node:test'
import { marksPlugin } from './marks-plugin.ts'
import { startService } from './service.ts'

const schema = `
  create table lead (id int primary key, owner_id int);
  create table call (id int primary key, lead_id int references lead, note text)`

const tables = [
  {
    table: 'call',
    object_relationships: [{ name: 'lead', using: { foreign_key_constraint_on: 'lead_id' } }],
    select_permissions: [{ role: 'agent', permission: { columns: ['id'], filter: { lead: { owner_id: 1 } } } }],
  },
  {
    table: 'lead',
    array_relationships: [
      { name: 'calls', using: { foreign_key_constraint_on: { table: 'call', column: 'lead_id' } } },
    ],
  },
]

const callName = { schema: 'public', name: 'call' }
const leadName = { schema: 'public', name: 'lead' }

const lostCall = (table: unknown) => [
  { type: 'table', definition: table, reason: 'no such table/view exists in postgres: "call"' },
  {
    type: 'object_relation',
    definition: { table: callName, name: 'lead', using: { foreign_key_constraint_on: 'lead_id' }, comment: null },
    reason: 'table "call" does not exist',
  },
  {
    type: 'array_relation',
    definition: {
      table: leadName,
      name: 'calls',
      using: { foreign_key_constraint_on: { table: callName, column: 'lead_id' } },
      comment: null,
    },
    reason: 'in table "lead": in relationship "calls": table "call" does not exist',
  },
  {
    type: 'select_permission',
    definition: {
      table: callName,
      role: 'agent',
      permission: {
        columns: ['id'],
        computed_fields: [],
        filter: { lead: { owner_id: 1 } },
        allow_aggregations: false,
      },
      comment: null,
    },
    reason: 'table "call" does not exist',
  },
]

test('objects of a dropped table are listed with their reasons, and return with the table', async (t) => {
  const { op, sql, service } = await startService(t, { sql: schema })
  await op('replace_metadata', { tables })
  assert.deepEqual(await op('get_inconsistent_metadata', {}), [])
  await sql('alter table call rename to elsewhere')
  await op('reload_metadata', {})
  assert.deepEqual(await op('get_inconsistent_metadata', {}), lostCall('call'))
  assert.equal(service.model.tables.size, 1)
  assert.equal(((await op('export_metadata', {})) as { tables: unknown[] }).tables.length, 2)
  await sql('alter table elsewhere rename to call')
  await op('reload_metadata', {})
  assert.deepEqual(await op('get_inconsistent_metadata', {}), [])
  assert.equal(service.model.tables.size, 2)
})

test('a document is compared with the current database, however that has changed', async (t) => {
  const { op, refusal, sql, service } = await startService(t, { sql: schema })
  await op('replace_metadata', { tables })
  await sql('alter table lead add column stage text')
  await op('replace_metadata', { tables })
  const lead = [...service.model.tables.values()].find(({ name }) => name.name === 'lead')
  assert.ok(lead?.columns.has('stage'))
  await sql('alter table call rename to elsewhere')
  const { status, error, internal } = await refusal({ type: 'replace_metadata', args: { tables } })
  assert.deepEqual([status, error], [400, 'cannot continue due to inconsistent metadata'])
  assert.deepEqual(internal, lostCall('call'))
  const allowed = { allow_inconsistent_metadata: true, metadata: { tables } }
  const report = await op('replace_metadata', allowed, { version: 2 })
  assert.deepEqual(report, { is_consistent: false, inconsistent_objects: lostCall('call') })
})

test('the hasura dialect answers an object, with table names as objects', async (t) => {
  const { op, sql, database } = await startService(t, { sql: schema })
  await op('replace_metadata', { tables })
  const other = await startService(t, { database, dialect: 'hasura' })
  assert.deepEqual(await other.op('get_inconsistent_metadata', {}), { is_consistent: true, inconsistent_objects: [] })
  await sql('drop table call')
  await other.op('reload_metadata', {})
  assert.deepEqual(await other.op('get_inconsistent_metadata', {}), {
    is_consistent: false,
    inconsistent_objects: lostCall(callName),
  })
})

test('a start serves consistent objects and logs the others', async (t) => {
  const first = await startService(t, { sql: schema })
  await first.op('replace_metadata', { tables })
  await first.sql('drop table call')
  const second = await startService(t, { database: first.database })
  assert.deepEqual(
    [...second.service.model.tables.values()].map(({ name }) => name),
    [leadName],
  )
  const warnings = second.log.filter(({ type }) => type === 'metadata')
  assert.deepEqual(warnings, [
    {
      type: 'metadata',
      level: 'warn',
      detail: { message: 'Inconsistent Metadata!', info: { objects: lostCall('call') } },
    },
  ])
})

test('dropping inconsistent objects keeps the others', async (t) => {
  const { op, sql } = await startService(t, { sql: schema })
  await op('replace_metadata', { tables })
  await sql('drop table call')
  await op('reload_metadata', {})
  assert.deepEqual(await op('drop_inconsistent_metadata', {}), { message: 'success' })
  assert.deepEqual(await op('get_inconsistent_metadata', {}), [])
  assert.deepEqual(await op('export_metadata', {}), { version: 2, tables: [{ table: leadName }] })
  assert.deepEqual(await op('drop_inconsistent_metadata', {}), { message: 'success' })
})

test('existing inconsistencies do not block other changes', async (t) => {
  const { op, sql, refused } = await startService(t, { sql: schema })
  await op('replace_metadata', { tables })
  await sql('drop table call')
  await op('reload_metadata', {})
  await op('create_select_permission', { table: 'lead', role: 'r', permission: { columns: '*', filter: {} } })
  await refused('track_table', 'call', {
    status: 400,
    code: 'already-tracked',
    path: '$.args',
    error: 'view/table already tracked : "call"',
  })
  await op('untrack_table', { table: 'call' })
  await op('drop_relationship', { table: 'lead', relationship: 'calls' })
  assert.deepEqual(await op('get_inconsistent_metadata', {}), [])
  await op('clear_metadata', {})
})

test('inconsistent objects are renamed like others', async (t) => {
  const { op, sql } = await startService(t, { sql: schema })
  await op('replace_metadata', { tables })
  await sql('drop table call')
  await op('reload_metadata', {})
  await op('rename_relationship', { table: 'lead', name: 'calls', new_name: 'talks' })
  await op('run_sql', { sql: 'alter table lead rename to chance' })
  const listed = (await op('get_inconsistent_metadata', {})) as { type: string; definition: object }[]
  const relationship = listed.find(({ type }) => type === 'array_relation')
  assert.deepEqual(relationship?.definition, {
    table: { schema: 'public', name: 'chance' },
    name: 'talks',
    using: { foreign_key_constraint_on: { table: callName, column: 'lead_id' } },
    comment: null,
  })
})

test('two objects that claim one name are listed as one conflict, and neither is served', async (t) => {
  const { op, service } = await startService(t, { sql: schema })
  const using = { foreign_key_constraint_on: { table: 'call', column: 'lead_id' } }
  const [call, lead] = tables
  const twice = {
    ...lead,
    array_relationships: [
      { name: 'calls', using },
      { name: 'calls_aggregate', using },
    ],
  }
  const args = { allow_inconsistent_metadata: true, metadata: { tables: [call, twice] } }
  const { inconsistent_objects: found } = (await op('replace_metadata', args, { version: 2 })) as {
    inconsistent_objects: { reason: string; objects?: { definition: { name: string } }[] }[]
  }
  assert.deepEqual(
    found.map(({ reason, objects }) => [reason, objects?.map(({ definition }) => definition.name)]),
    [['conflicting definitions for field "calls_aggregate"', ['calls', 'calls_aggregate']]],
  )
  const fields = [...service.model.tables.values()].find(({ name }) => name.name === 'lead')?.fields
  assert.deepEqual([...(fields?.keys() ?? [])], ['id', 'owner_id'])
  await op('drop_inconsistent_metadata', {})
  assert.deepEqual(await op('get_inconsistent_metadata', {}), [])
})

test('relationships cannot have the name or the custom name of a column', async (t) => {
  const { op, refused } = await startService(t, { sql: schema })
  await op('replace_metadata', { tables: [{ table: 'call' }, { table: 'lead' }] })
  const configuration = { table: 'lead', custom_column_names: { owner_id: 'owners_aggregate' } }
  await op('set_table_custom_fields', configuration, { version: 2 })
  const create = (name: string) => ({
    table: 'lead',
    name,
    using: { foreign_key_constraint_on: { table: 'call', column: 'lead_id' } },
  })
  const conflict = { status: 400, code: 'constraint-violation', path: '$.args' }
  for (const name of ['id', 'owner_id']) {
    const error = 'field definition conflicts with postgres column'
    await refused('create_array_relationship', create(name), { ...conflict, error })
  }
  for (const name of ['owners', 'owners_aggregate']) {
    const error = 'field definition conflicts with custom field name for postgres column "owner_id"'
    await refused('create_array_relationship', create(name), { ...conflict, error })
  }
})

test('the types of two tables cannot share a name, even if their root fields differ', async (t) => {
  const twin = 'create schema a; create table a.b (id int); create table a_b (id int); create table query_root (id int)'
  const { op, refused } = await startService(t, { sql: twin })
  const expected = { status: 400, code: 'unexpected', path: '$.args' }
  const error = (name: string) => `found conflicting definitions for "${name}" when collecting types from the schema`
  await op('track_table', { schema: 'a', name: 'b' })
  const keys = ['select', 'select_aggregate', 'insert', 'insert_one', 'update', 'delete']
  const custom_root_fields = Object.fromEntries(keys.map((key) => [key, `other_${key}`]))
  const clash = { table: 'a_b', configuration: { custom_root_fields } }
  await refused('track_table', clash, { ...expected, error: error('a_b') }, 2)
  await refused('track_table', { table: 'query_root' }, { ...expected, error: error('query_root') })
  assert.deepEqual(await op('get_inconsistent_metadata', {}), [])
})

test('two tables cannot share a root field; at the start the first by name is served', async (t) => {
  const { op, refused, service, database, sql } = await startService(t, { sql: schema })
  await op('track_table', 'lead')
  const clash = { table: 'call', configuration: { custom_root_fields: { select: 'lead' } } }
  const expected = { status: 400, code: 'unexpected', path: '$.args' }
  const error = 'following query root fields are duplicated: lead'
  await refused('track_table', clash, { ...expected, error }, 2)
  assert.equal(service.model.tables.size, 1)
  await op('track_table', { table: 'call', configuration: { custom_root_fields: { insert: 'add' } } }, { version: 2 })
  const second = { table: 'lead', custom_root_fields: { insert_one: 'add' } }
  const mutation = 'following mutation root fields are duplicated: add'
  await refused('set_table_custom_fields', second, { ...expected, error: mutation }, 2)
  await sql(`insert into trellis.metadata_entry values ('tables', '"x"', '{"table": {"schema": "public", "name": "zoo"},
    "configuration": {"custom_root_fields": {"select": "lead"}, "custom_column_names": {}}}'); create table zoo (id int)`)
  const fresh = await startService(t, { database })
  assert.deepEqual(await fresh.op('get_inconsistent_metadata', {}), [
    { type: 'table', definition: 'zoo', reason: error },
  ])
  assert.equal(fresh.service.model.tables.size, 2)
  await fresh.op('drop_inconsistent_metadata', {})
})

test('an object of a third-party slice is listed, cascaded to and dropped like any other', async (t) => {
  const { op, sql, refused } = await startService(t, { sql: schema, plugins: [marksPlugin()] })
  await op('replace_metadata', { tables: [{ table: 'lead' }] })
  await op('test_add_sticker', { name: 's', table: 'lead', text: 1 })
  await refused(
    'untrack_table',
    { table: 'lead' },
    {
      status: 400,
      code: 'dependency-error',
      path: '$.args',
      error: 'cannot drop due to the following dependent objects : sticker s',
    },
  )
  await op('untrack_table', { table: 'lead', cascade: true })
  assert.deepEqual(await op('export_metadata', {}), { version: 2, tables: [] })
  await op('track_table', 'lead')
  await op('test_add_sticker', { name: 's', table: 'lead', text: 1 })
  await sql('drop table lead cascade')
  await op('reload_metadata', {})
  const found = (await op('get_inconsistent_metadata', {})) as { reason: string }[]
  assert.deepEqual(
    found.map(({ reason }) => reason),
    ['no such table/view exists in postgres: "lead"', 'table "lead" is not tracked'],
  )
  await op('drop_inconsistent_metadata', {})
  assert.deepEqual(await op('export_metadata', {}), { version: 2, tables: [] })
})

test('violations of the enum table rules are listed together and affect no other table', async (t) => {
  const { op, sql, refused, service } = await startService(t, { sql: schema })
  await op('replace_metadata', { tables })
  await sql(`create table colour (value text primary key, sum int generated always as (1) stored);
    create table words (value text primary key); insert into words values ('a b'), ('true'), ('ok')`)
  await refused(
    'track_table',
    { table: 'words', is_enum: true },
    {
      status: 400,
      code: 'constraint-violation',
      path: '$.args',
      error:
        'the table "words" cannot be used as an enum because the values "a b" and "true" are not valid GraphQL enum value names',
    },
  )
  await refused(
    'track_table',
    { table: 'colour', is_enum: true },
    {
      status: 400,
      code: 'constraint-violation',
      path: '$.args',
      error:
        'the table "colour" cannot be used as an enum for the following reasons:\n' +
        '  • the table must have at least one row\n' +
        '  • the table’s comment column ("sum") must have type "text", not type "integer"\n',
    },
  )
  assert.equal(service.model.tables.size, 2)
})

test('a later table conflicts with existing ones, with any name', async (t) => {
  const sql = `create schema a; create table a.b (id int primary key); create table a_b (id int primary key);
    create table z (id int primary key); create table z_aggregate (id int primary key)`
  const { op, refused } = await startService(t, { sql })
  const expected = { status: 400, code: 'unexpected', path: '$.args' }
  await op('track_table', 'a_b')
  const custom = { table: { schema: 'a', name: 'b' }, configuration: { custom_root_fields: { select: 'other' } } }
  const names = ['a_b_aggregate', 'a_b_by_pk'].join(', ')
  await refused(
    'track_table',
    custom,
    { ...expected, error: `following query root fields are duplicated: ${names}` },
    2,
  )
  await op('untrack_table', { table: 'a_b' })
  await op('track_table', custom, { version: 2 })
  await refused('track_table', 'a_b', { ...expected, error: `following query root fields are duplicated: ${names}` })
  await op('track_table', 'z_aggregate')
  const error = 'following query root fields are duplicated: z_aggregate'
  await refused('track_table', 'z', { ...expected, error })
  await op('untrack_table', { table: 'z_aggregate' })
  await op('track_table', 'z')
  await refused('track_table', 'z_aggregate', { ...expected, error })
})
