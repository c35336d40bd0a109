// Functions of plugins that receive events instead of webhooks.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { definePlugin } from '../../core/engine/plugin.ts'
import { badRequest } from '../../core/errors/errors.ts'
import { type EventCall, type EventHandler, eventHandlers } from '../../plugins/delivery/index.ts'
import { recordingObserver } from '../http/server.ts'
import { testDatabase } from '../support/database.ts'
import { startTrellis } from '../support/trellis.ts'
import { eventually } from '../support/waiting.ts'

const handling = (byName: Readonly<Record<string, EventHandler>>) =>
  definePlugin({
    name: 'handling',
    dependencies: ['delivery'],
    register(engine) {
      const service = engine.use(eventHandlers)
      for (const [name, handler] of Object.entries(byName)) service.handle(name, handler)
    },
  })

const sql = 'create table orders (id bigint primary key, total numeric, state text)'

interface Payload {
  readonly id: string
  readonly trigger: { readonly name: string }
  readonly event: { readonly op: string; readonly data: { readonly new: object } }
  readonly delivery_info: object
}

interface Invocation {
  readonly status: number
  readonly request: { readonly payload: { readonly id: string }; readonly handler: string }
  readonly response: { readonly type: string; readonly data: object }
}

test('a function receives the body of a webhook, and its failures are retried and recorded', async (t) => {
  const observe = recordingObserver()
  const calls: EventCall[] = []
  let outcome: EventHandler = () => null
  const mail: EventHandler = (call) => {
    calls.push(call)
    return outcome(call)
  }
  const trellis = await startTrellis(t, { sql, plugins: [handling({ mail })], observe })
  const { op } = trellis
  await op('track_table', 'orders')
  const retry_conf = { num_retries: 1, interval_sec: 0, timeout_sec: 1 }
  const trigger = { name: 'placed', insert: { columns: '*' }, handler: 'mail', retry_conf }
  await op('create_event_trigger', { table: 'orders', ...trigger })

  const place = async (id: number, next: EventHandler) => {
    calls.length = 0
    outcome = next
    await trellis.sql(`insert into orders values (${id}, 12345678901234567890.5, 'new')`)
    const [event] = await eventually(async () => {
      const events = await op<{ id: string; tries: number; delivered: boolean }[]>('pg_get_event_logs', {
        name: 'placed',
        status: 'processed',
        limit: 1,
      })
      const last = calls.at(-1)?.payload as Payload | undefined
      return last !== undefined && events[0]?.id === last.id && events
    })
    const { invocations } = await op<{ invocations: Invocation[] }>('pg_get_event_by_id', { event_id: event!.id })
    const told = invocations.map(({ status, response }) => [status, response.type, response.data])
    return { event: event!, told, invocations }
  }

  const delivered = await place(1, () => 'ignored')
  const payload = calls[0]?.payload as Payload
  assert.deepEqual([payload.trigger, payload.event.op], [{ name: 'placed' }, 'INSERT'])
  assert.equal(JSON.stringify(payload.event.data.new), '{"id":1,"total":12345678901234567890.5,"state":"new"}')
  assert.deepEqual([calls[0]?.id, calls[0]?.attempt, calls[0]?.signal.aborted], [payload.id, 1, false])
  assert.deepEqual([delivered.event.delivered, delivered.event.tries], [true, 1])
  assert.deepEqual(delivered.told, [[200, 'handler_response', { status: 200 }]])
  assert.equal(delivered.invocations[0]?.request.handler, 'mail')
  assert.equal(delivered.invocations[0]?.request.payload.id, payload.id)

  const failed = await place(2, () => {
    throw new Error('no way to smtp://user:secret@mail.example')
  })
  const message = 'no way to smtp://mail.example'
  const failure = [500, 'handler_error', { message }]
  assert.deepEqual([failed.event.delivered, failed.told], [false, [failure, failure]])
  assert.deepEqual(
    calls.map(({ id, attempt }) => [id, attempt]),
    [
      [failed.event.id, 1],
      [failed.event.id, 2],
    ],
  )
  const lines = observe.entries.map(({ detail }) => String(detail))
  assert.ok(lines.some((line) => /^event handler "mail" failed: Error: no way .*\n +at /.test(line)))

  observe.entries.length = 0
  const recovered = await place(3, ({ attempt }) => {
    if (attempt === 1) throw badRequest('not-found', 'come back')
  })
  assert.deepEqual([recovered.event.delivered, recovered.told.map(([status]) => status)], [true, [200, 500]])
  assert.ok(!observe.entries.some(({ detail }) => String(detail).includes('event handler')), 'a refusal is no fault')

  // The signal of one that hangs aborts after the timeout, and the attempt has failed.
  const reasons: unknown[] = []
  const hanging = await place(4, ({ attempt, signal }) => {
    if (attempt > 1) return null
    return new Promise((_, reject) => {
      signal.addEventListener('abort', () => {
        reasons.push(signal.aborted)
        reject(new Error('ended late'))
      })
    })
  })
  const late = [1000, 'handler_error', { message: 'no result within 1 s' }]
  assert.deepEqual([hanging.told, reasons], [[[200, 'handler_response', { status: 200 }], late], [true]])

  // Blocking delays everything else, but the result of a function that returns counts.
  const blocking = await place(5, () => {
    for (const end = performance.now() + 1200; performance.now() < end; );
  })
  assert.deepEqual([blocking.event.delivered, blocking.event.tries], [true, 1])

  const exported = await op<{ tables: { event_triggers: object[] }[] }>('export_metadata', {})
  const definition = { enable_manual: true, insert: { columns: '*' } }
  assert.deepEqual(exported.tables[0]?.event_triggers, [{ name: 'placed', definition, retry_conf, handler: 'mail' }])
  await op('replace_metadata', exported)
  assert.deepEqual(await op('export_metadata', {}), exported)
})

test('the result of a function whose lease was lost is ignored', async (t) => {
  const gate = Promise.withResolvers<void>()
  const begun = Promise.withResolvers<void>()
  const attempts: number[] = []
  const slow: EventHandler = async ({ attempt }) => {
    attempts.push(attempt)
    begun.resolve()
    await gate.promise
  }
  const { op, sql: run } = await startTrellis(t, { sql, plugins: [handling({ slow })] })
  await op('track_table', 'orders')
  await op('create_event_trigger', { table: 'orders', name: 'placed', insert: { columns: '*' }, handler: 'slow' })
  await run('insert into orders values (1)')
  await begun.promise
  // Another instance claims the event and delivers it.
  await run(`update trellis.event_log set delivered = true, tries = 1, locked = null, locked_by = null`)
  gate.resolve()
  await run('insert into orders values (2)')
  await eventually(async () => (await run('select from trellis.event_log where delivered')).length === 2)
  const rows = await run('select tries from trellis.event_log order by created_at')
  assert.deepEqual(
    [rows, attempts],
    [
      [{ tries: 1 }, { tries: 1 }],
      [1, 1],
    ],
  )
})

test('events of a handler that no plugin has wait until one has it', async (t) => {
  const database = await testDatabase(t)
  const seen: unknown[] = []
  const mail: EventHandler = ({ payload }) => {
    seen.push(payload)
  }
  // No occurrence comes due while the test runs, except the one that it inserts.
  const schedule = '0 0 29 2 *'
  const cron = { name: 'nightly', handler: 'mail', schedule, include_in_metadata: true, payload: 7 }
  {
    const first = await startTrellis(t, { sql, database, plugins: [handling({ mail })] })
    await first.op('track_table', 'orders')
    await first.op('create_event_trigger', {
      table: 'orders',
      name: 'placed',
      insert: { columns: '*' },
      handler: 'mail',
    })
    await first.op('create_cron_trigger', cron)
    await first.engine.close()
  }
  {
    const second = await startTrellis(t, { database, plugins: [handling({ mails: mail })] })
    const broken = await second.op<{ type: string; reason: string }[]>('get_inconsistent_metadata', {})
    const reason = 'no plugin has an event handler "mail"'
    assert.deepEqual(
      broken.map((each) => [each.type, each.reason]),
      [
        ['event_trigger', `in table "orders": in event trigger "placed": ${reason}`],
        ['cron_trigger', `in cron trigger nightly: ${reason}`],
      ],
    )
    await second.sql('insert into orders values (1)')
    await second.sql(`insert into trellis.hdb_cron_events (trigger_name, scheduled_time) values ('nightly', now())`)
    const refused = { table: 'orders', name: 'other', insert: { columns: '*' }, handler: 'mail' }
    const { status, body } = await second.opError('create_event_trigger', refused)
    const { internal: _, ...error } = body as Record<string, unknown>
    assert.deepEqual(
      [status, error],
      [
        400,
        {
          path: '$.args',
          error: `in table "orders": in event trigger "other": ${reason}`,
          code: 'constraint-violation',
          hint: 'did you mean "mails"?',
        },
      ],
    )
    await second.engine.close()
    assert.deepEqual(seen, [])
    assert.deepEqual(await second.sql('select tries, error from trellis.event_log'), [{ tries: 0, error: false }])
  }
  await startTrellis(t, { database, plugins: [handling({ mail })] })
  const [event, occurrence] = await eventually(() => {
    const event = seen.find((each) => Object(each).trigger)
    const occurrence = seen.find((each) => Object(each).name === 'nightly')
    return event !== undefined && occurrence !== undefined && [event, occurrence]
  })
  assert.deepEqual((event as Payload).event.data.new, { id: 1, total: null, state: null })
  assert.equal((occurrence as { payload: number }).payload, 7)
})

test('a mistake in declaring a handler ends the start with the name of the plugin', async (t) => {
  const faults: readonly (readonly [unknown, unknown, RegExp])[] = [
    ['mail', 'x', /^plugin "handling" failed to start: event handler "mail" has to be a function$/],
    ['', () => null, /^plugin "handling" failed to start: the name of an event handler has to be a text$/],
    ['taken', () => null, /^plugin "handling" failed to start: event handler "taken" is declared already$/],
  ]
  for (const [name, handler, message] of faults) {
    const plugin = definePlugin({
      name: 'handling',
      dependencies: ['delivery'],
      register(engine) {
        engine.use(eventHandlers).handle('taken', () => null)
        engine.use(eventHandlers).handle(name as string, handler as EventHandler)
      },
    })
    await assert.rejects(startTrellis(t, { plugins: [plugin] }), { message })
  }
  let late = () => {}
  const plugin = definePlugin({
    name: 'late',
    dependencies: ['delivery'],
    register(engine) {
      late = () => engine.use(eventHandlers).handle('late', () => null)
    },
  })
  await startTrellis(t, { plugins: [plugin] })
  assert.throws(late, /event handler "late" is declared too late: declarations are complete when register\(\) returns/)
})
