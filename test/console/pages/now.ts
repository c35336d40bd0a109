import assert from 'node:assert/strict'
import { hasText, type State, screenshot } from '../support.ts'
import { clickOn } from './steps.ts'

/** The report of a server in production. */
export const config = (enabled: readonly string[]) => ({
  version: 'v0.1.0',
  dialect: 'trellis',
  apis: { enabled, known: enabled },
  read_only: false,
  environment: { label: 'production', colour: '#b3261e' },
  postgres: { version: 18 },
  plugins: [],
})

export const now: readonly State[] = [
  {
    title: 'full',
    path: 'now',
    shows: `${hasText('Last minute')} && ${hasText('/v1/metadata')}`,
    act: (page) => screenshot(page, 'now'),
  },
  {
    title: 'events and jobs, and the chart as a table',
    path: 'now',
    // The page may ask for the events of the trigger once more while it is deleted.
    complains: /status of 400/,
    shows: hasText('Last minute'),
    async act(page, { op, check }) {
      const trigger = { name: 'genre_changed', table: 'genre', webhook: 'http://localhost:1', insert: { columns: '*' } }
      await op('create_event_trigger', trigger)
      await page.reload()
      await page.until(`${hasText('Events of the last 60 hours')} && ${hasText('genre_changed')}`)
      await page.until(`document.querySelector('a[href$="events/log?name=genre_changed"]') !== null`)
      await clickOn(page, `document.querySelector('details summary')`)
      await page.until(hasText('Most in a second'))
      await check(page)
      await op('delete_event_trigger', { name: 'genre_changed' })
    },
  },
  {
    ...{ title: 'dark and 320 px, without tables that scroll to the side', path: '', theme: 'dark', width: 320 },
    shows: `${hasText('Plans reused')} && document.querySelector('[aria-label=Endpoints]') !== null`,
    async act(page, { asRole }) {
      await asRole('nobody', '{ album { title } }')
      await page.reload()
      await page.until(hasText('Last errors'))
      await page.evaluate(`for (const each of document.querySelectorAll('details')) each.open = true`)
      const wide = `[...document.querySelectorAll('[role=region]')].filter((each) => each.scrollWidth > each.clientWidth)`
      assert.equal(await page.evaluate(`${wide}.map(({ ariaLabel }) => ariaLabel).join()`), '')
      assert.ok(await page.evaluate(hasText('p95')))
      await page.resize(768, 800)
      await page.until(`document.querySelector('[aria-label="Last errors"]') !== null`)
      assert.equal(await page.evaluate(`${wide}.map(({ ariaLabel }) => ariaLabel).join()`), '')
    },
  },
  {
    title: 'a closed API names its option, and the environment shows',
    path: 'now',
    faults: [{ on: 'v1alpha1/config', status: 200, body: config(['metadata', 'graphql']) }],
    shows: `${hasText('--enabled-apis metadata,graphql,developer')} && ${hasText('production')}`,
  },
  {
    title: 'a server that may only be read has no controls to edit',
    path: 'data',
    faults: [{ on: 'v1alpha1/config', status: 200, body: { ...config(['metadata']), read_only: true } }],
    shows: `${hasText('Read-only')} && ![...document.querySelectorAll('button')].some((each) => /^(Track|Suggest)/.test(each.textContent))`,
  },
  {
    title: 'objects that are not served have their reasons',
    path: 'now',
    faults: [
      {
        ...{ on: 'get_inconsistent_metadata', status: 200 },
        body: {
          is_consistent: false,
          inconsistent_objects: [{ type: 'table', definition: 'a', reason: '<i>gone</i>' }],
        },
      },
    ],
    shows: `${hasText('1 object not served')} && ${hasText('<i>gone</i>')}`,
  },
  {
    title: 'a part that fails leaves the others',
    path: 'now',
    faults: [{ on: 'get_recent_requests', status: 500, body: { error: 'no', code: 'unexpected', path: '$' } }],
    shows: `${hasText('status 500')} && ${hasText('First steps')}`,
  },
]
