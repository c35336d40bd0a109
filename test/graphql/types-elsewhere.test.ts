import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { graphqlWsClient, subscribeWith } from '../subscriptions/clients.ts'
import { startTrellis } from '../support/trellis.ts'

const sql = `
  create schema ext;
  create extension citext schema ext;
  create extension ltree schema ext;
  create extension hstore schema ext;
  create extension intarray schema ext;
  create domain ext.email as ext.citext;
  create domain ext.handle as ext.email;
  create table account (name ext.citext primary key, email ext.email unique, handle ext.handle, path ext.ltree, tags ext.hstore,
    numbers int[], others ext.citext[]);
  create table letter (id int primary key, sender ext.citext references account, receiver ext.email references account (email),
    part ext.ltree, tags ext.hstore);
  create table pair (a ext.citext, b int, primary key (a, b));
  create table half (id int primary key, a ext.citext, b int, foreign key (a, b) references pair);
  insert into account values
    ('Ann', 'Ann@x', 'ANN', 'a.b', 'k=>1', '{1}', '{A}'), ('bob', 'BOB@x', 'Bob', 'a.c', 'k=>2', '{2}', '{b}'), ('Cy', null, null, null, null, null, null);
  insert into letter values (1, 'ANN', 'bob@X', 'a.b', 'k=>1'), (2, 'BOB', 'ANN@X', 'a.c', 'k=>2'), (3, 'cY', null, null, null);
  insert into pair values ('X', 1), ('y', 2);
  insert into half values (1, 'x', 1), (2, 'Y', 2), (3, null, 2);`

async function startMail(t: TestContext) {
  const trellis = await startTrellis(t, { sql })
  const { op } = trellis
  for (const table of ['account', 'letter', 'pair', 'half']) await op('track_table', table)
  const object = (table: string, name: string, using: unknown) =>
    op('create_object_relationship', { table, name, using })
  const array = (table: string, name: string, using: unknown) => op('create_array_relationship', { table, name, using })
  await object('letter', 'from', { foreign_key_constraint_on: 'sender' })
  await object('letter', 'to', { foreign_key_constraint_on: 'receiver' })
  await object('letter', 'place', {
    manual_configuration: { remote_table: 'account', column_mapping: { part: 'path' } },
  })
  await array('account', 'sent', { foreign_key_constraint_on: { table: 'letter', column: 'sender' } })
  await array('account', 'same', { manual_configuration: { remote_table: 'letter', column_mapping: { tags: 'tags' } } })
  await object('half', 'whole', { foreign_key_constraint_on: ['a', 'b'] })
  await array('pair', 'halves', { foreign_key_constraint_on: { table: 'half', columns: ['a', 'b'] } })
  return trellis
}

test('types whose schema is not on the search path are compared by their own operators', async (t) => {
  const { graphql } = await startMail(t)
  const ids = async (where: string) => {
    const answer = await graphql<{ data?: { letter: { id: number }[] } }>(
      `{ letter(where: {${where}}, order_by: {id: asc}) { id } }`,
    )
    assert.ok(answer.data, `${where}: ${JSON.stringify(answer)}`)
    return answer.data.letter.map(({ id }) => id)
  }
  for (const [where, expected] of [
    ['sender: {_eq: "ann"}', [1]],
    ['sender: {_neq: "ann"}', [2, 3]],
    ['sender: {_in: ["ann", "cy"]}', [1, 3]],
    ['sender: {_nin: ["ann", "cy"]}', [2]],
    ['sender: {_gt: "ann"}', [2, 3]],
    ['sender: {_lte: "bOb"}', [1, 2]],
    ['sender: {_like: "an%"}', [1]],
    ['sender: {_nlike: "an%"}', [2, 3]],
    ['sender: {_ilike: "an%"}', [1]],
    ['sender: {_nilike: "an%"}', [2, 3]],
    ['sender: {_similar: "(an|bo)_"}', [1, 2]],
    ['sender: {_nsimilar: "(an|bo)_"}', [3]],
    ['sender: {_regex: "^a"}', [1]],
    ['sender: {_iregex: "^a"}', [1]],
    ['sender: {_nregex: "^a"}', [2, 3]],
    ['sender: {_niregex: "^a"}', [2, 3]],
    ['receiver: {_eq: "BOB@x"}', [1]],
    ['receiver: {_nin: ["bob@x"]}', [2]],
    ['part: {_eq: "a.b"}', [1]],
    ['part: {_neq: "a.b"}', [2]],
    ['part: {_in: ["a.b"]}', [1]],
    ['part: {_nin: ["a.b"]}', [2]],
    ['part: {_gte: "a.c"}', [2]],
    ['tags: {_eq: "k=>1"}', [1]],
    ['tags: {_nin: ["k=>1"]}', [2]],
    ['tags: {_gt: "k=>1"}', [2]],
    ['from: {name: {_eq: "ann"}}', [1]],
    ['_not: {from: {handle: {_eq: "ann"}}}', [2, 3]],
    ['from: {handle: {_in: ["ann"]}}', [1]],
    ['from: {handle: {_gt: "ann"}}', [2]],
    ['from: {numbers: {_eq: [1]}}', [1]],
    ['from: {others: {_eq: ["a"]}}', [1]],
    ['from: {others: {_in: [["a"], ["B"]]}}', [1, 2]],
  ] as const) {
    assert.deepEqual(await ids(where), expected, where)
  }
})

test('relationships over such types find the rows of the foreign keys', async (t) => {
  const { graphql } = await startMail(t)
  const query = `{
    letter(order_by: {id: asc}) { from { name } to { name } place { name } }
    account(order_by: {name: asc}) { sent { id } same { id } sent_aggregate { aggregate { count max { sender } min { receiver } } } }
    account_by_pk(name: "ANN") { name }
    half(order_by: {id: asc}) { whole { a } }
    pair(order_by: {b: asc}) { halves { id } }
    ordered: letter(order_by: [{from: {name: desc}}]) { id }
    counted: letter(order_by: [{from: {sent_aggregate: {count: asc}}}, {id: desc}]) { id }
    longest: account(order_by: {sent_aggregate: {max: {sender: desc_nulls_last}}}) { name }
    account_aggregate { aggregate { count(columns: name, distinct: true) max { name email } min { name email } } }
    distinct: letter(distinct_on: sender, order_by: {sender: desc}) { id }
  }`
  const none = { aggregate: { count: 1 } }
  const extremes = (sender: string, receiver: string | null) => ({
    aggregate: { ...none.aggregate, max: { sender }, min: { receiver } },
  })
  assert.deepEqual(await graphql(query), {
    data: {
      letter: [
        { from: { name: 'Ann' }, to: { name: 'bob' }, place: { name: 'Ann' } },
        { from: { name: 'bob' }, to: { name: 'Ann' }, place: { name: 'bob' } },
        { from: { name: 'Cy' }, to: null, place: null },
      ],
      account: [
        { sent: [{ id: 1 }], same: [{ id: 1 }], sent_aggregate: extremes('ANN', 'bob@X') },
        { sent: [{ id: 2 }], same: [{ id: 2 }], sent_aggregate: extremes('BOB', 'ANN@X') },
        { sent: [{ id: 3 }], same: [], sent_aggregate: extremes('cY', null) },
      ],
      account_by_pk: { name: 'Ann' },
      half: [{ whole: { a: 'X' } }, { whole: { a: 'y' } }, { whole: null }],
      pair: [{ halves: [{ id: 1 }] }, { halves: [{ id: 2 }] }],
      ordered: [{ id: 3 }, { id: 2 }, { id: 1 }],
      counted: [{ id: 3 }, { id: 2 }, { id: 1 }],
      longest: [{ name: 'Cy' }, { name: 'bob' }, { name: 'Ann' }],
      account_aggregate: {
        aggregate: { count: 3, max: { name: 'Cy', email: 'BOB@x' }, min: { name: 'Ann', email: 'Ann@x' } },
      },
      distinct: [{ id: 3 }, { id: 2 }, { id: 1 }],
    },
  })
})

test('permissions on such types apply to reads, changes and data operations', async (t) => {
  const { op, graphql, sql: run } = await startMail(t)
  const user = { role: 'user', headers: { 'x-service-name': 'ANN' } }
  const filter = { _and: [{ sender: { _nin: ['bob'] } }, { from: { name: { _neq: 'cy' } } }] }
  await op('create_select_permission', {
    table: 'letter',
    role: 'user',
    permission: { columns: ['id', 'sender'], filter },
  })
  await op('create_delete_permission', {
    table: 'letter',
    role: 'user',
    permission: { filter: { sender: { _eq: 'x-service-name' } } },
  })
  await op('create_insert_permission', {
    table: 'letter',
    role: 'user',
    permission: { columns: ['id'], check: { sender: { _eq: 'ann' } }, set: { sender: 'x-service-name' } },
  })
  assert.deepEqual(await graphql('{ letter { id } }', {}, user), { data: { letter: [{ id: 1 }] } })
  assert.deepEqual(await op('select', { table: 'letter', columns: ['id'], where: { sender: { $eq: 'aNN' } } }, user), [
    { id: 1 },
  ])
  assert.deepEqual(await op('count', { table: 'letter', distinct: ['sender'] }, user), { count: 1 })
  const inserted = await graphql('mutation { insert_letter_one(object: {id: 9}) { sender } }', {}, user)
  assert.deepEqual(inserted, { data: { insert_letter_one: { sender: 'ANN' } } })
  const deleted = await graphql('mutation { delete_letter(where: {}) { affected_rows } }', {}, user)
  assert.deepEqual(deleted, { data: { delete_letter: { affected_rows: 2 } } })
  assert.deepEqual(await run('select id from letter order by id'), [{ id: 2 }, { id: 3 }])
})

test('conflicts, updates by key and streams work with such types', async (t) => {
  const { graphql, url } = await startMail(t)
  const upsert = `mutation {
    insert_account_one(object: {name: "ANN", path: "z"}, on_conflict: {constraint: account_pkey, update_columns: path, where: {name: {_eq: "aNN"}}}) { name path }
    update_account_by_pk(pk_columns: {name: "BOB"}, _set: {path: "y"}) { name path sent { id } }
    delete_pair_by_pk(a: "Q", b: 1) { a }
  }`
  assert.deepEqual(await graphql(upsert), {
    data: {
      insert_account_one: { name: 'Ann', path: 'z' },
      update_account_by_pk: { name: 'bob', path: 'y', sent: [{ id: 2 }] },
      delete_pair_by_pk: null,
    },
  })
  const stream = 'subscription { pair_stream(batch_size: 1, cursor: {initial_value: {a: "W"}}) { a b } }'
  const received = subscribeWith(graphqlWsClient(t, url), stream)
  await received.atLeast(2)
  assert.deepEqual(received.items, [
    { data: { pair_stream: [{ a: 'X', b: 1 }] } },
    { data: { pair_stream: [{ a: 'y', b: 2 }] } },
  ])
  await graphql('mutation { insert_pair_one(object: {a: "Z", b: 0}) { a } }')
  await received.atLeast(3)
  assert.deepEqual(received.items[2], { data: { pair_stream: [{ a: 'Z', b: 0 }] } })
})

test('pages and nodes of Relay work with such types', async (t) => {
  const { graphql } = await startMail(t)
  const relay = { path: '/v1beta1/relay' }
  interface Page {
    data: { letter_connection: { edges: { cursor: string; node: { id: string; sender: string } }[] } }
  }
  for (const order of [
    '{sender: asc}',
    '{sender: desc}',
    '{receiver: asc}',
    '[{part: desc}, {sender: asc}]',
    '{tags: asc}',
  ]) {
    const all = await graphql<Page>(
      `{ letter_connection(order_by: ${order}) { edges { cursor node { id sender } } } }`,
      {},
      relay,
    )
    const { edges } = all.data.letter_connection
    assert.equal(edges.length, 3)
    for (const [i, { cursor, node }] of edges.entries()) {
      const next = `query ($after: String) { letter_connection(order_by: ${order}, after: $after) { edges { cursor node { id sender } } pageInfo { hasPreviousPage } } }`
      const rest = await graphql<Page>(next, { after: cursor }, relay)
      assert.deepEqual(rest.data?.letter_connection?.edges, edges.slice(i + 1), `${order}: ${JSON.stringify(rest)}`)
      const found = await graphql(
        'query ($id: ID!) { node(id: $id) { ... on letter { sender } } }',
        { id: node.id },
        relay,
      )
      assert.deepEqual(found, { data: { node: { sender: node.sender } } })
    }
  }
  const accounts = await graphql<{ data: { account_connection: { edges: { node: { id: string; name: string } }[] } } }>(
    '{ account_connection { edges { node { id name } } } }',
    {},
    relay,
  )
  for (const { node } of accounts.data.account_connection.edges) {
    const id = Buffer.from(
      Buffer.from(node.id, 'base64').toString().replace(node.name, node.name.toUpperCase()),
    ).toString('base64')
    const found = await graphql('query ($id: ID!) { node(id: $id) { ... on account { name } } }', { id }, relay)
    assert.deepEqual(found, { data: { node: { name: node.name } } })
  }
})
