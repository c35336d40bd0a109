import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TestTrellis } from '../support/trellis.ts'
import { agent, lead, refused, startOffice } from './office.ts'

const titles = async ({ sql }: TestTrellis) =>
  (await sql<{ line: string }>(`select concat_ws(' ', owner_id, title, stage) as line from crm.lead order by id`)).map(
    ({ line }) => line,
  )

const initial = ['1 One won', '2 Two lost', '1 Three', 'Four won']

test('rows are inserted with defaults, and returned as asked', async (t) => {
  const trellis = await startOffice(t)
  const { op } = trellis
  assert.deepEqual(await op('insert', { table: lead, objects: [{ owner_id: 3 }, { title: 'Six', stage: null }, {}] }), {
    affected_rows: 3,
  })
  const objects = [{ id: 9, first: 'Eve', 'last name': 'O\'"x', tags: ['x', 'y'], extra: { a: [1] } }]
  const { text } = await trellis.request('/v1/query', {
    body: { type: 'insert', args: { table: 'person', objects, returning: ['twice', 'last name', 'tags', 'extra'] } },
  })
  assert.equal(
    text,
    '{"returning":[{"twice":18,"last name":"O\'\\"x","tags":["x","y"],"extra":{"a":[1]}}],"affected_rows":1}',
  )
  assert.deepEqual((await titles(trellis)).slice(4), ['3 New', 'Six', 'New'])
  const body = '{"type": "insert", "args": {"table": "person", "objects": [{"id": 10, "first": "F", "extra": 1e400}]}}'
  assert.equal((await trellis.request('/v1/query', { body })).text, '{"affected_rows":1}')
  assert.deepEqual(await trellis.sql('select extra::numeric = 1e400 as same from person where id = 10'), [
    { same: true },
  ])
})

test('more rows than one statement can bind are inserted together', async (t) => {
  const { op, sql } = await startOffice(t)
  await sql('create table wide (a int, b int, c int, d int)')
  await op('track_table', 'wide')
  const objects = Array.from({ length: 20_000 }, (_, i) => ({ a: i, b: i, c: i, d: i }))
  const answer = await op<{ affected_rows: number; returning: { a: number }[] }>('insert', {
    ...{ table: 'wide', objects, returning: ['a'] },
  })
  assert.equal(answer.affected_rows, 20_000)
  assert.ok(answer.returning.every(({ a }, i) => a === i))
  assert.deepEqual(await op('count', { table: 'wide' }), { count: 20_000 })
})

test('existing rows are skipped or updated', async (t) => {
  const trellis = await startOffice(t)
  const upsert = (objects: object[], on_conflict: object, options = {}) =>
    trellis.op('insert', { table: lead, objects, on_conflict }, options)
  const again = { owner_id: 1, title: 'One', stage: 'new' }
  assert.deepEqual(await upsert([again], { action: 'ignore' }), { affected_rows: 0 })
  assert.deepEqual(await upsert([again], { action: 'ignore', constraint: 'titles' }), { affected_rows: 0 })
  assert.deepEqual(await upsert([again], { action: 'ignore', constraint_on: ['owner_id', 'title'] }), {
    affected_rows: 0,
  })
  assert.deepEqual(await titles(trellis), initial)
  assert.deepEqual(await upsert([again], { action: 'update', constraint: 'titles' }), { affected_rows: 1 })
  const moved = { id: 2, title: 'Deux' }
  assert.deepEqual(await upsert([moved], { action: 'update', constraint_on: 'id' }), { affected_rows: 1 })
  assert.deepEqual(await titles(trellis), ['1 One new', '2 Deux lost', '1 Three', 'Four won'])
})

test('an upsert of a role touches its own rows and passes the checks', async (t) => {
  const trellis = await startOffice(t)
  const upsert = (object: object, constraint = 'titles') =>
    trellis.request('/v1/query', {
      ...agent,
      body: { type: 'insert', args: { table: lead, objects: [object], on_conflict: { action: 'update', constraint } } },
    })
  assert.equal((await upsert({ title: 'Three' })).text, '{"affected_rows":1}')
  assert.deepEqual(await titles(trellis), ['1 One won', '2 Two lost', '1 Three seen', 'Four won'])
  assert.deepEqual((await upsert({ id: 2, title: 'Two' }, 'lead_pkey')).body, {
    path: '$.args.on_conflict',
    error: 'column "id" is not updatable',
    code: 'validation-failed',
  })
  assert.deepEqual((await upsert({ title: 'Forbidden' })).body, {
    path: '$.args',
    error: 'Check constraint violation. insert check constraint failed',
    code: 'permission-error',
  })
})

test('a role without columns inserts and updates only its presets', async (t) => {
  const trellis = await startOffice(t)
  await trellis.sql('create table visit (person_id integer primary key, again boolean not null default false)')
  const grant = (kind: string, permission: object) =>
    trellis.op(`create_${kind}_permission`, { table: 'visit', role: 'agent', permission })
  await trellis.op('track_table', 'visit')
  await grant('insert', { check: {}, columns: [], set: { person_id: 'x-service-user-id' } })
  await grant('update', { columns: [], filter: {}, set: { again: true } })
  const given = { table: 'visit', objects: [{}, { again: true }] }
  assert.deepEqual(
    await trellis.opError('insert', given, agent),
    refused('permission-denied', cannot('insert', 'again'), '$.args.objects[1]'),
  )
  const on_conflict = { action: 'update', constraint: 'visit_pkey' }
  for (const again of [false, true]) {
    const args = { table: 'visit', objects: [{}], on_conflict }
    assert.deepEqual(await trellis.op('insert', args, agent), { affected_rows: 1 })
    assert.deepEqual(await trellis.sql('select person_id, again from visit'), [{ person_id: 1, again }])
  }
})

test('rows are updated by every operator', async (t) => {
  const { op } = await startOffice(t)
  const where = { id: 1 }
  const returning = ['first', 'pay', 'secret']
  const update = (change: object) => op('update', { table: 'person', where, returning, ...change })
  const answer = (first: string, pay: number, secret: string | null) => ({
    returning: [{ first, pay, secret }],
    affected_rows: 1,
  })
  assert.deepEqual(await update({ $set: { first: 'Anna' } }), answer('Anna', 10.5, 's1'))
  assert.deepEqual(await update({ values: { first: 'Ann' }, $inc: { pay: 1.5 } }), answer('Ann', 12, 's1'))
  assert.deepEqual(await update({ $mul: { pay: 2 }, $default: ['secret'] }), answer('Ann', 24, null))
  assert.deepEqual(await update({ $set: { secret: 'a' }, values: { secret: 'b' } }), answer('Ann', 24, 'a'))
  assert.deepEqual(await op('update', { table: 'person', where: {}, $set: { tags: null } }), { affected_rows: 3 })
  assert.deepEqual(await op('update', { table: lead, where: { owner: { first: 'Bob' } }, $set: { stage: 'x' } }), {
    affected_rows: 1,
  })
})

test('rows are deleted, and returned as they were', async (t) => {
  const trellis = await startOffice(t)
  assert.deepEqual(await trellis.op('delete', { table: lead, where: { owner_id: 1 }, returning: ['title'] }), {
    returning: [{ title: 'One' }, { title: 'Three' }],
    affected_rows: 2,
  })
  assert.deepEqual(await trellis.op('delete', { table: lead, where: { id: 99 } }), { affected_rows: 0 })
  assert.deepEqual(await titles(trellis), ['2 Two lost', 'Four won'])
})

test('a role changes its own rows, with presets and checks', async (t) => {
  const trellis = await startOffice(t)
  const { op, opError } = trellis
  const inserted = await op(
    'insert',
    { table: lead, objects: [{ title: 'Five', stage: 'x' }], returning: ['title', 'owner_id'] },
    agent,
  )
  assert.deepEqual(inserted, { returning: [{ title: 'Five', owner_id: 1 }], affected_rows: 1 })
  assert.deepEqual(await op('update', { table: lead, where: {}, $set: {} }, agent), { affected_rows: 3 })
  assert.deepEqual(await titles(trellis), ['1 One seen', '2 Two lost', '1 Three seen', 'Four won', '1 Five seen'])
  assert.deepEqual(
    await opError('update', { table: lead, where: { title: 'One' }, $set: { title: 'Forbidden' } }, agent),
    refused('permission-error', 'Check constraint violation. update check constraint failed'),
  )
  // The filter of deletions says nothing of owners, and `where` alone is limited to columns that may be read.
  assert.deepEqual(await op('delete', { table: lead, where: { title: { _in: ['One', 'Five'] } } }, agent), {
    affected_rows: 1,
  })
  assert.deepEqual(await titles(trellis), ['1 One seen', '2 Two lost', '1 Three seen', 'Four won'])
})

const cannot = (action: string, column: string) =>
  `role "agent" does not have permission to ${action} column "${column}"`
const denied = (action: string, table = 'person', role = 'agent') =>
  `${action} on "${table}" for role "${role}" is not allowed. `
const related = 'expecting a postgres column; but, "owner" is a relationship; '
const missing = refused('not-exists', 'table "untracked" does not exist')
const view = (action: string) => refused('not-supported', `view "totals" is not ${action}`)

const ofAdmin: readonly (readonly [type: string, args: object, answer: object])[] = [
  ['insert', { table: 'untracked', objects: [{}] }, missing],
  ['delete', { table: 'untracked', where: {} }, missing],
  [
    'update',
    { table: 'untracked', where: {} },
    refused('not-exists', 'table "untracked" does not exist', '$.args.table'),
  ],
  ['insert', { table: 'totals', objects: [{}] }, view('insertable')],
  ['update', { table: 'totals', where: {}, $set: {} }, view('updatable')],
  ['delete', { table: 'totals', where: {} }, view('deletable')],
  [
    'insert',
    { table: lead, objects: [] },
    refused('unexpected-payload', 'objects should not be empty', '$.args.objects'),
  ],
  [
    'insert',
    { table: lead, objects: [{}, { nope: 1 }] },
    refused('not-exists', 'column "nope" does not exist', '$.args.objects[1]'),
  ],
  [
    'insert',
    { table: lead, objects: [{ owner: {} }] },
    refused('unexpected-payload', `${related}relationships can't be inserted`, '$.args.objects[0]'),
  ],
  [
    'insert',
    { table: lead, objects: [{ id: 'x' }] },
    refused('parse-failed', 'expected a 32-bit integer for type "Int", but found a string', '$.args.objects[0].id'),
  ],
  [
    'insert',
    { table: 'person', objects: [{ twice: 1 }] },
    refused('not-supported', 'column "twice" is not insertable for role "admin"', '$.args.objects[0]'),
  ],
  ['insert', { table: lead }, refused('parse-failed', `the key 'objects' was not present`, '$')],
  [
    'insert',
    { table: lead, objects: [1] },
    refused('parse-failed', 'parsing Object failed, expected Object, but encountered Number', '$.objects[0]'),
  ],
  [
    'insert',
    { table: lead, objects: [{ title: null }] },
    refused(
      'constraint-violation',
      'Not-NULL violation. null value in column "title" of relation "lead" violates not-null constraint',
    ),
  ],
  [
    'insert',
    { table: lead, objects: [{ owner_id: 1, title: 'One' }] },
    refused('constraint-violation', 'Uniqueness violation. duplicate key value violates unique constraint "titles"'),
  ],
  [
    'insert',
    { table: lead, objects: [{}], returning: ['id', 'owner'] },
    refused('unexpected-payload', `${related}Relationships can't be used in "returning".`, '$.args.returning'),
  ],
  [
    'insert',
    { table: lead, objects: [{}], on_conflict: { action: 'update', constraint: 'nope' } },
    refused('unexpected', 'constraint "nope" for table "crm.lead" does not exist', '$.args.on_conflict.constraint'),
  ],
  [
    'insert',
    { table: lead, objects: [{}], on_conflict: { action: 'ignore', constraint_on: ['nope'] } },
    refused('not-exists', 'column "nope" does not exist', '$.args.on_conflict.constraint_on[0]'),
  ],
  [
    'insert',
    { table: lead, objects: [{}], on_conflict: { action: 'update', constraint_on: 'stage' } },
    refused('constraint-error', 'there is no unique or exclusion constraint on target column(s)'),
  ],
  [
    'insert',
    { table: lead, objects: [{}], on_conflict: { action: 'update' } },
    refused(
      'unexpected-payload',
      `Expecting 'constraint' or 'constraint_on' when the 'action' is 'update'`,
      '$.args.on_conflict',
    ),
  ],
  [
    'insert',
    { table: lead, objects: [{}], on_conflict: { action: 'ignore', constraint: 'titles', constraint_on: 'id' } },
    refused('unexpected-payload', `'constraint' and 'constraint_on' cannot be set at a time`, '$.args.on_conflict'),
  ],
  ['update', { table: lead, $set: {} }, refused('parse-failed', 'key "where" not found', '$')],
  ['delete', { table: lead }, refused('parse-failed', `the key 'where' was not present`, '$')],
  [
    'update',
    { table: lead, where: {} },
    refused('unexpected-payload', 'atleast one of $set, $inc, $mul has to be present'),
  ],
  [
    'update',
    { table: lead, where: {}, $set: { nope: 1 } },
    refused('permission-denied', 'no such column exists : "nope"', `$.args['$set']`),
  ],
  [
    'update',
    { table: lead, where: {}, $set: { owner: 1 } },
    refused('unexpected-payload', `${related}relationships can't be updated`, `$.args['$set']`),
  ],
  [
    'update',
    { table: lead, where: {}, $set: { id: true } },
    refused('parse-failed', 'expected a 32-bit integer for type "Int", but found a boolean', `$.args['$set'].id`),
  ],
  [
    'update',
    { table: lead, where: {}, $inc: { title: 1 } },
    refused('unexpected-payload', 'column "title" is not numeric', `$.args['$inc']`),
  ],
  [
    'update',
    { table: lead, where: {}, $set: { id: 1 }, $inc: { id: 1 } },
    refused('unexpected-payload', 'column "id" is assigned more than once'),
  ],
  [
    'update',
    { table: 'person', where: {}, $default: ['twice'] },
    refused('not-supported', 'column "twice" is not updatable for role "admin"', `$.args['$default']`),
  ],
]

const ofAgent: readonly (readonly [type: string, args: object, answer: object])[] = [
  ['insert', { table: 'person', objects: [{}] }, refused('permission-denied', denied('insert'))],
  ['update', { table: 'person', where: {}, $set: {} }, refused('permission-denied', denied('update'))],
  ['delete', { table: 'person', where: {} }, refused('permission-denied', denied('delete'))],
  [
    'insert',
    { table: lead, objects: [{}, { owner_id: 2 }] },
    refused('not-supported', 'column "owner_id" is not insertable for role "agent"', '$.args.objects[1]'),
  ],
  [
    'insert',
    { table: lead, objects: [{}], returning: ['stage'] },
    refused('permission-denied', cannot('select', 'stage'), '$.args.returning'),
  ],
  [
    'update',
    { table: lead, where: {}, $set: { stage: 'x' } },
    refused(
      'not-supported',
      'column "stage" is not updatable for role "agent"; its value is predefined in permission',
      `$.args['$set']`,
    ),
  ],
  [
    'update',
    { table: lead, where: {}, $inc: { owner_id: 1 } },
    refused('permission-denied', cannot('update', 'owner_id'), `$.args['$inc']`),
  ],
  [
    'update',
    { table: lead, where: { stage: 'won' }, $set: {} },
    refused('permission-denied', cannot('select', 'stage'), '$.args.where.stage'),
  ],
  [
    'delete',
    { table: lead, where: { owner: { secret: 's1' } } },
    refused('permission-denied', cannot('select', 'secret'), '$.args.where.owner.secret'),
  ],
]

test('invalid writes are refused with their path, and change nothing', async (t) => {
  const trellis = await startOffice(t, { settings: { adminInternalErrors: false } })
  for (const [type, args, answer] of ofAdmin) {
    assert.deepEqual(await trellis.opError(type, args), answer, JSON.stringify(args))
  }
  for (const [type, args, answer] of ofAgent) {
    assert.deepEqual(await trellis.opError(type, args, agent), answer, JSON.stringify(args))
  }
  assert.deepEqual(await titles(trellis), initial)
})

test('deferrable constraints cannot be used for conflicts', async (t) => {
  const trellis = await startOffice(t)
  await trellis.sql('create table seat (place int, constraint seat_place unique (place) deferrable)')
  await trellis.op('track_table', 'seat')
  const args = { table: 'seat', objects: [{}], on_conflict: { action: 'ignore', constraint: 'seat_place' } }
  const message = 'constraint "seat_place" for table "seat" is deferrable, so that no conflict is found by it'
  const expected = refused('not-supported', message, '$.args.on_conflict.constraint')
  assert.deepEqual(await trellis.opError('insert', args), expected)
})

test('writes need the select permission as well', async (t) => {
  const { op, opError } = await startOffice(t)
  await op('drop_select_permission', { table: lead, role: 'agent' })
  const why = denied('select', 'crm.lead')
  for (const [type, more] of [
    ['update', { $set: {} }],
    ['delete', {}],
  ] as const) {
    const reason = `; "${type}" is only allowed if the role has "select" permission as "where" can't be used without "select" permission on the table`
    assert.deepEqual(
      await opError(type, { table: lead, where: {}, ...more }, agent),
      refused('permission-denied', why + reason),
    )
  }
  const objects = [{ title: 'x' }]
  const reason = '; "returning" can only be used if the role has "select" permission on the table'
  assert.deepEqual(
    await opError('insert', { table: lead, objects, returning: [] }, agent),
    refused('permission-denied', why + reason),
  )
  assert.deepEqual(await op('insert', { table: lead, objects }, agent), { affected_rows: 1 })
  await op('drop_update_permission', { table: lead, role: 'agent' })
  assert.deepEqual(
    await opError('insert', { table: lead, objects, on_conflict: { action: 'ignore' } }, agent),
    refused(
      'permission-denied',
      'upsert is not allowed for role "agent" since update permissions are not defined',
      '$.args.on_conflict',
    ),
  )
})

test('backend-only permissions need a trusted request', async (t) => {
  const { op, opError } = await startOffice(t)
  const permission = { check: {}, backend_only: true }
  await op('create_insert_permission', { table: 'person', role: 'agent', permission })
  const args = { table: 'person', objects: [{ id: 7, first: 'Gil' }] }
  assert.deepEqual(await opError('insert', args, agent), refused('permission-denied', denied('insert')))
  const headers = { ...agent.headers, 'x-service-use-backend-only-permissions': 'true' }
  assert.deepEqual(await op('insert', args, { ...agent, headers }), { affected_rows: 1 })
})

test('a write in a bulk succeeds or fails with the bulk', async (t) => {
  const trellis = await startOffice(t)
  const insert = { type: 'insert', args: { table: lead, objects: [{ title: 'Five' }] } }
  const broken = { type: 'delete', args: { table: lead, where: { nope: 1 } } }
  assert.deepEqual(
    await trellis.opError('bulk', [insert, broken]),
    refused('not-exists', '"nope" does not exist', '$.args[1].args.where.nope'),
  )
  assert.deepEqual(await titles(trellis), initial)
  assert.deepEqual(await trellis.op('bulk', [insert, { type: 'count', args: { table: lead } }]), [
    { affected_rows: 1 },
    { count: 5 },
  ])
})

test('triggers can read the session that changed a row', async (t) => {
  const trellis = await startOffice(t)
  await trellis.sql(`create function note() returns trigger language plpgsql as
    $$ begin new.stage := current_setting('service.user')::json ->> 'x-service-role'; return new; end $$;
    create trigger note before insert on crm.lead for each row execute function note()`)
  await trellis.op('insert', { table: lead, objects: [{ title: 'Five' }] }, agent)
  assert.equal((await titles(trellis)).at(-1), '1 Five agent')
})
