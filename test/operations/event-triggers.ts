// Event triggers: creating and deleting them, redelivering events, and creating events by hand.

import assert from 'node:assert/strict'
import type { TestTrellis } from '../support/trellis.ts'
import { tableIs } from './effects.ts'
import type { Area, Call, Effect, OperationEntry, Refusal } from './entry.ts'
import { named } from './world.ts'

// No server listens there: deliveries do not matter here.
const webhook = 'http://127.0.0.1:1/hook'
const insert = { columns: '*' }
const minimal = { name: 'told', table: 'book', insert, webhook }
const retry_conf = { num_retries: 0, interval_sec: 10, timeout_sec: 60 }
const stored = { name: 'told', definition: { enable_manual: true, insert }, retry_conf, webhook }

const cleanup_config = { schedule: '0 3 * * *', clear_older_than: 24 }

const created = (args: object = {}): Call => ({ type: 'create_event_trigger', args: { ...minimal, ...args } })
const bookHas = (...triggers: object[]) =>
  tableIs('book', { event_triggers: triggers.length > 0 ? triggers : undefined })

const sqlTriggersAre =
  (...names: string[]): Effect =>
  async ({ sql }) => {
    const found = await sql<{ tgname: string }>('select tgname from pg_trigger where not tgisinternal order by 1')
    assert.deepEqual(
      found.map(({ tgname }) => tgname),
      names,
    )
  }

const malformed = (title: string, args: object, error: string, more: Partial<Refusal> = {}): Refusal => ({
  title,
  args: { ...minimal, ...args },
  code: 'parse-failed',
  error,
  fits: true,
  ...more,
})

const atLeastOne = 'atleast one amongst insert/update/delete/enable_manual spec must be provided'
const badName = 'only alphanumeric and underscore and hyphens allowed for name'
const orHandler = 'a trigger may have a handler instead, which is a function of a plugin'
const noHeaders = 'headers is for webhooks, and this trigger has a handler'
const reserved = 'env variables starting with "SERVICE_GRAPHQL_" are not allowed in value_from_env: SERVICE_GRAPHQL_X'
const unset = `in table "book": in event trigger "told": environment variable 'NO_SUCH' not set`

const headerRefused = (title: string, header: unknown, error: string, place = ''): Refusal =>
  malformed(title, { headers: [header] }, error, { path: `$.headers[0]${place}`, fits: undefined })

const refusedShapes: readonly Refusal[] = [
  malformed(
    'a clean-up with a schedule that is none',
    { cleanup_config: { ...cleanup_config, schedule: 'daily' } },
    'invalid cron expression "daily": expected five fields of numbers, *, lists, ranges and steps',
    { path: '$.cleanup_config.schedule' },
  ),
  malformed('a name that begins with a digit', { name: '1st' }, badName),
  malformed('a name with a space', { name: 'a b' }, badName),
  malformed('an empty name', { name: '' }, 'empty string not allowed', { path: '$.name', fits: undefined }),
  malformed('an operation by hand that is not wanted', { insert: null, enable_manual: false }, atLeastOne),
  malformed('two webhooks', { webhook_from_env: 'HOME' }, 'only one of webhook or webhook_from_env should be given'),
  malformed('no webhook', { webhook: null }, 'must provide webhook or webhook_from_env', { hint: orHandler }),
  malformed('a webhook and a handler', { handler: 'mail' }, 'only one of webhook or handler should be given'),
  malformed('headers for a handler', { webhook: null, handler: 'mail', headers: [] }, noHeaders, { path: '$.headers' }),
  malformed('an empty handler', { webhook: null, handler: '' }, 'empty string not allowed', {
    path: '$.handler',
    fits: undefined,
  }),
  malformed('no columns', { insert: { columns: [] } }, 'found empty column specification'),
  malformed('an empty payload', { insert: { columns: '*', payload: [] } }, 'found empty payload specification'),
  malformed('columns that are another text', { insert: { columns: 'id' } }, 'only * or [] allowed', {
    path: '$.insert.columns',
    fits: undefined,
  }),
  malformed('columns that are a number', { insert: { columns: 7 } }, 'unexpected columns', {
    path: '$.insert.columns',
    fits: undefined,
  }),
  malformed('fewer retries than none', { retry_conf: { num_retries: -1 } }, 'unexpected negative value', {
    path: '$.retry_conf.num_retries',
    fits: undefined,
  }),
]

const refusedHeaders: readonly Refusal[] = [
  headerRefused('a header that is no object', 'X', 'expecting object for headers'),
  headerRefused('a header without name', { value: 'v' }, 'key "name" not found'),
  headerRefused('a header without value', { name: 'X' }, 'expecting value or value_from_env keys'),
  headerRefused(
    'a header with two values',
    { name: 'X', value: 'v', value_from_env: 'HOME' },
    'expecting only one of value or value_from_env keys',
  ),
  malformed(
    "a header of the server's own configuration",
    { headers: [{ name: 'X', value_from_env: 'SERVICE_GRAPHQL_X' }] },
    reserved,
    { path: '$.headers[0]' },
  ),
  malformed(
    'a header whose name is none',
    { headers: [{ name: 'a b', value: '' }] },
    '"a b" is not a valid header name',
    {
      path: '$.headers[0].name',
    },
  ),
]

const whenRefused = (title: string, when: object, error: string | RegExp): Refusal => ({
  title,
  args: { ...minimal, insert: { columns: '*', when } },
  code: 'constraint-violation',
  error,
})

const refusedMeanings: readonly Refusal[] = [
  {
    title: 'a handler that no plugin has',
    args: { ...minimal, webhook: null, handler: 'mail' },
    code: 'constraint-violation',
    error: 'in table "book": in event trigger "told": no plugin has an event handler "mail"',
  },
  whenRefused(
    'a condition on a row that is not there',
    { old: {} },
    'in table "book": in event trigger "told": unexpected key "old" in when of insert, expecting one of "new", "_and", "_or", "_not"',
  ),
  whenRefused(
    'a condition on what is no column',
    { new: { nothing: { _eq: 1 } } },
    /^in table "book": in event trigger "told": .*"nothing"/,
  ),
  whenRefused(
    'a condition on the session',
    { _or: [{ new: { id: { _eq: 'X-Service-User-Id' } } }] },
    'in table "book": in event trigger "told": session variables cannot be compared with in when',
  ),
  {
    title: 'an ordering key with what is no column',
    args: { ...minimal, ordering_key: ['nothing'] },
    code: 'constraint-violation',
    error: 'table "book" has no field named "nothing"',
  },
  {
    title: 'a table that is not tracked',
    args: { ...minimal, table: 'nowhere' },
    code: 'not-exists',
    error: 'table "nowhere" does not exist',
  },
  {
    title: 'a view',
    args: { ...minimal, table: 'cheap_book' },
    code: 'not-supported',
    error: 'event triggers are not supported on view "cheap_book"',
  },
  {
    title: 'a column that is not there',
    args: { ...minimal, insert: { columns: ['nothing'] } },
    code: 'not-exists',
    error: 'column "nothing" does not exist',
  },
  {
    title: 'a relationship in place of a column',
    args: { ...minimal, insert: { columns: ['publisher'] } },
    code: 'unexpected-payload',
    error: 'expecting a postgres column; but, "publisher" is a relationship; ',
  },
  {
    title: 'a payload with what is no column',
    args: { ...minimal, insert: { columns: '*', payload: ['nothing'] } },
    code: 'constraint-violation',
    error: 'table "book" has no field named "nothing"',
  },
  {
    title: 'a webhook in a variable that is not set',
    args: { ...minimal, webhook: null, webhook_from_env: 'NO_SUCH' },
    code: 'constraint-violation',
    error: unset,
  },
  {
    title: 'a header in a variable that is not set',
    args: { ...minimal, headers: [{ name: 'X', value_from_env: 'NO_SUCH' }] },
    code: 'constraint-violation',
    error: unset,
  },
  {
    title: 'a name that another trigger has',
    given: [created({ table: 'publisher' })],
    args: minimal,
    code: 'already-exists',
    error: 'event trigger "told" already exists',
  },
  {
    title: 'replacing what is not there',
    args: { ...minimal, replace: true },
    code: 'not-exists',
    error: 'event trigger "told" does not exist',
  },
  {
    title: 'replacing a trigger of another table',
    given: [created({ table: 'publisher' })],
    args: { ...minimal, replace: true },
    code: 'not-supported',
    error: 'cannot replace table or schema for trigger',
  },
]

const event = `insert into trellis.event_log (id, schema_name, table_name, trigger_name, payload, error, tries, locked)
  values ('one', 'public', 'book', 'told', '{}', true, 3, null)`

const noSuchTrigger = (args: object): Refusal => ({
  title: 'a trigger that is not there',
  args,
  code: 'not-exists',
  error: 'event trigger "told" does not exist',
})

const all = {
  name: 'all-of_it',
  definition: {
    enable_manual: true,
    insert,
    update: { columns: ['title'], payload: ['id', 'title'], when: { new: { id: { _gt: 1 } }, _not: { old: {} } } },
    delete: { columns: '*', payload: '*' },
  },
  retry_conf: { num_retries: 3, interval_sec: 5, timeout_sec: 7 },
  webhook_from_env: 'HOME',
  headers: [
    { name: 'X-Value', value: 'v' },
    { name: 'X-Env', value_from_env: 'PATH' },
  ],
  ordering_key: ['id'],
  paused: true,
  cleanup_config: { ...cleanup_config, batch_size: 7, keep_errors: true },
}

const { definition: _, ...said } = all

export const eventTriggers: Area = {
  title: 'event triggers',
  operations: [
    {
      type: 'create_event_trigger',
      requires: ['name', 'table'],
      notFound: { $: true, '$.table': true, '$.insert': true },
      succeeds: [
        {
          title: 'sends inserts',
          args: minimal,
          then: [bookHas(stored), sqlTriggersAre('trellis_told_INSERT')],
        },
        {
          title: 'takes everything that can be said',
          args: { ...said, ...all.definition, table: named('book') },
          then: [
            bookHas(all),
            sqlTriggersAre('trellis_all-of_it_DELETE', 'trellis_all-of_it_INSERT', 'trellis_all-of_it_UPDATE'),
          ],
        },
        {
          title: 'takes one that is invoked by hand only',
          args: { name: 'told', table: 'book', webhook },
          then: [bookHas({ ...stored, definition: { enable_manual: true } }), sqlTriggersAre()],
        },
        {
          title: 'replaces all of a trigger',
          given: [created({ delete: { columns: '*' }, headers: [{ name: 'X', value: 'v' }] })],
          args: { ...minimal, insert: null, update: insert, replace: true, retry_conf: { num_retries: 1 } },
          then: [
            bookHas({
              ...stored,
              definition: { enable_manual: true, update: insert },
              retry_conf: { ...retry_conf, num_retries: 1 },
            }),
            sqlTriggersAre('trellis_told_UPDATE'),
          ],
        },
      ],
      refuses: [...refusedShapes, ...refusedHeaders, ...refusedMeanings],
    },
    {
      type: 'delete_event_trigger',
      requires: ['name'],
      succeeds: [
        { title: 'removes a trigger', given: [created()], args: { name: 'told' }, then: [bookHas(), sqlTriggersAre()] },
        { title: 'knows nothing of a name that nobody has', args: { name: 'nothing' }, then: [bookHas()] },
      ],
      refuses: [
        {
          title: 'an empty name',
          args: { name: '' },
          code: 'parse-failed',
          path: '$.name',
          error: 'empty string not allowed',
        },
      ],
    },
    {
      type: 'redeliver_event',
      requires: ['event_id'],
      succeeds: [
        {
          title: 'has an event delivered again',
          given: [created(), event],
          args: { event_id: 'one' },
          then: [
            async ({ sql }) => {
              const [row] = await sql(`select tries < 3 as anew from trellis.event_log where id = 'one'`)
              assert.deepEqual(row, { anew: true })
            },
          ],
        },
      ],
      refuses: [
        {
          title: 'an event that is not there',
          args: { event_id: 'none' },
          code: 'not-exists',
          error: 'event not found',
        },
        {
          title: 'a text that no event has',
          args: { event_id: '\u0000' },
          code: 'not-exists',
          error: 'event not found',
        },
        {
          title: 'an event whose trigger is gone',
          given: [event],
          args: { event_id: 'one' },
          code: 'not-exists',
          error: 'event not found',
        },
        {
          title: 'an event that is being delivered',
          given: [created(), event, `update trellis.event_log set locked = now() + interval '50 seconds'`],
          args: { event_id: 'one' },
          code: 'busy',
          error: 'event is already being processed',
        },
      ],
    },
    {
      type: 'invoke_event_trigger',
      requires: ['name', 'payload'],
      succeeds: [
        {
          title: 'sends a payload',
          given: [created({ enable_manual: true })],
          args: { name: 'told', payload: { a: ['ü', null, 1.5] } },
          answers: (body: unknown) => assert.match((body as { event_id: string }).event_id, /^[0-9a-f-]{36}$/),
          then: [
            async ({ sql }) => {
              const [row] = await sql(`select payload -> 'data' as data, payload ->> 'op' as op,
                payload #>> '{session_variables,x-service-role}' as role from trellis.event_log`)
              assert.deepEqual(row, { data: { a: ['ü', null, 1.5] }, op: 'MANUAL', role: 'admin' })
            },
          ],
        },
        {
          title: 'sends any payload',
          given: [created()],
          args: { name: 'told', payload: null },
          answers: (body: unknown) => assert.ok(body),
        },
      ],
      refuses: [
        {
          title: 'a trigger that is not there',
          args: { name: 'told', payload: {} },
          code: 'not-exists',
          error: 'event trigger "told" does not exist',
        },
        {
          title: 'a trigger that is not to be invoked',
          given: [created({ enable_manual: false })],
          args: { name: 'told', payload: {} },
          code: 'not-supported',
          error: 'manual mode is not enabled for event trigger',
        },
      ],
    },
    ...(['pause_event_trigger', 'resume_event_trigger'] as const).map((type): OperationEntry => {
      const isPause = type === 'pause_event_trigger'
      const parked = async ({ sql }: { readonly sql: TestTrellis['sql'] }) => {
        const [row] = await sql(`select coalesce(next_retry_at = 'infinity', false) as waits from trellis.event_log`)
        assert.deepEqual(row, { waits: isPause })
      }
      return {
        type,
        requires: ['name'],
        succeeds: [
          {
            title: 'has what is open wait, or go on',
            given: [
              created({ paused: !isPause }),
              `${event}; update trellis.event_log set error = false, next_retry_at = now() + interval '1 hour'`,
            ],
            args: { name: 'told' },
            then: [bookHas(isPause ? { ...stored, paused: true } : stored), parked],
          },
          {
            title: 'changes nothing the second time',
            given: [created({ paused: isPause })],
            args: { name: 'told' },
            then: [bookHas(isPause ? { ...stored, paused: true } : stored)],
          },
        ],
        refuses: [noSuchTrigger({ name: 'told' })],
      }
    }),
  ],
}
