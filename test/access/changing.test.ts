// Rows that a plugin hides cannot be changed, and a plugin can replace deletions.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTeams } from './team.ts'

test('updates by where and by key touch no hidden row, for every role', async (t) => {
  const { op, graphql, sql } = await startTeams(t)
  const permission = { columns: '*', filter: {} }
  await op('create_select_permission', { table: 'person', role: 'clerk', permission })
  await op('create_update_permission', { table: 'person', role: 'clerk', permission })
  const mutation = `mutation {
    update_person(where: {id: {_in: [1, 2]}}, _inc: {pay: 1}) { affected_rows returning { id pay } }
    update_person_by_pk(pk_columns: {id: 2}, _set: {pay: 0}) { id }
  }`
  for (const [role, pay] of [
    ['admin', 11],
    ['clerk', 12],
  ] as const) {
    assert.deepEqual(await graphql(mutation, undefined, { role }), {
      data: {
        update_person: { affected_rows: 1, returning: [{ id: 1, pay }] },
        update_person_by_pk: null,
      },
    })
  }
  const given = { table: 'person', $set: { pay: 0 }, where: { name: 'Bob' }, returning: ['id'] }
  assert.deepEqual(await op('update', given), { returning: [], affected_rows: 0 })
  assert.deepEqual(await sql('select pay from person where id = 2'), [{ pay: 20 }])
})

test('an upsert leaves a hidden row alone, nested or not, in GraphQL and in the data operations', async (t) => {
  const { op, graphql, sql } = await startTeams(t)
  const conflict = 'on_conflict: {constraint: person_pkey, update_columns: [name, team_id]}'
  const upsert = `mutation {
    insert_person(objects: [{id: 1, name: "Anna"}, {id: 2, name: "Bobby"}], ${conflict}) { affected_rows returning { id } }
  }`
  assert.deepEqual(await graphql(upsert), {
    data: { insert_person: { affected_rows: 1, returning: [{ id: 1 }] } },
  })
  const nested = `mutation {
    insert_team_one(object: {id: 7, name: "Fir", people: {data: [{id: 2, name: "Bobby"}, {id: 8, name: "Fay"}], ${conflict}}}) {
      people { id }
      people_aggregate { aggregate { count } }
    }
  }`
  assert.deepEqual(await graphql(nested), {
    data: { insert_team_one: { people: [{ id: 8 }], people_aggregate: { aggregate: { count: 1 } } } },
  })
  const parent = `mutation {
    insert_note(objects: {body: "x", person: {data: {id: 2, name: "Bobby"}, ${conflict}}}) { affected_rows }
  }`
  const message = 'cannot proceed to insert object relation "person" since insert to table "person" affects zero rows'
  const path = '$.selectionSet.insert_note.args.objects[0].person'
  assert.deepEqual(await graphql(parent), { errors: [{ extensions: { path, code: 'not-supported' }, message }] })
  const args = {
    table: 'person',
    objects: [{ id: 2, name: 'Bobby' }],
    on_conflict: { action: 'update', constraint: 'person_pkey' },
  }
  assert.deepEqual(await op('insert', args), { affected_rows: 0 })
  assert.deepEqual(await sql('select name, team_id from person where id = 2'), [{ name: 'Bob', team_id: 1 }])
})

test('a deletion that is replaced by an update answers like a deletion and keeps the rows', async (t) => {
  const { op, graphql, sql } = await startTeams(t)
  const mutation = `mutation {
    delete_person(where: {id: {_lte: 2}}) { affected_rows returning { id name notes { body } mates { id } } }
    delete_person_by_pk(id: 4) { name }
    gone: delete_person_by_pk(id: 2) { name }
    again: delete_person_by_pk(id: 4) { name }
    delete_note(where: {id: {_eq: 2}}) { affected_rows }
  }`
  assert.deepEqual(await graphql(mutation), {
    data: {
      delete_person: {
        affected_rows: 1,
        returning: [{ id: 1, name: 'Ann', notes: [{ body: 'of Ann' }], mates: [{ id: 4 }] }],
      },
      delete_person_by_pk: { name: 'Dan' },
      gone: null,
      again: null,
      delete_note: { affected_rows: 1 },
    },
  })
  const deletion = { table: 'person', where: { id: { $gte: 2 } }, returning: ['id', 'name'] }
  assert.deepEqual(await op('delete', deletion), { returning: [{ id: 3, name: 'Cid' }], affected_rows: 1 })
  assert.deepEqual(await op('delete', deletion), { returning: [], affected_rows: 0 })
  const left = 'select count(*)::int, count(*) filter (where deleted_at = now())::int as fresh from person'
  assert.deepEqual(await sql(left), [{ count: 4, fresh: 0 }])
  assert.deepEqual(await sql('select count(*)::int from person where deleted_at > now() - interval $$1 hour$$'), [
    { count: 3 },
  ])
  assert.deepEqual(await sql('select count(*)::int from note'), [{ count: 3 }])
})

test('a replaced deletion keeps the delete filter, and needs no permission to update', async (t) => {
  const { op, graphql } = await startTeams(t)
  const filter = { pay: { _gt: 'X-Service-Pay' } }
  await op('create_select_permission', { table: 'person', role: 'boss', permission: { columns: ['id'], filter: {} } })
  await op('create_delete_permission', { table: 'person', role: 'boss', permission: { filter } })
  const mutation = 'mutation { delete_person(where: {}) { affected_rows returning { id } } }'
  const answer = await graphql(mutation, undefined, { role: 'boss', headers: { 'x-service-pay': '35' } })
  assert.deepEqual(answer, { data: { delete_person: { affected_rows: 1, returning: [{ id: 4 }] } } })
})

test('a change returns the rows that it wrote, even if it hid them', async (t) => {
  const { graphql } = await startTeams(t)
  const mutation = `mutation {
    insert_person_one(object: {id: 9, name: "Ida", deleted_at: "2020-01-01"}) { id }
    update_person_by_pk(pk_columns: {id: 1}, _set: {deleted_at: "2020-01-01"}) { id team { people { id } } }
  }`
  assert.deepEqual(await graphql(mutation), {
    data: { insert_person_one: { id: 9 }, update_person_by_pk: { id: 1, team: { people: [{ id: 4 }] } } },
  })
})
