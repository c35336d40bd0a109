// The form of a new table: a form of columns and foreign keys, which becomes SQL.

import assert from 'node:assert/strict'
import type { Page } from '../../support/browser.ts'
import { hasText, type State, screenshot } from '../support.ts'
import { choose, clickOn, clickText, goTo, reload, typeCode } from './steps.ts'

const dialog = `document.querySelector('[role=dialog]')`
const isOpen = `${dialog}?.querySelector('[aria-label=Columns]') != null`
const sqlOf = `${dialog}.querySelector('[aria-label=SQL]')?.innerText`

/** The field or the box of a column by its label; of the table itself without a column. */
const fieldOf = (label: string, column?: string): string => {
  const place =
    column === undefined ? dialog : `${dialog}.querySelector('[role=group][aria-label=${JSON.stringify(column)}]')`
  return `[...(${place}?.querySelectorAll('label') ?? [])].find((each) => each.innerText === ${JSON.stringify(label)})?.control`
}

/** Replaces the text of a field by the keyboard. */
async function fill(page: Page, field: string, text: string): Promise<void> {
  await page.until(`${field} != null`)
  await page.evaluate(`${field}.focus()`)
  await page.press('a', ['ctrl'])
  await page.press('Backspace')
  for (const key of text) await page.press(key)
  await page.until(`document.activeElement.value === ${JSON.stringify(text)}`)
}

const columnNames = `[...${dialog}.querySelectorAll('[role=group]')].map((each) => each.ariaLabel)`

const edits = (page: Page): readonly string[] =>
  page.sent.flatMap(({ body }) => (body?.includes('create table') && !body.includes('simulate') ? [body] : []))

interface Described {
  readonly columns: readonly { readonly name: string; readonly type: string; readonly nullable: boolean }[]
  readonly primary_key: readonly string[]
  readonly foreign_keys: Readonly<Record<string, { readonly column_mapping: object }>>
  readonly defaults: Readonly<Record<string, string>>
}

export const createTable: readonly State[] = [
  {
    title: 'columns and a foreign key make a table that is served, by one request, and it is dropped',
    path: 'data',
    // The page of the table may ask for it once more when it is gone.
    complains: /status of 400/,
    shows: hasText('15 tables, 14 tracked'),
    async act(page, { op, check }) {
      await op('run_sql', { sql: `create type mood as enum ('glad', 'sad')` })
      await clickText(page, 'Create table')
      await page.until(isOpen)
      await clickText(page, 'Review')
      // The form says what is missing, and the focus is there.
      await page.until(`${hasText('Name the table.')} && document.activeElement === ${fieldOf('Name')}`)
      await fill(page, fieldOf('Name'), 'concert')
      await fill(page, fieldOf('Name', 'column 2'), 'album_id')
      await page.press('Tab')
      await page.press('a', ['ctrl'])
      for (const key of 'int') await page.press(key)
      await page.until(
        `[...document.querySelectorAll('[role=option]')].some((each) => each.innerText.startsWith('smallint'))`,
      )
      await page.press('ArrowDown')
      await page.press('Enter')
      await page.until(`${fieldOf('Type', 'album_id')}.value === 'integer'`)
      await clickText(page, 'Add column')
      await page.until(`document.activeElement === ${fieldOf('Name', 'column 3')}`)
      await fill(page, fieldOf('Name', 'column 3'), 'Mood')
      await fill(page, fieldOf('Type', 'Mood'), 'mo')
      await page.until(
        `[...document.querySelectorAll('[role=option]')].some((each) => each.innerText.startsWith('mood'))`,
      )
      await page.press('ArrowDown')
      await page.press('Enter')
      await page.until(`${fieldOf('Type', 'Mood')}.value === 'mood'`)
      // Escape closes the list alone.
      await page.press('Tab')
      await page.press('ArrowDown')
      await page.until(`[...document.querySelectorAll('[role=option]')].some((each) => each.innerText === "'sad'")`)
      await page.press('Escape')
      await page.until(`document.querySelector('[role=option]') === null && ${isOpen}`)
      for (const key of `'sad'`) await page.press(key)
      await page.press('Escape')
      await clickOn(page, fieldOf('Null', 'Mood'))
      await clickText(page, 'Add created_at')
      await page.until(`${columnNames}.join() === 'id,album_id,Mood,created_at'`)
      await clickText(page, 'Add foreign key')
      await fill(page, `${dialog}.querySelector('fieldset input')`, 'album')
      await page.press('Escape')
      await page.until(hasText('Column of album'))
      await choose(page, 'When that row is deleted', 'cascade')
      await page.until(
        `${sqlOf}?.includes('foreign key (album_id) references public.album (album_id) on delete cascade')`,
      )
      await check(page)
      await screenshot(page, 'create-table')
      await fill(page, fieldOf('Name'), 'har"bour')
      await page.until(`${sqlOf}?.includes('create table public."har""bour" (')`)
      await clickText(page, 'Review')
      await page.until(`${hasText('table har"bour')} && ${hasText('"Mood" mood')}`)
      assert.equal(edits(page).length, 0)
      await clickText(page, 'Run this SQL')
      await page.until(`location.pathname.endsWith('/data/public/har%22bour') && ${hasText('The table has no rows')}`)
      assert.equal(edits(page).length, 1)
      const made = await op<Described>('pg_get_table_info', { table: 'har"bour', details: true })
      assert.deepEqual(
        made.columns.map(({ name, type, nullable }) => [name, type, nullable]),
        [
          ['id', 'bigint', false],
          ['album_id', 'integer', true],
          ['Mood', 'mood', false],
          ['created_at', 'timestamp with time zone', false],
        ],
      )
      assert.deepEqual(made.primary_key, ['id'])
      assert.deepEqual(Object.values(made.foreign_keys)[0]?.column_mapping, { album_id: 'album_id' })
      assert.equal(made.defaults['Mood'], "'sad'::mood")
      await goTo(page, 'data/public/har%22bour/structure', hasText('Drop table'))
      await clickText(page, 'Drop table')
      await page.until(hasText('drop table public."har""bour"'))
      await clickText(page, 'Run this SQL')
      await page.until(hasText('15 tables, 14 tracked'))
      await op('run_sql', { sql: 'drop type mood' })
    },
  },
  {
    title: 'bad input is refused in its place; the form stays after a reload; dark and 320 px',
    path: 'data',
    theme: 'dark',
    width: 320,
    shows: hasText('15 tables, 14 tracked'),
    async act(page, { check }) {
      await clickText(page, 'Create table')
      await page.until(isOpen)
      await fill(page, fieldOf('Name'), 'album')
      await page.until(hasText('public has one of this name.'))
      await fill(page, fieldOf('Name'), 'shelf')
      await fill(page, fieldOf('Name', 'column 2'), 'label')
      await fill(page, fieldOf('Type', 'label'), 'text; drop')
      await fill(page, fieldOf('Default', 'label'), 'draft')
      await page.until(`${hasText('It is no type')} && ${hasText("A text stands in quotes, as 'draft'.")}`)
      await clickText(page, 'Review')
      await page.until(`document.activeElement === ${fieldOf('Type', 'label')}`)
      await check(page)
      await reload(page, hasText('15 tables, 14 tracked'))
      await clickText(page, 'Create table')
      await page.until(
        `${isOpen} && ${hasText('This was typed earlier')} && ${fieldOf('Type', 'label')}.value === 'text; drop'`,
      )
      await clickText(page, 'Start over')
      await page.until(`${columnNames}.join() === 'id,column 2' && ${fieldOf('Name')}.value === ''`)
      await page.click('[role=dialog] [aria-label="Remove column 2"]')
      await page.until(`${columnNames}.join() === 'id' && document.activeElement === ${fieldOf('Name', 'id')}`)
      await clickText(page, 'Cancel')
      await page.until(`${dialog} === null`)
    },
  },
  {
    title: 'the SQL of the form is edited, with a table that is not tracked',
    path: 'data',
    isKnown: true,
    // The page of a table that is not tracked may ask for its rows.
    complains: /status of 400/,
    shows: hasText('15 tables, 14 tracked'),
    async act(page, { op }) {
      await clickText(page, 'Create table')
      await page.until(isOpen)
      await fill(page, fieldOf('Name'), 'shelf')
      await clickOn(page, fieldOf('Track it, so that GraphQL has it'))
      await clickText(page, 'Edit as SQL')
      await page.until(hasText('the table that the SQL creates'))
      await clickText(page, 'Back to the form')
      await page.until(isOpen)
      await clickText(page, 'Edit as SQL')
      await page.until(hasText('the table that the SQL creates'))
      await typeCode(page, 'SQL', 'create table shelf (id int primary key, width int check (width > 0))')
      await clickText(page, 'Review')
      await page.until(`${hasText('check (width > 0)')} && ${hasText('Nothing changes.')}`)
      await clickText(page, 'Run this SQL')
      await page.until(`location.pathname.endsWith('/data/public/shelf') && ${dialog} === null`)
      assert.equal(edits(page).length, 1)
      assert.equal(edits(page)[0]?.includes('track_table'), false)
      await goTo(page, 'data', hasText('16 tables, 14 tracked'))
      await op('run_sql', { sql: 'drop table shelf' })
    },
  },
]
