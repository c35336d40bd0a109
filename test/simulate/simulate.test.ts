// Simulations: their answers, and that nothing of them stays.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { stateOf } from '../operations/state.ts'
import { startTrellis } from '../support/trellis.ts'

const sql = `
  create table artist (id int primary key, name text not null, born date);
  create table album (id int primary key, title text, artist_id int references artist);
  insert into artist values (1, 'Ann', '1990-01-01'), (2, 'Ben', null);
  insert into album values (1, 'Dawn', 1), (2, 'Ebb', 2)`

type Outcome = { result?: unknown; error?: { path: string; error: string; code: string } }

interface Simulation {
  readonly results: readonly unknown[]
  readonly answers: readonly { readonly before: Outcome; readonly after: Outcome }[]
  readonly patch: readonly Readonly<Record<string, unknown>>[]
  readonly more_changes: boolean
  readonly new_inconsistencies: readonly object[]
  readonly schemas: readonly { readonly role: string; readonly only_a: string[]; readonly only_b: string[] }[]
}

const select = (columns: readonly string[], filter: object = {}) => ({
  type: 'create_select_permission',
  args: { table: 'artist', role: 'user', permission: { columns, filter } },
})
const drop = { type: 'drop_select_permission', args: { table: 'artist', role: 'user' } }
const user = { 'X-Service-Role': 'user', 'x-service-user-id': '2' }

async function start(t: TestContext) {
  const settings = { adminSecret: 'sesame', readSecret: 'peek' }
  const trellis = await startTrellis(t, { sql, settings })
  const headers = { 'x-service-admin-secret': 'sesame' }
  const op: typeof trellis.op = (type, args, more = {}) =>
    trellis.op(type, args, { ...more, headers: { ...more.headers, ...headers } })
  await op('bulk', [{ type: 'track_table', args: 'artist' }, { type: 'track_table', args: 'album' }, select(['id'])])
  const state = () => stateOf({ ...trellis, op })
  const simulate = (args: object) => op<Simulation>('simulate', args)
  const refused = async (args: object, with_: Readonly<Record<string, string>> = headers) =>
    (await trellis.opError('simulate', args, { headers: with_ })).body as { code: string }
  return { ...trellis, op, state, simulate, refused }
}

test('a simulation shows what changes would do, and nothing of it stays', async (t) => {
  const { op, opError, state, simulate, refused, engine } = await start(t)
  const before = await state()
  const generation = engine.model

  await t.test('answers, patch and schema before and after a change of a permission', async () => {
    const query = '{ artist { id name } }'
    const {
      results,
      answers,
      patch,
      schemas,
      new_inconsistencies: broken,
    } = await simulate({
      changes: [drop, select(['id', 'name'], { id: 'X-Service-User-Id' })],
      ask: [
        { session: user, graphql: { query } },
        { session: user, operation: { type: 'count', args: { table: 'artist' } } },
        { session: user, operation: { type: 'select', args: { table: 'artist', columns: ['id'] } } },
        { session: user, graphql: { query: '{ artist { id } }' }, explain: true },
      ],
      schemas_of: ['user', 'admin'],
    })
    assert.deepEqual(results, [{ message: 'success' }, { message: 'success' }])
    const [names, count, rows, statements] = answers
    assert.equal(names?.before.error?.error, `field "name" not found in type: 'artist'`)
    assert.deepEqual(names?.after, { result: { data: { artist: [{ id: 2, name: 'Ben' }] } } })
    assert.equal(count?.before.error?.code, count?.after.error?.code)
    assert.deepEqual([rows?.before, rows?.after], [{ result: [{ id: 1 }, { id: 2 }] }, { result: [{ id: 2 }] }])
    const [before, after] = [statements?.before, statements?.after].map((each) => each?.result) as { sql: string }[][]
    assert.doesNotMatch(before![0]!.sql, /where/)
    assert.match(after![0]!.sql, /where .*"id".*'2'/)
    assert.deepEqual(
      patch.map(({ member, name }) => [member, name]),
      [['select_permissions', 'user']],
    )
    assert.deepEqual(broken, [])
    const [ofUser, ofAdmin] = schemas
    assert.ok(ofUser?.only_b.includes('artist.name') && ofUser.only_a.length === 0)
    assert.deepEqual(ofAdmin, { role: 'admin', only_a: [], only_b: [], differing: [], more: false })
  })

  await t.test('changes that both states have come first', async () => {
    const { results, answers, patch, schemas } = await simulate({
      given: [drop, select(['id', 'name'])],
      changes: [drop, select(['id', 'born'])],
      ask: [{ session: user, graphql: { query: '{ artist { name } }' } }],
      schemas_of: ['user'],
    })
    assert.equal(results.length, 2)
    assert.deepEqual(answers[0]?.before, { result: { data: { artist: [{ name: 'Ann' }, { name: 'Ben' }] } } })
    assert.match(answers[0]?.after.error?.error ?? '', /"name" not found/)
    assert.deepEqual(
      patch.map(({ member, name }) => [member, name]),
      [['select_permissions', 'user']],
    )
    assert.ok(schemas[0]?.only_a.includes('artist.name') && schemas[0].only_b.includes('artist.born'))
    const { path } = (await refused({ given: [drop, drop], changes: [] })) as unknown as { path: string }
    assert.equal(path, '$.args.given[1].args')
  })

  await t.test('SQL, rows, events and schedules', async () => {
    const insert = { query: 'mutation { insert_artist_one(object: {id: 3, name: "Cyd"}) { id nick } }' }
    const {
      answers,
      patch,
      new_inconsistencies: broken,
    } = await simulate({
      changes: [
        {
          type: 'create_event_trigger',
          args: { name: 'made', table: 'artist', webhook: 'http://127.0.0.1:1/', insert: { columns: '*' } },
        },
        { type: 'run_sql', args: { sql: "alter table artist add nick text; notify trellis_metadata, 'x'" } },
        { type: 'insert', args: { table: 'album', objects: [{ id: 9, title: 'Fog', artist_id: 1 }] } },
        {
          type: 'create_scheduled_event',
          args: { webhook: 'http://127.0.0.1:1/', schedule_at: '2020-01-01T00:00:00Z' },
        },
        { type: 'run_sql', args: { sql: 'begin; drop table album; commit', cascade: true } },
      ],
      ask: [
        { graphql: insert },
        { graphql: { query: '{ artist { nick } }' } },
        { graphql: { query: '{ album { id } }' } },
      ],
    })
    const [inserted, read, albums] = answers
    assert.deepEqual(inserted?.after, { result: { data: { insert_artist_one: { id: 3, nick: null } } } })
    assert.deepEqual(read?.after, { result: { data: { artist: [{ nick: null }, { nick: null }] } } })
    assert.deepEqual(albums?.before, { result: { data: { album: [{ id: 1 }, { id: 2 }] } } })
    assert.equal(albums?.after.error?.code, 'validation-failed')
    assert.deepEqual(
      patch.map(({ table, member }) => [(table as { name: string }).name, member]),
      [
        ['album', undefined],
        ['artist', 'event_triggers'],
      ],
    )
    assert.deepEqual(broken, [])
  })

  await t.test('objects that become inconsistent', async () => {
    const document = await op<{ tables: object[] }>('export_metadata', {})
    const tables = [...document.tables, { table: { schema: 'public', name: 'lost' } }]
    const { new_inconsistencies: broken, more_changes: more } = await simulate({
      changes: [
        {
          type: 'replace_metadata',
          version: 2,
          args: { allow_inconsistent_metadata: true, metadata: { ...document, tables } },
        },
      ],
    })
    assert.deepEqual(broken, [
      {
        type: 'table',
        definition: 'lost',
        reason: 'no such table/view exists in postgres: "lost"',
      },
    ])
    assert.equal(more, false)
  })

  await t.test('a refused change is the error of the simulation, as in a bulk', async () => {
    assert.deepEqual(await refused({ changes: [drop, drop] }), {
      path: '$.args.changes[1].args',
      error: 'select permission on "artist" for role "user" does not exist',
      code: 'permission-denied',
    })
  })

  await t.test('a simulation within another request', async () => {
    const inner = { type: 'simulate', args: { changes: [drop] } }
    const { body } = await opError('bulk', [drop, inner], { headers: { 'x-service-admin-secret': 'sesame' } })
    assert.deepEqual(body, {
      path: '$.args[1]',
      error: '"simulate" cannot be a member of another request',
      code: 'not-supported',
    })
    assert.equal((await refused({ changes: [inner] })).code, 'not-supported')
    const { answers } = await simulate({ changes: [], ask: [{ operation: inner }] })
    assert.equal(answers[0]?.before.error?.code, 'not-supported')
  })

  await t.test('requests that cannot be tried', async () => {
    const asked = async (request: object) => (await simulate({ changes: [], ask: [request] })).answers[0]?.after.error
    assert.deepEqual(await asked({ operation: { type: 'untrack_table', args: { table: 'artist' } } }), {
      path: '$.args',
      error: '"untrack_table" edits the metadata: it belongs to the changes',
      code: 'not-supported',
    })
    assert.equal(
      (await asked({ operation: { type: 'test_webhook', args: { url: 'http://127.0.0.1:1/', payload: {} } } }))?.code,
      'not-supported',
    )
    const long = await asked({
      operation: { type: 'run_sql', args: { sql: `select repeat('x', 300000)`, read_only: true } },
    })
    assert.match(long?.error ?? '', /^the answer has \d+ bytes, and a simulation shows at most 262144$/)
    assert.equal(
      (await asked({ session: user, operation: { type: 'export_metadata', args: {} } }))?.code,
      'access-denied',
    )
    assert.deepEqual(await refused({ changes: [], ask: [{}] }), {
      path: '$.args.ask[0]',
      error: 'expected either "graphql" or "operation"',
      code: 'parse-failed',
    })
    assert.deepEqual(await refused({ changes: [], ask: [{ operation: drop, explain: true }] }), {
      path: '$.args.ask[0].explain',
      error: 'only GraphQL requests can be explained',
      code: 'parse-failed',
    })
    assert.equal(
      (await asked({ graphql: { query: 'mutation { delete_artist(where: {}) { affected_rows } }' }, explain: true }))
        ?.error,
      'only queries can be explained',
    )
    assert.deepEqual(
      await refused({ changes: [], ask: [{ session: { role: 'user' }, graphql: { query: '{ artist { id } }' } }] }),
      {
        path: '$.args.ask[0].session',
        error: '"role" is no session variable: their names begin with "x-service-"',
        code: 'parse-failed',
      },
    )
  })

  await t.test('a simulation that takes too long, or that a reader or another role asks for', async () => {
    const sleep = { type: 'run_sql', args: { sql: 'select pg_sleep(60)' } }
    assert.deepEqual(await refused({ changes: [drop, sleep], timeout: 0.2 }), {
      path: '$.args',
      error: 'the request took longer than its limit of 200 ms',
      code: 'time-limit-exceeded',
    })
    const reader = { 'x-service-admin-secret': 'peek' }
    assert.deepEqual(await refused({ changes: [] }, reader), {
      path: '$.args',
      error: 'the read secret does not allow simulations',
      code: 'access-denied',
    })
    assert.deepEqual(await refused({ changes: [] }, { 'x-service-admin-secret': 'sesame', 'x-service-role': 'user' }), {
      path: '$.args',
      error: 'restricted access : admin only',
      code: 'access-denied',
    })
  })

  assert.equal(engine.model, generation)
  assert.deepEqual(await state(), before)
})
