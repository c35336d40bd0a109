// Columns whose stored values differ from the values that roles read: no condition, order, key or message reveals a
// stored value.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { badRequest, type ColumnTransform, definePlugin, mapColumnValues, sql } from '../../sdk/index.ts'
import { recordingObserver } from '../http/server.ts'
import { ask } from '../relay/relay.ts'
import { startCrm } from '../remote-schemas/crm.ts'
import { graphqlWsClient, subscribeWith } from '../subscriptions/clients.ts'
import { startTrellis, type TestTrellis, type TrellisOptions } from '../support/trellis.ts'

const setup = `
  create table person (id int primary key, name text not null, card text not null unique, pin text, pay numeric, boss_id int references person);
  create table badge (code text primary key, person_id int references person, card text);
  insert into person values (1, 'Ann', '4000-0001', 'pin:1111', 100, null), (2, 'Bob', '4000-0002', 'pin:2222', 50, 1),
                            (3, 'Cid', '4000-0003', 'broken', 75, 1);
  insert into badge values ('code:a', 1, '4000-0001')`

let calls = 0

/** A pin is stored behind a word, and shown to the administrator and to guards, who may compare nothing. */
const pins: ColumnTransform = {
  name: 'pins',
  applies: (_, { name }) => name === 'pin',
  write(text) {
    calls++
    return `pin:${text}`
  },
  read: ({ role }) => (role === 'admin' || role === 'guard' ? { value: unpinned } : 'hidden'),
}

function unpinned(stored: string): string {
  if (!stored.startsWith('pin:')) throw new Error(`no pin: ${stored}`)
  return stored.slice(4)
}

/** Guards see the end of a card's number and half of the pay; the administrator sees both as they are. */
const masks: ColumnTransform = {
  name: 'masks',
  applies: (_, { name }) => name === 'card' || name === 'pay',
  read({ role, column }) {
    if (role === 'admin') return 'stored'
    if (role !== 'guard') return 'hidden'
    return { sql: (value) => (column.name === 'pay' ? sql`${value} / 2` : sql`'***' || right(${value}, 2)`) }
  },
}

/** Codes of badges are their primary key. */
const codes: ColumnTransform = {
  name: 'codes',
  applies: ({ name: table }, { name }) => table === 'badge' && name === 'code',
  write: (text) => `code:${text}`,
  read: () => ({ value: (stored) => stored.slice(5) }),
}

const transforming = (name: string, ...transforms: readonly ColumnTransform[]) =>
  definePlugin({
    name,
    register(engine) {
      for (const transform of transforms) engine.columns.transform(transform)
    },
  })

const roles = ['guard', 'guest'] as const

async function startOffice(t: TestContext, options: TrellisOptions = {}): Promise<TestTrellis> {
  const trellis = await startTrellis(t, {
    sql: setup,
    plugins: [transforming('office', pins, masks, codes)],
    ...options,
  })
  const grants = roles.flatMap((role) =>
    ['person', 'badge'].flatMap((table) => [
      {
        type: 'create_select_permission',
        args: { table, role, permission: { columns: '*', filter: {}, allow_aggregations: true } },
      },
      { type: 'create_update_permission', args: { table, role, permission: { columns: '*', filter: {} } } },
      { type: 'create_insert_permission', args: { table, role, permission: { columns: '*', check: {} } } },
    ]),
  )
  await trellis.op('bulk', [
    { type: 'track_table', args: 'person' },
    { type: 'track_table', args: 'badge' },
    {
      type: 'create_array_relationship',
      args: {
        table: 'person',
        name: 'team',
        using: { foreign_key_constraint_on: { table: 'person', column: 'boss_id' } },
      },
    },
    {
      type: 'create_object_relationship',
      args: { table: 'person', name: 'boss', using: { foreign_key_constraint_on: 'boss_id' } },
    },
    ...grants,
  ])
  return trellis
}

interface Refused {
  readonly errors: readonly {
    readonly message: string
    readonly extensions: { readonly code: string; readonly path: string }
  }[]
}

test('each role reads its own form, everywhere that rows are shown', async (t) => {
  const { graphql, op } = await startOffice(t)
  const rows = '(where: {id: {_lt: 3}}, order_by: {id: asc}) { card pin pay }'
  const read = `{ person${rows} person_by_pk(id: 2) { boss { c: card pay } } person_aggregate${rows.replace('{ card pin pay }', '{ nodes { card pin } }')} }`
  const seen = (ann: object, bob: object, boss: object) => ({
    data: {
      person: [ann, bob],
      person_by_pk: { boss },
      person_aggregate: { nodes: [ann, bob].map(({ pay, ...node }: { pay?: unknown }) => node) },
    },
  })
  assert.deepEqual(
    await graphql(read),
    seen(
      { card: '4000-0001', pin: '1111', pay: 100 },
      { card: '4000-0002', pin: '2222', pay: 50 },
      { c: '4000-0001', pay: 100 },
    ),
  )
  assert.deepEqual(
    await graphql(read, undefined, { role: 'guard' }),
    seen({ card: '***01', pin: '1111', pay: 50 }, { card: '***02', pin: '2222', pay: 25 }, { c: '***01', pay: 50 }),
  )
  const nothing = { card: null, pin: null, pay: null }
  assert.deepEqual(await graphql(read, undefined, { role: 'guest' }), seen(nothing, nothing, { c: null, pay: null }))
  const select = { table: 'person', columns: ['*', { name: 'boss', columns: ['card'] }], where: { id: 2 } }
  const bob = { id: 2, name: 'Bob', boss_id: 1 }
  const guard = [{ ...bob, card: '***02', pin: '2222', pay: 25, boss: { card: '***01' } }]
  assert.deepEqual(JSON.parse(JSON.stringify(await op('select', select, { role: 'guard' }))), guard)
  assert.deepEqual(await op('select', select, { role: 'guest' }), [{ ...bob, ...nothing, boss: { card: null } }])
  assert.deepEqual(await op('select', { table: 'person', columns: ['pin'], where: { id: 3 } }), [{ pin: null }])
})

test('conditions, orders, keys and aggregates reveal no stored value to any role', async (t) => {
  const { graphql } = await startOffice(t)
  const probes = [
    '{ person(where: {pin: {_eq: "1111"}}) { id } }',
    '{ person(where: {pin: {_is_null: true}}) { id } }',
    '{ person(where: {boss: {card: {_like: "4%"}}}) { id } }',
    '{ person(where: {team: {_not: {card: {_eq: "4000-0002"}}}}) { id } }',
    '{ person(order_by: {card: asc}) { id } }',
    '{ person(order_by: {boss: {pay: asc}}) { id } }',
    '{ person(order_by: {team_aggregate: {max: {pay: asc}}}) { id } }',
    '{ person(distinct_on: pin) { id } }',
    '{ person(distinct_on: card, order_by: {card: asc}) { id } }',
    '{ person_aggregate { aggregate { max { card } } } }',
    '{ person_aggregate { aggregate { sum { pay } } } }',
    '{ person_aggregate { aggregate { count(columns: pay, distinct: true) } } }',
    '{ badge_by_pk(code: "a") { person_id } }',
    'mutation { update_person(where: {card: {_eq: "4000-0001"}}, _set: {name: "x"}) { affected_rows } }',
    'mutation { update_badge_by_pk(pk_columns: {code: "a"}, _set: {person_id: 2}) { person_id } }',
    `mutation { insert_person(objects: {id: 9, name: "x", card: "4000-0001"},
      on_conflict: {constraint: person_card_key, update_columns: [name]}) { affected_rows } }`,
    `mutation { insert_badge(objects: {code: "a"}, on_conflict: {constraint: badge_pkey, update_columns: []}) { affected_rows } }`,
  ]
  for (const role of roles) {
    for (const query of probes) {
      const { errors } = await graphql<Refused>(query, undefined, { role })
      assert.equal(errors?.[0]?.extensions.code, 'validation-failed', `${role}: ${query}`)
    }
  }
  for (const query of ['{ person(where: {pin: {_eq: "1111"}}) { id } }', '{ person(order_by: {pin: asc}) { id } }']) {
    assert.equal((await graphql<Refused>(query)).errors?.[0]?.extensions.code, 'validation-failed', query)
  }
  assert.deepEqual(await graphql('{ person(where: {card: {_eq: "4000-0002"}}, order_by: {card: asc}) { id } }'), {
    data: { person: [{ id: 2 }] },
  })
  const stream = 'subscription { person_stream(batch_size: 1, cursor: {initial_value: {card: "4000-0001"}}) { id } }'
  assert.match(JSON.stringify(await graphql(stream, undefined, { role: 'guard' })), /not found in type|not supported/i)
})

test('data operations refuse columns that GraphQL has no field for', async (t) => {
  const { opError, op } = await startOffice(t)
  const refused = async (type: string, args: object, path: string, column: string, transform: string) => {
    const { status, body } = await opError(type, { table: 'person', ...args }, { role: 'guard' })
    const error = `the column "${column}" is transformed by "${transform}" and can only be selected`
    assert.deepEqual([status, body], [400, { path, error, code: 'not-supported' }])
  }
  await refused('select', { columns: ['id'], where: { pin: '1111' } }, '$.args.where.pin', 'pin', 'pins')
  await refused('select', { columns: ['id'], order_by: '-card' }, '$.args.order_by[0]', 'card', 'masks')
  await refused('count', { distinct: ['pay'] }, '$.args.distinct[0]', 'pay', 'masks')
  await refused(
    'update',
    { $set: { name: 'x' }, where: { card: { $like: '4%' } } },
    '$.args.where.card',
    'card',
    'masks',
  )
  const row = { id: 9, name: 'x', card: '4000-0001' }
  const target = {
    path: '$.args.on_conflict',
    error: 'the column "card" is transformed by "masks" and is no conflict target',
    code: 'not-supported',
  }
  for (const on_conflict of [{ action: 'ignore' }, { constraint_on: ['card'], action: 'update' }]) {
    const { body } = await opError('insert', { table: 'person', objects: [row], on_conflict }, { role: 'guard' })
    assert.deepEqual(body, target)
  }
  const inserted = { table: 'person', objects: [{ ...row, card: 'new', pin: '9999' }], returning: ['card', 'pin'] }
  assert.deepEqual(await op('insert', inserted, { role: 'guard' }), {
    affected_rows: 1,
    returning: [{ card: '***ew', pin: '9999' }],
  })
  const update = { table: 'person', $set: { pin: '8888' }, where: { id: 9 }, returning: ['pin'] }
  assert.deepEqual(await op('update', update, { role: 'guest' }), { affected_rows: 1, returning: [{ pin: null }] })
})

test('every way of writing stores the written form, once for each value', async (t) => {
  const { graphql, op, sql: query, opError } = await startOffice(t)
  const pinsOf = async () => (await query('select id, pin from person where id > 9 order by id')).map(({ pin }) => pin)
  calls = 0
  const rows = [10, 11].map((id) => ({ id, name: 'n', card: `c${id}`, pin: String(id) }))
  await graphql('mutation ($rows: [person_insert_input!]!) { insert_person(objects: $rows) { affected_rows } }', {
    rows,
  })
  const nested = `mutation { insert_person_one(object: {id: 12, name: "n", card: "c12", pin: "12",
    team: {data: [{id: 13, name: "n", card: "c13", pin: "13"}, {id: 14, name: "n", card: "c14", pin: null}]}}) { pin team { pin } } }`
  assert.deepEqual(await graphql(nested), {
    data: { insert_person_one: { pin: '12', team: [{ pin: '13' }, { pin: null }] } },
  })
  assert.deepEqual(await pinsOf(), ['pin:10', 'pin:11', 'pin:12', 'pin:13', null])
  assert.equal(calls, 4)
  const upsert = `mutation ($pin: String) { insert_person(objects: {id: 10, name: "n", card: "c10", pin: $pin},
    on_conflict: {constraint: person_pkey, update_columns: [pin]}) { returning { pin } } }`
  for (const pin of ['20', '21']) {
    assert.deepEqual(await graphql(upsert, { pin }), { data: { insert_person: { returning: [{ pin }] } } })
  }
  await graphql('mutation { update_person(where: {id: {_eq: 11}}, _set: {pin: "22"}) { affected_rows } }')
  assert.deepEqual((await pinsOf()).slice(0, 2), ['pin:21', 'pin:22'])
  const permission = { columns: ['id', 'name', 'card'], set: { pin: 'x-service-pin' }, check: {} }
  await op('create_insert_permission', { table: 'person', role: 'kiosk', permission })
  await op('create_update_permission', {
    table: 'person',
    role: 'kiosk',
    permission: { columns: ['name'], set: { pin: '0000' }, filter: { pin: { _is_null: false } } },
  })
  await op('create_select_permission', { table: 'person', role: 'kiosk', permission: { columns: ['id'], filter: {} } })
  const session = { role: 'kiosk', headers: { 'x-service-pin': '15' } }
  const insert = 'mutation { insert_person(objects: {id: 15, name: "n", card: "c15"}) { affected_rows } }'
  assert.deepEqual(await graphql(insert, undefined, session), { data: { insert_person: { affected_rows: 1 } } })
  await graphql(
    'mutation { update_person(where: {id: {_eq: 10}}, _set: {name: "m"}) { affected_rows } }',
    undefined,
    session,
  )
  assert.deepEqual([(await pinsOf())[0], (await pinsOf()).at(-1)], ['pin:0000', 'pin:15'])
  for (const filter of [{ pin: 'x-service-pin' }, { pin: { _like: '1%' } }, { boss: { pin: { $in: ['1'] } } }]) {
    const { body } = await opError('create_select_permission', {
      table: 'person',
      role: 'clerk',
      permission: { columns: '*', filter },
    })
    assert.match((body as { error: string }).error, /the column "pin" is transformed by "pins" and has no operator/)
  }
  const masked = { columns: '*', filter: { card: { _like: '4000%' } } }
  await op('create_select_permission', { table: 'person', role: 'clerk', permission: masked })
  const count = '{ person_aggregate { aggregate { count } } }'
  await op('drop_select_permission', { table: 'person', role: 'clerk' })
  await op('create_select_permission', {
    table: 'person',
    role: 'clerk',
    permission: { ...masked, allow_aggregations: true },
  })
  assert.deepEqual(await graphql(count, undefined, { role: 'clerk' }), {
    data: { person_aggregate: { aggregate: { count: 3 } } },
  })
})

test('events carry the stored form', async (t) => {
  const { graphql, op, sql: query } = await startOffice(t)
  const insert = { columns: '*' }
  await op('create_event_trigger', { name: 'told', table: 'badge', insert, webhook: 'http://127.0.0.1:1' })
  await graphql('mutation { insert_badge(objects: {code: "b"}) { returning { code } } }', undefined, { role: 'guard' })
  const [event] = await query(`select payload #>> '{data,new,code}' as code from trellis.event_log`)
  assert.deepEqual(event, { code: 'code:b' })
})

test('errors about keys reveal no stored value to other roles', async (t) => {
  const { graphql } = await startOffice(t)
  const insert = 'mutation { insert_person(objects: {id: 1, name: "x", card: "other"}) { affected_rows } }'
  const answer = JSON.stringify(await graphql(insert, undefined, { role: 'guard' }))
  assert.match(answer, /Uniqueness violation/)
  assert.doesNotMatch(answer, /4000|1111/)
  const broken = await graphql('{ person_by_pk(id: 3) { name pin } }', undefined, { role: 'guard' })
  assert.deepEqual(broken, {
    data: { person_by_pk: { name: 'Cid', pin: null } },
    errors: [
      {
        extensions: { path: '$.selectionSet.person_by_pk.selectionSet.pin', code: 'data-exception' },
        message: 'the value of the column "pin" cannot be read',
        path: ['person_by_pk', 'pin'],
      },
    ],
  })
})

test('live queries, streams and explanations show the form of the role', async (t) => {
  const trellis = await startOffice(t)
  const client = graphqlWsClient(t, trellis.url, {
    connectionParams: { headers: { 'x-service-role': 'guard' } },
  })
  const live = subscribeWith(client, 'subscription { person(where: {id: {_eq: 1}}) { card pin } }')
  const stream = subscribeWith(
    client,
    'subscription { person_stream(batch_size: 2, cursor: {initial_value: {id: 1}}) { card pin } }',
  )
  await Promise.all([live.atLeast(1), stream.atLeast(1)])
  assert.deepEqual(live.items[0], { data: { person: [{ card: '***01', pin: '1111' }] } })
  const { data } = stream.items[0] as { data: { person_stream: unknown[] } }
  assert.deepEqual(data.person_stream, [
    { card: '***02', pin: '2222' },
    { card: '***03', pin: null },
  ])
  await trellis.graphql('mutation { update_person(where: {id: {_eq: 1}}, _set: {pin: "3333"}) { affected_rows } }')
  await live.atLeast(2)
  assert.deepEqual(live.items[1], { data: { person: [{ card: '***01', pin: '3333' }] } })
  const query = { query: '{ person { card } }' }
  const { text } = await trellis.request('/v1/graphql/explain', {
    body: { query, user: { 'x-service-role': 'guard' } },
  })
  assert.match(text, /'\*\*\*' \|\| right/)
})

test('Relay has no nodes whose ids would show stored keys, in either dialect', async (t) => {
  for (const dialect of ['trellis', 'hasura'] as const) {
    const prefix = dialect === 'hasura' ? 'x-hasura' : 'x-service'
    const trellis = await startTrellis(t, {
      sql: setup,
      plugins: [transforming('office', pins, masks, codes)],
      settings: { dialect },
    })
    await trellis.op('track_table', 'person')
    await trellis.op('track_table', 'badge')
    const permission = { columns: ['id', 'card', 'pin'], filter: {} }
    await trellis.op('create_select_permission', { table: 'person', role: 'guard', permission })
    const people = '{ person_connection(first: 1) { edges { node { id card pin } } } }'
    const { body } = await trellis.request('/v1beta1/relay', {
      body: { query: people },
      role: 'guard',
      headers: { [`${prefix}-role`]: 'guard' },
    })
    assert.match(JSON.stringify(body), /"card":"\*\*\*01","pin":"1111"/)
    const badges = '{ badge_connection { edges { cursor } } }'
    const refused = await ask(trellis, badges).then(String, ({ message }: Error) => message)
    assert.match(refused, /badge_connection/)
  }
})

test('stored values cannot be joined to other servers', async (t) => {
  const { op, opError } = await startOffice(t)
  const set = {
    objects: [
      {
        name: 'Found',
        fields: [{ name: 'card', type: 'String' }],
        relationships: [{ name: 'person', type: 'object', remote_table: 'person', field_mapping: { card: 'card' } }],
      },
    ],
  }
  const crm = await startCrm(t)
  await op('add_remote_schema', { name: 'crm', definition: { url: crm.url } })
  const joined = {
    ...{ name: 'found', table: 'person', service_fields: ['pin'], remote_schema: 'crm' },
    remote_field: { user: { arguments: { id: 1, tags: '$pin' } } },
  }
  const refused = await opError('create_remote_relationship', joined)
  assert.match(JSON.stringify(refused.body), /the column \\"pin\\" is transformed by \\"pins\\"/)
  const { body } = await opError('set_custom_types', set)
  assert.match(
    JSON.stringify(body),
    /the column \\"card\\" of remote table \\"person\\" .* is transformed by \\"masks\\"/,
  )
})

test('two transformations of one column make its table inconsistent, with both names', async (t) => {
  const other: ColumnTransform = { name: 'other', applies: (_, { name }) => name === 'card', read: () => 'hidden' }
  const plugins = [transforming('office', pins, masks), transforming('second', other)]
  const { opError, op } = await startTrellis(t, { sql: setup, plugins })
  const { status, body } = await opError('track_table', 'person')
  assert.equal(status, 400)
  assert.match(
    JSON.stringify(body),
    /the column \\"card\\" has two transformations: \\"masks\\" of the plugin \\"office\\" and \\"other\\" of the plugin \\"second\\"/,
  )
  await op('export_metadata', {})
  const number: ColumnTransform = {
    name: 'numbers',
    applies: (_, { name }) => name === 'pay',
    write: (text) => text,
    read: () => 'stored',
  }
  await assert.rejects(
    startTrellis(t, { plugins: [transforming('office', pins), transforming('again', pins)] }),
    /again.*the column transformation "pins" is already declared by the plugin "office"/,
  )
  const numbers = await startTrellis(t, { sql: setup, plugins: [transforming('numbers', number)] })
  const typed = await numbers.opError('track_table', 'person')
  assert.match(
    JSON.stringify(typed.body),
    /the column \\"pay\\" is of type \\"numeric\\", but the transformation \\"numbers\\" writes texts/,
  )
})

test('a transformation that throws fails the requests that need it, and its plugin is in the log', async (t) => {
  const observe = recordingObserver()
  let fails: { readonly at: string; readonly error: unknown } | null = null
  const fail = (at: string) => {
    if (fails?.at === at) throw fails.error
  }
  const odd: ColumnTransform = {
    name: 'odd',
    applies(_, { name }) {
      fail('applies')
      return name === 'pin'
    },
    write(text) {
      fail('write')
      return fails?.at === 'no text' ? (7 as never) : text
    },
    compareAs(text) {
      fail('compareAs')
      return text
    },
    read() {
      fail('read')
      return { value: (stored) => stored, comparable: true }
    },
  }
  const trellis = await startTrellis(t, { sql: setup, plugins: [transforming('office', odd)], observe })
  const { op, request, sql: rows } = trellis
  await rows('create table lamp (id int)')
  for (const table of ['person', 'lamp']) await op('track_table', table)
  const send = async (type: string, args: object) => (await request('/v1/query', { body: { type, args } })).body
  const insert = () => send('insert', { table: 'person', objects: [{ id: 4, name: 'Dan', card: 'x', pin: '1' }] })
  const graphqlInsert = () =>
    trellis.graphql('mutation ($pin: String) { update_person(where: {}, _set: {pin: $pin}) { affected_rows } }', {
      pin: '2',
    })
  const where = () => send('count', { table: 'person', where: { pin: '1' } })
  const select = () => send('select', { table: 'person', columns: ['id'] })
  const cases: [at: string, ask: () => Promise<unknown>][] = [
    ['write', insert],
    ['compareAs', where],
    ['read', select],
  ]
  for (const [at, ask] of cases) {
    fails = { at, error: new Error('a mistake') }
    await op('reload_metadata', {})
    observe.entries.length = 0
    assert.deepEqual(await ask(), { path: '$.args', error: 'internal error', code: 'unexpected' }, at)
    const line =
      /^Error: the transformation "odd" of plugin "office" failed for the column "pin" of table "person": a mistake/
    assert.ok(
      observe.entries.some(({ detail }) => line.test(String(detail))),
      at,
    )
    fails = { at, error: badRequest('not-supported', 'no pins today', { path: ['pin'] }) }
    assert.deepEqual(await ask(), { path: '$.args.pin', error: 'no pins today', code: 'not-supported' }, at)
    assert.deepEqual(await trellis.graphql('{ lamp { id } }'), { data: { lamp: [] } })
  }
  fails = { at: 'write', error: badRequest('not-supported', 'no pins today') }
  await op('reload_metadata', {})
  const path = '$.selectionSet.update_person.args._set.pin'
  const refusal = { extensions: { path, code: 'not-supported' }, message: 'no pins today' }
  assert.deepEqual(await graphqlInsert(), { errors: [refusal] })
  fails = { at: 'applies', error: new Error('a mistake') }
  const untracked = await trellis.opError('track_table', 'badge')
  const reason = 'the transformation "odd" of plugin "office" failed for the column "code": a mistake'
  assert.deepEqual([untracked.status, Object(untracked.body).error], [400, reason])
  fails = { at: 'no text', error: null }
  observe.entries.length = 0
  assert.deepEqual(await insert(), { path: '$.args', error: 'internal error', code: 'unexpected' })
  assert.ok(observe.entries.some(({ detail }) => /"office".*must be a string/.test(String(detail))))
  assert.deepEqual(await rows('select count(*)::int from person where pin in ($$1$$, $$2$$)'), [{ count: 0 }])
})

test('mapColumnValues replaces the values of a change, for narrowings of plugins', async (t) => {
  const upper = definePlugin({
    name: 'upper',
    register(engine) {
      const encode = (text: string, column: string) => `${column} ${text.toUpperCase()}`
      engine.access.narrow({ name: 'upper', change: (change) => mapColumnValues(change, new Set(['name']), encode) })
    },
  })
  const { graphql, op, opError } = await startOffice(t, { plugins: [upper] })
  const insert = 'mutation ($rows: [person_insert_input!]!) { insert_person(objects: $rows) { returning { name } } }'
  const rows = [
    { id: 20, name: 'a', card: 'c20' },
    { id: 21, name: 'b', card: 'c21' },
  ]
  assert.deepEqual(await graphql(insert, { rows }), {
    data: { insert_person: { returning: [{ name: 'name A' }, { name: 'name B' }] } },
  })
  const update = { table: 'person', $set: { name: 'c' }, where: { id: 20 }, returning: ['name'] }
  assert.deepEqual(await op('update', update), { affected_rows: 1, returning: [{ name: 'name C' }] })
  const { body } = await opError('update', { table: 'person', $default: ['name'], where: { id: 20 } })
  assert.equal((body as { code: string }).code, 'constraint-violation')
})
