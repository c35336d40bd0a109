import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { startTrellis, type TestTrellis } from '../support/trellis.ts'

const ok = { message: 'success' }
const publicTable = (name: string) => ({ schema: 'public', name })

const sql = `
  create table person (id int primary key, name text not null);
  create table lead (
    id int primary key, owner_id int not null references person, helper_id int references person, note text,
    twice int references person (id) references lead (id), pair_a int, pair_b int
  );
  create table call (id int primary key, lead_id int references lead, first int references lead (id) references lead (id));
  create table pair (a int, b int, primary key (a, b));
  alter table lead add foreign key (pair_a, pair_b) references pair;
  create table untracked (id int primary key, lead_id int references lead);
  alter table lead add untracked_id int references untracked;
  create view lead_view as select * from lead;
  insert into person values (1, 'Ann'), (2, 'Bob');
  insert into lead (id, owner_id, helper_id) values (1, 1, null), (2, 1, 2);
  insert into call values (1, 1), (2, 1)`

async function office(t: TestContext): Promise<TestTrellis> {
  const trellis = await startTrellis(t, { sql })
  for (const table of ['person', 'lead', 'call', 'lead_view', 'pair']) await trellis.op('track_table', table)
  return trellis
}

const byKey = (key: unknown) => ({ foreign_key_constraint_on: key })
const manually = (remote_table: unknown, column_mapping: unknown) => ({
  manual_configuration: { remote_table, column_mapping },
})

async function leadEntry(trellis: TestTrellis) {
  const { tables } = await trellis.op<{ tables: { table: { name: string } }[] }>('export_metadata', {})
  const { table: _, ...entry } = tables.find(({ table }) => table.name === 'lead')!
  return entry
}

test('relationships by foreign key lead from row to row', async (t) => {
  const trellis = await office(t)
  const object = { table: 'lead', name: 'owner', using: byKey('owner_id') }
  const array = { table: 'lead', name: 'calls', using: byKey({ table: 'call', column: 'lead_id' }), comment: 'All' }
  assert.deepEqual(await trellis.op('create_object_relationship', object), ok)
  assert.deepEqual(await trellis.op('create_array_relationship', array), ok)
  const query = '{ lead(order_by: {id: asc}) { owner { name } calls(order_by: {id: asc}) { id } } }'
  assert.deepEqual(await trellis.graphql(query), {
    data: {
      lead: [
        { owner: { name: 'Ann' }, calls: [{ id: 1 }, { id: 2 }] },
        { owner: { name: 'Ann' }, calls: [] },
      ],
    },
  })
  assert.deepEqual(await leadEntry(trellis), {
    object_relationships: [{ name: 'owner', using: byKey('owner_id') }],
    array_relationships: [
      { name: 'calls', using: byKey({ table: publicTable('call'), column: 'lead_id' }), comment: 'All' },
    ],
  })
})

test('a manual configuration relates any columns, of views too', async (t) => {
  const trellis = await office(t)
  await trellis.op('create_object_relationship', {
    table: 'lead_view',
    name: 'owner',
    using: manually('person', { owner_id: 'id' }),
  })
  await trellis.op('create_array_relationship', {
    table: 'person',
    name: 'leads',
    using: manually({ name: 'lead_view' }, { id: 'owner_id' }),
  })
  await trellis.op('create_object_relationship', {
    table: 'lead',
    name: 'pair',
    using: manually('pair', { pair_a: 'a', pair_b: 'b' }),
  })
  const query = '{ lead_view(where: {id: {_eq: 2}}) { owner { name leads(order_by: {id: asc}) { id } } } }'
  const owner = { name: 'Ann', leads: [{ id: 1 }, { id: 2 }] }
  assert.deepEqual(await trellis.graphql(query), { data: { lead_view: [{ owner }] } })
})

test('an object relationship is required when its foreign key is', async (t) => {
  const trellis = await office(t)
  for (const name of ['owner', 'helper']) {
    await trellis.op('create_object_relationship', { table: 'lead', name, using: byKey(`${name}_id`) })
  }
  await trellis.op('create_object_relationship', {
    table: 'lead',
    name: 'manual',
    using: manually('person', { owner_id: 'id' }),
  })
  const { data } = await trellis.graphql<{ data: { __type: { fields: { name: string; type: { kind: string } }[] } } }>(
    '{ __type(name: "lead") { fields { name type { kind } } } }',
  )
  const kinds = new Map(data.__type.fields.map(({ name, type }) => [name, type.kind]))
  assert.deepEqual(
    ['owner', 'helper', 'manual'].map((name) => kinds.get(name)),
    ['NON_NULL', 'OBJECT', 'OBJECT'],
  )
})

const object = (name: string, using: unknown, table: unknown = 'lead') => ({
  type: 'create_object_relationship',
  args: { table, name, using },
})
const array = (name: string, using: unknown, table: unknown = 'lead') => ({
  type: 'create_array_relationship',
  args: { table, name, using },
})
const broken = (error: string) => ({ path: '$.args', error, code: 'constraint-violation' })
const conflicting = (name: string, table: string, kind: string) => ({
  ...broken(`field definition conflicts with ${kind}`),
  hint: `give the field "${name}" of table "${table}" a name that no column has`,
})
const inLead = (error: string) => broken(`in table "lead": in relationship "r": ${error}`)
const undecodable = (path: string, error: string) => ({ path, error, code: 'parse-failed' })
const missing = (error: string) => ({ path: '$.args', error, code: 'not-exists' })
const unexpected = (error: string) => ({ path: '$.args', error, code: 'unexpected-payload' })
const both = 'foreign_key_constraint_on/manual_configuration'
const notRenamed = (name: string) =>
  `cannot rename relationship "owner" to "${name}" in table "lead" as a column/relationship with the name already exists`

const refusals: readonly (readonly [
  call: { readonly type: string; readonly args: unknown },
  answer: { readonly path: string; readonly error: string; readonly code: string },
])[] = [
  [object('r', 5), undecodable('$.using', 'using should be an object')],
  [object('r', {}), undecodable('$.using', `atleast one of ${both} should be present`)],
  [
    array('r', { ...byKey('x'), ...manually('x', {}) }),
    undecodable('$.using', `only one of ${both} should be present`),
  ],
  [
    object('r', { foreign_key_constraint_on: null, manual_configuration: 'x' }),
    undecodable('$.using', 'manual_configuration should be an object'),
  ],
  [
    object('r', { manual_configuration: { remote_table: 'x' } }),
    undecodable('$.using.manual_configuration', "the key 'column_mapping' was not present"),
  ],
  [
    array('r', byKey({ column: 'x' })),
    undecodable('$.using.foreign_key_constraint_on', "the key 'table' was not present"),
  ],
  [object('', byKey('owner_id')), undecodable('$.name', 'empty string not allowed')],
  [
    { type: 'create_object_relationship', args: { name: 'r', using: byKey('owner_id') } },
    undecodable('$', 'key "table" not found'),
  ],
  [
    { type: 'create_object_relationship', args: { table: 'lead', name: 'r' } },
    undecodable('$', "the key 'using' was not present"),
  ],
  [object('r', byKey('owner_id'), 'untracked'), missing('table "untracked" does not exist')],
  [
    object('owner', byKey('owner_id')),
    { path: '$.args', error: 'field with name "owner" already exists in table "lead"', code: 'already-exists' },
  ],
  [
    array('owner', byKey({ table: 'call', column: 'lead_id' })),
    { path: '$.args', error: 'field with name "owner" already exists in table "lead"', code: 'already-exists' },
  ],
  [object('r', byKey('note')), inLead('no foreign constraint exists on the given column')],
  [object('r', byKey('nope')), inLead('no foreign constraint exists on the given column')],
  [object('r', byKey('pair_a')), inLead('no foreign constraint exists on the given column')],
  [object('r', byKey('twice')), inLead('more than one foreign key constraint exists on the given column')],
  [
    array('r', byKey({ table: 'call', column: 'first' })),
    inLead('more than one foreign key constraint exists on the given column'),
  ],
  [array('r', byKey({ table: 'person', column: 'id' })), inLead('no foreign constraint exists on the given column')],
  [array('r', byKey({ table: 'untracked', column: 'lead_id' })), inLead('table "untracked" does not exist')],
  [object('r', byKey('untracked_id')), broken('table "untracked" is not tracked')],
  [object('r', manually('untracked', { id: 'id' })), broken('table "untracked" is not tracked')],
  [object('r', manually('person', { nope: 'id' })), broken('table "lead" has no field named "nope"')],
  [array('r', manually('person', { id: 'nope' })), broken('table "person" has no field named "nope"')],
  [object('note', byKey('owner_id')), conflicting('note', 'lead', 'postgres column')],
  [
    object('label', byKey('owner_id'), 'call'),
    broken('in table "call": in relationship "label": no foreign constraint exists on the given column'),
  ],
  [
    object('label', byKey('lead_id'), 'call'),
    conflicting('label', 'call', 'custom field name for postgres column "first"'),
  ],
  [{ type: 'drop_relationship', args: { table: 'nope', relationship: 'r' } }, missing('table "nope" does not exist')],
  [
    { type: 'drop_relationship', args: { table: 'lead', relationship: 'r' } },
    missing('relationship "r" does not exist'),
  ],
  [
    { type: 'drop_relationship', args: { table: 'lead', relationship: 'note' } },
    unexpected('expecting a relationship; but, "note" is a postgres column; '),
  ],
  [{ type: 'drop_relationship', args: { table: 'lead' } }, undecodable('$', "the key 'relationship' was not present")],
  [
    { type: 'rename_relationship', args: { table: 'nope', name: 'a', new_name: 'b' } },
    missing('table "nope" does not exist'),
  ],
  [
    { type: 'rename_relationship', args: { table: 'lead', name: 'a', new_name: 'b' } },
    missing('relationship "a" does not exist'),
  ],
  [
    { type: 'rename_relationship', args: { table: 'lead', name: 'note', new_name: 'b' } },
    unexpected('expecting a relationship; but, "note" is a postgres column; '),
  ],
  [
    { type: 'rename_relationship', args: { table: 'lead', name: 'owner', new_name: 'note' } },
    { path: '$.args', error: notRenamed('note'), code: 'already-exists' },
  ],
  [
    { type: 'rename_relationship', args: { table: 'lead', name: 'owner', new_name: 'owner' } },
    { path: '$.args', error: notRenamed('owner'), code: 'already-exists' },
  ],
  [
    { type: 'set_relationship_comment', args: { table: 'nope', relationship: 'a' } },
    missing('table "nope" does not exist'),
  ],
  [
    { type: 'set_relationship_comment', args: { table: 'lead', relationship: 'a' } },
    missing('relationship "a" does not exist'),
  ],
  [
    { type: 'set_relationship_comment', args: { table: 'lead', relationship: 'note' } },
    unexpected('expecting a relationship; but, "note" is a postgres column; '),
  ],
]

test('operations on relationships are refused', async (t) => {
  const trellis = await office(t)
  await trellis.op('create_object_relationship', { table: 'lead', name: 'owner', using: byKey('owner_id') })
  const names = { table: 'call', custom_column_names: { first: 'label' } }
  await trellis.op('set_table_custom_fields', names, { version: 2 })
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

test('the refusal of a relationship has the reason that the list of inconsistencies would have', async (t) => {
  const trellis = await office(t)
  await trellis.op('create_object_relationship', { table: 'lead', name: 'owner', using: byKey('owner_id') })
  const reasons = {
    nothing: 'table "lead" has no field named "nothing"',
    owner: 'field "owner"of table "lead" is not a column',
  }
  for (const [column, reason] of Object.entries(reasons)) {
    const using = { manual_configuration: { remote_table: 'call', column_mapping: { [column]: 'id' } } }
    const { body } = await trellis.opError('create_array_relationship', { table: 'lead', name: 'calls', using })
    const table = { schema: 'public', name: 'lead' }
    const manual_configuration = { ...using.manual_configuration, remote_table: { schema: 'public', name: 'call' } }
    const definition = { table, name: 'calls', using: { manual_configuration }, comment: null }
    assert.deepEqual(body, {
      path: '$.args',
      error: reason,
      code: 'constraint-violation',
      internal: [{ type: 'array_relation', definition, reason }],
    })
  }
})

test('an array relationship does not take the name beside its own from a column', async (t) => {
  const trellis = await office(t)
  const names = { table: 'lead', custom_column_names: { note: 'calls_aggregate' } }
  await trellis.op('set_table_custom_fields', names, { version: 2 })
  const call = { table: 'lead', name: 'calls', using: byKey({ table: 'call', column: 'lead_id' }) }
  const { body } = await trellis.opError('create_array_relationship', call)
  const error = 'field definition conflicts with custom field name for postgres column "note"'
  const hint = `give the field "calls" of table "lead", whose aggregate is "calls_aggregate", a name that no column has`
  const { internal: _, ...answer } = body as { internal: unknown }
  assert.deepEqual(answer, { path: '$.args', error, code: 'constraint-violation', hint })
})

const withPermissions = async (t: TestContext) => {
  const trellis = await office(t)
  await trellis.op('create_object_relationship', { table: 'lead', name: 'owner', using: byKey('owner_id') })
  await trellis.op('create_object_relationship', { table: 'call', name: 'lead', using: byKey('lead_id') })
  const grant = (kind: string, table: string, role: string, permission: unknown) =>
    trellis.op(`create_${kind}_permission`, { table, role, permission })
  await grant('select', 'lead', 'agent', { columns: ['id'], filter: { _not: { owner: { name: 'Bob' } } } })
  await grant('select', 'lead', 'clerk', { columns: ['id'], filter: {} })
  await grant('delete', 'call', 'agent', { filter: { lead: { owner: { id: 'x-service-user-id' } } } })
  return trellis
}

test('rename_relationship changes the name in every permission that goes through the relationship', async (t) => {
  const trellis = await withPermissions(t)
  const call = { table: 'lead', name: 'owner', new_name: 'keeper' }
  assert.deepEqual(await trellis.op('rename_relationship', call), ok)
  const { tables } = await trellis.op<{ tables: Record<string, unknown>[] }>('export_metadata', {})
  assert.deepEqual(
    tables.filter((entry) => Object.keys(entry).length > 1),
    [
      {
        table: publicTable('call'),
        object_relationships: [{ name: 'lead', using: byKey('lead_id') }],
        delete_permissions: [
          { role: 'agent', permission: { filter: { lead: { keeper: { id: 'x-service-user-id' } } } } },
        ],
      },
      {
        table: publicTable('lead'),
        object_relationships: [{ name: 'keeper', using: byKey('owner_id') }],
        select_permissions: [
          { role: 'agent', permission: { columns: ['id'], filter: { _not: { keeper: { name: 'Bob' } } } } },
          { role: 'clerk', permission: { columns: ['id'], filter: {} } },
        ],
      },
    ],
  )
  const query = '{ lead(order_by: {id: asc}) { id } }'
  const data = { lead: [{ id: 1 }, { id: 2 }] }
  assert.deepEqual(await trellis.graphql(query, {}, { role: 'agent' }), { data })
})

test('drop_relationship is refused while permissions go through the relationship', async (t) => {
  const trellis = await withPermissions(t)
  const error =
    'cannot drop due to the following dependent objects : permission call.agent.delete, permission lead.agent.select'
  assert.deepEqual(await trellis.opError('drop_relationship', { table: 'lead', relationship: 'owner' }), {
    status: 400,
    body: { path: '$.args', error, code: 'dependency-error' },
  })
})

test('drop_relationship with cascade removes those permissions', async (t) => {
  const trellis = await withPermissions(t)
  const call = { table: 'lead', relationship: 'owner', cascade: true }
  assert.deepEqual(await trellis.op('drop_relationship', call), ok)
  assert.deepEqual(await leadEntry(trellis), {
    select_permissions: [{ role: 'clerk', permission: { columns: ['id'], filter: {} } }],
  })
})

test('drop_relationship without dependents removes the relationship', async (t) => {
  const trellis = await office(t)
  await trellis.op('create_object_relationship', { table: 'lead', name: 'owner', using: byKey('owner_id') })
  assert.deepEqual(await trellis.op('drop_relationship', { table: 'lead', relationship: 'owner' }), ok)
  assert.deepEqual(await leadEntry(trellis), {})
})

test('set_relationship_comment sets and clears the comment', async (t) => {
  const trellis = await office(t)
  await trellis.op('create_object_relationship', { table: 'lead', name: 'owner', using: byKey('owner_id') })
  const relationship = { name: 'owner', using: byKey('owner_id') }
  const call = { table: 'lead', relationship: 'owner' }
  assert.deepEqual(await trellis.op('set_relationship_comment', { ...call, comment: 'Who keeps it' }), ok)
  assert.deepEqual(await leadEntry(trellis), { object_relationships: [{ ...relationship, comment: 'Who keeps it' }] })
  assert.deepEqual(await trellis.op('set_relationship_comment', { ...call, comment: null }), ok)
  assert.deepEqual(await leadEntry(trellis), { object_relationships: [relationship] })
})

test('relationships of a dropped table are listed, and restored with it', async (t) => {
  const trellis = await office(t)
  const calls = byKey({ table: publicTable('call'), column: 'lead_id' })
  await trellis.op('create_array_relationship', { table: 'lead', name: 'calls', using: calls })
  await trellis.op('create_object_relationship', { table: 'call', name: 'lead', using: byKey('lead_id') })
  await trellis.sql('alter table call rename to hidden')
  await trellis.op('reload_metadata', {})
  assert.deepEqual(await trellis.op('get_inconsistent_metadata', {}), [
    { type: 'table', definition: 'call', reason: 'no such table/view exists in postgres: "call"' },
    {
      type: 'object_relation',
      definition: { table: publicTable('call'), name: 'lead', using: byKey('lead_id'), comment: null },
      reason: 'table "call" does not exist',
    },
    {
      type: 'array_relation',
      definition: { table: publicTable('lead'), name: 'calls', using: calls, comment: null },
      reason: 'in table "lead": in relationship "calls": table "call" does not exist',
    },
  ])
  await trellis.sql('alter table hidden rename to call')
  await trellis.op('reload_metadata', {})
  assert.deepEqual(await trellis.op('get_inconsistent_metadata', {}), [])
  assert.deepEqual(await trellis.graphql('{ lead(where: {calls: {}}) { id } }'), { data: { lead: [{ id: 1 }] } })
})

test('an imported document may hold no other keys in a relationship', async (t) => {
  const trellis = await office(t)
  const entry = (relationship: object) => ({
    version: 2,
    tables: [{ table: 'lead', object_relationships: [relationship] }, { table: 'person' }],
  })
  const path = '$.tables[0].object_relationships[0]'
  const refused = async (relationship: object, at: string, error: string) =>
    assert.deepEqual((await trellis.opError('replace_metadata', entry(relationship))).body, undecodable(at, error))
  await refused({ name: 'r', using: byKey('owner_id'), rel: 1 }, `${path}.rel`, 'unexpected key "rel"')
  await refused({ name: 'r', using: { ...byKey('owner_id'), on: 1 } }, `${path}.using.on`, 'unexpected key "on"')
})
