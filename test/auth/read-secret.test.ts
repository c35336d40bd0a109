// The read secret: requests with it may read in any role. No API lets them change anything.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { silentObserver } from '../../core/log/observe.ts'
import { version } from '../../core/names/version.ts'
import { type ActionCall, actionHandlers } from '../../plugins/actions/index.ts'
import { createEngine } from '../../sdk/engine.ts'
import { definePlugin } from '../../sdk/index.ts'
import { openSocket } from '../subscriptions/clients.ts'
import { librarySql } from '../support/library.ts'
import { startTrellis } from '../support/trellis.ts'

const withSecret = (secret: string) => ({ role: null, headers: { 'x-service-admin-secret': secret } }) as const
const [admin, reader] = [withSecret('sesame'), withSecret('look')]

const effects = `
  create table trace (at timestamptz default now());
  create function traced_books() returns setof book language plpgsql volatile as $$
    begin insert into trace default values; return query select * from book order by id; end $$;
  create function escaping_books() returns setof book language plpgsql volatile as $$
    begin perform set_config('transaction_read_only', 'off', true);
          insert into trace default values; return query select * from book; end $$;
  create view traced as select id from traced_books();
  create function trace_it() returns boolean language plpgsql volatile as $$
    begin insert into trace default values; return true; end $$;
  -- Functions of computed fields must claim to be stable.
  create function traced_title(book) returns text language plpgsql stable as $$
    begin perform trace_it(); return $1.title; end $$;
  create function traced_copies(book) returns setof book language plpgsql stable as $$
    begin perform trace_it(); return query select * from book where id = $1.id; end $$;
`

/** A handler that asks for rows of a function that writes. */
const handlers = definePlugin({
  name: 'handlers',
  dependencies: ['actions'],
  register(engine) {
    const ask = async ({ client }: ActionCall) => {
      const { traced } = await client.graphql<{ traced: readonly unknown[] }>('{ traced { id } }')
      return { count: traced.length }
    }
    engine.use(actionHandlers).handle('ask', ask)
  },
})

const isReader = { select: { columns: ['id', 'title'], filter: { id: { _lt: 3 } } } }

async function startGuarded(t: TestContext) {
  const settings = {
    ...{ adminSecret: 'sesame', readSecret: '["look", "peek"]', metricsSecret: 'hush' },
    ...{ environmentLabel: 'production', environmentColour: '#B3261E' },
  }
  const trellis = await startTrellis(t, { sql: librarySql + effects, settings, plugins: [handlers] })
  const mutation = 'mutation { delete_book(where: {}) { affected_rows } }'
  const setUp = [
    { type: 'track_table', args: 'book' },
    { type: 'track_table', args: 'traced' },
    { type: 'set_custom_types', args: { objects: [{ name: 'Asked', fields: [{ name: 'count', type: 'Int!' }] }] } },
    {
      type: 'create_action',
      args: { name: 'ask', definition: { type: 'query', output_type: 'Asked!', arguments: [] } },
    },
    { type: 'track_function', version: 2, args: { function: 'traced_books', configuration: { exposed_as: 'query' } } },
    {
      type: 'track_function',
      version: 2,
      args: { function: 'escaping_books', configuration: { exposed_as: 'query' } },
    },
    ...['traced_title', 'traced_copies'].map((name) => ({
      type: 'add_computed_field',
      args: { table: 'book', name, definition: { function: name } },
    })),
    { type: 'create_select_permission', args: { table: 'book', role: 'clerk', permission: isReader.select } },
    {
      type: 'create_query_collection',
      args: {
        name: 'c',
        definition: {
          queries: [
            { name: 'gone', query: mutation },
            { name: 'traced', query: '{ traced_books { id } }' },
          ],
        },
      },
    },
    ...['gone', 'traced'].map((name) => ({
      type: 'create_rest_endpoint',
      args: {
        ...{ name, url: name, methods: ['GET', 'POST'] },
        definition: { query: { collection_name: 'c', query_name: name } },
      },
    })),
  ]
  await trellis.op('bulk', setUp, admin)
  const rows = async () => {
    const [row] = await trellis.sql(
      'select (select count(*) from book)::int books, (select count(*) from trace)::int traces',
    )
    return row
  }
  return { ...trellis, rows }
}

interface Refusal {
  readonly errors: readonly { readonly message: string; readonly extensions: { readonly code: string } }[]
}

const denied = (refused: string, path = '$') => ({
  status: 400,
  body: { path, error: `the read secret does not allow ${refused}`, code: 'access-denied' },
})

test('the read secret reads in any role, and changes nothing', async (t) => {
  const trellis = await startGuarded(t)
  const { op, opError, graphql, request, rows } = trellis
  const before = await op<object>('export_metadata', {}, admin)

  await t.test('rows, counts, exports and logs are answered', async () => {
    const titles = { data: { book: [{ title: 'Dawn' }, { title: 'Ebb' }, { title: 'Fog' }] } }
    assert.deepEqual(await graphql('{ book(order_by: {id: asc}) { title } }', {}, reader), titles)
    assert.deepEqual(await graphql('{ book(order_by: {id: asc}) { title } }', {}, withSecret('peek')), titles)
    const asClerk = { role: null, headers: { ...reader.headers, 'x-service-role': 'clerk' } }
    assert.deepEqual(await op('count', { table: 'book' }, asClerk), { count: 2 })
    assert.deepEqual(await op('select', { table: 'book', columns: ['id'], where: { id: 1 } }, reader), [{ id: 1 }])
    assert.deepEqual(await op('export_metadata', {}, reader), before)
    assert.deepEqual(await op('bulk', [{ type: 'export_metadata', args: {} }], reader), [before])
    const logs = await request('/v1/metadata', {
      ...reader,
      body: { type: 'pg_get_event_logs', args: { name: 'none' } },
    })
    assert.notEqual((logs.body as { code?: string }).code, 'access-denied')
    const timeline = await opError('get_event_timeline', { event_id: 'none' }, reader)
    assert.equal((timeline.body as { code?: string }).code, 'not-exists')
    const explained = await request('/v1/graphql/explain', { ...reader, body: { query: { query: '{ book { id } }' } } })
    assert.equal(explained.status, 200)
  })

  await t.test('the configuration says so, and tells no secret', async () => {
    interface Configuration {
      readonly read_only: boolean
      readonly dialect: string
      readonly apis: { readonly enabled: readonly string[]; readonly known: readonly string[] }
      readonly environment: object
      readonly postgres: { readonly version: number }
      readonly plugins: readonly { readonly name: string; readonly options: object }[]
    }
    const told = async (as: typeof reader) => await request<Configuration>('/v1alpha1/config', as)
    assert.equal((await told(admin)).body.read_only, false)
    const { body, text } = await told(reader)
    assert.deepEqual([body.read_only, body.dialect, body.postgres.version > 11], [true, 'trellis', true])
    assert.deepEqual(body.environment, { label: 'production', colour: '#B3261E' })
    assert.deepEqual([body.apis.enabled.includes('graphql'), body.apis.known.includes('developer')], [true, true])
    const metrics = body.plugins.find(({ name }) => name === 'metrics')
    const options = { metricsSecret: '<redacted>', metricsPort: null }
    assert.deepEqual(metrics, { name: 'metrics', version, api: 'metrics', built_in: true, options, routes: [] })
    assert.equal(/sesame|look|peek|hush/.test(text), false)
  })

  await t.test('edits, rows and SQL are refused, alone and in a bulk', async () => {
    const edits = [
      ['untrack_table', { table: 'book' }],
      ['run_sql', { sql: 'select 1', read_only: true }],
      ['cancel_sql', { request_id: 'x' }],
      ['delete', { table: 'book', where: {} }],
      ['replace_metadata', before],
      ['reload_metadata', {}],
    ] as const
    for (const [type, args] of edits) {
      assert.deepEqual(await opError(type, args, reader), denied(`"${type}"`, '$.args'))
      assert.deepEqual(await opError('bulk', [{ type, args }], reader), denied(`"${type}"`, '$.args'))
    }
    for (const [path, body] of [
      ['/v2/query', { type: 'run_sql', args: { sql: 'select 1', read_only: true } }],
      ['/v1/metadata', { type: 'pg_untrack_table', args: { table: 'book' } }],
    ] as const) {
      const { status, body: answer } = await request<{ error: string }>(path, { ...reader, body })
      assert.deepEqual([status, answer.error.startsWith('the read secret does not allow')], [400, true])
    }
    const byPath = await request('/api/1/table/book/delete', { ...reader, body: { where: {} } })
    assert.deepEqual([byPath.status, byPath.body], [400, denied('"delete"', '$.args').body])
    const dump = await request('/v1alpha1/pg_dump', { ...reader, body: { opts: ['-O'] } })
    assert.deepEqual({ status: dump.status, body: dump.body }, denied('requests to this endpoint'))
    assert.deepEqual(await op('export_metadata', {}, admin), before)
  })

  await t.test('mutations are refused by every transport', async () => {
    const query = 'mutation { delete_book(where: {}) { affected_rows } }'
    const errors = [
      { extensions: { path: '$', code: 'access-denied' }, message: 'the read secret does not allow mutations' },
    ]
    assert.deepEqual(await graphql(query, {}, reader), { errors })
    const batch = await request('/v1/graphql', { ...reader, body: [{ query }, { query: '{ __typename }' }] })
    assert.deepEqual(batch.body, [{ errors }, { data: { __typename: 'query_root' } }])
    const rest = await request('/api/rest/gone', { ...reader, body: {} })
    assert.deepEqual([rest.status, (rest.body as { code: string }).code], [400, 'access-denied'])
    const events = { ...reader, headers: { ...reader.headers, accept: 'text/event-stream' } }
    const stream = await request('/v1/graphql', { ...events, body: { query } })
    assert.match(stream.text, /the read secret does not allow mutations/)
    const socket = await openSocket(t, trellis.url, { protocol: 'graphql-transport-ws' })
    socket.send({ type: 'connection_init', payload: { headers: reader.headers } })
    assert.equal((await socket.next()).type, 'connection_ack')
    socket.send({ type: 'subscribe', id: 'a', payload: { query } })
    assert.deepEqual(await socket.next(), { type: 'error', id: 'a', payload: errors })
    assert.deepEqual(await rows(), { books: 3, traces: 0 })
  })

  await t.test('functions run in read-only transactions, in queries and in subscriptions', async () => {
    const socket = await openSocket(t, trellis.url, { protocol: 'graphql-transport-ws' })
    socket.send({ type: 'connection_init', payload: { headers: reader.headers } })
    await socket.next()
    const message = 'the session may only read, so no function that it calls can write'
    for (const name of ['traced_books', 'traced_books', 'escaping_books']) {
      const { errors } = await graphql<Refusal>(`{ ${name} { id } }`, {}, reader)
      socket.send({ type: 'subscribe', id: name, payload: { query: `subscription { ${name} { id } }` } })
      const { type, payload } = (await socket.next()) as { readonly type: string; readonly payload: Refusal['errors'] }
      assert.deepEqual([type, payload[0]!.message], ['error', errors[0]!.message])
      if (name === 'traced_books')
        assert.deepEqual([errors[0]!.extensions.code, errors[0]!.message], ['access-denied', message])
      socket.send({ type: 'complete', id: name })
    }
    const refused = { path: '$.args', error: message, code: 'access-denied' }
    for (const [type, args] of [
      ['select', { table: 'traced', columns: ['id'] }],
      ['count', { table: 'traced' }],
      ['browse_rows', { table: 'traced' }],
    ] as const) {
      const { status, body } = await opError(type, args, reader)
      const { internal: _, ...shown } = body as { readonly internal?: unknown }
      assert.deepEqual([status, shown], [400, refused], type)
    }
    const computed = [
      '{ book { traced_title } }',
      '{ book { traced_copies { id } } }',
      '{ book(where: {traced_title: {_eq: "Dawn"}}) { id } }',
      '{ book(order_by: {traced_title: asc}) { id } }',
      '{ book_aggregate(where: {traced_copies: {id: {_eq: 1}}}) { aggregate { count } } }',
    ]
    for (const query of computed) {
      const { errors } = await graphql<Refusal>(query, {}, reader)
      assert.deepEqual([errors[0]!.extensions.code, errors[0]!.message], ['access-denied', message], query)
    }
    const compared = { table: 'book', where: { traced_title: 'Dawn' } }
    for (const type of ['select', 'count', 'browse_rows']) {
      const { status, body } = await opError(
        type,
        type === 'count' ? compared : { ...compared, columns: ['id'] },
        reader,
      )
      assert.deepEqual([status, (body as { code: string }).code], [400, 'access-denied'], type)
    }
    for (const method of ['GET', 'POST']) {
      const sent = method === 'GET' ? { method } : { method, body: {} }
      const { status, body } = await request<{ code: string; error: string }>('/api/rest/traced', {
        ...reader,
        ...sent,
      })
      assert.deepEqual([status, body.code, body.error], [400, 'access-denied', message], method)
    }
    const analyzed = { query: { query: '{ traced_books { id } }' }, analyze: true }
    const explained = await request<{ code: string }>('/v1/graphql/explain', { ...reader, body: analyzed })
    assert.deepEqual([explained.status, explained.body.code], [400, 'not-supported'])
    const { errors: byHandler } = await graphql<Refusal>('{ ask { count } }', {}, reader)
    assert.deepEqual([byHandler[0]!.extensions.code, byHandler[0]!.message], ['access-denied', message])
    assert.deepEqual(await rows(), { books: 3, traces: 0 })
    const asAdmin = await graphql('{ traced_books { id } }', {}, admin)
    assert.deepEqual(asAdmin, { data: { traced_books: [{ id: 1 }, { id: 2 }, { id: 3 }] } })
    assert.deepEqual(await rows(), { books: 3, traces: 1 })
  })
})

test('a program cannot start an engine with a read secret alone', async () => {
  const alone = { settings: { readSecret: 'look' }, observe: silentObserver }
  const secrets = '--admin-secret (SERVICE_GRAPHQL_ADMIN_SECRET) or  --access-key (SERVICE_GRAPHQL_ACCESS_KEY)'
  const message = `Fatal Error : --read-secret (SERVICE_GRAPHQL_READ_SECRET) requires ${secrets} to be set`
  await assert.rejects(createEngine(alone), { message })
})
