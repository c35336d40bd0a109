// With logical decoding, a changed row polls only the subscribers that it concerns. Each of them ends up with the answer that
// a poll of everything would give, and the others are not asked.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { type Observer, silentObserver } from '../../core/log/observe.ts'
import { definePlugin } from '../../sdk/index.ts'
import type { Draw } from '../oracle/draw.ts'
import { checkProperty } from '../oracle/property.ts'
import { startTrellis, type TestTrellis, type TrellisOptions } from '../support/trellis.ts'
import { eventually } from '../support/waiting.ts'
import { graphqlWsClient, type Received, subscribeWith } from './clients.ts'

/** The interval is too long to show changes during the test, and each cohort has its own statement. */
const settings = { liveQueries: 'changes', liveQueriesRefetchInterval: 3_600_000, liveQueriesBatchSize: 1 } as const

/** A server that follows changes, and the number of statements that it has asked for subscribers. */
async function startFollowing(t: TestContext, options: TrellisOptions) {
  const following = Promise.withResolvers<void>()
  const log: Observer['log'] = (entry) => {
    if (entry.type === 'live-queries') following.resolve()
  }
  const counts = { asked: 0 }
  const plugin = definePlugin({
    name: 'count-statements',
    register(engine) {
      engine.around({
        operation(work, run) {
          return run().finally(() => {
            if (work.operation?.kind === 'subscription') counts.asked++
          })
        },
      })
    },
  })
  const observe = { ...silentObserver, log }
  const trellis = await startTrellis(t, { settings, observe, plugins: [plugin], ...options })
  await following.promise
  return { ...trellis, counts }
}

/**
 * Waits until the server has learned which rows the subscriptions read. Then a change of another row polls no group.
 */
async function untilNarrow({ sql, counts }: TestTrellis & { counts: { asked: number } }, change: string) {
  await eventually(async () => {
    const before = counts.asked
    await sql(change)
    await sql(`select pg_sleep(0.1)`)
    return counts.asked === before
  })
}

const itemsSql = `
  create table item (id int primary key, owner text not null, n int not null);
  insert into item select i, 'owner ' || i % 5, 0 from generate_series(1, 20) as i`

const lastOf = (received: Received) => JSON.stringify(received.items.at(-1))

test('a change reruns only the subscriptions of the old and the new value of a key', async (t) => {
  const trellis = await startFollowing(t, { sql: itemsSql })
  await trellis.op('track_table', 'item')
  const client = graphqlWsClient(t, trellis.url)
  const query = 'subscription ($id: Int!) { item_by_pk(id: $id) { id n } }'
  const received = Array.from({ length: 20 }, (_, i) => subscribeWith(client, query, { id: i + 1 }))
  await Promise.all(received.map((each) => each.atLeast(1)))
  await untilNarrow(trellis, `insert into item select max(id) + 1, 'nobody', 0 from item having max(id) >= 20`)
  const before = trellis.counts.asked
  await trellis.sql('update item set n = 7 where id = 3')
  await received[2]!.until((items) => items.length === 2)
  assert.equal(trellis.counts.asked - before, 1)
  await trellis.sql('delete from item where id = 9')
  await received[8]!.atLeast(2)
  await trellis.sql('update item set id = 9, n = 4 where id = 4')
  await Promise.all([received[3]!.atLeast(2), received[8]!.atLeast(3)])
  assert.equal(trellis.counts.asked - before, 4)
  assert.equal(lastOf(received[3]!), '{"data":{"item_by_pk":null}}')
  assert.equal(lastOf(received[8]!), '{"data":{"item_by_pk":{"id":9,"n":4}}}')
  // All of them depend on the rows of a truncated table.
  await trellis.sql('truncate item')
  await Promise.all(received.map((each) => each.until((items) => JSON.stringify(items.at(-1)).includes('null'))))
})

test('a new row reruns the subscriptions of its values, and an updated row also those of its old values if the log has them', async (t) => {
  const trellis = await startFollowing(t, { sql: itemsSql })
  await trellis.op('bulk', [
    { type: 'track_table', args: 'item' },
    {
      type: 'create_select_permission',
      args: { table: 'item', role: 'user', permission: { columns: '*', filter: { owner: 'X-Service-User-Id' } } },
    },
  ])
  const received = Array.from({ length: 5 }, (_, i) => {
    const headers = { 'x-service-role': 'user', 'x-service-user-id': `owner ${i}` }
    const client = graphqlWsClient(t, trellis.url, { connectionParams: { headers } })
    return subscribeWith(client, 'subscription { item(order_by: {id: asc}) { id n } }')
  })
  await Promise.all(received.map((each) => each.atLeast(1)))
  await untilNarrow(trellis, `insert into item select max(id) + 1, 'nobody', 0 from item having max(id) >= 20`)
  let before = trellis.counts.asked
  await trellis.sql(`insert into item values (1001, 'owner 2', 1)`)
  await received[2]!.atLeast(2)
  assert.equal(trellis.counts.asked - before, 1)
  // The log has only the key of the old row, which may have concerned any subscriber.
  await trellis.sql(`update item set owner = 'owner 3' where id = 1001`)
  await Promise.all([received[2]!.atLeast(3), received[3]!.atLeast(2)])
  await eventually(() => trellis.counts.asked - before === 6)
  await trellis.sql('alter table item replica identity full')
  await trellis.op('reload_metadata', {})
  await untilNarrow(trellis, `insert into item select max(id) + 1, 'nobody', 0 from item`)
  before = trellis.counts.asked
  await trellis.sql(`update item set owner = 'owner 4' where id = 1001`)
  await Promise.all([received[3]!.atLeast(3), received[4]!.atLeast(2)])
  assert.equal(trellis.counts.asked - before, 2)
})

test('a stream of one room is queried only for new messages of that room', async (t) => {
  const trellis = await startFollowing(t, {
    sql: 'create table message (id int primary key, room int not null, "odd ]:"" [text]:\'" text)',
    settings: { ...settings, streamingQueriesRefetchInterval: 3_600_000, streamingQueriesBatchSize: 1 },
  })
  await trellis.op('track_table', 'message')
  const query = `subscription ($room: Int!) {
    message_stream(batch_size: 10, cursor: [{initial_value: {id: 0}}], where: {room: {_eq: $room}}) { id }
  }`
  const client = graphqlWsClient(t, trellis.url)
  const received = [1, 2, 3].map((room) => subscribeWith(client, query, { room }))
  await Promise.all(received.map((each) => each.atLeast(1)))
  await untilNarrow(trellis, `insert into message select coalesce(max(id), 0) + 1, 9 from message`)
  const before = trellis.counts.asked
  await trellis.sql(`insert into message values (101, 2, 'it''s room[integer]:1'), (102, 2, null)`)
  await received[1]!.until((items) => JSON.stringify(items.at(-1)).includes('102'))
  await trellis.sql(`insert into message values (103, 2, '')`)
  await received[1]!.until((items) => JSON.stringify(items.at(-1)).includes('103'))
  // A stream that got rows is polled once more for the rest.
  await eventually(() => trellis.counts.asked - before === 4)
  assert.deepEqual([received[0]!.items.length, received[2]!.items.length], [1, 1])
})

test('a definition that another program changes is noticed at the end of the interval, although only one row was reported', async (t) => {
  const fast = { ...settings, liveQueriesRefetchInterval: 300 }
  const trellis = await startFollowing(t, { sql: itemsSql, settings: fast })
  await trellis.sql('create view named as select id, owner from item')
  await trellis.op('bulk', [
    { type: 'track_table', args: 'item' },
    { type: 'track_table', args: 'named' },
  ])
  const client = graphqlWsClient(t, trellis.url)
  const query = 'subscription ($id: Int!) { item_by_pk(id: $id) { owner } }'
  const received = [1, 2].map((id) => subscribeWith(client, query, { id }))
  const view = subscribeWith(client, 'subscription { named(where: {id: {_eq: 1}}) { owner } }')
  await Promise.all([...received, view].map((each) => each.atLeast(1)))
  await untilNarrow(trellis, `insert into item select max(id) + 1, 'nobody', 0 from item having max(id) >= 20`)
  await trellis.sql(
    `begin; alter table item alter column owner type text using upper(owner);
    update item set n = 1 where id = 2; commit`.replace('alter table', 'drop view named; alter table'),
  )
  await Promise.all(received.map((each) => each.until((items) => JSON.stringify(items.at(-1)).includes('OWNER'))))
  await trellis.sql(`create view named as select id, 'all' as owner from item`)
  await view.until((items) => JSON.stringify(items.at(-1)).includes('all'))
})

test('while writes are reported, the end of an interval causes no query', async (t) => {
  const fast = { ...settings, liveQueriesRefetchInterval: 300 }
  const trellis = await startFollowing(t, { sql: `${itemsSql}; create table other (id int)`, settings: fast })
  await trellis.op('track_table', 'item')
  const query = 'subscription ($id: Int!) { item_by_pk(id: $id) { n } }'
  const received = [1, 2].map((id) => subscribeWith(graphqlWsClient(t, trellis.url), query, { id }))
  await Promise.all(received.map((each) => each.atLeast(1)))
  // Some intervals pass, each with a commit.
  await eventually(async () => {
    const before = trellis.counts.asked
    for (let i = 0; i < 15; i++) await trellis.sql('insert into other select 1 from pg_sleep(0.1)')
    return trellis.counts.asked === before
  })
  await trellis.sql('update item set n = 1 where id = 1')
  await received[0]!.atLeast(2)
})

const worldSql = `
  create extension if not exists citext;
  create type mood as enum ('calm', 'wild');
  create table town (id int primary key, code text not null unique, big bigint, flag boolean, tag uuid, mood mood,
    caseless citext, amount numeric, padded char(4), note text);
  create table house (id int primary key, town_id int, town_code text, owner varchar(8), part int);
  alter table house replica identity full;
  create table guest (id int not null, house_id int, name text not null);
  create unique index guest_key on guest (name, id);
  alter table guest replica identity using index guest_key;
  create table event (id int, town_id int, kind text, primary key (id, town_id)) partition by range (id);
  create table event_low partition of event for values from (0) to (5);
  create table event_high partition of event default`

const idsOf = [1, 2, 3, 4, 5, 6, 7, 8]
const codes = ['a', 'B', "c'd", 'e"f', 'g\\h', 'NULL', '', 'i j', 'é']
const uuids = ['00000000-0000-4000-8000-00000000000a', '00000000-0000-4000-8000-00000000000b']

const relationships = [
  ['house', 'town', 'town', { town_id: 'id' }, 'object'],
  ['town', 'houses', 'house', { id: 'town_id' }, 'array'],
  ['town', 'coded', 'house', { code: 'town_code' }, 'array'],
  ['house', 'guests', 'guest', { id: 'house_id' }, 'array'],
  ['town', 'events', 'event', { id: 'town_id' }, 'array'],
] as const

const worldMetadata = [
  ...['town', 'house', 'guest', 'event'].map((name) => ({ type: 'track_table', args: name })),
  ...relationships.map(([table, name, remote_table, column_mapping, kind]) => ({
    type: `create_${kind}_relationship`,
    args: { table, name, using: { manual_configuration: { remote_table, column_mapping } } },
  })),
  {
    type: 'create_select_permission',
    args: { table: 'house', role: 'user', permission: { columns: '*', filter: { owner: 'X-Service-User-Id' } } },
  },
  {
    type: 'create_select_permission',
    args: {
      table: 'guest',
      role: 'user',
      permission: { columns: '*', filter: { name: { _in: 'X-Service-Names' } }, allow_aggregations: true },
    },
  },
]

/** Kinds of subscriptions; their variables are drawn. */
const townFields = 'id code big flag tag mood caseless amount padded note'
const kinds: readonly (readonly [string, (draw: Draw) => Record<string, unknown>])[] = [
  [`($id: Int!) { town_by_pk(id: $id) { ${townFields} } }`, (draw) => ({ id: draw.pick(idsOf) })],
  [
    `($code: String!) { town(where: {code: {_eq: $code}}) { id coded(order_by: {id: asc}) { id owner } } }`,
    (draw) => ({ code: draw.pick(codes) }),
  ],
  [
    `($ids: [Int!]!) { town(where: {id: {_in: $ids}}, order_by: {id: asc}) { note houses(order_by: {id: asc}) { owner guests(order_by: {id: asc}) { name } } } }`,
    (draw) => ({ ids: draw.some(idsOf, 0.3) }),
  ],
  [
    `($codes: [String!]!) { town_aggregate(where: {code: {_in: $codes}}) { aggregate { count max { id } } nodes { id note } } }`,
    (draw) => ({ codes: draw.some(codes, 0.3) }),
  ],
  [
    `($big: bigint!) { town(where: {big: {_eq: $big}}, order_by: {id: asc}) { id note } }`,
    (draw) => ({ big: draw.pick([1, '2', '007', ' 3 ', '-0', '9007199254740993']) }),
  ],
  [
    `($flag: Boolean!, $id: Int!) { town(where: {_and: [{flag: {_eq: $flag}}, {id: {_eq: $id}}]}) { note } }`,
    (draw) => ({ flag: draw.chance(0.5), id: draw.pick(idsOf) }),
  ],
  [
    `($tag: uuid!) { town(where: {tag: {_eq: $tag}}, order_by: {id: asc}) { id note events(order_by: {id: asc}) { id kind } } }`,
    (draw) => ({ tag: draw.chance(0.5) ? draw.pick(uuids) : draw.pick(uuids).toUpperCase() }),
  ],
  [
    `($text: citext!) { town(where: {caseless: {_eq: $text}}, order_by: {id: asc}) { id } }`,
    (draw) => ({ text: draw.pick(['a', 'A', 'b']) }),
  ],
  [
    `($amount: numeric!) { town(where: {amount: {_eq: $amount}}, order_by: {id: asc}) { id } }`,
    (draw) => ({ amount: draw.pick([1, '1.0', '1.00', 2]) }),
  ],
  [
    `($padded: bpchar!) { town(where: {padded: {_eq: $padded}}, order_by: {id: asc}) { id } }`,
    (draw) => ({ padded: draw.pick(['a', 'a ', 'b']) }),
  ],
  [
    `($mood: mood!) { town(where: {mood: {_eq: $mood}}, order_by: {id: asc}) { id } }`,
    (draw) => ({ mood: draw.pick(['calm', 'wild']) }),
  ],
  [
    `($id: Int!, $code: String!) { town(where: {_or: [{id: {_eq: $id}}, {code: {_eq: $code}}]}, order_by: {id: asc}) { id note } }`,
    (draw) => ({ id: draw.pick(idsOf), code: draw.pick(codes) }),
  ],
  [
    `($id: Int!) { house(where: {town: {id: {_eq: $id}}}, order_by: [{town: {code: asc}}, {id: asc}]) { id town { note } } }`,
    (draw) => ({ id: draw.pick(idsOf) }),
  ],
  [
    `($id: Int!) { house(where: {_not: {guests: {name: {_eq: "a"}}}, id: {_eq: $id}}) { id owner guests_aggregate { aggregate { count } } } }`,
    (draw) => ({ id: draw.pick(idsOf) }),
  ],
  [
    `($name: String!) { guest(where: {name: {_eq: $name}}, order_by: {id: asc}, limit: 3) { id house_id } }`,
    (draw) => ({ name: draw.pick(codes) }),
  ],
  [
    `($id: Int!) { event(where: {id: {_eq: $id}}, order_by: {town_id: asc}) { town_id kind } }`,
    (draw) => ({ id: draw.pick(idsOf) }),
  ],
]

const ofUsers: readonly string[] = [
  '{ house(order_by: {id: asc}) { id part guests(order_by: {id: asc}) { id } } }',
  '{ guest_aggregate { aggregate { count } } }',
  '{ guest(order_by: {id: asc}) { id name } }',
]

const quoted = (value: unknown): string => (value === null ? 'null' : `'${String(value).replaceAll("'", "''")}'`)

/** A long text that PostgreSQL keeps apart from its row. */
const longText = `(select string_agg(md5(i::text), '') from generate_series(1, 300) as i)`

const townValues = (draw: Draw) => ({
  code: quoted(`${draw.pick(codes)}`),
  big: quoted(draw.pick([null, 1, 2, 3, 7, 0, '9007199254740993'])),
  flag: quoted(draw.pick([null, true, false])),
  tag: quoted(draw.pick([null, ...uuids])),
  mood: quoted(draw.pick([null, 'calm', 'wild'])),
  caseless: quoted(draw.pick(['a', 'A', 'B', 'b'])),
  amount: quoted(draw.pick([null, '1', '1.0', '1.00', '2'])),
  padded: quoted(draw.pick(['a', 'b'])),
  note: draw.chance(0.2) ? longText : quoted(`note ${draw.integer(1, 1000)}`),
})
const houseValues = (draw: Draw) => ({
  town_id: quoted(draw.pick([null, ...idsOf])),
  town_code: quoted(draw.pick([null, ...codes])),
  owner: quoted(draw.pick(['ann', 'bob', "o'ne", 'cy'])),
  part: quoted(draw.integer(1, 1000)),
})
const guestValues = (draw: Draw) => ({
  house_id: quoted(draw.pick([null, ...idsOf])),
  name: quoted(draw.pick(codes)),
})
const eventValues = (draw: Draw) => ({
  town_id: quoted(draw.pick(idsOf)),
  kind: quoted(`kind ${draw.integer(1, 1000)}`),
})

const tables = [
  ['town', townValues],
  ['house', houseValues],
  ['guest', guestValues],
  ['event', eventValues],
] as const

/** A statement that changes some rows; it may fail. */
function change(draw: Draw): string {
  const [table, valuesOf] = draw.pick(tables)
  const id = draw.pick(idsOf)
  const values = Object.entries(valuesOf(draw))
  const where = draw.chance(0.8) ? ` where id = ${id}` : ` where id > ${id}`
  return draw.either(
    [
      6,
      () => {
        const columns = values.map(([name]) => name)
        const texts = values.map(([, text]) => text)
        return `insert into ${table} (id, ${columns.join()}) values (${id}, ${texts.join()})`
      },
    ],
    [
      8,
      () =>
        `update ${table} set ${draw
          .few(values, 2)
          .map(([name, text]) => `${name} = ${text}`)
          .join()}${where}`,
    ],
    [2, () => `update ${table} set id = ${draw.pick(idsOf)} where id = ${id}`],
    [3, () => `delete from ${table}${where}`],
    [1, () => `truncate ${table}`],
  )
}

/** Headers of users, whose permissions compare them with columns. */
const users = [
  ['ann', '{a,B}'],
  ['bob', `{"c'd","g\\\\h",NULL}`],
  ["o'ne", '{}'],
].map(([name, names]) => ({ 'x-service-role': 'user', 'x-service-user-id': name!, 'x-service-names': names! }))

interface Requested {
  readonly query: string
  readonly variables: Record<string, unknown>
  readonly headers: Readonly<Record<string, string>>
}

interface World {
  readonly requests: readonly Requested[]
  readonly rounds: readonly (readonly string[])[]
}

const drawWorld = (draw: Draw): World => ({
  requests: [
    ...kinds.flatMap(([query, variablesOf]) =>
      draw.times(6, 6, () => ({ query, variables: variablesOf(draw), headers: {} })),
    ),
    ...users.flatMap((headers) => ofUsers.map((query) => ({ query, variables: {}, headers }))),
  ],
  rounds: draw.times(25, 25, () => {
    const statements = draw.times(1, 4, () => change(draw))
    // Several statements in one text are one transaction.
    return draw.chance(0.5) ? statements : [statements.join(';')]
  }),
})

async function checkWorld(t: TestContext, { requests, rounds }: World): Promise<void> {
  const trellis = await startFollowing(t, { sql: worldSql, settings: { ...settings, liveQueriesBatchSize: 100 } })
  await trellis.op('bulk', worldMetadata)
  const clients = new Map<object, ReturnType<typeof graphqlWsClient>>()
  const subscribers = requests.map((request) => {
    const { headers, query, variables } = request
    const client = clients.get(headers) ?? graphqlWsClient(t, trellis.url, { connectionParams: { headers } })
    clients.set(headers, client)
    return { ...request, received: subscribeWith(client, `subscription ${query}`, variables) }
  })
  await Promise.all(subscribers.map(({ received }) => received.atLeast(1)))
  for (const statements of rounds) {
    for (const statement of statements) await trellis.sql(statement).catch(() => {})
    for (const { query, variables, headers, received } of subscribers) {
      const answer = JSON.stringify(await trellis.graphql(`query ${query}`, variables, { headers }))
      await received
        .until((items) => JSON.stringify(items.at(-1)) === answer, 5000)
        .catch(() => assert.equal(lastOf(received), answer, `${query} after ${statements.join('; ')}`))
    }
  }
}

test('after any changes, subscribers reach the state that a poll of everything would give', async (t) => {
  await checkProperty({ runs: 1, make: drawWorld, check: (world) => checkWorld(t, world) })
})
