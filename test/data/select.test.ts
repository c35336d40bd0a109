import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTrellis } from '../support/trellis.ts'
import { agent, lead, refused, startOffice } from './office.ts'

const ann = { id: 1, first: 'Ann', 'last name': 'Ash', pay: 10.5, tags: ['a', 'b'] }

test('rows are selected with columns, wildcards and relationships', async (t) => {
  const { op } = await startOffice(t)
  const select = (args: object) => op('select', { table: 'person', ...args })
  assert.deepEqual(await select({ columns: ['first', 'last name'], order_by: '-id' }), [
    { first: 'Cid', 'last name': 'Cox' },
    { first: 'Bob', 'last name': null },
    { first: 'Ann', 'last name': 'Ash' },
  ])
  const where = { id: { $eq: 1 } }
  const [all] = (await select({ columns: ['*'], where })) as [Record<string, unknown>]
  assert.deepEqual(Object.keys(all), ['id', 'first', 'last name', 'pay', 'tags', 'extra', 'secret', 'twice'])
  assert.deepEqual(
    await select({
      columns: [
        'id',
        { name: 'leads', alias: 'own', columns: ['title'], order_by: ['title'], limit: 1 },
        { name: 'total', columns: ['leads'] },
      ],
      where,
    }),
    [{ id: 1, own: [{ title: 'One' }], total: { leads: 2 } }],
  )
  const nested = await op('select', {
    table: lead,
    columns: ['title', { name: 'owner', columns: ['first', { name: 'leads', columns: ['id'], order_by: 'id' }] }],
    order_by: 'id',
    limit: 2,
    offset: 2,
  })
  assert.deepEqual(nested, [
    { title: 'Three', owner: { first: 'Ann', leads: [{ id: 1 }, { id: 3 }] } },
    { title: 'Four', owner: null },
  ])
  const deep = await select({ columns: ['*.*', { name: 'leads', columns: ['id'], order_by: 'id' }], where })
  assert.deepEqual(deep, [{ ...all, leads: [{ id: 1 }, { id: 3 }], total: { owner_id: 1, leads: 2 } }])
  const renamed = await select({ columns: ['*.*', { name: 'leads', alias: 'own', columns: ['id'] }], where })
  assert.deepEqual(renamed, [{ ...all, own: [{ id: 1 }, { id: 3 }], total: { owner_id: 1, leads: 2 } }])
  const [deeper] = (await select({ columns: ['*.*.*'], where })) as [{ leads: { owner: object }[] }]
  assert.deepEqual(deeper.leads[0]!.owner, all)
  assert.deepEqual(await select({ columns: [], where }), [{}])
  assert.deepEqual(await select({ columns: ['id'], where: { id: 9 } }), [])
  assert.deepEqual(await select({ columns: ['id'], where, limit: 0 }), [])
})

test('numbers keep the digits of PostgreSQL', async (t) => {
  const { request } = await startOffice(t)
  const args = { table: 'person', columns: ['pay', 'extra'], where: { id: 1 } }
  const { text, headers } = await request('/v1/query', { body: { type: 'select', args } })
  assert.equal(text, '[{"pay":10.50,"extra":{"n":1.00,"big":12345678901234567890}}]')
  assert.equal(headers.get('content-type'), 'application/json; charset=utf-8')
  const bulk = await request('/v1/query', { body: { type: 'bulk', args: [{ type: 'select', args }] } })
  assert.equal(bulk.text, `[${text}]`)
})

test('numbers beyond double precision are strings when requested', async (t) => {
  const { op } = await startOffice(t, { settings: { stringifyNumericTypes: true } })
  assert.deepEqual(await op('select', { table: 'person', columns: ['id', 'pay'], where: { id: 1 } }), [
    { id: 1, pay: '10.50' },
  ])
})

test('rows are ordered in every form', async (t) => {
  const { op } = await startOffice(t)
  const ids = async (table: unknown, order_by: unknown) =>
    ((await op('select', { table, columns: ['id'], order_by })) as { id: number }[]).map(({ id }) => id)
  assert.deepEqual(await ids('person', '+first'), [1, 2, 3])
  assert.deepEqual(await ids('person', { column: 'first', type: 'desc' }), [3, 2, 1])
  assert.deepEqual(await ids('person', ['pay']), [1, 2, 3])
  assert.deepEqual(await ids('person', '-pay'), [3, 2, 1])
  assert.deepEqual(await ids('person', [{ column: ['pay'], nulls: 'first' }]), [3, 1, 2])
  assert.deepEqual(await ids('person', { column: 'pay', type: 'desc', nulls: 'last' }), [2, 1, 3])
  assert.deepEqual(await ids(lead, ['-owner.first', { column: ['owner', 'id'] }, '-id']), [4, 2, 3, 1])
})

test('a role sees only its rows and columns, by every path', async (t) => {
  const { op, opError } = await startOffice(t)
  const select = (args: object) => op('select', args, agent)
  assert.deepEqual(await select({ table: 'person', columns: ['*'], order_by: '-id', limit: 5 }), [
    { id: 2, first: 'Bob', 'last name': null, pay: 12345678.9 },
    { id: 1, first: 'Ann', 'last name': 'Ash', pay: 10.5 },
  ])
  const { tags: _, ...visible } = ann
  assert.deepEqual(await select({ table: 'person', columns: ['*.*'], order_by: 'id' }), [
    { ...visible, leads: [1, 3].map((id) => ({ id, owner_id: 1, title: id === 1 ? 'One' : 'Three' })) },
    { id: 2, first: 'Bob', 'last name': null, pay: 12345678.9, leads: [] },
  ])
  const owned = { _exists: { _table: lead, _where: { title: 'Two' } } }
  assert.deepEqual(await select({ table: 'person', columns: ['id'], where: owned }), [])
  assert.deepEqual(await select({ table: 'person', columns: ['id'], where: { leads: { title: 'Two' } } }), [])
  assert.deepEqual(await select({ table: 'person', columns: ['id'], where: { leads: { title: 'One' } } }), [{ id: 1 }])
  const title = { table: lead, columns: ['title'] }
  const errors: readonly (readonly [args: object, path: string, error: string])[] = [
    [{ table: 'person', columns: ['id', 'secret'] }, '$.args.columns[1]', cannot('secret')],
    [{ table: 'person', columns: ['nope'] }, '$.args.columns[0]', cannot('nope')],
    [{ table: 'person', columns: ['total'] }, '$.args.columns[0]', cannot('total')],
    [{ table: 'person', columns: [], where: { secret: 's1' } }, '$.args.where.secret', cannot('secret')],
    [
      { table: 'person', columns: [], where: { first: { _ceq: 'secret' } } },
      '$.args.where.first._ceq',
      cannot('secret'),
    ],
    [{ ...title, where: { owner: { secret: 's1' } } }, '$.args.where.owner.secret', cannot('secret')],
    [{ ...title, order_by: ['id', '-owner.secret'] }, '$.args.order_by[1]', cannot('secret')],
    [
      { ...title, where: { _exists: { _table: 'person', _where: { secret: 's1' } } } },
      '$.args.where._exists._where.secret',
      cannot('secret'),
    ],
    [
      { ...title, where: { _exists: { _table: 'totals', _where: {} } } },
      '$.args.where._exists._table',
      denied('select', 'totals'),
    ],
    [{ table: 'person', columns: [], where: { total: {} } }, '$.args.where.total', cannot('total')],
    [{ table: 'person', columns: [], order_by: 'total.leads' }, '$.args.order_by[0]', cannot('total')],
    [{ table: 'totals', columns: [] }, '$.args', denied('select', 'totals')],
  ]
  for (const [args, path, error] of errors) {
    assert.deepEqual(await opError('select', args, agent), refused('permission-denied', error, path))
  }
  assert.deepEqual(
    await opError('select', { table: 'person', columns: [{ name: 'total', columns: [] }] }, agent),
    refused('not-exists', 'relationship "total" does not exist', '$.args.columns[0].name'),
  )
  const permission = { columns: '*', filter: {}, allow_aggregations: true, query_root_fields: ['select_aggregate'] }
  await op('create_select_permission', { table: 'totals', role: 'agent', permission })
  const hidden = refused('permission-denied', denied('select', 'totals'))
  assert.deepEqual(await opError('select', { table: 'totals', columns: ['*'] }, agent), hidden)
  const exists = { ...title, where: { _exists: { _table: 'totals', _where: { leads: 2 } } } }
  const path = '$.args.where._exists._table'
  assert.deepEqual(
    await opError('select', exists, agent),
    refused('permission-denied', denied('select', 'totals'), path),
  )
  const through = { table: 'person', columns: [{ name: 'total', columns: ['leads'] }], where: { id: 1 } }
  assert.deepEqual(await select(through), [{ total: { leads: 2 } }])
  assert.deepEqual(
    await opError('select', title, { role: 'agent' }),
    refused('not-found', '"x-service-user-id" header is expected but not found'),
  )
})

const cannot = (column: string) => `role "agent" does not have permission to select column "${column}"`
const denied = (action: string, table: string) => `${action} on "${table}" for role "agent" is not allowed. `

const notColumn = 'expecting a postgres column; but, "leads" is a relationship; '
const misused = `when selecting an 'obj_relationship' 'where', 'order_by', 'limit' and 'offset'  can't be used`
const noColumn = 'no such column exists : "nope"'

const refusals: readonly (readonly [args: object, answer: object])[] = [
  [{ table: 'untracked', columns: ['*'] }, refused('not-exists', 'table "untracked" does not exist', '$.args.table')],
  [{ columns: ['*'] }, refused('parse-failed', 'key "table" not found', '$')],
  [{ table: 'person' }, refused('parse-failed', 'key "columns" not found', '$')],
  [
    { table: 'person', columns: [1] },
    refused('parse-failed', 'A column should either be a string or an object (relationship)', '$.columns[0]'),
  ],
  [
    { table: 'person', columns: [{ name: 'leads', columns: [{}] }] },
    refused('parse-failed', 'key "name" not found', '$.columns[0].columns[0]'),
  ],
  [{ table: 'person', columns: ['id', 'nope'] }, refused('permission-denied', noColumn, '$.args.columns[1]')],
  [
    { table: 'person', columns: ['leads'] },
    refused('unexpected-payload', `${notColumn}relationships have to be expanded`, '$.args.columns[0]'),
  ],
  [
    { table: 'person', columns: [{ name: 'id', columns: [] }] },
    refused(
      'unexpected-payload',
      'expecting a relationship; but, "id" is a postgres column; only relationships can be expanded',
      '$.args.columns[0].name',
    ),
  ],
  [
    { table: 'person', columns: [{ name: 'nope', columns: [] }] },
    refused('not-exists', 'relationship "nope" does not exist', '$.args.columns[0].name'),
  ],
  [
    { table: lead, columns: [{ name: 'owner', columns: [], limit: 1 }] },
    refused('unexpected-payload', misused, '$.args.columns[0]'),
  ],
  [
    { table: 'person', columns: [{ name: 'leads', columns: ['nope'] }] },
    refused('permission-denied', noColumn, '$.args.columns[0].columns[0]'),
  ],
  [
    { table: 'person', columns: [], where: { nope: 1 } },
    refused('not-exists', '"nope" does not exist', '$.args.where.nope'),
  ],
  [
    { table: 'person', columns: [], where: { id: { $gt: 'x' } } },
    refused('parse-failed', 'expected a 32-bit integer for type "Int", but found a string', "$.args.where.id['$gt']"),
  ],
  [
    { table: 'person', columns: [], where: { id: { _like: 'x' } } },
    refused(
      'unexpected-payload',
      ' is of type "integer"; this operator works only on columns of type "varchar"/"text"/"citext"',
      '$.args.where.id._like',
    ),
  ],
  [
    { table: 'person', columns: [], where: [] },
    refused('parse-failed', 'expecting an Object for boolean exp', '$.where'),
  ],
  [
    { table: 'person', columns: [], order_by: ['id', 'leads'] },
    refused('unexpected-payload', '"leads" is a relationship and should be expanded', '$.args.order_by[1]'),
  ],
  [
    { table: 'person', columns: [], order_by: 'leads.id' },
    refused(
      'unexpected-payload',
      `"leads" is an array relationship and can't be used in 'order_by'`,
      '$.args.order_by[0]',
    ),
  ],
  [
    { table: 'person', columns: [], order_by: 'id.x' },
    refused('unexpected-payload', '"id" is a Postgres column and cannot be chained further', '$.args.order_by[0]'),
  ],
  [
    { table: 'person', columns: [], order_by: [{ column: 'nope' }] },
    refused('not-exists', '"nope" does not exist', '$.args.order_by[0]'),
  ],
  [
    { table: 'person', columns: [], order_by: ['+'] },
    refused('parse-failed', 'col/rel cannot be empty', '$.order_by[0]'),
  ],
  [
    { table: 'person', columns: [], order_by: 1 },
    refused('parse-failed', 'Expecting : array/string/object', '$.order_by'),
  ],
  [{ table: 'person', columns: [], limit: -1 }, refused('not-supported', 'unexpected negative value', '$.args.limit')],
  [
    { table: 'person', columns: [], offset: -1 },
    refused('not-supported', 'unexpected negative value', '$.args.offset'),
  ],
]

test('invalid selections are refused with their path', async (t) => {
  const { opError } = await startOffice(t)
  for (const [args, answer] of refusals) {
    assert.deepEqual(await opError('select', args), answer, JSON.stringify(args))
  }
})

test('columns without an order cannot sort or deduplicate rows', async (t) => {
  const { op, opError, graphql } = await startTrellis(t, {
    sql: 'create table odd (id int primary key, j json, p point[], path jsonpath)',
  })
  await op('track_table', 'odd')
  for (const [name, type] of [
    ['j', 'json'],
    ['p', '_point'],
    ['path', 'jsonpath'],
  ] as const) {
    const message = (where: string) => `"${name}" has type '${type}' and cannot be used in ${where}`
    const ordered = await opError('select', { table: 'odd', columns: ['id'], order_by: name })
    assert.deepEqual(ordered, refused('unexpected-payload', message('order_by'), '$.args.order_by[0]'))
    const counted = await opError('count', { table: 'odd', distinct: [name] })
    assert.deepEqual(counted, refused('unexpected-payload', message('distinct'), '$.args.distinct[0]'))
  }
  const cursor = '{ __type(name: "odd_stream_cursor_value_input") { inputFields { name } } }'
  assert.deepEqual(await graphql(cursor), { data: { __type: { inputFields: [{ name: 'id' }] } } })
})

test('a wildcard that expands too far is refused', async (t) => {
  const { op, opError, sql } = await startOffice(t)
  await sql(
    'create table node (id int primary key, a int references node, b int references node, c int references node)',
  )
  await op('track_table', 'node')
  for (const name of ['a', 'b', 'c']) {
    const using = { foreign_key_constraint_on: name }
    await op('create_object_relationship', { table: 'node', name: `to_${name}`, using })
  }
  assert.deepEqual(await op('select', { table: 'node', columns: ['*.*.*.*'] }), [])
  assert.deepEqual(
    await opError('select', { table: 'node', columns: ['*.*.*.*.*.*.*.*.*.*.*.*'] }),
    refused(
      'cost-limit-exceeded',
      'the request costs more than 50000, which --max-request-cost (SERVICE_GRAPHQL_MAX_REQUEST_COST) allows',
      '$.args.columns',
    ),
  )
})

test('rows are counted, whole or by distinct columns', async (t) => {
  const { op, opError } = await startOffice(t)
  assert.deepEqual(await op('count', { table: 'person' }), { count: 3 })
  assert.deepEqual(await op('count', { table: lead, where: { stage: 'won' } }), { count: 2 })
  assert.deepEqual(await op('count', { table: lead, distinct: ['owner_id'] }), { count: 3 })
  assert.deepEqual(await op('count', { table: lead, distinct: ['owner_id', 'stage'] }), { count: 4 })
  assert.deepEqual(await op('count', { table: 'person' }, agent), { count: 2 })
  assert.deepEqual(
    await opError('count', { table: 'untracked' }),
    refused('not-exists', 'table "untracked" does not exist'),
  )
  assert.deepEqual(
    await opError('count', { table: 'totals' }, agent),
    refused(
      'permission-denied',
      `${denied('select', 'totals')}; "count" is only allowed if the role has "select" permissions on the table`,
    ),
  )
  assert.deepEqual(
    await opError('count', { table: 'person', distinct: ['secret'] }, agent),
    refused('permission-denied', cannot('secret'), '$.args.distinct[0]'),
  )
  assert.deepEqual(
    await opError('count', { table: 'person', distinct: ['id', 'leads'] }),
    refused('unexpected-payload', `${notColumn}Relationships can't be used in "distinct".`, '$.args.distinct[1]'),
  )
})

test('a bulk of reads may contain a read-only script, and sees earlier changes of its bulk', async (t) => {
  const { op } = await startOffice(t)
  const count = { type: 'count', args: { table: 'person' } }
  const script = { type: 'run_sql', args: { sql: 'select 1', read_only: true } }
  const [first] = await op<unknown[]>('bulk', [count, script])
  assert.deepEqual(first, { count: 3 })
  const made = await op<unknown[]>('bulk', [
    { type: 'run_sql', args: { sql: 'create table late (id int); insert into late values (1)' } },
    { type: 'track_table', args: 'late' },
    { type: 'select', args: { table: 'late', columns: ['*'] } },
  ])
  assert.deepEqual(made[2], [{ id: 1 }])
})
