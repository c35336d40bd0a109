// Steps 3 and 4: rows by a filter that the address keeps, and edits beside those of another person.

import assert from 'node:assert/strict'
import type { Page } from '../../support/browser.ts'
import { hasText } from '../support.ts'
import { activate, activateInToast, go, reach, tick, type } from './keys.ts'
import type { Story } from './stage.ts'

const filter = 'milliseconds > 300000 and genre.name = Rock'
const columns = ['track_id', 'name', 'genre_id', 'milliseconds', 'bytes', 'unit_price']

const headings = `[...document.querySelectorAll('[role=columnheader]')].map((each) => each.innerText.split('\\n')[0])`
// The first column of the grid has the tick boxes.
const cell = (row: number, column: number): string =>
  `document.querySelector('[role=grid] [aria-rowindex="${row + 2}"] [aria-colindex="${column + 1}"]')?.innerText`

async function checkRows(page: Page): Promise<void> {
  await page.until(hasText('100 of 407 rows'))
  await page.until(`${cell(0, 2)} === 'Dazed And Confused'`)
  assert.deepEqual(await page.evaluate(headings), ['', ...columns])
  const address = new URLSearchParams(await page.evaluate<string>('location.search'))
  assert.deepEqual([address.get('where'), address.get('order')], [filter, '-milliseconds'])
}

/** Filters, orders and chooses columns; all of it is there after a reload. */
export async function filterRows({ page }: Story): Promise<void> {
  await go(page, 'track')
  await page.until(hasText('the first 100 rows'))
  await page.press('/')
  await type(page, filter)
  await page.press('Enter')
  await page.until(hasText('100 of 407 rows'))
  await reach(page, 'milliseconds', '[role=columnheader] button')
  await page.press('Enter')
  await page.press('Enter')
  await activate(page, 'Columns')
  for (const hidden of ['album_id', 'media_type_id', 'composer']) await tick(page, hidden)
  await activate(page, 'Done')
  await checkRows(page)
  await page.reload()
  await checkRows(page)
}

/** Changes the cell that has the focus, and goes to the one below. */
async function change(page: Page, text: string): Promise<void> {
  await page.press('Enter')
  await page.until(`document.activeElement?.matches('[role=gridcell] input')`)
  await page.press('a', ['ctrl'])
  await type(page, text)
  await page.press('Enter')
  await page.until(`document.activeElement?.matches('[role=gridcell]')`)
}

/** Changes two cells, one of which another client changes, too; saves on top of it, and takes both edits back. */
export async function editCells({ page, trellis }: Story): Promise<void> {
  const names = async () => {
    const rows = await trellis.sql<{ name: string }>(
      `select name from track where milliseconds > 300000 and genre_id = 1 order by milliseconds desc limit 2`,
    )
    return rows.map(({ name }) => name)
  }
  const before = await names()
  await reach(page, '', '[role=gridcell][tabindex="0"]')
  await page.press('ArrowRight')
  await change(page, 'Dazed')
  await change(page, 'Second')
  await trellis.sql(`update track set name = 'Confused' where name = 'Dazed And Confused' and milliseconds > 1600000`)
  await page.press('s', ['ctrl'])
  await activate(page, 'Save 2 rows')
  await page.until(hasText('Somebody else changed the marked rows'))
  await page.until(hasText('theirs Confused, yours Dazed'))
  assert.deepEqual(await names(), ['Confused', 'Second'])
  await activate(page, 'Save on top')
  await activate(page, 'Save 1 row')
  await page.until(`!${hasText('Review 1 edit')}`)
  assert.deepEqual(await names(), ['Dazed', 'Second'])
  await activateInToast(page, 'Undo')
  await page.until(`${cell(0, 2)} === 'Confused'`)
  await activateInToast(page, 'Undo')
  await page.until(`${cell(1, 2)} === ${JSON.stringify(before[1])}`)
  assert.deepEqual(await names(), ['Confused', before[1]])
}
