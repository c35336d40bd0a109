import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { startTrellis, type TestTrellis } from '../support/trellis.ts'

const publicTable = (name: string) => ({ schema: 'public', name })

const sql = `
  create table flat (house int, door int, note text, primary key (house, door));
  create table tenant (
    id int primary key, house int not null, door int not null, was_house int, was_door int, name text,
    twice_house int, twice_door int,
    foreign key (house, door) references flat, foreign key (was_house, was_door) references flat,
    foreign key (twice_house, twice_door) references flat, foreign key (twice_door, twice_house) references flat
  );
  create table card (id int primary key, tenant_id int references tenant, code text);
  insert into flat values (1, 1, 'a'), (1, 2, 'b');
  insert into tenant values (1, 1, 1, 1, 2, 'Ann'), (2, 1, 2, null, null, 'Bea');
  insert into card values (1, 1, 'x')`

async function house(t: TestContext): Promise<TestTrellis> {
  const trellis = await startTrellis(t, { sql })
  for (const table of ['flat', 'tenant', 'card']) await trellis.op('track_table', table)
  return trellis
}

const by = (key: unknown) => ({ foreign_key_constraint_on: key })
const manually = (more: object) => ({
  manual_configuration: { remote_table: publicTable('card'), column_mapping: { id: 'tenant_id' }, ...more },
})

const tenantKeys = {
  object_relationships: [
    { name: 'after', using: manually({ insertion_order: 'after_parent' }) },
    { name: 'before', using: manually({ insertion_order: 'before_parent' }) },
    { name: 'card', using: by({ table: publicTable('card'), column: 'tenant_id' }) },
    { name: 'cards_one', using: by({ table: publicTable('card'), columns: ['tenant_id'] }) },
    { name: 'flat', using: by(['door', 'house']) },
    { name: 'former', using: by(['was_house', 'was_door']) },
    { name: 'unsaid', using: manually({ insertion_order: null }) },
  ],
  array_relationships: [
    { name: 'cards', using: by({ table: publicTable('card'), columns: ['tenant_id'] }) },
    { name: 'listed', using: manually({ insertion_order: 'after_parent' }) },
  ],
}

const flatKeys = {
  object_relationships: [{ name: 'tenant', using: by({ table: publicTable('tenant'), columns: ['house', 'door'] }) }],
  array_relationships: [{ name: 'tenants', using: by({ table: publicTable('tenant'), columns: ['door', 'house'] }) }],
}

const document = (flat: object, tenant: object, name = 'tenant') => ({
  version: 2,
  tables: [
    { table: publicTable('card') },
    { table: publicTable('flat'), ...flat },
    { table: publicTable(name), ...tenant },
  ],
})

test('every form of a key and of an insertion order is accepted, and exported unchanged', async (t) => {
  const trellis = await house(t)
  await trellis.op('replace_metadata', document(flatKeys, tenantKeys))
  assert.deepEqual(await trellis.op('export_metadata', {}), document(flatKeys, tenantKeys))
  await trellis.op('clear_metadata', {})
  for (const table of ['flat', 'tenant', 'card']) await trellis.op('track_table', table)
  for (const [table, lists] of Object.entries({ flat: flatKeys, tenant: tenantKeys })) {
    for (const [list, entries] of Object.entries(lists)) {
      const type = `create_${list.split('_')[0]}_relationship`
      for (const { name, using } of entries) await trellis.op(type, { table, name, using })
    }
  }
  assert.deepEqual(await trellis.op('export_metadata', {}), document(flatKeys, tenantKeys))
})

test('keys of several columns lead from row to row, from either side', async (t) => {
  const trellis = await house(t)
  await trellis.op('replace_metadata', document(flatKeys, tenantKeys))
  const answer = await trellis.graphql(`{
    tenant(order_by: {id: asc}, where: {flat: {note: {_neq: "z"}}}) { flat { note } former { note } card { code } }
    flat(order_by: {tenant: {name: desc}}) { note tenant { name } tenants { name } tenants_aggregate { aggregate { count } } }
  }`)
  const flat = (note: string, name: string) => ({
    note,
    tenant: { name },
    tenants: [{ name }],
    tenants_aggregate: { aggregate: { count: 1 } },
  })
  assert.deepEqual(answer, {
    data: {
      tenant: [
        { flat: { note: 'a' }, former: { note: 'b' }, card: { code: 'x' } },
        { flat: { note: 'b' }, former: null, card: null },
      ],
      flat: [flat('b', 'Bea'), flat('a', 'Ann')],
    },
  })
  const types = await trellis.graphql<{ data: { __type: { fields: { name: string; type: { kind: string } }[] } } }>(
    '{ __type(name: "tenant") { fields { name type { kind } } } }',
  )
  const kinds = new Map(types.data.__type.fields.map(({ name, type }) => [name, type.kind]))
  assert.deepEqual(
    ['flat', 'former', 'card'].map((name) => kinds.get(name)),
    ['NON_NULL', 'OBJECT', 'OBJECT'],
  )
})

test('an object over a key that is not unique is one of the rows', async (t) => {
  const trellis = await house(t)
  await trellis.op('replace_metadata', document(flatKeys, tenantKeys))
  await trellis.sql(`insert into card values (2, 1, 'y')`)
  const answer = await trellis.graphql<{ data: { tenant: { card: unknown }[] } }>(
    '{ tenant(order_by: {id: asc}) { id card { id } } }',
  )
  assert.equal(answer.data.tenant.length, 2)
})

test('run_sql that renames columns and tables is followed into every form', async (t) => {
  const trellis = await house(t)
  await trellis.op('replace_metadata', document(flatKeys, tenantKeys))
  const renames = `
    alter table tenant rename house to block;
    alter table card rename tenant_id to holder_id;
    alter table tenant rename to lodger`
  await trellis.op('run_sql', { sql: renames })
  const text = (value: object) =>
    JSON.parse(
      JSON.stringify(value)
        .replaceAll('"house"', '"block"')
        .replaceAll('tenant_id', 'holder_id')
        .replaceAll('"name":"tenant","schema"', '"name":"lodger","schema"')
        .replaceAll('"schema":"public","name":"tenant"', '"schema":"public","name":"lodger"'),
    )
  assert.deepEqual(await trellis.op('export_metadata', {}), document(text(flatKeys), text(tenantKeys), 'lodger'))
  assert.deepEqual(await trellis.op('get_inconsistent_metadata', {}), [])
})

test('a relationship depends on each column of its key', async (t) => {
  const trellis = await house(t)
  const entry = { object_relationships: [{ name: 'flat', using: by(['house', 'door']) }] }
  await trellis.op('replace_metadata', document(flatKeys, entry))
  const dependent = 'relationship flat.tenant, relationship flat.tenants, relationship tenant.flat'
  for (const sql of [
    'alter table tenant drop column door',
    'alter table tenant drop constraint tenant_house_door_fkey',
  ]) {
    const { status, body } = await trellis.opError('run_sql', { sql })
    const { internal: _, ...answer } = body as Record<string, unknown>
    assert.deepEqual(
      { status, answer },
      {
        status: 400,
        answer: {
          path: '$.args',
          error: `cannot drop due to the following dependent objects : ${dependent}`,
          code: 'dependency-error',
        },
      },
    )
  }
  const untracked = await trellis.opError('untrack_table', { table: 'tenant' })
  assert.equal((untracked.body as { code: string }).code, 'dependency-error')
  await trellis.op('run_sql', { sql: 'alter table tenant drop column door', cascade: true })
  assert.deepEqual(await trellis.op('export_metadata', {}), document({}, {}))
})

test('keys whose constraint is dropped elsewhere are listed, and restored with it', async (t) => {
  const trellis = await house(t)
  const object_relationships = [{ name: 'flat', using: by(['house', 'door']) }]
  await trellis.op('replace_metadata', document({}, { object_relationships }))
  await trellis.sql('alter table tenant drop constraint tenant_house_door_fkey')
  await trellis.op('reload_metadata', {})
  const definition = { table: publicTable('tenant'), name: 'flat', using: by(['house', 'door']), comment: null }
  const reason = 'in table "tenant": in relationship "flat": no foreign constraint exists on the given column(s)'
  assert.deepEqual(await trellis.op('get_inconsistent_metadata', {}), [{ type: 'object_relation', definition, reason }])
  await trellis.sql('alter table tenant add foreign key (house, door) references flat')
  await trellis.op('reload_metadata', {})
  assert.deepEqual(await trellis.op('get_inconsistent_metadata', {}), [])
})

const undecodable = (path: string, error: string) => ({ path, error, code: 'parse-failed' })
const broken = (table: string, error: string) => ({
  path: '$.args',
  error: `in table "${table}": in relationship "r": ${error}`,
  code: 'constraint-violation',
})

test('invalid keys are refused', async (t) => {
  const trellis = await house(t)
  const key = '$.using.foreign_key_constraint_on'
  const order = '$.using.manual_configuration.insertion_order'
  const cases: [type: string, table: string, using: object, answer: object][] = [
    ['object', 'tenant', by([]), undecodable(key, 'empty list not allowed')],
    [
      'object',
      'tenant',
      by(['house', 1]),
      undecodable(`${key}[1]`, 'parsing Text failed, expected String, but encountered Number'),
    ],
    ['object', 'tenant', by(7), undecodable(key, 'expected String or Array or Object, but encountered Number')],
    ['array', 'tenant', by('id'), undecodable(key, 'parsing Object failed, expected Object, but encountered String')],
    ['array', 'flat', by({ table: 'tenant' }), undecodable(key, "the key 'column' was not present")],
    [
      'object',
      'flat',
      by({ table: 'tenant', column: 'house', columns: ['house', 'door'] }),
      undecodable(key, 'only one of column/columns should be present'),
    ],
    ['object', 'flat', by({ column: 'house' }), undecodable(key, "the key 'table' was not present")],
    [
      'object',
      'tenant',
      manually({ insertion_order: 'later' }),
      undecodable(order, "expected one of 'before_parent', 'after_parent'"),
    ],
    [
      'array',
      'tenant',
      manually({ insertion_order: 1 }),
      undecodable(order, 'expected Null or String, but encountered Number'),
    ],
    [
      'object',
      'tenant',
      by(['house', 'was_door']),
      broken('tenant', 'no foreign constraint exists on the given column(s)'),
    ],
    [
      'object',
      'tenant',
      by(['house', 'nope']),
      broken('tenant', 'no foreign constraint exists on the given column(s)'),
    ],
    ['object', 'tenant', by(['house']), broken('tenant', 'no foreign constraint exists on the given column')],
    [
      'object',
      'tenant',
      by(['twice_house', 'twice_door']),
      broken('tenant', 'more than one foreign key constraint exists on the given column(s)'),
    ],
    [
      'array',
      'flat',
      by({ table: 'tenant', columns: ['twice_door', 'twice_house'] }),
      broken('flat', 'more than one foreign key constraint exists on the given column(s)'),
    ],
    [
      'object',
      'flat',
      by({ table: 'card', column: 'tenant_id' }),
      broken('flat', 'no foreign constraint exists on the given column'),
    ],
    ['object', 'flat', by({ table: 'nope', column: 'id' }), broken('flat', 'table "nope" does not exist')],
  ]
  const before = await trellis.op('export_metadata', {})
  for (const [type, table, using, answer] of cases) {
    const { status, body } = await trellis.opError(`create_${type}_relationship`, { table, name: 'r', using })
    const { internal: _, ...shown } = body as Record<string, unknown>
    assert.deepEqual({ status, shown }, { status: 400, shown: answer }, JSON.stringify(using))
  }
  assert.deepEqual(await trellis.op('export_metadata', {}), before)
})
