// Cron triggers and one-off events: creating, deleting and reading them.

import assert from 'node:assert/strict'
import { documentHas } from './effects.ts'
import type { Area, Call, Effect, Refusal } from './entry.ts'

// No server listens there: deliveries do not matter here.
const webhook = 'http://127.0.0.1:1/hook'
const retry_conf = { num_retries: 0, retry_interval_seconds: 10, timeout_seconds: 60, tolerance_seconds: 21_600 }
const minimal = { name: 'nightly', webhook, schedule: '0 2 * * *', include_in_metadata: true }
const created = (args: object = {}): Call => ({ type: 'create_cron_trigger', args: { ...minimal, ...args } })

const everything = {
  ...minimal,
  payload: { n: [1, null] },
  retry_conf: { num_retries: 2, retry_interval_seconds: 0.5, timeout_seconds: 3, tolerance_seconds: 60 },
  headers: [
    { name: 'X-Value', value: 'v' },
    { name: 'X-Env', value_from_env: 'PATH' },
  ],
  comment: 'Each night',
  timezone: 'Europe/Berlin',
}

const eventsAre =
  (count: number, first?: string): Effect =>
  async ({ sql }) => {
    const rows = await sql<{ time: string }>(
      `select to_char(scheduled_time at time zone 'UTC', 'HH24:MI') as time from trellis.hdb_cron_events order by scheduled_time`,
    )
    assert.equal(rows.length, count)
    if (first !== undefined) assert.ok(rows.every(({ time }) => time === first))
  }

const malformed = (title: string, args: object, path: string, error: string | RegExp, fits?: true): Refusal => ({
  title,
  args: { ...minimal, ...args },
  code: 'parse-failed',
  path,
  error,
  ...(fits && { fits }),
})

const badCron = /^invalid cron expression/
const crons = [
  '',
  '* * * *',
  '* * * * * *',
  '60 * * * *',
  '0 0 * JAN *',
  'x',
  '@reboot',
  '*/0 * * * *',
  '5-1 * * * *',
  '0 0 31 2 *',
]

const refusedRetries = (args: (retry_conf: object) => object): Refusal[] => [
  {
    title: 'fewer retries than none',
    args: args({ num_retries: -1 }),
    code: 'parse-failed',
    path: '$.retry_conf',
    error: 'num_retries cannot be a negative value',
  },
  ...['retry_interval_seconds', 'timeout_seconds', 'tolerance_seconds'].map(
    (key): Refusal => ({
      title: `no ${key}`,
      args: args({ [key]: 0 }),
      code: 'parse-failed',
      path: `$.retry_conf.${key}`,
      error: 'negative value not allowed',
    }),
  ),
]

const oneOff = { webhook, schedule_at: '2100-01-01T00:00:00Z' }
const unknownTrigger = (args: object): Refusal => ({
  title: 'a cron trigger that is not there',
  args,
  code: 'not-exists',
  error: 'cron trigger with name: nobody does not exist',
})

const insertEvent = `insert into trellis.hdb_scheduled_events
    (id, webhook_conf, scheduled_time, retry_conf, header_conf, payload, status, created_at)
  values ('one', '"${webhook}"', '2020-01-01T00:00:00Z', '{}', '[]', '{"a":1}', 'delivered', '2020-01-01T00:00:00Z');
  insert into trellis.hdb_scheduled_event_invocation_logs (id, event_id, status, request, response, created_at)
  values ('log', 'one', 200, '{}', '{}', '2020-01-01T00:00:01Z')`

const time = '2020-01-01T00:00:00+00:00'
const event = {
  id: 'one',
  scheduled_time: time,
  status: 'delivered',
  tries: 0,
  created_at: time,
  next_retry_at: null,
  webhook_conf: webhook,
  retry_conf: {},
  payload: { a: 1 },
  header_conf: [],
  comment: null,
}
const invocation = {
  id: 'log',
  event_id: 'one',
  status: 200,
  request: {},
  response: {},
  created_at: '2020-01-01T00:00:01+00:00',
}

const kinds: readonly Refusal[] = [
  {
    title: 'another kind of event',
    args: { type: 'other' },
    code: 'parse-failed',
    path: '$.type',
    error: "expected one of 'one_off', 'cron'",
  },
  unknownTrigger({ type: 'cron', trigger_name: 'nobody' }),
  {
    title: 'cron events of no trigger',
    args: { type: 'cron' },
    code: 'parse-failed',
    error: 'key "trigger_name" not found',
    fits: true,
  },
]

const pages = { limit: 1, offset: 0 }

const invocations = (type: string) => ({
  type,
  requires: ['type'],
  notFound: { $: true as const },
  succeeds: [
    {
      title: 'gives the attempts of an event',
      given: [insertEvent],
      args: { type: 'one_off', event_id: 'one', ...pages },
      answers: { invocations: [invocation], count: 1 },
    },
    {
      title: 'gives the attempts of all one-off events',
      given: [insertEvent],
      args: { type: 'one_off', offset: 1 },
      answers: { invocations: [], count: 1 },
    },
    {
      title: 'gives those of a cron trigger',
      given: [created()],
      args: { type: 'cron', trigger_name: 'nightly' },
      answers: { invocations: [], count: 0 },
    },
  ] as const,
  refuses: kinds,
})

export const scheduled: Area = {
  title: 'cron triggers and scheduled events',
  operations: [
    {
      type: 'create_cron_trigger',
      requires: ['name', 'schedule', 'include_in_metadata'],
      notFound: { $: true },
      succeeds: [
        {
          title: 'plans a hundred occurrences',
          args: minimal,
          then: [documentHas('cron_triggers', [minimal]), eventsAre(100, '02:00')],
        },
        {
          title: 'takes everything that can be said',
          args: everything,
          then: [documentHas('cron_triggers', [everything])],
        },
        {
          title: 'writes shorthands and defaults as they are meant',
          args: { ...minimal, schedule: ' @daily ', retry_conf: { num_retries: 0 }, headers: [] },
          then: [documentHas('cron_triggers', [{ ...minimal, schedule: '0 0 * * *' }])],
        },
        {
          title: 'keeps one out of documents',
          args: { ...minimal, include_in_metadata: false },
          then: [documentHas('cron_triggers', undefined), eventsAre(100)],
        },
        {
          title: 'replaces all of a trigger, and plans anew',
          given: [created({ comment: 'old' })],
          args: { ...minimal, schedule: '30 4 * * *', replace: true },
          then: [documentHas('cron_triggers', [{ ...minimal, schedule: '30 4 * * *' }]), eventsAre(100, '04:30')],
        },
      ],
      refuses: [
        ...crons.map((schedule) => malformed(`the schedule "${schedule}"`, { schedule }, '$.schedule', badCron, true)),
        malformed(
          'a place that is none',
          { timezone: 'Mars/Base' },
          '$.timezone',
          'unknown time zone "Mars/Base"',
          true,
        ),
        {
          ...malformed('no webhook', { webhook: undefined }, '$', 'key "webhook" not found', true),
          hint: 'a trigger may have a handler instead, which is a function of a plugin',
        },
        malformed(
          'a webhook and a handler',
          { handler: 'mail' },
          '$',
          'only one of webhook or handler should be given',
          true,
        ),
        malformed(
          'headers for a handler',
          { webhook: undefined, handler: 'mail', headers: [] },
          '$.headers',
          'headers is for webhooks, and this trigger has a handler',
          true,
        ),
        {
          title: 'a handler that no plugin has',
          args: { ...minimal, webhook: undefined, handler: 'mail' },
          code: 'constraint-violation',
          error: 'in cron trigger nightly: no plugin has an event handler "mail"',
        },
        malformed('an empty name', { name: '' }, '$.name', 'empty string not allowed'),
        malformed(
          'a header without value',
          { headers: [{ name: 'X' }] },
          '$.headers[0]',
          'expecting value or value_from_env keys',
        ),
        ...refusedRetries((retry_conf) => ({ ...minimal, retry_conf })),
        {
          title: 'a name that another trigger has',
          given: [created()],
          args: minimal,
          code: 'already-exists',
          error: 'cron trigger with name: nightly already exists',
        },
        {
          title: 'replacing what is not there',
          args: { ...minimal, replace: true },
          code: 'not-exists',
          error: 'cron trigger with name: nightly does not exist',
        },
        {
          title: 'a webhook with variables that are not set',
          args: { ...minimal, webhook: 'http://{{NO_SUCH}}/{{NOR_THIS}}' },
          code: 'constraint-violation',
          error: 'in cron trigger nightly: Value for environment variables not found: NO_SUCH, NOR_THIS',
        },
        {
          title: 'a header in a variable that is not set',
          args: { ...minimal, headers: [{ name: 'X', value_from_env: 'NO_SUCH' }] },
          code: 'constraint-violation',
          error: "in cron trigger nightly: environment variable 'NO_SUCH' not set",
        },
      ],
    },
    {
      type: 'delete_cron_trigger',
      requires: ['name'],
      notFound: { $: true },
      succeeds: [
        {
          title: 'removes a trigger with its events',
          given: [created()],
          args: { name: 'nightly' },
          then: [documentHas('cron_triggers', undefined), eventsAre(0)],
        },
      ],
      refuses: [unknownTrigger({ name: 'nobody' })],
    },
    {
      type: 'create_scheduled_event',
      requires: ['webhook', 'schedule_at'],
      notFound: { $: true },
      ownWords: ['$.headers[0]'],
      succeeds: [
        {
          title: 'keeps an event until its time',
          args: { ...oneOff, payload: { a: 1 }, comment: 'once', headers: [{ name: 'X', value: 'v' }], retry_conf: {} },
          answers: (body: unknown) => assert.match((body as { event_id: string }).event_id, /^[0-9a-f-]{36}$/),
          then: [
            async ({ sql }) => {
              const rows = await sql(`select payload, comment, webhook_conf, status from trellis.hdb_scheduled_events`)
              assert.deepEqual(rows, [
                { payload: { a: 1 }, comment: 'once', webhook_conf: webhook, status: 'scheduled' },
              ])
            },
          ],
        },
        {
          title: 'takes a time that is written otherwise',
          args: { ...oneOff, schedule_at: '2100-03-01 09:30:00.25+02' },
          answers: (body: unknown) => assert.ok(body),
          then: [
            async ({ sql }) => {
              const [row] = await sql(
                `select scheduled_time = '2100-03-01T07:30:00.25Z' as same from trellis.hdb_scheduled_events`,
              )
              assert.deepEqual(row, { same: true })
            },
          ],
        },
      ],
      refuses: [
        ...['tomorrow', '2100-01-01T00:00:00', '2100-13-01T00:00:00Z', '2100-02-30'].map(
          (schedule_at): Refusal => ({
            title: `the time ${schedule_at}`,
            args: { ...oneOff, schedule_at },
            code: 'parse-failed',
            path: '$.schedule_at',
            error: /^expected a timestamp/,
            fits: true,
          }),
        ),
        ...refusedRetries((retry_conf) => ({ ...oneOff, retry_conf })),
        {
          title: 'a text that PostgreSQL does not hold',
          args: { ...oneOff, comment: 'a\u0000' },
          code: 'parse-failed',
          path: '$.args',
          error: 'a text must not hold the character U+0000',
          fits: true,
        },
      ],
    },
    {
      type: 'get_cron_triggers',
      succeeds: [
        {
          title: 'gives all of them',
          given: [created(), created({ name: 'hidden', include_in_metadata: false })],
          args: {},
          answers: {
            cron_triggers: [
              { ...minimal, name: 'hidden', include_in_metadata: false, retry_conf },
              { ...minimal, retry_conf },
            ],
          },
        },
      ],
      refuses: [],
    },
    {
      type: 'get_scheduled_events',
      requires: ['type'],
      notFound: { $: true },
      succeeds: [
        {
          title: 'gives one-off events',
          given: [insertEvent],
          args: { type: 'one_off', status: ['delivered', 'dead'], get_rows_count: true, ...pages },
          answers: { events: [event], count: 1 },
        },
        {
          title: 'gives those of a state',
          given: [insertEvent],
          args: { type: 'one_off', status: ['error'] },
          answers: { events: [], count: 0 },
        },
        {
          title: 'gives a page of the events of a cron trigger',
          given: [created()],
          args: { type: 'cron', trigger_name: 'nightly', limit: 2, offset: 99 },
          answers: (body: unknown) => {
            const { events, count } = body as { events: { trigger_name: string; status: string }[]; count: number }
            assert.equal(count, 100)
            assert.deepEqual(
              events.map(({ trigger_name, status }) => [trigger_name, status]),
              [['nightly', 'scheduled']],
            )
          },
        },
      ],
      refuses: [
        ...kinds,
        {
          title: 'a state that there is not',
          args: { type: 'one_off', status: ['lost'] },
          code: 'parse-failed',
          path: '$.status[0]',
          error: 'unexpected status: lost',
        },
        {
          title: 'a page before the first',
          args: { type: 'one_off', limit: -1 },
          code: 'parse-failed',
          path: '$.limit',
          error: 'unexpected negative value',
        },
      ],
    },
    invocations('get_event_invocations'),
    invocations('get_scheduled_event_invocations'),
    {
      type: 'test_webhook',
      requires: ['url', 'payload'],
      succeeds: [
        {
          title: 'tells why there is no answer',
          args: { url: 'http://127.0.0.1:1/hook', headers: { 'x-key': 'a' }, payload: { id: 1 } },
          answers: ({ error, seconds, ...rest }: { error: unknown; seconds: unknown }) => {
            assert.deepEqual([typeof error, typeof seconds], ['string', 'number'])
            assert.deepEqual(rest, { status: null, headers: {}, body: null, is_cut: false })
          },
        },
      ],
      refuses: [
        {
          title: 'a URL of another protocol',
          args: { url: 'file:///etc/passwd', payload: null },
          code: 'parse-failed',
          path: '$.url',
          fits: true,
          error: 'expected an HTTP URL',
        },
        {
          title: 'a header that cannot be sent',
          args: { url: 'http://127.0.0.1:1/', headers: { 'a b': 'c' }, payload: null },
          code: 'parse-failed',
          path: '$.headers',
          fits: true,
          error: 'the header "a b" cannot be sent',
        },
      ],
    },
    {
      type: 'get_cron_ticks',
      requires: ['schedule'],
      notFound: { $: true },
      succeeds: [
        {
          title: 'gives due times in UTC',
          args: { schedule: '30 2 1 * *', timezone: 'Asia/Kolkata', count: 3 },
          answers: ({ ticks }: { ticks: string[] }) => {
            assert.deepEqual([ticks.length, ticks.toSorted()], [3, ticks])
            // 2:30 on the first is 21:00 of the last day of the month before.
            for (const tick of ticks) assert.match(tick, /-(28|29|30|31)T21:00:00\.000Z$/)
            assert.ok(Date.parse(ticks[0]!) > Date.now())
          },
        },
        {
          title: 'gives ten unless told otherwise',
          args: { schedule: '@hourly' },
          answers: ({ ticks }: { ticks: string[] }) => assert.equal(ticks.length, 10),
        },
      ],
      refuses: [
        {
          title: 'more due times than an answer has',
          args: { schedule: '* * * * *', count: 101 },
          code: 'parse-failed',
          path: '$.count',
          error: /./,
        },
      ],
    },
    {
      type: 'delete_scheduled_event',
      requires: ['type', 'event_id'],
      notFound: { $: true },
      succeeds: [
        {
          title: 'removes an event with its log',
          given: [insertEvent],
          args: { type: 'one_off', event_id: 'one' },
          then: [
            async ({ sql }) =>
              assert.deepEqual(
                await sql(`select from trellis.hdb_scheduled_events, trellis.hdb_scheduled_event_invocation_logs`),
                [],
              ),
          ],
        },
        { title: 'knows nothing of an event that is not there', args: { type: 'cron', event_id: 'none' } },
      ],
      refuses: [],
    },
  ],
}
