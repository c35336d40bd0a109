import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTrellis } from 'trellis/testing'
import softDelete from '../../examples/soft-delete.ts'

const sql = `
  create table team (id int primary key, name text not null, deleted_at timestamptz);
  create table person (id int primary key, team_id int references team, deleted_at timestamptz);
  insert into team values (1, 'Ash', null), (2, 'Birch', null);
  insert into person values (1, 1, null), (2, 1, null), (3, 2, null)`

async function startTeams() {
  const trellis = await startTrellis({ plugins: [softDelete], sql })
  await trellis.operation('bulk', [
    { type: 'track_table', args: 'team' },
    { type: 'track_table', args: 'person' },
    {
      type: 'create_array_relationship',
      args: {
        table: 'team',
        name: 'people',
        using: { foreign_key_constraint_on: { table: 'person', column: 'team_id' } },
      },
    },
  ])
  return trellis
}

test('deleted rows stay in the database, and no role sees them', async () => {
  await using trellis = await startTeams()
  const deleted = await trellis.graphql('mutation { delete_person(where: { id: { _eq: 1 } }) { affected_rows } }')
  assert.deepEqual(deleted, { data: { delete_person: { affected_rows: 1 } } })
  assert.deepEqual(await trellis.sql('select id from person where deleted_at is not null'), [{ id: 1 }])
  const read =
    '{ team_by_pk(id: 1) { people { id } people_aggregate { aggregate { count } } } person_by_pk(id: 1) { id } }'
  assert.deepEqual(await trellis.graphql(read), {
    data: { team_by_pk: { people: [{ id: 2 }], people_aggregate: { aggregate: { count: 1 } } }, person_by_pk: null },
  })
})

test('the data operations follow', async () => {
  await using trellis = await startTeams()
  await trellis.operation('delete', { table: 'team', where: { name: 'Birch' } })
  assert.deepEqual(await trellis.operation('select', { table: 'team', columns: ['name'] }), [{ name: 'Ash' }])
  const again = await trellis.operation('update', { table: 'team', $set: { name: 'Beech' }, where: { id: 2 } })
  assert.deepEqual(again, { affected_rows: 0 })
})

test('administrators list hidden rows and restore one; other roles have no such fields', async () => {
  await using trellis = await startTeams()
  await trellis.graphql('mutation { delete_team(where: {}) { affected_rows } }')
  const trash = '{ deleted_team(limit: 5) { name people { id } } team { id } }'
  assert.deepEqual(await trellis.graphql('{ deleted_team(limit: 0) { name } deleted_person { id } }'), {
    data: { deleted_team: [], deleted_person: [] },
  })
  const found = await trellis.graphql<{ deleted_team: { name: string }[]; team: unknown[] }>(trash)
  assert.deepEqual(found.data!.deleted_team.map(({ name }) => name).sort(), ['Ash', 'Birch'])
  assert.deepEqual(found.data!.team, [])
  const restore = 'mutation { restore_team(id: 1) { name people { id } } }'
  assert.deepEqual(await trellis.graphql(restore), {
    data: { restore_team: { name: 'Ash', people: [{ id: 1 }, { id: 2 }] } },
  })
  assert.deepEqual(await trellis.graphql(restore), { data: { restore_team: null } })
  assert.deepEqual(await trellis.graphql('{ team { name } }'), { data: { team: [{ name: 'Ash' }] } })
  await trellis.operation('create_select_permission', {
    table: 'team',
    role: 'user',
    permission: { columns: '*', filter: {} },
  })
  assert.deepEqual(await trellis.graphql('{ deleted_team { name } }', { role: 'user' }), {
    errors: [
      {
        extensions: { path: '$.selectionSet.deleted_team', code: 'validation-failed' },
        message: `field "deleted_team" not found in type: 'query_root'`,
      },
    ],
  })
})
