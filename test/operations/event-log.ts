// The log of event triggers: reading it, and deleting old entries.

import assert from 'node:assert/strict'
import { tableIs } from './effects.ts'
import type { Area, Call, Effect, OperationEntry, Refusal } from './entry.ts'

const insert = { columns: '*' }
// No server listens there: deliveries do not matter here.
const webhook = 'http://127.0.0.1:1/hook'
const retry_conf = { num_retries: 0, interval_sec: 10, timeout_sec: 60 }
const stored = { name: 'told', definition: { enable_manual: true, insert }, retry_conf, webhook }

const created = (args: object = {}): Call => ({
  type: 'create_event_trigger',
  args: { name: 'told', table: 'book', insert, webhook, ...args },
})

const bookHas = (trigger: object) => tableIs('book', { event_triggers: [trigger] })

const cleanup_config = { schedule: '0 3 * * *', clear_older_than: 24 }

/** `count` events of the trigger; each is one hour older than the one before. */
const events = (count: number): string => `
  insert into trellis.event_log (id, schema_name, table_name, trigger_name, payload, delivered, error, created_at)
  select 'e' || n, 'public', 'book', 'told', '{"n": 12345678901234567890}', n % 2 = 0, n % 2 = 1, now() - make_interval(hours => n)
    from generate_series(1, ${count}) n;
  insert into trellis.event_invocation_logs (id, event_id, trigger_name, status, request, response, created_at)
  select 'i' || n, 'e' || n, 'told', 200, ('{"r": ' || n || '}')::json, '{}', now() - make_interval(hours => n)
    from generate_series(1, ${count}) n`

/** Every fourth event, from the first on, is an update of row 4 by an editor. */
const changes = `
  update trellis.event_log set payload = json_build_object('op', 'UPDATE', 'data', json_build_object('new',
    json_build_object('id', 4, 'title', 'Dawn')), 'session_variables', json_build_object('x-service-role', 'editor'))
  where substr(id, 2)::int % 4 = 1`

interface Timeline {
  readonly request: unknown
  readonly events: readonly Readonly<Record<string, unknown>>[]
}

const idsOf = (body: unknown) => (body as { id: string }[]).map(({ id }) => id)

const noSuchTrigger = (args: object): Refusal => ({
  title: 'a trigger that is not there',
  args,
  code: 'not-exists',
  error: 'event trigger "told" does not exist',
})

const noSuchSource = (args: object): Refusal => ({
  title: 'a source that is not there',
  given: [created()],
  args: { ...args, source: 'elsewhere' },
  code: 'not-exists',
  error: 'source with name "elsewhere" does not exist',
})

const left =
  (...ids: string[]): Effect =>
  async ({ sql }) => {
    const rows = await sql<{ id: string }>(
      'select id from trellis.event_log union all select id from trellis.event_invocation_logs order by id',
    )
    assert.deepEqual(idsOf(rows), ids)
  }

export const eventLog: Area = {
  title: 'event log',
  operations: [
    {
      type: 'redeliver_events',
      succeeds: [
        {
          title: 'has the failed events of a trigger delivered again, the oldest first',
          given: [created(), events(9)],
          args: { name: 'told', limit: 3 },
          answers: { redelivered: 3, has_more: true },
          then: [
            async ({ sql }) => {
              const rows = await sql(
                `select id from trellis.event_log where id in ('e5', 'e7', 'e9') and next_retry_at is not null`,
              )
              assert.equal(rows.length, 3)
            },
          ],
        },
        {
          title: 'has those with the ids delivered again, if their trigger is known and they are not busy',
          given: [
            created(),
            events(4),
            `update trellis.event_log set locked = now() + interval '50 seconds' where id = 'e1';
              update trellis.event_log set trigger_name = 'gone' where id = 'e2'`,
          ],
          args: { ids: ['e1', 'e2', 'e3', 'e4', 'none'] },
          answers: { redelivered: 2, has_more: false },
        },
        {
          title: 'has those of a state and a payload delivered again',
          given: [created(), events(9), changes],
          args: { name: 'told', status: 'processed', where: { data: { new: { id: 4 } } } },
          answers: { redelivered: 3, has_more: false },
        },
      ],
      refuses: [
        noSuchTrigger({ name: 'told' }),
        {
          title: 'neither ids nor a trigger',
          args: {},
          code: 'parse-failed',
          path: '$.args',
          fits: true,
          error: 'expected either "ids", or "name" with conditions on its events',
        },
        {
          title: 'a text that no payload has',
          given: [created()],
          args: { name: 'told', where: { data: '\u0000' } },
          code: 'parse-failed',
          path: '$.where',
          fits: true,
          error: 'the texts of events contain no U+0000 and no half of a surrogate pair',
        },
      ],
    },
    {
      type: 'get_event_stats',
      requires: ['name'],
      notFound: { $: true },
      succeeds: [
        {
          title: 'counts events by time and state',
          given: [
            created(),
            events(4),
            `update trellis.event_log set created_at = '2026-01-02T03:04:05Z' where id <> 'e4';
              update trellis.event_log set delivered = false, locked = now() + interval '50 seconds',
                created_at = '2026-02-02T03:04:05Z' where id = 'e4'`,
          ],
          args: { name: 'told', bucket: 'hour', from: '2026-01-01', to: '2026-01-03' },
          answers: {
            buckets: [{ at: '2026-01-02T03:00:00Z', recorded: 3, delivered: 1, error: 2, archived: 0, pending: 0 }],
            oldest_pending: '2026-02-02T03:04:05Z',
          },
        },
        {
          title: 'counts those of the last hour unless told otherwise',
          given: [created(), events(3)],
          args: { name: 'told' },
          answers: ({ buckets }: { buckets: { recorded: number }[] }) => assert.ok(buckets.length <= 1),
        },
      ],
      refuses: [
        noSuchTrigger({ name: 'told' }),
        {
          title: 'more buckets than an answer has',
          given: [created()],
          args: { name: 'told', from: '2025-01-01', to: '2026-01-01' },
          code: 'not-supported',
          error: 'the period has more than 1000 buckets of a minute',
        },
        {
          title: 'a time that is none',
          given: [created()],
          args: { name: 'told', from: 'yesterday' },
          code: 'parse-failed',
          path: '$.from',
          fits: true,
          error: 'expected a time such as 2026-12-01T01:00:00Z, encountered "yesterday"',
        },
        {
          title: 'a time whose year has five digits in UTC',
          given: [created()],
          args: { name: 'told', from: '9999-12-31T23:59:59-10:00' },
          code: 'parse-failed',
          path: '$.from',
          fits: true,
          error: 'expected a time such as 2026-12-01T01:00:00Z, encountered "9999-12-31T23:59:59-10:00"',
        },
      ],
    },
    {
      type: 'pg_get_event_logs',
      requires: ['name'],
      notFound: { $: true },
      succeeds: [
        {
          title: 'lists events, the newest first',
          given: [created(), events(3)],
          args: { name: 'told' },
          answers: (body: unknown) => {
            assert.deepEqual(idsOf(body), ['e1', 'e2', 'e3'])
            const [{ created_at, ...first }] = body as [Record<string, unknown>]
            assert.ok(created_at)
            assert.deepEqual(first, {
              ...{ id: 'e1', schema_name: 'public', table_name: 'book', trigger_name: 'told' },
              payload: { n: Number('12345678901234567890') },
              ...{ delivered: false, error: true, tries: 0, locked: null, next_retry_at: null, archived: false },
            })
          },
        },
        {
          title: 'finds events by time, operation, session and payload, after the last of a page',
          given: [created(), events(9), changes],
          args: {
            ...{ name: 'told', from: '2026-01-01', op: 'UPDATE', status: 'error', get_rows_count: true },
            ...{ session: { 'x-service-role': 'editor' }, where: { data: { new: { id: 4 } } }, after: 'e3' },
          },
          answers: (body: unknown) => {
            const { events, count } = body as { events: unknown; count: number }
            assert.deepEqual([idsOf(events), count], [['e5', 'e9'], 2])
          },
        },
        {
          title: 'lists a page of those in a state',
          given: [created(), events(9)],
          args: { name: 'told', status: 'delivered', limit: 2, offset: 1, source: 'default' },
          answers: (body: unknown) => assert.deepEqual(idsOf(body), ['e4', 'e6']),
        },
        {
          title: 'counts them all when that is asked for',
          given: [created(), events(9)],
          args: { name: 'told', status: 'processed', limit: 1, get_rows_count: true },
          answers: (body: unknown) => {
            const { events: found, count } = body as { events: unknown; count: number }
            assert.deepEqual([idsOf(found), count], [['e1'], 9])
          },
        },
      ],
      refuses: [
        noSuchTrigger({ name: 'told' }),
        noSuchSource({ name: 'told' }),
        {
          title: 'a page that is too large',
          given: [
            created(),
            events(3),
            `update trellis.event_log set payload = json_build_object('long', repeat('x', 23000000))`,
          ],
          args: { name: 'told' },
          code: 'not-supported',
          error: 'the entries have more than 67108864 bytes together: ask for fewer at once',
        },
        {
          title: 'a state that there is not',
          args: { name: 'told', status: 'lost' },
          code: 'parse-failed',
          path: '$.status',
          error: 'unexpected status: lost',
        },
      ],
    },
    {
      type: 'pg_get_event_invocation_logs',
      requires: ['name'],
      notFound: { $: true },
      succeeds: [
        {
          title: 'lists attempts, the newest first',
          given: [created(), events(3)],
          args: { name: 'told', limit: 2 },
          answers: (body: unknown) => {
            const [{ created_at, ...first }, second] = body as [Record<string, unknown>, { id: string }]
            assert.ok(created_at)
            const of = { event_id: 'e1', trigger_name: 'told' }
            assert.deepEqual(first, { id: 'i1', ...of, status: 200, request: { r: 1 }, response: {} })
            assert.equal(second.id, 'i2')
          },
        },
        {
          title: 'counts them all when that is asked for',
          given: [created(), events(9)],
          args: { name: 'told', limit: 0, get_rows_count: true },
          answers: { invocations: [], count: 9 },
        },
      ],
      refuses: [noSuchTrigger({ name: 'told' }), noSuchSource({ name: 'told' })],
    },
    {
      type: 'pg_get_event_by_id',
      requires: ['event_id'],
      notFound: { $: true },
      succeeds: [
        {
          title: 'answers with an event and its attempts',
          given: [events(2)],
          args: { event_id: 'e2', invocation_log_limit: 5, invocation_log_offset: 0 },
          answers: (body: unknown) => {
            const { event, invocations } = body as { event: { id: string }; invocations: unknown }
            assert.deepEqual([event.id, idsOf(invocations)], ['e2', ['i2']])
          },
        },
      ],
      refuses: [
        { title: 'an event that is not there', args: { event_id: 'x' }, code: 'not-exists', error: 'event not found' },
        { title: 'a text that no event has', args: { event_id: '\0' }, code: 'not-exists', error: 'event not found' },
        noSuchSource({ event_id: 'x' }),
      ],
    },
    {
      type: 'get_event_timeline',
      notFound: { $: true },
      succeeds: [
        {
          title: 'answers with an event, the change of its row, and its attempts',
          given: [
            created(),
            events(5),
            changes,
            // Far away: the server would deliver it.
            `update trellis.event_log set created_at = '2026-01-02T03:04:05Z', request_id = 'r1',
              next_retry_at = '2100-01-01T00:00:00Z', error = false where id = 'e5'`,
          ],
          args: { event_id: 'e5' },
          answers: ({ request, events: [event, ...others] }: Timeline) => {
            const variables = { 'x-service-role': 'editor' }
            assert.deepEqual(request, {
              ...{ id: 'r1', role: 'editor', session_variables: variables, trace_context: null },
            })
            const { attempts, created_at, ...rest } = event!
            assert.ok(String(created_at).startsWith('2026-01-02T'))
            assert.deepEqual(rest, {
              ...{ id: 'e5', trigger_name: 'told', schema_name: 'public', table_name: 'book', op: 'UPDATE' },
              ...{ data: { new: { id: 4, title: 'Dawn' } }, state: 'pending', tries: 0, locked: null },
              ...{ next_retry_at: '2100-01-01T00:00:00+00:00', is_waiting: false },
            })
            const [attempt] = attempts as [Record<string, unknown>]
            assert.deepEqual(
              { ...attempt, created_at: '' },
              {
                ...{ id: 'i5', status: 200, request: { r: 5 }, response: {}, created_at: '' },
              },
            )
            assert.deepEqual(others, [])
          },
        },
        {
          title: 'answers with the events of a request, the oldest first, also those of a trigger that is gone',
          given: [
            created(),
            events(6),
            `update trellis.event_log set request_id = 'r1' where id <> 'e3';
              update trellis.event_log set trigger_name = 'gone' where id = 'e2'`,
          ],
          args: { request_id: 'r1', limit: 4 },
          answers: (body: Timeline) => assert.deepEqual(idsOf(body.events), ['e6', 'e5', 'e4', 'e2']),
        },
        {
          title: 'looks for them in a period',
          given: [
            created(),
            events(3),
            `update trellis.event_log set request_id = 'r1';
              update trellis.event_log set created_at = '2026-01-02' where id = 'e2'`,
          ],
          args: { request_id: 'r1', from: '2026-01-01', to: '2026-01-05' },
          answers: (body: Timeline) => assert.deepEqual(idsOf(body.events), ['e2']),
        },
        {
          title: 'knows no request of what another program changed',
          given: [created(), events(1)],
          args: { event_id: 'e1' },
          answers: ({ request, events: [event] }: Timeline) =>
            assert.deepEqual([request, event?.op, event?.data, event?.state], [null, null, null, 'error']),
        },
      ],
      refuses: [
        { title: 'an event that is not there', args: { event_id: 'x' }, code: 'not-exists', error: 'event not found' },
        {
          title: 'a request without events within the last day',
          given: [
            created(),
            events(1),
            `update trellis.event_log set request_id = 'r1', created_at = '2026-01-02T03:04:05Z'`,
          ],
          args: { request_id: 'r1' },
          code: 'not-exists',
          error: 'the log has no event of this request',
        },
        { title: 'a text that no event has', args: { event_id: '\0' }, code: 'not-exists', error: 'event not found' },
        {
          title: 'neither an event nor a request',
          args: {},
          code: 'parse-failed',
          path: '$.args',
          fits: true,
          error: 'expected either "event_id" or "request_id"',
        },
        {
          title: 'a period of an event',
          args: { event_id: 'e1', from: '2026-01-01' },
          code: 'parse-failed',
          path: '$.args',
          fits: true,
          error: '"from" and "to" are about the events of a request',
        },
        noSuchSource({ event_id: 'x' }),
      ],
    },
    {
      type: 'cleanup_event_trigger_logs',
      requires: ['event_trigger_name', 'clear_older_than'],
      notFound: { $: true },
      succeeds: [
        {
          title: 'takes old events out of the log, batch by batch',
          given: [created(), events(5)],
          args: { event_trigger_name: 'told', clear_older_than: 2, batch_size: 1 },
          answers: { message: 'success', deleted_event_logs: 4, deleted_invocation_logs: 0 },
          then: [left('e1', 'i1', 'i2', 'i3', 'i4', 'i5')],
        },
        {
          title: 'keeps errors with their attempts',
          given: [created(), events(5)],
          args: { event_trigger_name: 'told', clear_older_than: 1, clean_invocation_logs: true, keep_errors: true },
          answers: { message: 'success', deleted_event_logs: 2, deleted_invocation_logs: 2 },
          then: [left('e1', 'e3', 'e5', 'i1', 'i3', 'i5')],
        },
      ],
      refuses: [
        noSuchTrigger({ event_trigger_name: 'told', clear_older_than: 1 }),
        noSuchSource({ event_trigger_name: 'told', clear_older_than: 1 }),
      ],
    },
    ...(['pause_event_trigger_cleanups', 'resume_event_trigger_cleanups'] as const).map((type): OperationEntry => {
      const isPause = type === 'pause_event_trigger_cleanups'
      const before = isPause ? cleanup_config : { ...cleanup_config, paused: true }
      const after = { ...stored, cleanup_config: isPause ? { ...cleanup_config, paused: true } : cleanup_config }
      return {
        type,
        requires: ['event_triggers'],
        notFound: { $: true },
        ownWords: ['$.event_triggers'],
        succeeds: [
          {
            title: 'means all triggers',
            given: [created({ cleanup_config: before })],
            args: { event_triggers: { sources: '*' } },
            then: [bookHas(after)],
          },
          {
            title: 'means those of sources',
            given: [created({ cleanup_config: before })],
            args: { event_triggers: { sources: ['default'] } },
            then: [bookHas(after)],
          },
          {
            title: 'means some triggers',
            given: [created({ cleanup_config: before }), created({ name: 'other', table: 'publisher' })],
            args: { event_triggers: [{ source_name: 'default', event_triggers: ['told'] }] },
            then: [bookHas(after)],
          },
        ],
        refuses: [
          noSuchTrigger({ event_triggers: [{ source_name: 'default', event_triggers: ['told'] }] }),
          {
            title: 'a source that is not there',
            args: { event_triggers: { sources: ['elsewhere'] } },
            code: 'not-exists',
            error: 'source with name "elsewhere" does not exist',
          },
        ],
      }
    }),
  ],
}
