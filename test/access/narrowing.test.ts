// The narrowings of plugins: their effect, their errors and their declaration.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NarrowingRefusal } from '../../core/access/narrowing.ts'
import {
  badRequest,
  type Condition,
  columnSql,
  compare,
  constantValue,
  definePlugin,
  findOperator,
  type NarrowedTable,
  type Narrowing,
  type Plugin,
  sessionValue,
  sql,
  TrellisError,
} from '../../sdk/index.ts'
import { recordingObserver } from '../http/server.ts'
import { graphqlWsClient, subscribeWith } from '../subscriptions/clients.ts'
import { startTrellis } from '../support/trellis.ts'
import { softDelete, startTeams } from './team.ts'

const narrowing = (value: Narrowing): Plugin =>
  definePlugin({ name: value.name, register: (engine) => engine.access.narrow(value) })

/** Rows of tables with a tenant are those of the session's tenant, for everybody but the administrator. */
function ofTenant({ table, role }: NarrowedTable): Condition | null {
  const column = table.columns.get('tenant')
  if (!column || role === 'admin') return null
  return compare(column, findOperator('_eq', column.type)!, [sessionValue('x-service-tenant', 'integer')])
}

const tenants = narrowing({ name: 'tenants', rows: ofTenant, written: ofTenant })

const houses = `
  create table house (id int primary key, tenant int not null, name text);
  create table room (id int primary key, tenant int not null, house_id int references house, name text);
  insert into house values (1, 1, 'A'), (2, 2, 'B');
  insert into room values (1, 1, 1, 'a'), (2, 2, 2, 'b'), (3, 1, 2, 'c')`

async function startHouses(t: Parameters<typeof startTrellis>[0]) {
  const trellis = await startTrellis(t, { sql: houses, plugins: [tenants] })
  const all = { columns: '*', filter: {} }
  const grants = (table: string) => [
    { type: 'track_table', args: table },
    {
      type: 'create_select_permission',
      args: { table, role: 'user', permission: { ...all, allow_aggregations: true } },
    },
    { type: 'create_update_permission', args: { table, role: 'user', permission: all } },
    { type: 'create_insert_permission', args: { table, role: 'user', permission: { columns: '*', check: {} } } },
    { type: 'create_delete_permission', args: { table, role: 'user', permission: { filter: {} } } },
  ]
  await trellis.op('bulk', [
    ...grants('house'),
    ...grants('room'),
    {
      type: 'create_object_relationship',
      args: { table: 'room', name: 'house', using: { foreign_key_constraint_on: 'house_id' } },
    },
  ])
  const ask = (tenant: number, query: string) =>
    trellis.graphql(query, undefined, { role: 'user', headers: { 'x-service-tenant': String(tenant) } })
  return { ...trellis, ask }
}

const violation = (kind: 'insert' | 'update', path: string) => ({
  errors: [
    {
      extensions: { path, code: 'permission-error' },
      message: `Check constraint violation. ${kind} check constraint failed`,
    },
  ],
})

test('one narrowing with a session variable limits tenants to their own rows', async (t) => {
  const { ask, op, opError, graphql } = await startHouses(t)
  const rooms = '{ room(order_by: {id: asc}) { id house { name } } house_aggregate { aggregate { count } } }'
  assert.deepEqual(await ask(1, rooms), {
    data: {
      room: [
        { id: 1, house: { name: 'A' } },
        { id: 3, house: null },
      ],
      house_aggregate: { aggregate: { count: 1 } },
    },
  })
  assert.deepEqual(await ask(2, rooms), {
    data: { room: [{ id: 2, house: { name: 'B' } }], house_aggregate: { aggregate: { count: 1 } } },
  })
  assert.deepEqual(await ask(2, 'mutation { delete_room(where: {id: {_neq: 2}}) { affected_rows } }'), {
    data: { delete_room: { affected_rows: 0 } },
  })
  const session = { role: 'user', headers: { 'x-service-tenant': '2' } }
  assert.deepEqual(await op('count', { table: 'room' }, session), { count: 1 })
  assert.deepEqual(await graphql('{ room { id } }'), { data: { room: [{ id: 1 }, { id: 2 }, { id: 3 }] } })
  const { status, body } = await opError('count', { table: 'room' }, { role: 'user' })
  assert.equal(status, 400)
  assert.deepEqual(body, {
    path: '$.args',
    error: '"x-service-tenant" header is expected but not found',
    code: 'not-found',
  })
})

test('written rows must fulfil the condition of a plugin, even if the permission allows more', async (t) => {
  const { ask, graphql, opError, sql: rows } = await startHouses(t)
  const insert = (tenant: number) => `mutation { insert_house(objects: {id: 3, tenant: ${tenant}}) { affected_rows } }`
  assert.deepEqual(await ask(1, insert(2)), violation('insert', '$.selectionSet.insert_house.args.objects'))
  assert.deepEqual(await ask(1, insert(1)), { data: { insert_house: { affected_rows: 1 } } })
  const move = 'mutation { update_house(where: {id: {_eq: 1}}, _set: {tenant: 2}) { affected_rows } }'
  assert.deepEqual(await ask(1, move), violation('update', '$'))
  const upsert = (id: number) => `mutation {
    insert_house(objects: {id: ${id}, tenant: 2}, on_conflict: {constraint: house_pkey, update_columns: [tenant]}) {
      affected_rows
    }
  }`
  assert.deepEqual(await ask(1, upsert(1)), violation('insert', '$.selectionSet.insert_house.args.objects'))
  assert.deepEqual(await ask(2, upsert(1)), { data: { insert_house: { affected_rows: 0 } } })
  const args = { table: 'house', objects: [{ id: 4, tenant: 2 }] }
  const { status, body } = await opError('insert', args, { role: 'user', headers: { 'x-service-tenant': '1' } })
  assert.equal(status, 400)
  assert.deepEqual((body as { code: string }).code, 'permission-error')
  assert.deepEqual(await rows('select id, tenant from house order by id'), [
    { id: 1, tenant: 1 },
    { id: 2, tenant: 2 },
    { id: 3, tenant: 1 },
  ])
  assert.deepEqual(await graphql(insert(9).replace('id: 3', 'id: 9')), { data: { insert_house: { affected_rows: 1 } } })
})

test('a permission keeps its own check beside the condition of a plugin', async (t) => {
  const { ask, op } = await startHouses(t)
  const permission = { columns: '*', filter: {}, check: { name: { _neq: 'x' } } }
  await op('drop_update_permission', { table: 'house', role: 'user' })
  await op('create_update_permission', { table: 'house', role: 'user', permission })
  const set = (values: string) => ask(1, `mutation { update_house(where: {}, _set: {${values}}) { affected_rows } }`)
  assert.deepEqual(await set('name: "x"'), violation('update', '$'))
  assert.deepEqual(await set('name: "y", tenant: 2'), violation('update', '$'))
  assert.deepEqual(await set('name: "y"'), { data: { update_house: { affected_rows: 1 } } })
})

test('several plugins narrow one table', async (t) => {
  const noDan = narrowing({
    name: 'no dan',
    rows: ({ table }) => {
      if (table.name.name !== 'person') return null
      return { kind: 'sql', build: (row) => sql`${columnSql(row, 'name')} <> 'Dan'` }
    },
  })
  const { graphql } = await startTeams(t, { plugins: [softDelete, noDan] })
  assert.deepEqual(await graphql('{ person(order_by: {id: asc}) { id } team { people { id } } }'), {
    data: { person: [{ id: 1 }, { id: 3 }], team: [{ people: [{ id: 1 }] }] },
  })
})

test('an enum keeps all values of its table, even if some rows are hidden', async (t) => {
  const colours = `create table colour (value text primary key, comment text);
    insert into colour values ('red', null), ('secret', null);
    create table car (id int primary key, colour text references colour);
    insert into car values (1, 'secret')`
  const isPlain: Condition = { kind: 'sql', build: (row) => sql`${columnSql(row, 'value')} <> 'secret'` }
  const hidden = narrowing({ name: 'hidden', rows: ({ table }) => (table.isEnum ? isPlain : null) })
  const { op, graphql } = await startTrellis(t, { sql: colours, plugins: [hidden] })
  await op('track_table', { table: 'colour', is_enum: true })
  await op('track_table', 'car')
  assert.deepEqual(await graphql('{ colour { value } car(where: {colour: {_eq: secret}}) { colour } }'), {
    data: { colour: [{ value: 'red' }], car: [{ colour: 'secret' }] },
  })
})

test('narrowings are called once for each role, table and generation of the model', async (t) => {
  const asked: string[] = []
  const counting = narrowing({
    name: 'counting',
    rows({ table, role }) {
      asked.push(`${role} ${table.name.name}`)
      return null
    },
  })
  const { op, graphql } = await startTeams(t, { plugins: [counting] })
  await op('create_select_permission', {
    table: 'note',
    role: 'reader',
    permission: { columns: '*', filter: { person: { team: {} } } },
  })
  for (const query of ['{ person { id } }', '{ person(where: {id: {_eq: 1}}) { name } }']) {
    for (let i = 0; i < 2; i++) await graphql(query)
  }
  await op('count', { table: 'person' })
  assert.deepEqual(asked.splice(0), ['admin person'])
  for (let i = 0; i < 2; i++) await graphql('{ note { body } }', undefined, { role: 'reader' })
  assert.deepEqual(asked.splice(0).sort(), ['reader note', 'reader person', 'reader team'])
  await op('drop_select_permission', { table: 'note', role: 'reader' })
  await graphql('{ person { id } }')
  assert.deepEqual(asked.splice(0), ['admin person'])
})

test('a narrowing that throws fails the requests that need it, and reveals nothing', async (t) => {
  const failing = narrowing({
    name: 'failing',
    rows({ table }) {
      if (table.name.name === 'person') throw new Error('out of order')
      return null
    },
    change(change) {
      const table = { schema: 'public', name: 'team' }
      if (change.kind !== 'insert') return { ...change, table }
      return { kind: 'delete', table, where: { kind: 'null', column: 'deleted_at', negated: true } }
    },
  })
  const observe = recordingObserver()
  const { op, graphql, opError, request, sql: rows } = await startTeams(t, { plugins: [failing], observe })
  const people = await request('/v1/graphql', { body: { query: '{ person { id } }' } })
  assert.deepEqual([people.status, (people.body as { errors: unknown[] }).errors.length], [200, 1])
  assert.match(people.text, /"code":"unexpected"/)
  assert.equal((await opError('count', { table: 'person' })).status, 500)
  const line = /^Error: the narrowing "failing" of plugin "[\w-]+" failed for table "person": out of order\n/
  assert.ok(observe.entries.some(({ detail }) => line.test(String(detail))))
  const through = await graphql<{ errors: unknown[] }>('{ note { person { id } } }')
  assert.equal(through.errors.length, 1)
  assert.deepEqual(await graphql('{ team(where: {id: {_eq: 1}}) { name } }'), { data: { team: [{ name: 'Ash' }] } })
  const unexpected = { errors: [{ extensions: { path: '$', code: 'unexpected' }, message: 'internal error' }] }
  assert.deepEqual(await graphql('mutation { delete_note(where: {}) { affected_rows } }'), unexpected)
  assert.deepEqual(await graphql('mutation { insert_team(objects: {id: 3}) { affected_rows } }'), unexpected)
  assert.deepEqual(await op('count', { table: 'note' }), { count: 4 })
  assert.deepEqual(await rows('select id from team order by id'), [{ id: 1 }, { id: 2 }])
})

test('a narrowing must be declared during registration, under a unique name', async (t) => {
  const twice = definePlugin({
    name: 'twice',
    register(engine) {
      engine.access.narrow({ name: 'same' })
      engine.access.narrow({ name: 'same' })
    },
  })
  await assert.rejects(startTrellis(t, { plugins: [twice] }), /twice.*the narrowing "same" is already declared/)
  let late: (() => void) | undefined
  const keeps = definePlugin({
    name: 'keeps',
    register(engine) {
      late = () => engine.access.narrow({ name: 'late' })
    },
  })
  const { op } = await startTeams(t, { plugins: [keeps] })
  await op('count', { table: 'person' })
  assert.throws(() => late!(), /the narrowing "late" was added too late: the engine is already serving requests/)
})

test('subscribers see no hidden rows, at first and after a row gets hidden', async (t) => {
  const trellis = await startTeams(t)
  const client = graphqlWsClient(t, trellis.url)
  const people = subscribeWith(client, 'subscription { person(order_by: {id: asc}) { name team { name } } }')
  const stream = subscribeWith(
    client,
    'subscription { person_stream(batch_size: 10, cursor: {initial_value: {id: 0}}) { name } }',
  )
  await Promise.all([people.atLeast(1), stream.atLeast(1)])
  const ann = { name: 'Ann', team: { name: 'Ash' } }
  const cid = { name: 'Cid', team: null }
  assert.deepEqual(people.items[0], { data: { person: [ann, cid, { name: 'Dan', team: { name: 'Ash' } }] } })
  assert.deepEqual(stream.items[0], { data: { person_stream: [{ name: 'Ann' }, { name: 'Cid' }, { name: 'Dan' }] } })
  await trellis.graphql('mutation { delete_person(where: {name: {_eq: "Dan"}}) { affected_rows } }')
  await people.atLeast(2)
  assert.deepEqual(people.items[1], { data: { person: [ann, cid] } })
})

test('the refusal of a narrowing keeps the words of interface 2', () => {
  const error = badRequest('not-supported', 'no notes', {
    inInterface2: { message: 'notes are closed', code: 'conflict' },
  })
  const { code, message } = new NarrowingRefusal(error).later
  assert.deepEqual([code, message], ['conflict', 'notes are closed'])
})

test('a TrellisError in a narrowing reaches the client with code, path and message', async (t) => {
  const refusing = narrowing({
    name: 'refusing',
    rows({ table, role }) {
      if (table.name.name === 'note' && role === 'outsider') throw badRequest('not-supported', 'no notes for outsiders')
      return null
    },
    change(change) {
      const path = ['args', 'objects']
      if (change.kind === 'insert') throw badRequest('permission-error', 'the office is closed', { path })
      if (change.kind === 'delete') throw new TrellisError(409, 'conflict', 'nothing is deleted on Sundays')
      return change
    },
  })
  const { op, graphql, opError, sql: rows } = await startTeams(t, { plugins: [refusing] })
  const refused = (path: string, code: string, message: string) => ({
    errors: [{ extensions: { path, code }, message }],
  })
  const insert = 'mutation { insert_team(objects: {id: 3, name: "Elm"}) { affected_rows } }'
  const closed = refused('$.selectionSet.insert_team.args.objects', 'permission-error', 'the office is closed')
  assert.deepEqual(await graphql(insert), closed)
  const sunday = refused('$.selectionSet.delete_note', 'conflict', 'nothing is deleted on Sundays')
  assert.deepEqual(await graphql('mutation { delete_note(where: {}) { affected_rows } }'), sunday)
  const operation = await opError('delete', { table: 'note', where: {} })
  assert.deepEqual(operation, {
    status: 409,
    body: { path: '$.args', error: 'nothing is deleted on Sundays', code: 'conflict' },
  })
  await op('create_select_permission', { table: 'note', role: 'outsider', permission: { columns: '*', filter: {} } })
  const outside = refused('$.selectionSet.note', 'not-supported', 'no notes for outsiders')
  assert.deepEqual(await graphql('{ note { id } }', undefined, { role: 'outsider' }), outside)
  assert.deepEqual(await rows('select count(*)::int as n from note'), [{ n: 4 }])
})

test('a plugin leaves out its own narrowing, and no other one', async (t) => {
  const name = { schema: 'public', name: 'team' }
  let ask: ((without: readonly string[]) => unknown) | undefined
  const hides = (plugin: string, id: string) =>
    definePlugin({
      name: plugin,
      register(engine) {
        engine.access.narrow({
          name: `hides ${id}`,
          rows: ({ table: { columns } }) => compare(columns.get('id')!, '_neq', constantValue(id, 'int')),
        })
        if (plugin !== 'first') return
        ask = (without) => {
          const rights = engine.access.of(engine.model, { role: 'admin', backendOnly: false }, { without }).get(name)!
          return rights.select!.rows().where
        }
      },
    })
  await startTeams(t, { plugins: [hides('first', '1'), hides('second', '2')] })
  const both = ask!([]) as { kind: string; of: unknown[] }
  assert.deepEqual([both.kind, both.of.length], ['and', 2])
  assert.deepEqual(ask!(['hides 1']), both.of[1])
  assert.deepEqual(ask!([]), both)
  const foreign = 'only the plugin "second" may leave out its narrowing "hides 2", not the plugin "first"'
  assert.throws(() => ask!(['hides 1', 'hides 2']), { message: foreign })
  assert.throws(() => ask!(['hides 3']), { message: 'no plugin has declared the narrowing "hides 3"' })
})
