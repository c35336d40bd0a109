import assert from 'node:assert/strict'
import { hasText, type State, screenshot } from '../support.ts'
import { cell, change, clickText, goTo } from './steps.ts'

const refused = /status of 4(?:00|09)/

const genre = { table: { schema: 'public', name: 'genre' } }

export const rows: readonly State[] = [
  {
    title: 'filter, order and columns are those of the address',
    path: 'data/public/track?where=milliseconds%20%3E%20300000%20and%20genre.name%20%3D%20Rock&order=-milliseconds&cols=name,milliseconds',
    shows: hasText('100 of 407 rows'),
    async act(page) {
      assert.deepEqual(
        await page.evaluate(
          `[...document.querySelectorAll('[role=columnheader]')].map((each) => each.innerText.split('\\n')[0])`,
        ),
        ['', 'name', 'milliseconds'],
      )
      assert.equal(await page.evaluate(`document.querySelector('${cell(0, 1)}').innerText`), 'Dazed And Confused')
    },
  },
  {
    title: 'edits of filtered rows wait for their review',
    path: 'data/public/track?where=milliseconds%20%3E%20300000%20and%20genre.name%20%3D%20Rock&order=-milliseconds',
    shows: hasText('100 of 407 rows'),
    async act(page) {
      await change(page, cell(0, 2), 'Dazed and Confused')
      await change(page, cell(3, 2), 'We’ve Got to Get Together')
      await page.until(hasText('Review 2 edits'))
      await screenshot(page, '../console')
    },
  },
  {
    title: 'a filter as conditions, and its parts, which are taken away one by one',
    path: 'data/public/track?where=milliseconds%20%3E%20300000%20and%20genre.name%20%3D%20Rock&order=-milliseconds&cols=name',
    theme: 'dark',
    shows: hasText("genre.name = 'Rock'"),
    async act(page, { check }) {
      await page.click('[aria-label="Remove milliseconds > 300000"]')
      await page.until(hasText('100 of 1,297 rows'))
      await clickText(page, 'Conditions')
      await page.until(`document.querySelector('[role=dialog] input[list]') !== null`)
      await check(page)
      await page.type('[role=dialog] input[list]', 'Jazz')
      await clickText(page, 'Show these rows')
      await page.until(hasText('100 of 130 rows'))
      assert.equal(await page.evaluate(`new URLSearchParams(location.search).get('where')`), "genre.name = 'Jazz'")
    },
  },
  {
    title: 'a filter that cannot be read says where',
    path: 'data/public/track?where=name%20%3D',
    theme: 'dark',
    shows: hasText('expected a value, found the end, at character 7'),
  },
  {
    title: 'a conflict keeps the edit, and one request saves the others',
    path: 'data/public/genre?order=genre_id',
    shows: hasText('25 rows'),
    async act(page, { op, check }) {
      await change(page, cell(0, 2), 'Rock and roll')
      await change(page, cell(1, 2), 'Jazz!')
      await op('update', { ...genre, where: { genre_id: 1 }, $set: { name: 'Hard rock' } })
      await page.press('s', ['ctrl'])
      await page.until(hasText('Review 2 edits'))
      await check(page)
      await clickText(page, 'Save 2 rows')
      await page.until(hasText('Somebody else changed the marked rows'))
      const names = () =>
        op<{ name: string }[]>('select', { ...genre, columns: ['name'], order_by: 'genre_id', limit: 2 })
      assert.deepEqual(await names(), [{ name: 'Hard rock' }, { name: 'Jazz!' }])
      await clickText(page, 'Save on top')
      await clickText(page, 'Save 1 row')
      await page.until(`${hasText('25 rows')} && !${hasText('Review 1 edit')}`)
      assert.deepEqual(await names(), [{ name: 'Rock and roll' }, { name: 'Jazz!' }])
      await op('update', { ...genre, where: { genre_id: 1 }, $set: { name: 'Rock' } })
      await op('update', { ...genre, where: { genre_id: 2 }, $set: { name: 'Jazz' } })
    },
  },
  {
    title: 'edits stay while the page is loaded again, and are discarded',
    path: 'data/public/genre?order=genre_id',
    shows: hasText('25 rows'),
    async act(page) {
      await change(page, cell(2, 2), '<b>Metal</b>')
      await page.reload()
      await page.until(hasText('<b>Metal</b>'))
      await clickText(page, 'Review 1 edit')
      await clickText(page, 'Discard all')
      await page.until(hasText('Nothing is staged'))
    },
  },
  {
    title: 'a refused value stands in the review',
    path: 'data/public/genre?order=genre_id',
    shows: hasText('25 rows'),
    complains: refused,
    async act(page) {
      await clickText(page, 'Insert row')
      const marked = `[...document.querySelectorAll('[role=row] > [role=gridcell]:first-child')].filter((each) => getComputedStyle(each).borderLeftWidth === '2px').length`
      await page.until(`${marked} === 1`)
      await page.until(`document.querySelector('[data-state=inserted]') !== null`)
      await change(page, cell(0, 1), '1')
      await clickText(page, 'Review 1 edit')
      await clickText(page, 'Save 1 row')
      await page.until(hasText('Uniqueness violation'))
      await clickText(page, 'Discard all')
    },
  },
  {
    title: 'rows of a spreadsheet are imported, and a refusal says how far it came',
    path: 'data/public/media_type?order=media_type_id',
    theme: 'dark',
    shows: hasText('5 rows'),
    complains: refused,
    async act(page, { op, check }) {
      await clickText(page, 'Import rows')
      await page.type('textarea[aria-label="Rows as CSV"]', 'media_type_id,title\n6,x')
      await page.until(hasText('names "title", which is no column'))
      const rows = Array.from({ length: 501 }, (_, index) => `${index + 6}\t"type ${index}"`)
      await page.type('textarea[aria-label="Rows as CSV"]', `media_type_id\tname\n${rows.join('\n')}\n1\tagain`)
      await page.until(hasText('Insert 502 rows'))
      await check(page)
      await clickText(page, 'Insert 502 rows')
      await page.until(`${hasText('Rows 1 to 500 are inserted')} && ${hasText('Uniqueness violation')}`)
      assert.deepEqual(await op('count', { table: 'media_type' }), { count: 505 })
      await op('delete', { table: 'media_type', where: { media_type_id: { _gt: 5 } } })
    },
  },
  {
    title: 'a role without rights reads why',
    path: 'data/public/genre',
    shows: hasText('25 rows'),
    complains: refused,
    async act(page) {
      await page.click('button[aria-label="As admin"]')
      await page.type('input[list]', 'stranger')
      await clickText(page, 'Apply')
      await page.until(`document.querySelector('[role=alert]') !== null`)
    },
  },
  {
    title: 'a table without a key is read-only, and says why',
    path: 'data/public/keyless',
    shows: hasText('The table has no primary key'),
  },
  { title: 'a table that is not tracked', path: 'data/public/untracked', shows: hasText('This table is not tracked') },
  { title: 'a table that does not exist', path: 'data/public/no', shows: hasText('not-exists'), complains: refused },
  {
    title: 'a window of 2,000 rows goes down and back to the first, and no row moves',
    path: 'data',
    shows: hasText('14 tracked'),
    async act(page, { op }) {
      const sql = 'create table tall (id int primary key); insert into tall select generate_series(1, 6000)'
      await op('run_sql', { sql: `${sql}; analyze tall` })
      await op('track_table', 'tall')
      await goTo(page, 'data/public/tall?order=id', hasText('100 of ~6 K rows'))
      // Each row that is read stands at the place of its number.
      const grid = `document.querySelector('[role=grid]')`
      const shown = `[...document.querySelectorAll('[role=rowgroup] [role=row]')].map((each) => [Number(each.ariaRowIndex), each.innerText.trim()]).filter(([index]) => index > 2 && index !== 102)`
      const areRead = (row: number) =>
        `((all) => all.some(([index]) => index === ${row + 1}) && all.every(([index, id]) => id === String(index - 1)))(${shown})`
      const down = (row: number) => page.until(`(${grid}.scrollTop = ${row} * 32, ${areRead(row)})`)
      for (let row = 90; row < 3000; row += 100) await down(row)
      await page.until(hasText('rows 1,101 to 3,100 of ~6 K'))
      assert.ok((await page.evaluate<number>(`document.querySelectorAll('[role=row]').length`)) < 60)
      assert.equal(await page.evaluate(`${grid}.getAttribute('aria-rowcount')`), '-1')
      // Back page by page, then far at once, then to the first.
      for (const row of [1190, 1090, 990]) await down(row)
      await page.until(hasText('rows 901 to 2,900'))
      await down(350)
      await page.until(hasText('rows 301 to 500'))
      await page.click('[role=rowgroup] [aria-rowindex="361"] [aria-colindex="2"]')
      await page.press('Home', ['ctrl'])
      await page.until(`document.activeElement.innerText === '1' && ${areRead(2)} && ${hasText('200 of ~6 K rows')}`)
      // A page of the table would read it once more when it is gone.
      await goTo(page, 'data', hasText('15 tracked'))
      await op('run_sql', { sql: 'drop table tall', cascade: true })
    },
  },
  {
    title: 'records at 320 px: a cell of 5 MB is read, found in and edited in parts',
    path: 'data/public/large',
    theme: 'dark',
    width: 320,
    shows: hasText('5.2 MB'),
    async act(page, { op, check }) {
      await page.click('section[aria-label=Rows] button:nth-child(2)')
      await page.until(hasText('Characters 1 to 16,384 of 5,242,880'))
      // The page has a part of it alone.
      assert.ok((await page.evaluate<number>('document.body.textContent.length')) < 40_000)
      await clickText(page, 'Last part')
      await page.until(hasText('to 5,242,880 of 5,242,880'))
      await check(page)
      await clickText(page, 'Edit this large value')
      await page.type('textarea[aria-label=body]', 'the <b>end</b>')
      await page.until(hasText('of 5,226,510'))
      await clickText(page, 'Stage edit')
      // Nothing is lost by a reload.
      await page.reload()
      await page.until(hasText('Review 1 edit'))
      await clickText(page, 'Review 1 edit')
      await clickText(page, 'Save 1 row')
      await page.until(`!${hasText('Review 1 edit')}`)
      const end = { body: { _like: 'long%the <b>end</b>' } }
      assert.deepEqual(await op('count', { table: 'large', where: end }), { count: 1 })
    },
  },
  {
    title: 'a large JSON cell is a tree that keeps all digits',
    path: 'data/public/large',
    shows: hasText('1.8 MB'),
    async act(page) {
      await page.click(cell(0, 3))
      await page.press(' ')
      await page.until(`${hasText('12345678901234567891')} && ${hasText('Show 100 more')}`)
      await clickText(page, 'Edit this large value')
      await page.type('input[placeholder=Find]', '12345678901234647890')
      await page.press('Enter')
      await page.until(hasText('to 1,920,002 of 1,920,002'))
      await page.type('textarea[aria-label=document]', ', broken')
      await clickText(page, 'Stage edit')
      await page.until(`document.querySelector('[role=dialog] [role=alert]') !== null`)
    },
  },
  {
    title: 'a large JSON cell is saved as a patch, and taken back as one',
    isKnown: true,
    path: 'data/public/large',
    shows: hasText('1.8 MB'),
    async act(page, { op }) {
      const last = async () => {
        const sql = 'select document->>79999 as last, jsonb_array_length(document) as size from large'
        const { result } = await op<{ result: readonly string[][] }>('run_sql', { sql, read_only: true })
        return result[1]
      }
      await page.click(cell(0, 3))
      await page.press(' ')
      await clickText(page, 'Edit this large value')
      await clickText(page, 'Last part')
      await page.until(hasText('to 1,920,002 of 1,920,002'))
      const part = await page.evaluate<string>(`document.querySelector('textarea[aria-label=document]').value`)
      await page.type('textarea[aria-label=document]', part.replace('12345678901234647890', '12345678901234647891'))
      await clickText(page, 'Stage edit')
      await page.evaluate(`{
        const { fetch } = window
        window.sent = []
        window.fetch = async (url, options) => {
          const answer = await fetch(url, options)
          if (options?.body?.includes('"update"')) window.sent.push(options.body.length)
          return answer
        }
      }`)
      await clickText(page, 'Review 1 edit')
      await clickText(page, 'Save 1 row')
      await page.until(`!${hasText('Review 1 edit')}`)
      assert.deepEqual(await last(), ['12345678901234647891', '80000'])
      await clickText(page, 'Undo')
      await page.until('window.sent.length === 2')
      assert.deepEqual(await last(), ['12345678901234647890', '80000'])
      const sent = await page.evaluate<readonly number[]>('window.sent')
      assert.ok(
        sent.every((size) => size < 1000),
        `${sent} characters`,
      )
    },
  },
  {
    title: 'loading',
    isKnown: true,
    path: 'data/public/track',
    faults: [{ on: 'browse_rows', status: 0 }],
    shows: `document.querySelector('[data-loading]') !== null && ${hasText('Cancel')}`,
  },
]
