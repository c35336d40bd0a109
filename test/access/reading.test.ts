// Rows that a plugin hides cannot be read in any way.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTeams } from './team.ts'

test('an administrator reads no hidden row: by root fields, through relationships, counted, or by where', async (t) => {
  const { graphql } = await startTeams(t)
  const query = `{
    person(order_by: {id: asc}) { id team { name } }
    person_by_pk(id: 2) { id }
    person_aggregate { aggregate { count max { pay } } nodes { name } }
    team { people(order_by: {id: asc}) { name } people_aggregate { aggregate { count sum { pay } } } }
    ofBob: note(where: {person: {name: {_eq: "Bob"}}}) { body }
    ofNobody: note(where: {_not: {person: {}}}) { body }
  }`
  assert.deepEqual(await graphql(query), {
    data: {
      person: [
        { id: 1, team: { name: 'Ash' } },
        { id: 3, team: null },
        { id: 4, team: { name: 'Ash' } },
      ],
      person_by_pk: null,
      person_aggregate: {
        aggregate: { count: 3, max: { pay: 40 } },
        nodes: [{ name: 'Ann' }, { name: 'Cid' }, { name: 'Dan' }],
      },
      team: [
        { people: [{ name: 'Ann' }, { name: 'Dan' }], people_aggregate: { aggregate: { count: 2, sum: { pay: 50 } } } },
      ],
      ofBob: [],
      ofNobody: [{ body: 'of Bob' }],
    },
  })
})

test('hidden related rows do not affect the order', async (t) => {
  const { graphql, sql } = await startTeams(t)
  await sql(`insert into team values (3, 'Cedar', null); insert into person values (5, 3, 'Eve', 1, null)`)
  const names = `{
    byCount: team(order_by: [{people_aggregate: {count: desc}}]) { name }
    byPay: team(order_by: {people_aggregate: {min: {pay: asc}}}) { name }
    byTeam: person(order_by: [{team: {name: desc_nulls_last}}, {id: asc}]) { id }
  }`
  await sql(`insert into person values (6, 1, 'Low', 0, '2020-01-01')`)
  assert.deepEqual(await graphql(names), {
    data: {
      byCount: [{ name: 'Ash' }, { name: 'Cedar' }],
      byPay: [{ name: 'Cedar' }, { name: 'Ash' }],
      byTeam: [{ id: 5 }, { id: 1 }, { id: 4 }, { id: 3 }],
    },
  })
})

test('the data operations read no hidden row either', async (t) => {
  const { op } = await startTeams(t)
  assert.deepEqual(await op('count', { table: 'person' }), { count: 3 })
  assert.deepEqual(await op('count', { table: 'person', where: { name: 'Bob' } }), { count: 0 })
  const columns = ['id', { name: 'team', columns: ['name', { name: 'people', columns: ['id'], order_by: 'id' }] }]
  const ash = { name: 'Ash', people: [{ id: 1 }, { id: 4 }] }
  assert.deepEqual(await op('select', { table: 'person', columns, order_by: ['-team.name', 'id'] }), [
    { id: 3, team: null },
    { id: 1, team: ash },
    { id: 4, team: ash },
  ])
  assert.deepEqual(await op('select', { table: 'note', columns: ['*.*'], where: { id: 2 } }), [
    { id: 2, person_id: 2, body: 'of Bob', person: null },
  ])
  const exists = { $exists: { $table: 'person', $where: { name: 'Bob' } } }
  assert.deepEqual(await op('select', { table: 'team', columns: ['id'], where: exists }), [])
  assert.deepEqual(await op('count', { table: 'note', where: { person: {} } }), { count: 3 })
})

test('functions and computed fields return no hidden row', async (t) => {
  const { graphql } = await startTeams(t)
  const query = `{
    people(args: {minimum: 20}) { id }
    people_aggregate(args: {minimum: 0}) { aggregate { count } }
    person(where: {id: {_in: [1, 3]}}, order_by: {id: asc}) { mates { id } successor { id } }
  }`
  assert.deepEqual(await graphql(query), {
    data: {
      people: [{ id: 3 }, { id: 4 }],
      people_aggregate: { aggregate: { count: 3 } },
      person: [
        { mates: [{ id: 4 }], successor: [] },
        { mates: [], successor: [{ id: 4 }] },
      ],
    },
  })
})

test('Relay has neither nodes nor edges of hidden rows', async (t) => {
  const { graphql } = await startTeams(t)
  const path = '/v1beta1/relay'
  const idOf = (id: number) => Buffer.from(`[1, "public", "person", ${id}]`).toString('base64')
  const query = `query ($ann: ID!, $bob: ID!) {
    ann: node(id: $ann) { id ... on person { name } }
    bob: node(id: $bob) { id }
    person_connection(first: 2) { edges { node { name } } pageInfo { hasNextPage } }
    team_connection { edges { node { people_connection { edges { node { name } } } } } }
    people_connection(args: {minimum: 20}) { edges { node { name } } }
  }`
  const variables = { ann: idOf(1), bob: idOf(2) }
  const edges = (...names: string[]) => ({ edges: names.map((name) => ({ node: { name } })) })
  assert.deepEqual(await graphql(query, variables, { path }), {
    data: {
      ann: { id: idOf(1), name: 'Ann' },
      bob: null,
      person_connection: { ...edges('Ann', 'Cid'), pageInfo: { hasNextPage: true } },
      team_connection: { edges: [{ node: { people_connection: edges('Ann', 'Dan') } }] },
      people_connection: edges('Cid', 'Dan'),
    },
  })
})

test('permissions see no hidden rows, neither through relationships nor by _exists', async (t) => {
  const { op, graphql } = await startTeams(t)
  const select = (table: string, role: string, filter: object) =>
    op('create_select_permission', { table, role, permission: { columns: '*', filter } })
  await select('note', 'owner', { person: {} })
  await select('note', 'spy', { _exists: { _table: 'person', _where: { name: { _eq: 'Bob' } } } })
  await select('note', 'outsider', { _not: { _or: [{ person: { team: {} } }] } })
  await select('note', 'compared', { person: { id: { _cne: ['$', 'id'] } } })
  await select('note', 'both', { person: {}, body: { _like: 'of%' } })
  await select('note', 'either', { _or: [{ person: { name: { _eq: 'Bob' } } }, { body: { _like: '%other' } }] })
  const notes = async (role: string) => graphql('{ note(order_by: {id: asc}) { id } }', {}, { role })
  assert.deepEqual(await notes('owner'), { data: { note: [{ id: 1 }, { id: 3 }, { id: 4 }] } })
  assert.deepEqual(await notes('spy'), { data: { note: [] } })
  assert.deepEqual(await notes('outsider'), { data: { note: [{ id: 2 }] } })
  assert.deepEqual(await notes('compared'), { data: { note: [{ id: 3 }] } })
  assert.deepEqual(await notes('both'), { data: { note: [{ id: 1 }, { id: 3 }] } })
  assert.deepEqual(await notes('either'), { data: { note: [{ id: 4 }] } })
  assert.deepEqual(await op('count', { table: 'note' }, { role: 'owner' }), { count: 3 })
})

test('the check of a permission finds no hidden row', async (t) => {
  const { op, graphql } = await startTeams(t)
  const permission = { columns: '*', check: { person: {} } }
  await op('create_insert_permission', { table: 'note', role: 'writer', permission })
  const insert = (person_id: number) =>
    graphql(`mutation { insert_note(objects: {person_id: ${person_id}, body: "x"}) { affected_rows } }`, undefined, {
      role: 'writer',
    })
  assert.deepEqual(await insert(1), { data: { insert_note: { affected_rows: 1 } } })
  const message = 'Check constraint violation. insert check constraint failed'
  const extensions = { path: '$.selectionSet.insert_note.args.objects', code: 'permission-error' }
  assert.deepEqual(await insert(2), { errors: [{ extensions, message }] })
})

test('explain shows the narrowed statement', async (t) => {
  const { request } = await startTeams(t)
  const answer = await request<{ sql: string }[]>('/v1/graphql/explain', { body: { query: '{ person { id } }' } })
  assert.equal(answer.status, 200)
  assert.match(answer.body[0]!.sql, /where "t0"\."deleted_at" is null/)
})

test('the other dialect is narrowed alike, and its system tables stay readable', async (t) => {
  const { op, graphql } = await startTeams(t, { settings: { dialect: 'hasura' } })
  assert.deepEqual(await graphql('{ person(order_by: {id: asc}) { id } }'), {
    data: { person: [{ id: 1 }, { id: 3 }, { id: 4 }] },
  })
  assert.deepEqual(await op('delete', { table: 'person', where: { id: { $lte: 2 } }, returning: ['id'] }), {
    affected_rows: 1,
    returning: [{ id: 1 }],
  })
  const tables = {
    table: { schema: 'hdb_catalog', name: 'hdb_table' },
    columns: ['table_name'],
    order_by: 'table_name',
  }
  const [first] = await op<{ table_name: string }[]>('select', { ...tables, where: { table_name: { $eq: 'person' } } })
  assert.deepEqual(first, { table_name: 'person' })
})
