import assert from 'node:assert/strict'
import type { Page } from '../../support/browser.ts'
import { hasText, type State, screenshot } from '../support.ts'
import { clickOn, clickText, reload, typeCode } from './steps.ts'

const isReady = `document.querySelector('.cm-content[aria-label="SQL"]') !== null`
const refused = (status: number) => new RegExp(`status of ${status}`)

/** The texts end with a semicolon, so that no list of completions opens. */
const runText = async (page: Page, text: string): Promise<void> => {
  await typeCode(page, 'SQL', text)
  await page.press('Enter', ['ctrl'])
}

const fault = { path: '$', error: 'it <b>broke</b>', code: 'unexpected' }

export const sql: readonly State[] = [
  {
    title: 'empty, with 320 px',
    path: 'sql',
    width: 320,
    theme: 'dark',
    shows: `${isReady} && ${hasText('Nothing ran yet')}`,
  },
  {
    title: 'results with nulls and types, drafts and history survive a reload',
    path: 'sql',
    shows: isReady,
    async act(page, { check }) {
      await runText(
        page,
        `select ''::text as empty, null as nothing, '<i>x</i>' as markup, generate_series(1, 1200) as n; select 7 as second;`,
      )
      // The cursor is at the end: the statement there runs alone.
      await page.until(hasText('SELECT, 1 row'))
      await page.press('a', ['ctrl'])
      await page.press('Enter', ['ctrl'])
      await page.until(hasText('2: SELECT'))
      await runText(
        page,
        `select ''::text as empty, null as nothing, '<i>x</i>' as markup, generate_series(1, 1200) as n;`,
      )
      await page.until(`${hasText('SELECT, 1,000 rows')} && ${hasText('<i>x</i>')}`)
      await check(page)
      await clickText(page, 'Read 10,000 rows')
      await page.until(hasText('SELECT, 1,200 rows'))
      await clickOn(page, `document.querySelector('[data-index="1"]')`)
      await page.until(hasText('Row 2'))
      await page.press('Escape')
      await reload(page, `${isReady} && ${hasText('generate_series')}`)
      await page.click('[aria-label^="Close select"]')
      await page.until(`${hasText('Closed the draft')} && !${hasText('generate_series')}`)
      await clickText(page, 'Undo')
      await page.until(hasText('generate_series'))
      await clickText(page, 'History')
      await page.until(`document.querySelectorAll('[role=dialog] li button').length >= 2`)
    },
  },
  {
    title: 'a plan as a tree',
    path: 'sql',
    shows: isReady,
    async act(page) {
      await typeCode(page, 'SQL', 'select * from album join artist using (artist_id) order by title;')
      await clickText(page, 'Explain and measure')
      await page.until(`${hasText('largest part')} && ${hasText('Seq Scan')}`)
      await screenshot(page, 'sql')
    },
  },
  {
    title: 'an error is underlined at its place',
    path: 'sql',
    theme: 'dark',
    shows: isReady,
    complains: refused(400),
    async act(page) {
      await runText(page, `select '😀', oops from album;`)
      await page.until(`document.querySelector('.cm-fault')?.textContent === 'oops' && ${hasText('does not exist')}`)
    },
  },
  {
    title: 'changes are refused until they are allowed; dependents of a dropped table are named',
    path: 'sql',
    shows: isReady,
    complains: refused(400),
    async act(page, { op, check }) {
      await op('bulk', [
        {
          type: 'run_sql',
          args: {
            sql: 'create table shelf (id int primary key); create table book (id int primary key, shelf_id int references shelf)',
          },
        },
        { type: 'pg_track_tables', args: { tables: ['shelf', 'book'] } },
        { type: 'suggest_relationships', args: { apply: true } },
      ])
      await runText(page, 'drop table shelf cascade;')
      await page.until(hasText('read-only transaction'))
      await page.click('[role=switch]')
      await page.until(hasText('The metadata follows'))
      await clickText(page, 'Try without keeping')
      await page.until(`${hasText('It is refused, as other objects')} && ${hasText('book.shelf')}`)
      await clickOn(page, `document.querySelector('[role=toolbar] input[type=checkbox]')`)
      await clickText(page, 'Try without keeping')
      await page.until(`${hasText('the metadata changes with it')} && ${hasText('table shelf')}`)
      await check(page, refused(400))
      await clickOn(page, `document.querySelector('[role=toolbar] input[type=checkbox]')`)
      await clickText(page, 'Run statement')
      await page.until(hasText('of the metadata would be removed, too'))
      assert.match(await page.evaluate(`document.querySelector('[role=dialog]').innerText`), /book\.shelf/)
      await clickText(page, 'Run and remove')
      await page.until(`${hasText('removed: table shelf')} && ${hasText('DROP')}`)
      await op('run_sql', { sql: 'drop table book', cascade: true })
    },
  },
  {
    title: 'a statement that runs can be cancelled',
    path: 'sql',
    shows: isReady,
    complains: refused(400),
    async act(page, { check }) {
      await runText(page, 'select pg_sleep(60);')
      await page.until(hasText('running for'))
      await page.until(hasText('Cancel statement'))
      await check(page)
      await clickText(page, 'Cancel statement')
      await page.until(hasText('canceling statement due to user request'))
    },
  },
  ...[401, 403].map(
    (status): State => ({
      title: `${status}`,
      path: 'sql',
      faults: [{ on: 'run_sql', status, body: fault, isOnce: status === 401 }],
      shows: isReady,
      async act(page) {
        await runText(page, 'select 1;')
        await page.until(
          status === 401 ? `document.querySelector('input[type=password]') !== null` : hasText('it <b>broke</b>'),
        )
        assert.equal(await page.evaluate(`document.querySelector('[role=alert] b')`), null)
      },
    }),
  ),
  {
    title: 'read-only mode has no switch',
    path: 'sql',
    shows: `${isReady} && ${hasText('Reads only')}`,
    async act(page) {
      await page.click('button[title="Refuse all edits of this page"]')
      await page.until(`document.querySelector('[role=switch]') === null`)
    },
  },
]
