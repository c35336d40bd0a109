// Columns of a domain over an enum: PostgreSQL has no operators for the domain, so the enum's operators are used.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { ask, type Connection, page } from '../relay/relay.ts'
import { graphqlWsClient, subscribeWith } from '../subscriptions/clients.ts'
import { startTrellis, type TestTrellis } from '../support/trellis.ts'

const sql = `
  create type mood as enum ('sad', 'ok', 'glad');
  create domain known_mood as mood check (value <> 'sad');
  create table day (mood known_mood primary key, before known_mood, rain int);
  insert into day values ('glad', 'ok', 3), ('ok', 'ok', 5)`

async function startDays(t: TestContext): Promise<TestTrellis> {
  const trellis = await startTrellis(t, { sql })
  await trellis.op('track_table', 'day')
  return trellis
}

test('values are compared in conditions, by the key and on conflict', async (t) => {
  const { graphql } = await startDays(t)
  const found = async (where: string) => {
    const { data } = await graphql<{ data: { day: { rain: number }[] } }>(
      `{ day(where: ${where}, order_by: {mood: asc}) { rain } }`,
    )
    return data.day.map(({ rain }) => rain)
  }
  assert.deepEqual(await found('{mood: {_eq: "ok"}}'), [5])
  assert.deepEqual(await found('{mood: {_gt: "ok"}, before: {_neq: "glad"}}'), [3])
  assert.deepEqual(await found('{mood: {_in: ["ok", "glad"], _nin: ["ok"], _is_null: false}}'), [3])
  assert.deepEqual(await graphql('{ day_by_pk(mood: "glad") { mood rain } }'), {
    data: { day_by_pk: { mood: 'glad', rain: 3 } },
  })
  const upsert = `mutation { insert_day(objects: [{mood: "ok", rain: 6}, {mood: "glad", rain: 4}],
    on_conflict: {constraint: day_pkey, update_columns: [rain], where: {mood: {_lt: "glad"}}}) { returning { mood rain } } }`
  assert.deepEqual(await graphql(upsert), { data: { insert_day: { returning: [{ mood: 'ok', rain: 6 }] } } })
})

test('permissions compare them with constants, session variables and each other', async (t) => {
  const { graphql, op } = await startDays(t)
  const filters = [
    { mood: 'glad' },
    { mood: 'X-Service-Mood' },
    { mood: { _in: 'X-Service-Moods' } },
    { mood: { _cgt: 'before' } },
  ]
  for (const [i, filter] of filters.entries()) {
    const role = `role${i}`
    await op('create_select_permission', { table: 'day', role, permission: { columns: '*', filter } })
    const headers = { 'x-service-mood': 'glad', 'x-service-moods': '{glad}' }
    assert.deepEqual(await graphql('{ day { rain } }', {}, { role, headers }), { data: { day: [{ rain: 3 }] } })
  }
})

test('Relay and streams find the rows after a value', async (t) => {
  const trellis = await startDays(t)
  const days = (args: string) => `{ day_connection(${args}) { ${page('id rain')} } }`
  const { day_connection } = await ask<{ day_connection: Connection }>(trellis, days('first: 1'))
  const [first] = day_connection.edges
  assert.equal(first!.node.rain, 5)
  const after = await ask<{ day_connection: Connection }>(trellis, days(`after: "${first!.cursor}"`))
  assert.deepEqual(
    after.day_connection.edges.map(({ node }) => node.rain),
    [3],
  )
  assert.equal(after.day_connection.pageInfo.hasPreviousPage, true)
  const node = `{ node(id: "${first!.node.id}") { ... on day { rain } } }`
  assert.deepEqual(await ask(trellis, node), { node: { rain: 5 } })
  const stream =
    'subscription { day_stream(batch_size: 1, cursor: {initial_value: {before: "ok"}, ordering: DESC}) { rain } }'
  const all = stream.replace('before: "ok"', 'mood: null')
  const client = graphqlWsClient(t, trellis.url)
  assert.deepEqual(await subscribeWith(client, stream).atLeast(1), [{ data: { day_stream: [] } }])
  const batches = [{ data: { day_stream: [{ rain: 3 }] } }, { data: { day_stream: [{ rain: 5 }] } }]
  assert.deepEqual(await subscribeWith(client, all).atLeast(2), batches)
})

test('relationships connect such columns, also with columns of the enum', async (t) => {
  const more = `
    create table remark (id int primary key, mood known_mood, plain mood, note text);
    insert into remark values (1, 'glad', 'ok', 'a'), (2, 'ok', null, 'b'), (3, 'glad', 'glad', 'c')`
  const { graphql, op } = await startTrellis(t, { sql: `${sql};${more}` })
  for (const table of ['day', 'remark']) await op('track_table', table)
  const relate = (type: string, table: string, name: string, remote_table: string, column_mapping: object) =>
    op(`create_${type}_relationship`, {
      table,
      name,
      using: { manual_configuration: { remote_table, column_mapping } },
    })
  await relate('object', 'remark', 'day', 'day', { mood: 'mood' })
  await relate('object', 'remark', 'plain_day', 'day', { plain: 'mood' })
  await relate('array', 'day', 'remarks', 'remark', { mood: 'mood' })
  await relate('array', 'day', 'plain', 'remark', { mood: 'plain' })
  const days = `{ day(order_by: {remarks_aggregate: {count: desc}}) {
    rain remarks(order_by: {id: asc}) { note } remarks_aggregate { aggregate { count } } plain { note }
  } }`
  assert.deepEqual(await graphql(days), {
    data: {
      day: [
        {
          rain: 3,
          remarks: [{ note: 'a' }, { note: 'c' }],
          remarks_aggregate: { aggregate: { count: 2 } },
          plain: [{ note: 'c' }],
        },
        { rain: 5, remarks: [{ note: 'b' }], remarks_aggregate: { aggregate: { count: 1 } }, plain: [{ note: 'a' }] },
      ],
    },
  })
  const remarks = `{ remark(order_by: [{day: {rain: desc}}, {id: asc}], where: {day: {}}) { note plain_day { rain } } }`
  const remark = [
    { note: 'b', plain_day: null },
    { note: 'a', plain_day: { rain: 5 } },
    { note: 'c', plain_day: { rain: 3 } },
  ]
  assert.deepEqual(await graphql(remarks), { data: { remark } })
  const deep = `${'{day: {remarks: '.repeat(6)}{note: {_eq: "b"}}${'}}'.repeat(6)}`
  assert.deepEqual(await graphql(`{ remark(where: ${deep}) { id } }`), { data: { remark: [{ id: 2 }] } })
  const insert = `mutation {
    delete_day(where: {mood: {_eq: "glad"}}) { affected_rows }
    insert_day_one(object: {mood: "glad", remarks: {data: [{id: 4, note: "d"}]}}) { remarks(order_by: {id: desc}) { note } }
  }`
  assert.deepEqual(await graphql(insert), {
    data: {
      delete_day: { affected_rows: 1 },
      insert_day_one: { remarks: [{ note: 'd' }, { note: 'c' }, { note: 'a' }] },
    },
  })
})
