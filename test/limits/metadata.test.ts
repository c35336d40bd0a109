// Limits and disabled introspection as part of the metadata.

import assert from 'node:assert/strict'
import { before, type TestContext, test } from 'node:test'
import { startTrellis, type TestTrellis } from '../support/trellis.ts'

let trellis: TestTrellis

before(async (t) => {
  const apiLimits = '{"depth_limit": {"global": 3, "per_role": {"guest": 1}}}'
  const sql = `create table shelf (id int primary key, above int references shelf); insert into shelf values (1, 1)`
  trellis = await startTrellis(t as TestContext, { sql, settings: { apiLimits } })
  const { op } = trellis
  await op('track_table', 'shelf')
  const using = { foreign_key_constraint_on: 'above' }
  await op('create_object_relationship', { table: 'shelf', name: 'up', using })
  for (const role of ['guest', 'clerk']) {
    await op('create_select_permission', { table: 'shelf', role, permission: { columns: '*', filter: {} } })
  }
})

const nested = (levels: number): string => (levels === 0 ? '{ id }' : `{ up ${nested(levels - 1)} }`)

const ask = (role: string, query: string, variables = {}) => trellis.graphql<object>(query, variables, { role })

const deep = (role: string, levels: number) => ask(role, `{ shelf ${nested(levels - 1)} }`)

const refused = (code: string, message: string) => ({ errors: [{ extensions: { path: '$', code }, message }] })

const tooDeep = (levels: number, limit: number) =>
  refused('depth-limit-exceeded', `the operation is ${levels} levels deep, the depth limit is ${limit}`)

test('the stricter limit of the option and the metadata applies', async () => {
  assert.deepEqual(await deep('clerk', 4), tooDeep(4, 3))
  await trellis.op('set_api_limits', { depth_limit: { global: 2, per_role: { guest: 9 } } })
  assert.deepEqual(await deep('clerk', 3), tooDeep(3, 2))
  assert.ok('data' in (await deep('clerk', 2)))
  assert.deepEqual(await deep('guest', 2), tooDeep(2, 1))
  assert.ok('data' in (await deep('admin', 9)))
  await trellis.op('set_api_limits', { disabled: true, depth_limit: { global: 2 } })
  assert.ok('data' in (await deep('clerk', 3)))
  await trellis.op('remove_api_limits', {})
  assert.ok('data' in (await deep('clerk', 3)))
  assert.deepEqual(await deep('clerk', 4), tooDeep(4, 3))
})

test('all kinds of limits can be set, and are exported unchanged', async () => {
  const api_limits = {
    disabled: false,
    depth_limit: { global: 9, per_role: {} },
    node_limit: { global: 2, per_role: { guest: 5 } },
    batch_limit: { global: 1 },
    time_limit: { global: 0.2 },
    rate_limit: {
      global: { max_reqs_per_min: 1000, unique_params: null },
      per_role: { guest: { max_reqs_per_min: 2, unique_params: 'IP' } },
    },
  }
  await trellis.op('set_api_limits', api_limits)
  const exported = await trellis.op<{ api_limits: object }>('export_metadata', {})
  assert.deepEqual(exported.api_limits, api_limits)
  assert.deepEqual(
    await deep('clerk', 3),
    refused('node-limit-exceeded', 'the operation has 3 nodes, the node limit is 2'),
  )
  const batch = await trellis.request('/v1/graphql', {
    role: 'clerk',
    body: [1, 2].map(() => ({ query: '{ shelf { id } }' })),
  })
  assert.match(batch.text, /the batch has 2 operations, the batch limit is 1/)
  const statuses: unknown[] = []
  for (let i = 0; i < 3; i++)
    statuses.push(JSON.stringify(await ask('guest', '{ shelf { id } }')).includes('rate-limit'))
  assert.deepEqual(statuses, [false, false, true])
  await trellis.sql('create view slow as select pg_sleep(1)::text as id')
  await trellis.op('track_table', 'slow')
  await trellis.op('create_select_permission', {
    table: 'slow',
    role: 'clerk',
    permission: { columns: '*', filter: {} },
  })
  assert.deepEqual(
    await ask('clerk', '{ slow { id } }'),
    refused('time-limit-exceeded', 'the request took longer than the time limit of 0.2 s'),
  )
  await trellis.op('untrack_table', { table: 'slow', cascade: true })
  await trellis.op('replace_metadata', exported)
  assert.deepEqual((await trellis.op<{ api_limits: object }>('export_metadata', {})).api_limits, api_limits)
  await trellis.op('remove_api_limits', {})
})

const refusals: readonly (readonly [args: object, path: string, error: string])[] = [
  [{ depth_limit: 3 }, '$.depth_limit', 'parsing Object failed, expected Object, but encountered Number'],
  [{ depth_limit: { global: -1 } }, '$.depth_limit.global', 'unexpected negative value'],
  [{ depth_limit: { per_role: {} } }, '$.depth_limit', `the key 'global' was not present`],
  [{ width_limit: { global: 1 } }, '$.width_limit', 'unexpected key "width_limit"'],
  [
    { rate_limit: { global: { max_reqs_per_min: 1, unique_params: ['cookie'] } } },
    '$.rate_limit.global.unique_params',
    'expecting "IP", or session variables other than x-service-role, such as ["x-service-user-id"]',
  ],
]

for (const [args, path, error] of refusals) {
  test(`refused limits: ${JSON.stringify(args)}`, async () => {
    const { status, body } = await trellis.opError('set_api_limits', args)
    assert.deepEqual(
      [status, { ...(body as object), hint: undefined }],
      [400, { path, error, code: 'parse-failed', hint: undefined }],
    )
    assert.ok(!('api_limits' in (await trellis.op<object>('export_metadata', {}))))
  })
}

test('introspection can be disabled for roles', async () => {
  const disabled = { disabled_for_roles: ['guest'] }
  await trellis.op('set_graphql_schema_introspection_options', disabled)
  const answer = refused('not-supported', 'introspection is disabled for role: "guest"')
  const queries = [
    '{ __schema { queryType { name } } }',
    '{ a: __type(name: "shelf") { name } shelf { id } }',
    '{ ... { ...F } } fragment F on query_root { ...G } fragment G on query_root { __schema { queryType { name } } }',
  ]
  for (const query of queries) {
    assert.deepEqual(await ask('guest', query), answer)
    assert.ok('data' in (await ask('clerk', query)))
  }
  assert.deepEqual(await ask('guest', '{ __typename shelf { __typename } }'), {
    data: { __typename: 'query_root', shelf: [{ __typename: 'shelf' }] },
  })
  const two = 'query A { __schema { queryType { name } } } query B { shelf { id } }'
  const { body } = await trellis.request('/v1/graphql', { role: 'guest', body: { query: two, operationName: 'B' } })
  assert.deepEqual(body, { data: { shelf: [{ id: 1 }] } })
  const relay = await trellis.graphql(
    '{ __schema { queryType { name } } }',
    {},
    { role: 'guest', path: '/v1beta1/relay' },
  )
  assert.deepEqual(relay, answer)
  const { graphql_schema_introspection: exported } = await trellis.op<Record<string, unknown>>('export_metadata', {})
  assert.deepEqual(exported, disabled)
  const { status, body: refusal } = await trellis.opError('set_graphql_schema_introspection_options', {
    disabled_for_roles: 'guest',
  })
  assert.deepEqual(
    [status, refusal],
    [
      400,
      {
        path: '$.disabled_for_roles',
        error: 'parsing [] failed, expected Array, but encountered String',
        code: 'parse-failed',
      },
    ],
  )
  await trellis.op('set_graphql_schema_introspection_options', { disabled_for_roles: [] })
  assert.ok('data' in (await ask('guest', queries[0]!)))
})

test('limits of the metadata still apply after a start', async (t) => {
  await trellis.op('set_api_limits', { rate_limit: { global: { max_reqs_per_min: 1 } }, time_limit: { global: 0.2 } })
  await trellis.op('set_graphql_schema_introspection_options', { disabled_for_roles: ['guest'] })
  const again = await startTrellis(t, { database: trellis.database })
  const asked = (query: string) => again.graphql<object>(query, {}, { role: 'guest' })
  const refusal = refused('not-supported', 'introspection is disabled for role: "guest"')
  assert.deepEqual(await asked('{ __schema { queryType { name } } }'), refusal)
  assert.match(JSON.stringify(await asked('{ shelf { id } }')), /rate-limit-exceeded/)
  await again.op('set_api_limits', { time_limit: { global: 0.2 } })
  await again.sql('create view slower as select pg_sleep(1)::text as id')
  await again.op('track_table', 'slower')
  await again.op('create_select_permission', {
    table: 'slower',
    role: 'guest',
    permission: { columns: '*', filter: {} },
  })
  assert.match(JSON.stringify(await asked('{ slower { id } }')), /time-limit-exceeded/)
})
