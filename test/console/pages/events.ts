import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { hasText, type State, screenshot } from '../support.ts'
import { clickOn, clickText, goTo, reload } from './steps.ts'

const refused = (status: number) => new RegExp(`status of ${status}`)
const fault = { path: '$', error: 'it <b>broke</b>', code: 'unexpected' }
const isLoading = `document.querySelector('[data-loading]') !== null`

/** The states of a section that reads with one request. */
const statesOf = (path: string, on: string, full: string): readonly State[] => [
  { title: `${path}, loading`, path: `events/${path}`, faults: [{ on, status: 0 }], isKnown: true, shows: isLoading },
  {
    title: `${path}, error with a retry`,
    isKnown: true,
    path: `events/${path}`,
    faults: [{ on, status: 400, body: fault, isOnce: true }],
    shows: hasText('it <b>broke</b>'),
    async act(page) {
      await clickText(page, 'Retry')
      await page.until(hasText(full))
    },
  },
]

const at = '2026-11-29T02:00:00.123456'
const logged = (id: string, state: object) => ({
  ...{ id, trigger_name: 'genre_changed', created_at: at, tries: 1, delivered: false, error: false, archived: false },
  ...{ locked: null, next_retry_at: null, ...state },
  payload: { op: 'INSERT', data: { old: null, new: { genre_id: 7, name: '<img src=x onerror=alert(1)>' } } },
})
/** The timeline of an event that waits for its next attempt. */
const waiting = {
  request: {
    ...{ id: 'r-1', role: 'clerk', session_variables: { 'x-service-role': 'clerk' } },
    trace_context: { trace_id: 5541187290331223, span_id: 77134234 },
  },
  events: [
    {
      ...{ id: 'e-1', trigger_name: 'genre_changed', schema_name: 'public', table_name: 'genre', created_at: at },
      ...{ op: 'INSERT', data: { old: null, new: { genre_id: 7, name: '<img src=x onerror=alert(1)>' } } },
      ...{ state: 'pending', tries: 1, locked: null, next_retry_at: '2099-01-01T00:00:00', is_waiting: false },
      attempts: [
        {
          ...{ id: 'i-1', status: 500, created_at: at },
          request: { headers: [{ name: 'x-key', value: '<masked>' }] },
          response: { data: { body: '<b>no</b>', headers: [] } },
        },
      ],
    },
  ],
}
const hook = 'http://127.0.0.1:9/hook'
const trigger = { name: 'genre_changed', table: 'genre', insert: { columns: '*' }, webhook: hook }

const job = {
  ...{
    name: 'forget visits',
    per: 'cluster',
    schedule: '30 3 * * *',
    paused: false,
    running: 0,
    runs: 41,
    failures: 1,
  },
  ...{ next_run_at: '2026-11-30T02:30:00Z', last_finished_at: null, failures_in_row: 0, last_error: null },
}
const config = (enabled: readonly string[]) => ({
  on: 'v1alpha1/config',
  status: 200,
  body: {
    ...{ version: '1', dialect: 'trellis', is_admin_secret_set: true, read_only: false, postgres: { version: 16 } },
    apis: { enabled, known: enabled },
    environment: { label: null, colour: null },
    plugins: ['event-triggers', 'scheduled', 'jobs'].map((name) => ({
      name,
      version: null,
      api: 'metadata',
      built_in: true,
      options: {},
      routes: [],
    })),
  },
})

export const events: readonly State[] = [
  {
    title: 'lists have their bars at the left of a narrow page, and room for names and webhooks in a wide one',
    path: 'events/triggers',
    isKnown: true,
    shows: hasText('There are no event triggers'),
    async act(page, { op }) {
      const webhook = 'https://hooks.example.org/console/told'
      const all = { insert: { columns: '*' }, update: { columns: '*' }, delete: { columns: '*' }, enable_manual: true }
      const name = 'told_of_each_genre_that_changes'
      await op('create_event_trigger', { name, table: 'genre', webhook, ...all })
      await op('create_cron_trigger', { name: 'tick', webhook, schedule: '0 0 1 1 *', include_in_metadata: false })
      await page.until(hasText(webhook))
      const cut = `[...document.querySelectorAll('[role=cell]')].filter((each) => each.scrollWidth > each.clientWidth || each.firstElementChild?.scrollHeight > 40)`
      await page.until(`${hasText('Oldest pending')} && ${cut}.length === 0`)
      await page.resize(320, 800)
      // The left edges of the lines of a toolbar.
      const lefts = `[...document.querySelectorAll('[role=toolbar] > *')]
        .map((each) => each.getBoundingClientRect()).filter(({ width }) => width > 0)
        .reduce((lines, { bottom, left }) => ({ ...lines, [bottom]: Math.min(lines[bottom] ?? 999, left) }), {})`
      for (const path of ['events/triggers', 'events/cron', 'events/once', 'govern/metadata', 'govern/collections']) {
        await goTo(page, path, `document.querySelector('[role=toolbar] button') !== null`)
        assert.deepEqual([path, ...new Set(Object.values(await page.evaluate<object>(lefts)))], [path, 16])
      }
      await page.resize(1280, 800)
      await goTo(page, 'events/cron?trigger=tick', hasText('Ticks that wait'))
      const list = `document.querySelector('[role=dialog] [aria-label="Scheduled events, scrolls"]')`
      await page.until(`${list} !== null`)
      // The rows, the head, and lines between them.
      assert.ok(await page.evaluate(`${list}.clientHeight <= ${list}.querySelectorAll('[role=row]').length * 33 + 1`))
      await op('delete_event_trigger', { name })
      await op('delete_cron_trigger', { name: 'tick' })
    },
  },
  { title: 'cron, empty, with 320 px', path: 'events/cron', width: 320, shows: hasText('There are no cron triggers') },
  ...statesOf('triggers', 'export_metadata', 'There are no event triggers'),
  {
    title: 'a trigger is created with the form, and changed',
    path: 'events?edit=create',
    theme: 'dark',
    shows: hasText('Create an event trigger'),
    // The page may count the events of the trigger after it is deleted.
    complains: /status of 400/,
    async act(page, { op, check }) {
      await page.type('[role=dialog] input', 'genre_named')
      await page.type('[role=dialog] input[list]', 'genre')
      await page.until(hasText('Retries after a failure'))
      await page.type('[role=dialog] input[placeholder="all rows"]', "name like 'R%'")
      await page.type('[role=dialog] input[placeholder^=https]', hook)
      await page.until(hasText('+ 30 s'))
      await clickText(page, 'Send a test')
      await page.until(
        `document.querySelector('[role=dialog] [role=status] pre, [role=dialog] [role=status] span') !== null`,
      )
      await check(page)
      await screenshot(page, 'event-trigger')
      await clickText(page, 'Create event trigger')
      await page.until(hasText('Created genre_named'))
      await page.click('[aria-label="Event triggers"] [role=row][data-index="0"]')
      await clickText(page, 'Change trigger')
      await page.until(hasText('Change genre_named'))
      await page.until(hasText('Retries after a failure'))
      const many = '[role=dialog] input[placeholder^="a share"]'
      await page.evaluate(`document.querySelector('${many}').scrollIntoView()`)
      await page.type(many, '2')
      await clickText(page, 'Save trigger')
      await page.until(hasText('Changed genre_named'))
      const { metadata } = await op<{ metadata: { tables: { table: { name: string }; event_triggers?: object[] }[] } }>(
        'export_metadata',
        {},
        2,
      )
      assert.deepEqual(metadata.tables.find(({ table }) => table.name === 'genre')?.event_triggers, [
        {
          name: 'genre_named',
          definition: {
            enable_manual: true,
            insert: { columns: '*', when: { new: { name: { _like: 'R%' } } } },
          },
          retry_conf: { num_retries: 3, interval_sec: 10, timeout_sec: 60 },
          concurrency: 2,
          webhook: hook,
        },
      ])
      await op('delete_event_trigger', { name: 'genre_named' })
    },
  },
  {
    title: 'a trigger is paused, resumed, sends a payload that the log shows, and is deleted',
    path: 'events',
    shows: hasText('There are no event triggers'),
    async act(page, { op, check }) {
      await op('create_event_trigger', trigger)
      await op('pause_event_trigger', { name: trigger.name })
      await reload(page, hasText('paused'))
      await page.click('[aria-label="Event triggers"] [role=row][data-index="0"]')
      await page.until(hasText('Last hour: 0 recorded'))
      await check(page)
      await clickText(page, 'Send a payload')
      await clickText(page, 'Send payload')
      await page.until(`${hasText('Last hour: 1 recorded')} && ${hasText('oldest pending event')}`)
      await clickText(page, 'Open its log')
      // The first attempt fails, which the page hears of by itself.
      await page.until(`${hasText('MANUAL')} && ${hasText('new ones appear by themselves')}`)
      await op('insert', { table: 'genre', objects: [{ genre_id: 900, name: 'live' }] })
      await page.until(hasText('INSERT'))
      await op('delete', { table: 'genre', where: { genre_id: 900 } })
      await clickOn(page, `document.querySelector('[aria-label="Events"] input[type=checkbox]')`)
      await clickText(page, 'Redeliver 1 event')
      await clickOn(page, `[...document.querySelectorAll('[role=dialog] button')].at(-1)`)
      await page.until(hasText('1 event will be delivered again'))
      await clickText(page, 'Triggers')
      await page.click('[aria-label="Event triggers"] [role=row][data-index="0"]')
      await clickText(page, 'Resume trigger')
      await page.until(hasText('Resumed genre_changed'))
      await clickText(page, 'Delete trigger')
      await clickText(page, 'Delete genre_changed')
      await page.until(hasText('There are no event triggers'))
    },
  },
  {
    title: 'log, events with markup in their payloads, each with its address',
    path: 'events/log?name=genre_changed',
    faults: [
      {
        ...{ on: 'pg_get_event_logs', status: 200 },
        body: [logged('e-1', { error: true }), logged('e-2', { delivered: true }), logged('e-3', { tries: 0 })],
      },
      { on: 'get_event_timeline', status: 200, body: waiting },
    ],
    shows: `${hasText('failed')} && ${hasText('onerror')}`,
    async act(page, { check }) {
      await screenshot(page, 'event-log')
      await check(page)
      await page.click('[aria-label="Events"] [role=row][data-index="0"]')
      await page.until(`${hasText('Next attempt in')} && ${hasText('status 500')}`)
      assert.match(await page.evaluate('location.pathname'), /events\/log\/e-1$/)
      assert.equal(await page.evaluate(`document.querySelector('img[src=x]')`), null)
    },
  },
  {
    title: 'timeline, found by its id: a request, a failure and a success, which appear by themselves',
    path: 'events',
    shows: hasText('There are no event triggers'),
    complains: refused(400),
    async act(page, { op, check }) {
      const statuses = [500, 200]
      const receiver = createServer((_request, response) => {
        response.writeHead(statuses.shift() ?? 200).end('<b>done</b>')
      })
      await new Promise<void>((done) => receiver.listen(0, '127.0.0.1', done))
      const { port } = receiver.address() as AddressInfo
      await op('create_event_trigger', {
        ...{ name: 'told', table: 'genre', update: { columns: '*' }, webhook: `http://127.0.0.1:${port}/` },
        ...{ retry_conf: { num_retries: 2, interval_sec: 4, timeout_sec: 60 } },
        headers: [{ name: 'authorization', value: 'Bearer hush' }],
      })
      await op('update', { table: 'genre', where: { genre_id: 1 }, $set: { name: 'Rock & <b>roll</b>' } })
      const [event] = await op<{ id: string }[]>('pg_get_event_logs', { name: 'told' })
      await page.press('k', ['ctrl'])
      await page.type('input[role=combobox]', `#${event!.id}`)
      await page.until(hasText('Event or request'))
      await page.press('Enter')
      await page.until(`${hasText('Next attempt in')} && ${hasText('status 500')}`)
      await page.until(`${hasText('/v1/query')} && ${hasText('as admin')}`)
      assert.match(await page.evaluate(`document.querySelector('[data-changed]').innerText`), /Rock & <b>roll<\/b>/)
      await page.evaluate(`document.querySelector('li details:has(pre)').open = true`)
      await page.until(hasText('Headers of the request'))
      assert.equal(await page.evaluate(hasText('hush')), false)
      await check(page, refused(400))
      await page.until(`${hasText('status 200')} && ${hasText('Delivered')}`)
      await screenshot(page, 'event-timeline')
      await clickText(page, 'Redeliver event')
      await page.until(hasText('Attempt 3'))
      await clickText(page, 'Edit and send again')
      await page.until(hasText('A new event of told'))
      await check(page, refused(400))
      await clickText(page, 'Send new event')
      await page.until(hasText('Payload sent by hand'))
      await op('delete_event_trigger', { name: 'told' })
      await op('update', { table: 'genre', where: { genre_id: 1 }, $set: { name: 'Rock' } })
      receiver.close()
    },
  },
  ...statesOf('log/e-1', 'get_event_timeline', 'No event or request').map((state) => ({
    ...state,
    complains: refused(400),
  })),
  {
    title: 'timeline of a request with two events, in the dark with 320 px',
    path: 'events/log/r-1',
    ...{ theme: 'dark', width: 320 },
    faults: [
      {
        ...{ on: 'get_event_timeline', status: 200 },
        body: { ...waiting, events: [...waiting.events, { ...waiting.events[0], id: 'e-2', state: 'archived' }] },
      },
    ],
    shows: `${hasText('2 events')} && ${hasText('Archived')} && ${hasText('1 session variable')}`,
  },
  {
    title: 'log, found by a value of a column and by the session',
    path: 'events',
    shows: hasText('There are no event triggers'),
    // News may come of a trigger that is gone.
    complains: refused(400),
    async act(page, { op, check }) {
      await op('create_event_trigger', { ...trigger, name: 'sought' })
      await op('pause_event_trigger', { name: 'sought' })
      const objects = [901, 902].map((genre_id) => ({ genre_id, name: `live ${genre_id}` }))
      await op('insert', { table: 'genre', objects })
      await page.until(hasText('sought'))
      await page.click('[aria-label="Event triggers"] [role=row][data-index="0"]')
      await clickText(page, 'Open its log')
      const shows = (count: number) =>
        `document.querySelectorAll('[aria-label="Events"] [role=row][data-index]').length === ${count}`
      await page.until(shows(2))
      await page.type('input[data-filter]', "name = 'live 902'")
      await page.until(shows(1))
      await page.type('input[placeholder^="role ="]', 'role = clerk')
      await page.until(hasText('No event matches'))
      await page.type('input[placeholder^="role ="]', 'role = admin')
      await page.until(shows(1))
      assert.match(await page.evaluate('location.search'), /where=name.*session=role/)
      await check(page, refused(400))
      await op('delete_event_trigger', { name: 'sought' })
      await op('delete', { table: 'genre', where: { genre_id: { $gt: 900 } } })
    },
  },
  {
    title: 'log, an error of the filter, with 320 px',
    path: 'events/log?name=genre_changed&where=%7B',
    width: 320,
    faults: [{ on: 'pg_get_event_logs', status: 400, body: fault }],
    shows: `${hasText('not JSON yet')} && ${hasText('it <b>broke</b>')}`,
  },
  {
    title: 'log, without rights',
    isKnown: true,
    path: 'events/log?name=genre_changed',
    faults: [{ on: 'pg_get_event_logs', status: 403, body: { ...fault, code: 'access-denied' } }],
    shows: hasText('access-denied'),
  },
  {
    title: 'triggers, signed out',
    isKnown: true,
    path: 'events',
    isSignedOut: true,
    shows: `document.querySelector('input[type=password]') !== null`,
    complains: refused(401),
  },
  {
    title: 'a cron trigger is created with its ticks in view, and deleted',
    path: 'events/cron',
    theme: 'dark',
    shows: hasText('There are no cron triggers'),
    async act(page, { op, check }) {
      await clickText(page, 'Create cron trigger')
      await page.until(`${hasText('Next ticks')} && ${hasText('at 02:00, every day')}`)
      await page.type('[role=dialog] input', 'nightly')
      await page.evaluate(`document.querySelectorAll('[role=dialog] input')[1].focus()`)
      await page.evaluate(`document.execCommand('insertText', false, ${JSON.stringify(hook)})`)
      await check(page)
      await clickText(page, 'Create cron trigger')
      await page.until(hasText('Created nightly'))
      await page.click('[aria-label="Cron triggers"] [role=row][data-index="0"]')
      await page.until(`${hasText('Ticks that wait')} && ${hasText('Missed and failed ticks')}`)
      await page.until(hasText('scheduled'))
      await check(page)
      await clickText(page, 'Change trigger')
      await page.until(hasText('Change nightly'))
      const schedule = '[role=dialog] input[value="0 2 * * *"]'
      await page.type(schedule, '0 9 * * 1-5')
      await page.until(hasText('at 09:00, on Monday to Friday'))
      await clickText(page, 'Save cron trigger')
      await page.until(hasText('Changed nightly'))
      const { cron_triggers: found } = await op<{ cron_triggers: { schedule: string }[] }>('get_cron_triggers', {})
      assert.deepEqual(
        found.map((each) => each.schedule),
        ['0 9 * * 1-5'],
      )
      await page.until(hasText('Missed and failed ticks'))
      await clickText(page, 'Delete trigger')
      await clickText(page, 'Delete nightly')
      await page.until(hasText('There are no cron triggers'))
    },
  },
  {
    title: 'a one-off event is scheduled and deleted',
    path: 'events/once',
    shows: hasText('There are no such events'),
    async act(page, { op, check }) {
      await clickText(page, 'Schedule an event')
      await page.until(hasText('The webhook is called once'))
      await check(page)
      await op('create_scheduled_event', { webhook: hook, schedule_at: '2099-01-01T00:00:00Z', payload: { a: 1 } })
      await reload(page, `document.querySelector('[aria-label="Scheduled events"] [data-index="0"]') !== null`)
      await page.click('[aria-label="Scheduled events"] [role=row][data-index="0"]')
      await page.until(hasText('0 attempts'))
      await clickText(page, 'Delete event')
      await page.until(hasText('There are no such events'))
    },
  },
  {
    title: 'jobs, while their API is closed',
    path: 'events/jobs',
    faults: [config(['metadata'])],
    shows: hasText('The list of jobs is closed'),
  },
  {
    title: 'jobs, with their actions, with 768 px',
    path: 'events/jobs',
    width: 768,
    faults: [
      config(['metadata', 'developer']),
      { on: 'dev/jobs', status: 200, body: { backend: 'PostgreSQL', reachable: true, error: null, jobs: [job] } },
      { on: 'run_job_now', status: 200, body: { message: 'success' } },
    ],
    shows: hasText('forget visits'),
    async act(page) {
      await clickText(page, 'Run now')
      await page.until(hasText('Started forget visits'))
      const list = `document.querySelector('[aria-label="Jobs, scrolls"]')`
      assert.equal(await page.evaluate(`${list}.scrollWidth <= ${list}.clientWidth`), true)
      // Its buttons are beside each other, within the row.
      const tops = `new Set([...${list}.querySelectorAll('[role=row] button')].map((each) => each.getBoundingClientRect().top)).size`
      assert.deepEqual(
        [await page.evaluate(`${list}.querySelectorAll('button').length`), await page.evaluate(tops)],
        [2, 1],
      )
    },
  },
  {
    title: 'jobs of a server without any',
    path: 'jobs',
    faults: [
      config(['metadata', 'developer']),
      { on: 'dev/jobs', status: 200, body: { backend: 'PostgreSQL', reachable: true, error: null, jobs: [] } },
    ],
    shows: hasText('There are no jobs'),
  },
  {
    title: 'read-only mode has no actions',
    path: 'events/once',
    shows: hasText('Schedule an event'),
    async act(page) {
      await page.click('button[title="Refuse all edits of this page"]')
      await page.until(`!${hasText('Schedule an event')}`)
    },
  },
]
