import assert from 'node:assert/strict'
import test from 'node:test'
import { parseJson } from '../../core/json/json.ts'
import { marksPlugin } from './marks-plugin.ts'
import { startService } from './service.ts'

const schema = `
  create schema crm;
  create table crm.lead (id int primary key, owner_id int, stage text, created timestamptz);
  create table crm.call (id int primary key, lead_id int references crm.lead);
  create table "z z" (id int)`

const document = {
  version: 2,
  tables: [
    { table: { schema: 'crm', name: 'call' } },
    {
      table: { schema: 'crm', name: 'lead' },
      configuration: { custom_root_fields: { select: 'leads' }, custom_column_names: { created: 'createdAt' } },
      array_relationships: [
        {
          name: 'calls',
          using: { foreign_key_constraint_on: { column: 'lead_id', table: { schema: 'crm', name: 'call' } } },
        },
      ],
      insert_permissions: [
        { role: 'agent', permission: { check: { stage: { $eq: 'new' } }, set: { owner_id: 'X-Service-User-Id' } } },
      ],
      select_permissions: [
        {
          role: 'agent',
          permission: {
            columns: ['id', 'owner_id'],
            filter: { _or: [{ owner_id: { _eq: 'X-Service-User-Id' } }, { calls: {} }] },
            limit: 50,
            allow_aggregations: true,
          },
          comment: 'their own',
        },
        { role: 'manager', permission: { columns: '*', filter: {} } },
      ],
      update_permissions: [{ role: 'agent', permission: { columns: ['stage'], filter: {}, check: null } }],
    },
    { table: { schema: 'public', name: 'z z' } },
  ],
  test_stickers: [{ name: 's', table: { schema: 'public', name: 'z z' }, text: { a: [1, null] } }],
}

test('an empty server exports an empty list of tables', async (t) => {
  const { op } = await startService(t)
  assert.deepEqual(await op('export_metadata', {}), { version: 2, tables: [] })
  assert.deepEqual(await op('export_metadata', null), { version: 2, tables: [] })
})

test('a document is exported as imported, with keys in the order of the interface', async (t) => {
  const { op } = await startService(t, { sql: schema, plugins: [marksPlugin()] })
  await op('replace_metadata', document)
  const exported = await op('export_metadata', {})
  assert.deepEqual(exported, document)
  const keys = Object.keys((exported as typeof document).tables[1]!)
  assert.deepEqual(keys, Object.keys(document.tables[1]!))
  await op('clear_metadata', {})
  assert.deepEqual(await op('export_metadata', {}), { version: 2, tables: [] })
  await op('replace_metadata', exported)
  assert.deepEqual(await op('export_metadata', {}), document)
})

test('exports are sorted, regardless of the order of creation', async (t) => {
  const { op } = await startService(t, { sql: schema, plugins: [marksPlugin()] })
  const shuffled = {
    ...document,
    tables: document.tables.toReversed().map((entry) => ({
      ...entry,
      ...(entry.select_permissions && { select_permissions: entry.select_permissions.toReversed() }),
    })),
  }
  await op('replace_metadata', shuffled)
  assert.deepEqual(await op('export_metadata', {}), document)
})

test('empty values and defaults are left out', async (t) => {
  const { op } = await startService(t, { sql: schema })
  const verbose = {
    tables: [
      {
        table: 'z z',
        is_enum: false,
        configuration: { custom_root_fields: { select: null }, custom_column_names: {} },
        object_relationships: [],
        select_permissions: [
          { role: 'r', permission: { columns: [], filter: {}, allow_aggregations: false, limit: null }, comment: null },
        ],
      },
    ],
  }
  await op('replace_metadata', verbose)
  const select = [{ role: 'r', permission: { columns: [], filter: {} } }]
  const tables = [{ table: { schema: 'public', name: 'z z' }, select_permissions: select }]
  assert.deepEqual(await op('export_metadata', {}), { version: 2, tables })
})

test('version 2 of export and replace carries the version and reports inconsistencies', async (t) => {
  const { op } = await startService(t, { sql: schema })
  const empty = { version: 2, tables: [] }
  assert.deepEqual(await op('export_metadata', {}, { version: 2 }), { resource_version: 0, metadata: empty })
  const metadata = { version: 2, tables: [{ table: { schema: 'public', name: 'gone' } }] }
  const report = await op('replace_metadata', { allow_inconsistent_metadata: true, metadata }, { version: 2 })
  const reason = 'no such table/view exists in postgres: "gone"'
  assert.deepEqual(report, {
    is_consistent: false,
    inconsistent_objects: [{ type: 'table', definition: 'gone', reason }],
  })
  assert.deepEqual(await op('export_metadata', {}, { version: 2 }), { resource_version: 1, metadata })
})

test('malformed documents are refused with the path, and nothing changes', async (t) => {
  const { op, refusal, service } = await startService(t, { sql: schema, plugins: [marksPlugin()] })
  await op('replace_metadata', document)
  const before = service.document
  const table = (entry: object) => ({ tables: [{ table: 'z z', ...entry }] })
  const permission = (role: string) => ({ role, permission: { filter: {} } })
  const cases: [unknown, string, string][] = [
    ['x', '$', 'parsing Object failed, expected Object, but encountered String'],
    [{}, '$', 'key "tables" not found'],
    [{ version: 3, tables: [] }, '$.version', 'expected 1 or 2, encountered 3'],
    [{ version: 2.5, tables: [] }, '$.version', 'expected 1, 2 or 3, encountered 2.5'],
    [{ version: '2', tables: [] }, '$.version', 'parsing Int failed, expected Number, but encountered String'],
    [{ tables: {} }, '$.tables', 'parsing [] failed, expected Array, but encountered Object'],
    [{ tables: [], functionz: [] }, '$.functionz', 'unexpected key "functionz"'],
    [{ tables: [], 'odd key': 1 }, `$['odd key']`, 'unexpected key "odd key"'],
    [parseJson('{"tables":[],"__proto__":[]}', 'precise'), '$.__proto__', 'unexpected key "__proto__"'],
    [{ tables: ['a'] }, '$.tables[0]', 'expecting an Object for TableMetadata'],
    [{ tables: [{}] }, '$.tables[0]', 'key "table" not found'],
    [table({ foo: 1, bar: 2 }), '$.tables[0]', 'unexpected keys when parsing TableMetadata : ["foo","bar"]'],
    [table({ is_enum: 1 }), '$.tables[0].is_enum', 'parsing Bool failed, expected Boolean, but encountered Number'],
    [table({ test_marks: [{ name: '' }] }), '$.tables[0].test_marks[0].name', 'empty string not allowed'],
    [{ tables: [], test_stickers: [{ name: 's', text: 1 }] }, '$.test_stickers[0]', "the key 'table' was not present"],
  ]
  for (const [args, path, error] of cases) {
    const { internal: _, ...answer } = await refusal({ type: 'replace_metadata', args })
    assert.deepEqual(answer, { status: 400, code: 'parse-failed', path, error })
  }
  const repeated: [unknown, string, string][] = [
    [{ tables: [{ table: 'a' }, { table: 'a' }] }, '$.args.tables', 'tables : "a"'],
    [
      table({ delete_permissions: [permission('x'), permission('x')] }),
      `$.args.tables[0]['z z']`,
      'delete permissions : "x"',
    ],
    [
      { tables: [{ table: { schema: 'crm', name: 'lead' }, test_marks: [{ name: 'm' }, { name: 'm' }] }] },
      `$.args.tables[0]['crm.lead']`,
      'marks : "m"',
    ],
    [
      { tables: [], test_stickers: [...document.test_stickers, ...document.test_stickers] },
      '$.args.test_stickers',
      'test stickers : "s"',
    ],
  ]
  for (const [args, path, names] of repeated) {
    const { internal: _, ...answer } = await refusal({ type: 'replace_metadata', args })
    const error = `multiple declarations exist for the following ${names}`
    assert.deepEqual(answer, { status: 400, code: 'already-exists', path, error })
  }
  assert.equal(service.document, before)
})

test('tables with similar names are distinguished', async (t) => {
  const { op } = await startService(t, {
    sql: 'create table "crm.lead" (id int); create schema crm; create table crm.lead (id int)',
  })
  const tables = [{ table: { schema: 'crm', name: 'lead' } }, { table: { schema: 'public', name: 'crm.lead' } }]
  await op('replace_metadata', { tables })
  assert.deepEqual(await op('export_metadata', {}), { version: 2, tables })
})

test('the hasura dialect ignores unknown top-level keys and logs them', async (t) => {
  const { op, log } = await startService(t, { dialect: 'hasura' })
  await op('replace_metadata', { version: 2, tables: [], actions: [], colour: { tls_allowlist: [{ host: 'r' }] } })
  const warnings = log.filter(({ type }) => type === 'metadata')
  assert.deepEqual(
    warnings.map(({ detail }) => detail),
    [{ message: 'unknown key in metadata is ignored', info: { key: 'colour' } }],
  )
})

test('both spellings of a table name are accepted in any format', async (t) => {
  const { op } = await startService(t, { sql: schema })
  for (const version of [undefined, null, 1, 2]) {
    await op('replace_metadata', { version, tables: [{ table: 'z z' }, { table: { schema: 'crm', name: 'lead' } }] })
    assert.equal(((await op('export_metadata', {})) as { tables: unknown[] }).tables.length, 2)
    await op('clear_metadata', {})
  }
})
