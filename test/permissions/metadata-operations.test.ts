import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { startTrellis, type TestTrellis } from '../support/trellis.ts'

const ok = { message: 'success' }
const publicTable = (name: string) => ({ schema: 'public', name })

const sql = `
  create table person (id int primary key, name text);
  create table lead (
    id int primary key, owner_id int references person, score int, best int, stage text, raw json, meta jsonb
  );
  create table untracked (id int primary key);
  create view lead_summary as select count(*) from lead`

async function office(t: TestContext): Promise<TestTrellis> {
  const trellis = await startTrellis(t, { sql })
  for (const table of ['person', 'lead', 'lead_summary']) await trellis.op('track_table', table)
  await trellis.op('create_object_relationship', {
    table: 'lead',
    name: 'owner',
    using: { foreign_key_constraint_on: 'owner_id' },
  })
  return trellis
}

async function leadEntry(trellis: TestTrellis) {
  const { tables } = await trellis.op<{ tables: Record<string, unknown>[] }>('export_metadata', {})
  const {
    table: _,
    object_relationships: __,
    ...entry
  } = tables.find(({ table }) => (table as { name: string }).name === 'lead')!
  return entry
}

const call = (kind: string, permission: unknown, more: object = {}) => ({
  type: `create_${kind}_permission`,
  args: { table: 'lead', role: 'r', permission, ...more },
})

test('permissions are stored in the form of the document', async (t) => {
  const trellis = await office(t)
  const calls = [
    call('insert', { check: {} }),
    call('insert', { check: { $or: [] }, set: { score: 1 }, columns: ['id'], backend_only: true }, { role: 's' }),
    call('insert', { check: {}, set: {}, columns: null, backend_only: false }, { role: 'q' }),
    call('select', { columns: [], filter: {} }, { comment: 'Nothing much' }),
    call(
      'select',
      { columns: '*', computed_fields: [], filter: {}, limit: 0, allow_aggregations: true },
      { role: 's' },
    ),
    call('select', { columns: ['id'], filter: { score: { $gt: 1 } }, allow_aggregations: false }, { role: 'q' }),
    call('update', { columns: ['score'], filter: {}, localPresets: [] }),
    call('update', { columns: '*', filter: {}, check: { score: 1 }, set: { stage: 'x-service-s' } }, { role: 's' }),
    call('delete', { filter: { owner: { $not: { name: 'Ann' } } } }),
  ]
  for (const { type, args } of calls) assert.deepEqual(await trellis.op(type, args), ok)
  const entry = {
    insert_permissions: [
      { role: 'q', permission: { check: {}, backend_only: false } },
      { role: 'r', permission: { check: {} } },
      { role: 's', permission: { check: { _or: [] }, set: { score: 1 }, columns: ['id'], backend_only: true } },
    ],
    select_permissions: [
      { role: 'q', permission: { columns: ['id'], filter: { score: { $gt: 1 } } } },
      { role: 'r', permission: { columns: [], filter: {} }, comment: 'Nothing much' },
      { role: 's', permission: { columns: '*', filter: {}, limit: 0, allow_aggregations: true } },
    ],
    update_permissions: [
      { role: 'r', permission: { columns: ['score'], filter: {}, check: null } },
      { role: 's', permission: { columns: '*', filter: {}, check: { score: 1 }, set: { stage: 'x-service-s' } } },
    ],
    delete_permissions: [{ role: 'r', permission: { filter: { owner: { _not: { name: 'Ann' } } } } }],
  }
  assert.deepEqual(await leadEntry(trellis), entry)
  const document = await trellis.op('export_metadata', {})
  await trellis.op('clear_metadata', {})
  await trellis.op('replace_metadata', document)
  assert.equal(JSON.stringify(await trellis.op('export_metadata', {})), JSON.stringify(document))
})

test('literals keep their digits', async (t) => {
  const trellis = await office(t)
  const permission = `{"columns": [], "filter": {"meta": {"_contains": {"n": 12345678901234567890.10}}}}`
  const body = `{"type": "create_select_permission", "args": {"table": "lead", "role": "r", "permission": ${permission}}}`
  assert.equal((await trellis.request('/v1/query', { body })).status, 200)
  const { text } = await trellis.request('/v1/query', { body: { type: 'export_metadata', args: {} } })
  assert.match(text, /12345678901234567890\.10?\b/)
})

const broken = (reason: string) => ({
  path: '$.args',
  error: `in table "lead": in permission for role "r": ${reason}`,
  code: 'constraint-violation',
})
const refusedAt = (path: string, error: string) => ({ path, error, code: 'parse-failed' })
const select = (permission: object, more?: object) => call('select', { columns: [], filter: {}, ...permission }, more)
const insert = (permission: object) => call('insert', { check: {}, ...permission })
const update = (permission: object) => call('update', { columns: [], filter: {}, ...permission })
const drop = (kind: string, table: string) => ({ type: `drop_${kind}_permission`, args: { table, role: 'r' } })
const comment = (table: string, permission: string, role = 'r') => ({
  type: 'set_permission_comment',
  args: { table, permission, role },
})
const denied = (error: string) => ({ path: '$.args', error, code: 'permission-denied' })
const missing = (table: string) => ({ path: '$.args', error: `table "${table}" does not exist`, code: 'not-exists' })
const isOwner = 'expecting a postgres column; but, "owner" is a relationship; '
const wrongKind = 'expected a 32-bit integer for type "Int", but found a string'

const inRootFields = 'in the query_root_fields or subscription_root_fields'
const noKey = `The "select_by_pk" field cannot be included ${inRootFields} because the role "r" does not have access to the primary key of the table "lead"`
const noAggregations = `The "select_aggregate" root field can only be enabled ${inRootFields} when "allow_aggregations" is set to true`

const refusals: readonly (readonly [
  call: { readonly type: string; readonly args: unknown },
  answer: { readonly path: string; readonly error: string; readonly code: string },
])[] = [
  [call('delete', { filter: {} }, { table: undefined }), refusedAt('$', 'key "table" not found')],
  [call('delete', { filter: {} }, { role: undefined }), refusedAt('$', "the key 'role' was not present")],
  [call('delete', undefined), refusedAt('$', "the key 'permission' was not present")],
  [call('delete', { filter: {} }, { role: '' }), refusedAt('$.role', 'empty string not allowed')],
  [call('select', { filter: {} }), refusedAt('$.permission', 'key "columns" not found')],
  [call('update', { filter: {} }), refusedAt('$.permission', "the key 'columns' was not present")],
  [select({ query_root_fields: ['select', 'select_by_pk'] }), broken(noKey)],
  [select({ subscription_root_fields: ['select_by_pk'] }), broken(noKey)],
  [select({ columns: '*', query_root_fields: ['select_by_pk', 'select_aggregate'] }), broken(noAggregations)],
  [select({ filter: 5 }), refusedAt('$.permission.filter', 'expecting an Object for boolean exp')],
  [
    select({ filter: { _and: 5 } }),
    refusedAt('$.permission.filter._and', 'parsing [] failed, expected Array, but encountered Number'),
  ],
  [
    select({ filter: { _or: [{}, 5] } }),
    refusedAt('$.permission.filter._or[1]', 'expecting an Object for boolean exp'),
  ],
  [
    select({ filter: { _exists: 5 } }),
    refusedAt('$.permission.filter._exists', 'expecting an Object for _exists expression'),
  ],
  [
    select({ limit: 'x' }),
    refusedAt('$.permission.limit', 'parsing Int failed, expected Number, but encountered String'),
  ],
  [
    insert({ validate_input: { type: 'http' } }),
    refusedAt('$.permission.validate_input', 'key "definition" not found'),
  ],
  [
    insert({ validate_input: { type: 'http', definition: { url: 'nowhere' } } }),
    refusedAt('$.permission.validate_input.definition.url', 'not a valid URI'),
  ],
  [
    insert({ validate_input: { type: 'http', definition: { url: 'http://localhost', timeout: 0 } } }),
    refusedAt('$.permission.validate_input.definition.timeout', 'the time limit is a positive number of seconds'),
  ],
  [call('select', { columns: [], filter: {} }, { table: 'untracked' }), missing('untracked')],
  [
    call('delete', { filter: {} }, { role: 'taken' }),
    {
      path: '$.args',
      error: 'delete permission already defined on table "lead" with role "taken"',
      code: 'already-exists',
    },
  ],
  [
    call('select', { columns: [], filter: {} }, { role: 'admin' }),
    {
      path: '$.args',
      error: 'in table "lead": in permission for role "admin": cannot define permission for admin role',
      code: 'constraint-violation',
    },
  ],
  [select({ columns: ['id', 'nope'] }), broken('column "nope" does not exist')],
  [select({ columns: ['owner'] }), broken(`${isOwner}permissions for relationships are automatically inferred`)],
  [insert({ columns: ['owner'] }), broken(isOwner)],
  [insert({ columns: ['nope'] }), broken('column "nope" does not exist')],
  [insert({ set: { nope: 1 } }), broken('column "nope" does not exist')],
  [insert({ set: { owner: 1 } }), broken(`${isOwner}column "owner" not found in table "lead"`)],
  [insert({ set: { score: 'x' } }), broken(wrongKind)],
  [update({ columns: ['owner'] }), broken(`${isOwner}relationships can't be used in update`)],
  [update({ set: { nope: 1 } }), broken('column "nope" does not exist')],
  [update({ check: { nope: 1 } }), broken('"nope" does not exist')],
  [select({ computed_fields: ['f'] }), broken('computed field "f" does not exist')],
  [select({ computed_fields: ['id'] }), broken('expecting a computed field; but, "id" is a column; ')],
  [select({ computed_fields: ['owner'] }), broken('expecting a computed field; but, "owner" is a relationship; ')],
  [select({ limit: -1 }), broken('unexpected negative value')],
  [select({ filter: { score: 'x' } }), broken(wrongKind)],
  [select({ filter: { owner: { id: 'x' } } }), broken(wrongKind)],
  [select({ filter: { nope: 1 } }), broken('"nope" does not exist')],
  [select({ filter: { raw: {} } }), broken('JSON column can not be part of where clause')],
  [select({ filter: { score: { _foo: 1 } } }), broken('Unknown operator : _foo')],
  [
    select({ filter: { score: { _like: 'x' } } }),
    broken(' is of type "integer"; this operator works only on columns of type "varchar"/"text"/"citext"'),
  ],
  [select({ filter: { score: { _ceq: 'stage' } } }), broken('incompatible column types : "score", "stage"')],
  [select({ filter: { _exists: { _table: 'untracked', _where: {} } } }), broken('table "untracked" does not exist')],
  [drop('select', 'nope'), missing('nope')],
  [drop('select', 'lead'), denied('select permission on "lead" for role "r" does not exist')],
  [drop('update', 'lead'), denied('update permission on "lead" for role "r" does not exist')],
  [comment('nope', 'select'), missing('nope')],
  [comment('lead', 'insert'), denied('\'insert\' permission on "lead" for role "r" does not exist')],
  [
    comment('lead', 'truncate'),
    refusedAt('$.permission', "perm_type should be one of 'insert', 'select', 'update', 'delete'"),
  ],
]

test('operations on permissions are refused', async (t) => {
  const trellis = await office(t)
  await trellis.op('create_delete_permission', { table: 'lead', role: 'taken', permission: { filter: {} } })
  const before = await trellis.op('export_metadata', {})
  for (const [{ type, args }, answer] of refusals) {
    await t.test(`${type} of ${JSON.stringify(args)}`, async () => {
      const { status, body } = await trellis.opError(type, args)
      const { internal: _, ...shown } = body as Record<string, unknown>
      assert.deepEqual({ status, body: shown }, { status: 400, body: answer })
    })
  }
  assert.deepEqual(await trellis.op('export_metadata', {}), before)
})

test('each kind of permission is dropped on its own', async (t) => {
  const trellis = await office(t)
  await trellis.op('create_delete_permission', { table: 'lead', role: 'r', permission: { filter: {} } })
  await trellis.op('create_select_permission', { table: 'lead', role: 'r', permission: { columns: [], filter: {} } })
  assert.deepEqual(await trellis.op('drop_delete_permission', { table: 'lead', role: 'r' }), ok)
  assert.deepEqual(Object.keys(await leadEntry(trellis)), ['select_permissions'])
  assert.deepEqual(await trellis.op('drop_select_permission', { table: 'lead', role: 'r' }), ok)
  assert.deepEqual(await leadEntry(trellis), {})
})

test('set_permission_comment sets and clears the comment', async (t) => {
  const trellis = await office(t)
  await trellis.op('create_delete_permission', { table: 'lead', role: 'r', permission: { filter: {} } })
  const args = { table: 'lead', role: 'r', permission: 'delete' }
  assert.deepEqual(await trellis.op('set_permission_comment', { ...args, comment: 'All' }), ok)
  const entry = { role: 'r', permission: { filter: {} } }
  assert.deepEqual(await leadEntry(trellis), { delete_permissions: [{ ...entry, comment: 'All' }] })
  assert.deepEqual(await trellis.op('set_permission_comment', args), ok)
  assert.deepEqual(await leadEntry(trellis), { delete_permissions: [entry] })
})

test('a permission may be defined on a view that does not allow the action', async (t) => {
  const trellis = await office(t)
  const args = { table: 'lead_summary', role: 'r', permission: { filter: {} } }
  assert.deepEqual(await trellis.op('create_delete_permission', args), ok)
})

test('a permission whose column is gone is listed complete, and grants nothing', async (t) => {
  const trellis = await office(t)
  const permission = { columns: ['id'], filter: { score: { _gt: 1 } } }
  await trellis.op('create_select_permission', { table: 'lead', role: 'r', permission })
  await trellis.sql('alter table lead drop column score')
  await trellis.op('reload_metadata', {})
  assert.deepEqual(await trellis.op('get_inconsistent_metadata', {}), [
    {
      type: 'select_permission',
      definition: {
        table: publicTable('lead'),
        role: 'r',
        permission: { ...permission, computed_fields: [], allow_aggregations: false },
        comment: null,
      },
      reason: 'in table "lead": in permission for role "r": "score" does not exist',
    },
  ])
  assert.ok('errors' in (await trellis.graphql<object>('{ lead { id } }', {}, { role: 'r' })))
  await trellis.sql('alter table lead add column score int')
  await trellis.op('reload_metadata', {})
  assert.deepEqual(await trellis.graphql('{ lead { id } }', {}, { role: 'r' }), { data: { lead: [] } })
})

test('an imported document may hold no other keys in a permission', async (t) => {
  const trellis = await office(t)
  const refused = async (entry: object, at: string, key: string) => {
    const document = { version: 2, tables: [{ table: 'lead', select_permissions: [entry] }] }
    const path = `$.tables[0].select_permissions[0]${at}`
    const body = refusedAt(path, `unexpected key "${key}"`)
    const { hint: _, ...answered } = (await trellis.opError('replace_metadata', document)).body as Record<
      string,
      unknown
    >
    assert.deepEqual(answered, body)
  }
  const permission = { columns: [], filter: {} }
  await refused({ role: 'r', permission, roles: [] }, '.roles', 'roles')
  await refused({ role: 'r', permission: { ...permission, check: {} } }, '.permission.check', 'check')
})
