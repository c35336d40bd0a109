import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { startTrellis, type TestTrellis, type TrellisOptions } from '../support/trellis.ts'

const sql = `
  create table team (id int primary key, name text not null);
  create table player (id int primary key, name text not null, team_id int not null references team, hidden boolean not null default false);
  insert into team values (1, 'red'), (2, 'blue');
  insert into player values (1, 'Ann', 1, false), (2, 'Bob', 1, true), (3, 'Cid', 2, false);
  create function move_players(from_team int, to_team int default 2) returns setof player language plpgsql as $$
    begin
      return query update player set team_id = to_team where team_id = from_team returning *;
    end $$;
  create function found_team(name text, session json) returns team language sql as $$
    insert into team values ((select max(id) + 1 from team), found_team.name || ' of ' || (session->>'x-service-user-id')) returning * $$;
  create function find_team(wanted int) returns team language sql stable as $$ select * from team where id = wanted $$;
  create function shuffled() returns setof player language sql as $$ select * from player order by id desc $$;
  create function fail(message text) returns setof team language plpgsql as $$ begin raise exception '%', message; end $$;
  create function rename_team(id int, name text) returns team language sql as $$
    update team t set name = rename_team.name where t.id = rename_team.id returning * $$;
  create function all_teams() returns setof team language sql stable as $$ select * from team $$`

async function start(t: TestContext, options: TrellisOptions = {}): Promise<TestTrellis> {
  const trellis = await startTrellis(t, { sql, ...options })
  for (const table of ['team', 'player']) await trellis.op('track_table', table)
  const using = (column: string) => ({ foreign_key_constraint_on: column })
  await trellis.op('create_object_relationship', { table: 'player', name: 'team', using: using('team_id') })
  const using2 = { foreign_key_constraint_on: { table: 'player', column: 'team_id' } }
  await trellis.op('create_array_relationship', { table: 'team', name: 'players', using: using2 })
  const permission = (filter: object) => ({ columns: '*', filter, allow_aggregations: true })
  await trellis.op('create_select_permission', { table: 'team', role: 'fan', permission: permission({}) })
  const seen = permission({ hidden: { _eq: false }, team: { name: { _neq: 'green' } } })
  await trellis.op('create_select_permission', { table: 'player', role: 'fan', permission: seen })
  return trellis
}

const fan = { role: 'fan', headers: { 'x-service-user-id': '7' } }

type Answer = { data?: Record<string, unknown>; errors?: { message: string; extensions: object }[] }

const messages = ({ errors }: Answer) => errors?.map(({ message }) => message)

test('functions that change the database are mutations', async (t) => {
  const trellis = await start(t)
  await trellis.op('track_function', 'move_players')
  const configuration = { session_argument: 'session', exposed_as: 'mutation' }
  await trellis.op('track_function', { function: 'found_team', configuration }, { version: 2 })
  for (const name of ['fail', 'rename_team']) await trellis.op('track_function', name)
  const run = (query: string, options: object = {}) => trellis.graphql<Answer>(query, undefined, options)

  await t.test('the rows that are returned see all changes of the call', async () => {
    const query = `mutation { move_players(args: {from_team: 1}, order_by: {id: desc}, where: {id: {_lt: 5}}, limit: 5) {
      id team { name players(order_by: {id: asc}) { id } players_aggregate { aggregate { count } } } __typename } }`
    const team = {
      name: 'blue',
      players: [{ id: 1 }, { id: 2 }, { id: 3 }],
      players_aggregate: { aggregate: { count: 3 } },
    }
    assert.deepEqual(await run(query), {
      data: {
        move_players: [
          { id: 2, team, __typename: 'player' },
          { id: 1, team, __typename: 'player' },
        ],
      },
    })
    assert.deepEqual(await run('mutation { move_players(args: {from_team: 1}) { id } }'), {
      data: { move_players: [] },
    })
    await run('mutation { move_players(args: {from_team: 2, to_team: 1}, where: {id: {_eq: 1}}) { id } }')
    assert.deepEqual(await run('{ player(where: {team_id: {_eq: 2}}) { id } }'), { data: { player: [] } })
    await trellis.sql('update player set team_id = 2 where id = 3')
  })

  await t.test('fields run in order, in one transaction', async () => {
    const query = `mutation {
      insert_player_one(object: {id: 4, name: "Dan", team_id: 1}) { id }
      move_players(args: {from_team: 1}, order_by: {id: asc}) { id }
      again: move_players(args: {from_team: 2, to_team: 1}, order_by: {id: asc}) { id }
      delete_player(where: {team_id: {_eq: 1}, id: {_eq: 4}}) { affected_rows }
    }`
    assert.deepEqual(await run(query), {
      data: {
        insert_player_one: { id: 4 },
        move_players: [{ id: 1 }, { id: 2 }, { id: 4 }],
        again: [{ id: 1 }, { id: 2 }, { id: 3 }, { id: 4 }],
        delete_player: { affected_rows: 1 },
      },
    })
    const failing = `mutation { move_players(args: {from_team: 1}) { id } fail(args: {message: "no"}) { id } }`
    const { errors } = await run(failing)
    assert.equal(errors?.length, 1)
    assert.deepEqual(errors?.[0]?.extensions, {
      ...errors?.[0]?.extensions,
      path: '$.selectionSet.fail',
      code: 'unexpected',
    })
    assert.deepEqual(await run('{ player(where: {team_id: {_eq: 2}}) { id } }'), { data: { player: [] } })
  })

  await t.test('a function that returns one row is a nullable object', async () => {
    const founded = await run('mutation { found_team(args: {name: "green"}) { id name } }', fan)
    assert.deepEqual(messages(founded), ['no mutations exist'])
    assert.deepEqual(
      await run('mutation { rename_team(args: {id: 1, name: "red!"}) { name players(order_by: {id: asc}) { id } } }'),
      {
        data: { rename_team: { name: 'red!', players: [{ id: 1 }, { id: 2 }, { id: 3 }] } },
      },
    )
    assert.deepEqual(await run('mutation { rename_team(args: {id: 9, name: "x"}) { name } }'), {
      data: { rename_team: null },
    })
    await run('mutation { rename_team(args: {id: 1, name: "red"}) { name } }')
    const { data } = await run(`{ __type(name: "mutation_root") { fields { name type { kind name } args { name } } } }`)
    const { fields } = Object(data)['__type'] as { fields: { name: string; type: object; args: { name: string }[] }[] }
    const field = fields.find(({ name }) => name === 'rename_team')
    assert.deepEqual(field, { name: 'rename_team', type: { kind: 'OBJECT', name: 'team' }, args: [{ name: 'args' }] })
  })

  await t.test('a role needs a permission for the function, and gets the rows that it may see', async () => {
    const moved = 'mutation { move_players(args: {from_team: 1}, order_by: {id: asc}) { id name } }'
    assert.deepEqual(messages(await run(moved, fan)), ['no mutations exist'])
    await trellis.op('create_function_permission', { function: 'move_players', role: 'fan' })
    await trellis.op('create_function_permission', { function: 'found_team', role: 'fan' })
    assert.deepEqual(messages(await run('mutation { rename_team(args: {id: 1, name: "x"}) { name } }', fan)), [
      `field "rename_team" not found in type: 'mutation_root'`,
    ])
    assert.deepEqual(await run(moved, fan), {
      data: {
        move_players: [
          { id: 1, name: 'Ann' },
          { id: 3, name: 'Cid' },
        ],
      },
    })
    assert.deepEqual(await trellis.sql('select count(*)::int from player where team_id = 2'), [{ count: 3 }])
    assert.deepEqual(await run('mutation { found_team(args: {name: "green"}) { id name } }', fan), {
      data: { found_team: { id: 3, name: 'green of 7' } },
    })
    await trellis.sql(`update team set name = 'green' where id = 3`)
    // Afterwards the permission hides them: it is applied to the rows as the function leaves them.
    assert.deepEqual(await run('mutation { move_players(args: {from_team: 2, to_team: 3}) { id } }', fan), {
      data: { move_players: [] },
    })
    await trellis.op('drop_function_permission', { function: 'move_players', role: 'fan' })
    assert.deepEqual(messages(await run(moved, fan)), [`field "move_players" not found in type: 'mutation_root'`])
    await trellis.op('drop_select_permission', { table: 'team', role: 'fan' })
    assert.deepEqual(messages(await run('mutation { found_team(args: {name: "x"}) { id } }', fan)), [
      'no mutations exist',
    ])
  })

  await t.test('they are mutations of the schema for Relay too, and not queries', async () => {
    const relay = { path: '/v1beta1/relay' }
    assert.deepEqual(
      await run('mutation { move_players(args: {from_team: 3, to_team: 1}, order_by: {name: asc}) { name } }', relay),
      {
        data: { move_players: [{ name: 'Ann' }, { name: 'Bob' }, { name: 'Cid' }] },
      },
    )
    assert.deepEqual(messages(await run('{ move_players(args: {from_team: 1}) { id } }')), [
      `field "move_players" not found in type: 'query_root'`,
    ])
    assert.deepEqual(
      messages(await run('mutation { move_players_aggregate(args: {from_team: 1}) { aggregate { count } } }')),
      [`field "move_players_aggregate" not found in type: 'mutation_root'`],
    )
  })

  await t.test('plans follow changes of the table', async () => {
    await trellis.sql('alter table team alter name type varchar(40), add motto text')
    await trellis.op('reload_metadata', {})
    assert.deepEqual(await run('mutation { rename_team(args: {id: 1, name: "r"}) { name motto } }'), {
      data: { rename_team: { name: 'r', motto: null } },
    })
  })
})

test('functions that return one row, and volatile ones, can be queries', async (t) => {
  const trellis = await start(t)
  const asQuery = { function: 'shuffled', configuration: { exposed_as: 'query' }, comment: 'In any order' }
  await trellis.op('track_function', asQuery, { version: 2 })
  for (const name of ['find_team', 'all_teams']) await trellis.op('track_function', name)
  const run = (query: string, options: object = {}) => trellis.graphql<Answer>(query, undefined, options)
  assert.deepEqual(
    await run(
      '{ find_team(args: {wanted: 1}) { name players { name } } none: find_team(args: {wanted: 9}) { name } }',
      fan,
    ),
    {
      data: { find_team: { name: 'red', players: [{ name: 'Ann' }] }, none: null },
    },
  )
  assert.deepEqual(await run('{ find_team(args: {wanted: 1}) { name } }', { ...fan, path: '/v1beta1/relay' }), {
    data: { find_team: { name: 'red' } },
  })
  assert.deepEqual(await run('{ shuffled(limit: 2) { id } shuffled_aggregate { aggregate { count } } }'), {
    data: { shuffled: [{ id: 3 }, { id: 2 }], shuffled_aggregate: { aggregate: { count: 3 } } },
  })
  assert.deepEqual(messages(await run('{ shuffled { id } }', fan)), [
    `field "shuffled" not found in type: 'query_root'`,
  ])
  const { data } = await run('{ __type(name: "query_root") { fields { name description } } }')
  const { fields } = Object(data)['__type'] as { fields: { name: string; description: string }[] }
  assert.equal(fields.find(({ name }) => name === 'shuffled')?.description, 'In any order')
  const explained = await trellis.request<{ field: string; sql: string }[]>('/v1/graphql/explain', {
    body: { query: { query: '{ find_team(args: {wanted: 1}) { name } }' } },
  })
  assert.equal(explained.body[0]?.field, 'find_team')
  await trellis.op('set_function_customization', {
    function: 'find_team',
    configuration: { custom_name: 'team_of', custom_root_fields: { function: 'the_team' } },
  })
  assert.deepEqual(
    await trellis.graphql('query ($args: team_of_args!) { the_team(args: $args) { id } }', { args: { wanted: 2 } }),
    {
      data: { the_team: { id: 2 } },
    },
  )
  const { functions } = await trellis.op<{ functions: unknown }>('export_metadata', {})
  assert.deepEqual(functions, [
    { function: { schema: 'public', name: 'all_teams' } },
    {
      function: { schema: 'public', name: 'find_team' },
      configuration: { custom_name: 'team_of', custom_root_fields: { function: 'the_team' } },
    },
    {
      function: { schema: 'public', name: 'shuffled' },
      configuration: { exposed_as: 'query' },
      comment: 'In any order',
    },
  ])
  await trellis.op('set_function_customization', { function: 'find_team' })
  assert.deepEqual(await run('{ find_team(args: {wanted: 2}) { id } }'), { data: { find_team: { id: 2 } } })

  const strict = await startTrellis(t, { database: trellis.database, settings: { inferFunctionPermissions: false } })
  const ask = (query: string) => strict.graphql<Answer>(query, undefined, fan)
  assert.deepEqual(messages(await ask('{ all_teams { id } }')), [`field "all_teams" not found in type: 'query_root'`])
  assert.deepEqual(messages(await ask('{ find_team(args: {wanted: 2}) { id } }')), [
    `field "find_team" not found in type: 'query_root'`,
  ])
  await strict.op('create_function_permission', { function: 'all_teams', role: 'fan' })
  assert.deepEqual(await ask('{ all_teams { id } all_teams_aggregate { aggregate { count } } }'), {
    data: { all_teams: [{ id: 1 }, { id: 2 }], all_teams_aggregate: { aggregate: { count: 2 } } },
  })
})

const refused = (code: string, error: string, path = '$.args') => ({ status: 400, body: { path, error, code } })

test('operations on functions that do not fit are refused, and change nothing', async (t) => {
  const trellis = await start(t, {})
  await trellis.op('track_function', 'move_players')
  const before = await trellis.op('export_metadata', {})
  const asMutation = { function: 'all_teams', configuration: { exposed_as: 'mutation' } }
  const answers: readonly (readonly [type: string, args: unknown, answer: object, version?: number])[] = [
    [
      'track_function',
      asMutation,
      refused(
        'constraint-violation',
        'in function "all_teams": the function "all_teams" cannot be tracked because the function was requested to be ' +
          'exposed as a mutation, but is not marked VOLATILE. Maybe the function was given the wrong volatility when it was defined?',
      ),
      2,
    ],
    [
      'create_function_permission',
      { function: 'nope', role: 'fan' },
      refused('not-exists', 'function "nope" does not exist'),
    ],
    [
      'create_function_permission',
      { function: 'move_players', role: 'stranger' },
      refused(
        'not-supported',
        `function permission can only be added when the function's return table "player" has select permission configured for role: "stranger"`,
      ),
    ],
    [
      'drop_function_permission',
      { function: 'move_players', role: 'fan' },
      refused('not-exists', 'permission of role "fan" does not exist for function "move_players"'),
    ],
    [
      'drop_function_permission',
      { function: 'nope', role: 'fan' },
      refused('not-exists', 'function "nope" does not exist'),
    ],
    ['set_function_customization', { function: 'nope' }, refused('not-exists', 'function "nope" does not exist')],
    [
      'set_function_customization',
      { function: 'move_players', configuration: { custom_name: 'a b' } },
      refused('parse-failed', '"a b" is not a valid GraphQL name', '$.configuration.custom_name'),
    ],
  ]
  for (const [type, args, answer, version] of answers) {
    const { status, body } = await trellis.opError(type, args, version === undefined ? {} : { version })
    const { internal: _, hint: __, ...rest } = body as Record<string, unknown>
    assert.deepEqual({ status, body: rest }, answer, type)
  }
  for (const type of ['create_function_permission', 'drop_function_permission', 'set_function_customization']) {
    for (const args of [
      null,
      {},
      { function: 1, role: 'x' },
      { function: 'move_players', role: '', configuration: 1 },
    ]) {
      const { status, body } = await trellis.opError(type, args)
      assert.deepEqual([status, Object(body).code], [400, 'parse-failed'], `${type} ${JSON.stringify(args)}`)
    }
  }
  const taken = { function: 'move_players', configuration: { custom_name: 'insert_team' } }
  const clash = await trellis.opError('set_function_customization', taken)
  assert.equal(Object(clash.body).error, 'following mutation root fields are duplicated: insert_team')
  assert.deepEqual(await trellis.op('export_metadata', {}), before)
  await trellis.op('create_function_permission', { function: 'move_players', role: 'fan' })
  assert.deepEqual(
    await trellis.opError('create_function_permission', { function: 'move_players', role: 'fan' }),
    refused('already-exists', 'permission of role "fan" already exists for function "move_players"'),
  )
})

test('in interface 2, errors about the permission of a function name its source', async (t) => {
  const trellis = await startTrellis(t, {
    sql: `create table player (id int); create function players() returns setof player language sql stable
      as 'select * from player'`,
    settings: { graphqlInterface: '2' },
  })
  await trellis.op('track_table', 'player')
  await trellis.op('track_function', 'players')
  await trellis.op('create_select_permission', {
    table: 'player',
    role: 'fan',
    permission: { columns: ['id'], filter: {} },
  })
  const args = { function: 'players', role: 'fan' }
  const error = async (type: string) => Object((await trellis.opError(type, args)).body).error
  assert.equal(
    await error('drop_function_permission'),
    'permission of role "fan" does not exist for function "players" in source: "default"',
  )
  await trellis.op('create_function_permission', args)
  assert.equal(
    await error('create_function_permission'),
    'permission of role "fan" already exists for function "players" in source: "default"',
  )
})
