// Functions of plugins that receive changes of rows.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { definePlugin } from '../../core/engine/plugin.ts'
import {
  type RowEventCall,
  type RowEventHandler,
  type RowListener,
  rowEvents,
} from '../../plugins/event-triggers/index.ts'
import { recordingObserver } from '../http/server.ts'
import { type TestDatabase, testDatabase } from '../support/database.ts'
import { startTrellis, type TrellisOptions } from '../support/trellis.ts'
import { eventually } from '../support/waiting.ts'

const sql = `
  create table orders (id int primary key, total numeric, state text);
  create table audit (id serial primary key, what text)`

const listening = (...listeners: readonly (readonly [RowListener, RowEventHandler])[]) =>
  definePlugin({
    name: 'listening',
    dependencies: ['event-triggers'],
    register(engine) {
      for (const [listener, handler] of listeners) engine.use(rowEvents).on(listener, handler)
    },
  })

const start = async (t: TestContext, options: TrellisOptions) => {
  const trellis = await startTrellis(t, options)
  const functions = async () => {
    const rows = await trellis.sql<{ name: string }>(
      `select proname as name from pg_proc where pronamespace = 'trellis'::regnamespace and prosrc ~ 'record_events?\\(' order by 1`,
    )
    return rows.map(({ name }) => name)
  }
  return { ...trellis, functions }
}

interface LoggedEvent {
  readonly id: string
  readonly delivered: boolean
  readonly error: boolean
  readonly tries: number
}

test('a listener receives the changes that it declares, from any source', async (t) => {
  const calls: RowEventCall[] = []
  const told = (): unknown[] =>
    calls.map(({ event: { operation, old, new: row }, session }) => [operation, old, row, session?.role ?? null])
  let failing = 0
  const plugin = listening(
    [
      { name: 'sent', table: 'orders', operations: ['insert', 'delete'], retry: { retries: 2, interval: 0 } },
      (call) => {
        if (call.attempt <= failing) throw new Error('not yet')
        calls.push(call)
      },
    ],
    [
      {
        name: 'paid',
        table: { schema: 'public', name: 'orders' },
        operations: ['update'],
        columns: ['state'],
        when: { new: { state: { _eq: 'paid' } } },
        orderingKey: ['id'],
      },
      (call) => {
        calls.push(call)
      },
    ],
  )
  const { op, graphql, sql: run, functions, request } = await start(t, { sql, plugins: [plugin] })
  await op('track_table', 'orders')
  assert.deepEqual(await functions(), ['trellis_paid_UPDATE', 'trellis_sent_DELETE', 'trellis_sent_INSERT'])
  const columns = ['id', 'total', 'state']
  await op('create_insert_permission', { table: 'orders', role: 'clerk', permission: { columns, check: {} } })

  const insert = 'mutation { insert_orders(objects: {id: 1, total: 7, state: "new"}) { affected_rows } }'
  await graphql(insert, {}, { role: 'clerk' })
  const [first] = await eventually(() => calls.length === 1 && calls)
  const row = { id: 1, total: 7, state: 'new' }
  assert.deepEqual(told(), [['insert', null, row, 'clerk']])
  assert.deepEqual(first?.event.table, { schema: 'public', name: 'orders' })
  assert.deepEqual(first?.session, { role: 'clerk', variables: { 'x-service-role': 'clerk' }, backendOnly: false })
  assert.match(first!.event.createdAt, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/)

  calls.length = 0
  await run(`update orders set total = 8; update orders set state = 'seen'; update orders set state = 'paid'`)
  await run('delete from orders')
  await eventually(() => calls.length === 2)
  const paid = { id: 1, total: 8, state: 'paid' }
  assert.deepEqual(
    new Set(told().map((each) => JSON.stringify(each))),
    new Set([
      JSON.stringify(['update', { ...paid, state: 'seen' }, paid, null]),
      JSON.stringify(['delete', paid, null, null]),
    ]),
  )

  // The operations on event triggers take the names of listeners.
  const log = (name: string) => op<LoggedEvent[]>('pg_get_event_logs', { name, status: 'processed' })
  await eventually(async () => (await log('sent')).length === 2)
  failing = 1
  calls.length = 0
  const [deleted] = await log('sent')
  await op('redeliver_event', { event_id: deleted!.id })
  await eventually(() => calls.length === 1)
  assert.deepEqual([calls[0]?.event.id, calls[0]?.attempt], [deleted!.id, 2])
  await eventually(async () => (await log('sent'))[0]?.delivered)
  const { invocations } = await op<{ invocations: { status: number; response: { data: object } }[] }>(
    'pg_get_event_by_id',
    { event_id: deleted!.id },
  )
  assert.deepEqual(
    invocations.slice(0, 2).map(({ status, response }) => [status, response.data]),
    [
      [200, { status: 200 }],
      [500, { message: 'not yet' }],
    ],
  )
  failing = 0

  await op('pause_event_trigger', { name: 'sent' })
  const paused = await op<{ row_listeners?: unknown }>('export_metadata', {})
  assert.deepEqual(paused.row_listeners, [{ name: 'sent', paused: true }])
  await op('replace_metadata', paused)
  calls.length = 0
  await run(`insert into orders values (2)`)
  await op('resume_event_trigger', { name: 'sent' })
  assert.equal((await op<{ row_listeners?: unknown }>('export_metadata', {})).row_listeners, undefined)
  await eventually(() => calls.length === 1)

  const cleaned = { event_trigger_name: 'sent', clear_older_than: 1 }
  await op('cleanup_event_trigger_logs', cleaned)
  const metrics = await request('/v1/metrics')
  if (metrics.status === 200) assert.match(metrics.text, /event_processed_total\{.*trigger_name="sent"/)
  const own = '"sent" is a row listener, which its plugin declares'
  const trigger = { name: 'sent', table: 'orders', insert: { columns: '*' }, webhook: 'http://127.0.0.1:1' }
  for (const [type, args] of [
    ['create_event_trigger', trigger],
    ['delete_event_trigger', { name: 'sent' }],
    ['invoke_event_trigger', { name: 'sent', payload: {} }],
  ] as const) {
    const { status, body } = await request('/v1/query', { body: { type, args } })
    assert.deepEqual([status, body], [400, { path: '$.args', error: own, code: 'not-supported' }])
  }
})

test('a listener is inconsistent while its table is not there, and starts with it', async (t) => {
  const seen: unknown[] = []
  const handler: RowEventHandler = ({ event }) => {
    seen.push(event.new?.['id'] ?? event.old?.['id'])
  }
  const plugin = listening(
    [{ name: 'mail', table: 'orders', operations: ['insert'] }, handler],
    [{ name: 'lost', table: 'nowhere', operations: ['insert'] }, handler],
    [{ name: 'odd', table: 'audit', operations: ['update'], columns: ['colour'] }, handler],
  )
  const trellis = await start(t, { sql, plugins: [plugin] })
  const { op, opError, functions, sql: run } = trellis
  const broken = async () => {
    const all = await op<{ type: string; definition: { name: string }; reason: string }[]>(
      'get_inconsistent_metadata',
      {},
    )
    return all.map(({ type, definition, reason }) => [type, definition.name, reason])
  }
  const untracked = (name: string, table: string) => ['row_listener', name, `table "${table}" is not tracked`]
  const [lost, odd, mail] = [untracked('lost', 'nowhere'), untracked('odd', 'audit'), untracked('mail', 'orders')]
  assert.deepEqual(await broken(), [mail, lost, odd])
  assert.deepEqual(await functions(), [])
  await op('track_table', 'orders')
  await op('track_table', 'audit')
  const fault = ['row_listener', 'odd', 'table "audit" has no field named "colour"']
  assert.deepEqual(await broken(), [lost, fault])
  await run('insert into orders values (1)')
  await eventually(() => seen.length === 1)

  const error = 'cannot drop due to the following dependent objects : row listener mail'
  const refused = { path: '$.args', error, code: 'dependency-error' }
  const untrack = await opError('untrack_table', { table: 'orders' })
  assert.deepEqual(untrack, { status: 400, body: refused })
  await op('pause_event_trigger', { name: 'mail' })
  await run('insert into orders values (2)')
  await op('untrack_table', { table: 'orders', cascade: true })
  await op('resume_event_trigger', { name: 'mail' })
  assert.deepEqual(await broken(), [mail, lost, fault])
  assert.deepEqual(await functions(), [])
  await run('insert into orders values (3)')
  await op('track_table', 'orders')
  await run('insert into orders values (4)')
  await eventually(() => seen.length === 2)
  assert.deepEqual(seen, [1, 4])

  // A table that others drop: events wait until it is there again.
  const drop = await trellis.request<{ error: string }>('/v1/query', {
    body: { type: 'run_sql', args: { sql: 'drop table orders' } },
  })
  assert.equal(drop.body.error, error)
  await run('drop table orders')
  await op('reload_metadata', {})
  const gone = await broken()
  assert.ok(gone.some(([, name, reason]) => name === 'mail' && reason === 'table "orders" is inconsistent'))
  await run('create table orders (id int primary key)')
  await op('reload_metadata', {})
  await run('insert into orders values (5)')
  await eventually(() => seen.length === 3)
  // Metadata that names an event trigger like a listener.
  const table = { schema: 'public', name: 'orders' }
  const trigger = { name: 'lost', definition: { enable_manual: true }, retry_conf: {}, webhook: 'http://127.0.0.1:1' }
  await op('replace_metadata', { version: 2, tables: [{ table, event_triggers: [trigger] }] })
  assert.deepEqual(await broken(), [['row_listener', 'lost', 'an event trigger has the name "lost"'], odd])
})

const withListener = (seen: number[]) =>
  listening([
    { name: 'mail', table: 'orders', operations: ['insert'] },
    ({ event }) => {
      seen.push(Number(event.new?.['id']))
    },
  ])

async function recording(t: TestContext, database: TestDatabase): Promise<void> {
  const first = await startTrellis(t, { sql, database, plugins: [withListener([])] })
  await first.op('track_table', 'orders')
  await first.engine.close()
}

test('without its plugin, the changes for a listener are recorded and wait', async (t) => {
  const database = await testDatabase(t)
  await recording(t, database)
  const observe = recordingObserver()
  const second = await start(t, { database, observe })
  const waiting = 'changes for the row listener "mail" wait, because no plugin of this server declares it'
  const lines = observe.entries.map(({ detail }) => Object(detail).message)
  assert.ok(lines.includes(`${waiting}; delete_event_trigger ends their recording`))
  const trigger = { table: 'orders', name: 'other', insert: { columns: '*' }, webhook: 'http://127.0.0.1:1' }
  const taken = '"mail" is a row listener, whose plugin this server does not have'
  assert.deepEqual(await second.opError('create_event_trigger', { ...trigger, name: 'mail' }), {
    status: 400,
    body: { path: '$.args', error: taken, code: 'already-exists' },
  })
  // An event trigger of the same table changes nothing about that.
  await second.op('create_event_trigger', trigger)
  await second.sql('insert into orders values (1)')
  await second.op('delete_event_trigger', { name: 'other' })
  assert.deepEqual(await second.functions(), ['trellis_mail_INSERT'])
  await second.engine.close()

  const seen: number[] = []
  const third = await start(t, { database, plugins: [withListener(seen)] })
  await third.sql('insert into orders values (2)')
  await eventually(() => seen.length === 2)
  assert.deepEqual(seen.toSorted(), [1, 2])
  await third.engine.close()

  const fourth = await start(t, { database })
  await fourth.op('create_event_trigger', trigger)
  await fourth.sql('insert into orders values (3)')
  await fourth.op('delete_event_trigger', { name: 'mail' })
  await fourth.sql('insert into orders values (4)')
  const left = await fourth.sql(
    `select archived, payload #>> '{data,new,id}' as id from trellis.event_log where trigger_name = 'mail' and not delivered`,
  )
  assert.deepEqual(left, [{ archived: true, id: '3' }])
  assert.deepEqual(await fourth.functions(), ['trellis_mail_INSERT'], 'it has the name of its first trigger still')
})

test('one of the instances handles each event', async (t) => {
  const database = await testDatabase(t)
  await recording(t, database)
  const [a, b]: [number[], number[]] = [[], []]
  const one = await start(t, { database, plugins: [withListener(a)] })
  await start(t, { database, plugins: [withListener(b)] })
  await one.sql('insert into orders select generate_series(1, 200)')
  await eventually(() => a.length + b.length >= 200)
  await eventually(async () => (await one.sql('select from trellis.event_log where not delivered')).length === 0)
  assert.deepEqual(
    [...a, ...b].toSorted((x, y) => x - y),
    Array.from({ length: 200 }, (_, i) => i + 1),
  )
})

test('a mistake in declaring a listener ends the start with the name of the plugin', async (t) => {
  const right = { name: 'mail', table: 'orders', operations: ['insert'] }
  const noName = 'a row listener needs a "name" that begins with a letter and has only letters, digits, _ and -'
  const faults: readonly (readonly [unknown, unknown, string])[] = [
    [undefined, () => null, noName],
    [{ ...right, name: 'a b' }, () => null, noName],
    [right, undefined, 'row listener "mail" needs a function'],
    [
      { ...right, operation: 'x' },
      () => null,
      'row listener "mail" has no member "operation", did you mean "operations"?',
    ],
    [{ ...right, table: 7 }, () => null, 'row listener "mail": "table" has to be a name, or { schema, name }'],
    [
      { ...right, operations: ['INSERT'] },
      () => null,
      'row listener "mail": "operations" has to be a list of insert, update, delete',
    ],
    [{ ...right, columns: [] }, () => null, 'row listener "mail": "columns" has to be a list of columns'],
    [{ ...right, when: 'x' }, () => null, 'row listener "mail": "when" has to be an object'],
    [
      { ...right, retry: { timeout: 0 } },
      () => null,
      'row listener "mail": "retry" has to have whole numbers: "retries", and seconds for "interval" and "timeout"',
    ],
    [{ ...right, concurrency: 0 }, () => null, 'row listener "mail": "concurrency" has to be a positive whole number'],
    [{ ...right, name: 'taken' }, () => null, 'row listener "taken" is declared already'],
  ]
  for (const [listener, handler, message] of faults) {
    const taken = [{ name: 'taken', table: 'x', operations: ['insert'] }, () => null] as const
    const plugin = listening(taken, [listener as RowListener, handler as RowEventHandler])
    await assert.rejects(startTrellis(t, { plugins: [plugin] }), {
      message: `plugin "listening" failed to start: ${message}`,
    })
  }
})
