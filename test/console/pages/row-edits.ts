import assert from 'node:assert/strict'
import { hasText, type State } from '../support.ts'
import { cell, change, clickText, goTo } from './steps.ts'

const refused = /status of 4(?:00|09)/

const tick = (row: number) => `[role=grid] [aria-rowindex="${row + 2}"] input[type=checkbox]`
const genre = { table: { schema: 'public', name: 'genre' } }

export const rowEdits: readonly State[] = [
  {
    title: 'a foreign key is chosen by the label of its row',
    path: 'data/public/track?cols=track_id,genre_id&order=track_id',
    shows: hasText('track_id'),
    async act(page, { check }) {
      await page.until(`document.querySelector(${JSON.stringify(cell(0, 2))}) !== null`)
      await page.click(cell(0, 2))
      await page.press('Enter')
      await page.until(hasText('2 Jazz'))
      await page.type('[data-editing] input', 'sci fi')
      await page.until(`${hasText('20 Sci Fi & Fantasy')} && !${hasText('2 Jazz')}`)
      await check(page)
      await page.press('ArrowDown')
      await page.press('Enter')
      await page.until(`document.querySelector(${JSON.stringify(cell(0, 2))}).innerText.includes('20')`)
      await page.until(`document.activeElement.matches('[role=gridcell]')`)
      await page.press('z', ['ctrl'])
      await page.until(`!${hasText('Review 1 edit')}`)
    },
  },
  {
    title: 'a deletion names the rows and those that foreign keys take with them',
    path: 'data/public/genre?order=genre_id',
    theme: 'dark',
    shows: hasText('25 rows'),
    async act(page, { check }) {
      await page.click(tick(0))
      await clickText(page, 'Delete 1 row')
      await page.until(`${hasText('genre_id 1: Rock')} && ${hasText('1,297 rows of track: in the way')}`)
      await check(page)
      await clickText(page, 'Mark 1 row')
      await page.until(`document.querySelector('[data-state=deleted]') !== null`)
      await clickText(page, 'Undo')
      await page.until(`document.querySelector('[data-state=deleted]') === null`)
    },
  },
  {
    title: 'all rows that match are deleted once their number is typed',
    path: 'data',
    shows: hasText('14 tracked'),
    async act(page, { op, check }) {
      await op('run_sql', {
        sql: `create type mood as enum ('calm', 'wild');
          create table many (id int primary key, mood mood, picture bytea);
          insert into many select each, 'calm', '\\x0102' from generate_series(1, 300) each`,
      })
      await op('track_table', 'many')
      await goTo(page, 'data/public/many?where=id%20%3E%20100&order=id', hasText('100 of 200 rows'))
      await page.until(hasText('bytes, 2 B'))
      await page.click('[aria-label="Select all rows that are shown"]')
      await clickText(page, 'Delete 100 rows')
      await clickText(page, 'Delete all that match')
      await page.until(hasText('200 rows match'))
      await check(page)
      await page.type('[role=dialog] input', '200')
      await clickText(page, 'Delete 200 rows')
      await page.until(hasText('No row matches'))
      assert.deepEqual(await op('count', { table: 'many' }), { count: 100 })
      // The values of an enum are a choice.
      await goTo(page, 'data/public/many?order=id', hasText('bytes, 2 B'))
      await page.click(cell(0, 2))
      await page.press('Enter')
      await page.until(`document.querySelector('[data-editing] select') !== null`)
      assert.deepEqual(
        await page.evaluate(`[...document.querySelectorAll('[data-editing] option')].map((each) => each.text)`),
        ['calm', 'wild', 'NULL'],
      )
      await goTo(page, 'data', hasText('tracked'))
      await op('untrack_table', { table: 'many' })
      await op('run_sql', { sql: 'drop table many; drop type mood' })
    },
  },
  {
    title: 'rows are duplicated, and cells of a spreadsheet pasted',
    path: 'data/public/genre?order=genre_id',
    shows: hasText('25 rows'),
    async act(page, { op }) {
      await page.click(tick(1))
      await clickText(page, 'Duplicate 1 row')
      await page.until(`document.querySelector('[data-state=inserted]') !== null`)
      await change(page, cell(0, 1), '101')
      await page.until(`document.activeElement.matches('[role=gridcell]')`)
      await page.press('End', ['ctrl'])
      await page.press('Home')
      await page.until(`document.activeElement.matches(${JSON.stringify(cell(25, 1))})`)
      await page.paste('25\tSea shanty\tno column\n103\tPolka, fast\n')
      await page.until(hasText('Pasted 4 cells; 1 cell cannot be written'))
      await clickText(page, 'Review 3 edits')
      await clickText(page, 'Save 3 rows')
      await page.until(`!${hasText('Review 3 edits')}`)
      const where = { genre_id: { _gte: 25 } }
      assert.deepEqual(await op('select', { ...genre, columns: ['*'], where, order_by: 'genre_id' }), [
        { genre_id: 25, name: 'Sea shanty' },
        { genre_id: 101, name: 'Jazz' },
        { genre_id: 103, name: 'Polka, fast' },
      ])
      await op('update', { ...genre, where: { genre_id: 25 }, $set: { name: 'Opera' } })
      await op('delete', { ...genre, where: { genre_id: { _gt: 100 } } })
    },
  },
  {
    title: 'a jump to a key, an exact count, and an export as it is shown',
    path: 'data/public/track?cols=track_id,name',
    shows: hasText('Put The Finger On You'),
    async act(page, { check }) {
      await clickText(page, 'Jump')
      await page.type('form input:not([type=search])', '3000')
      await clickText(page, 'Jump to track_id')
      await page.until(`${hasText('from track_id 3000')} && ${hasText('100 of 504 rows')}`)
      await check(page)
      await page.click('[aria-label="Show rows from the first one"]')
      await page.until(`!${hasText('from track_id')}`)
      await clickText(page, 'Export')
      await clickText(page, 'Save as CSV')
      await page.until(hasText('Saved track.csv'))
    },
  },
  {
    title: 'an order that no index serves warns first',
    path: 'data/public/track?cols=track_id,name',
    faults: [
      {
        ...{ on: 'pg_get_source_tables', status: 200 },
        body: [{ schema: 'public', name: 'track', kind: 'table', is_tracked: true, estimated_rows: 10_000_000 }],
      },
    ],
    width: 800,
    shows: hasText('~10 M rows'),
    async act(page, { check }) {
      await page.click('[role=columnheader][aria-colindex="3"] button')
      await page.until(hasText('No index serves the order by name'))
      await clickText(page, 'Show an index')
      await page.until(hasText('create index concurrently on public.track (name);'))
      await check(page)
      await clickText(page, 'Order by name anyway')
      await page.until(`location.search.includes('order=name')`)
      // The key has an index.
      await page.click('[role=columnheader][aria-colindex="2"] button')
      await page.until(`location.search.includes('order=track_id')`)
    },
  },
  {
    title: '300 columns: 40 are read, others as they come into view, and pinned ones stay',
    path: 'data',
    complains: refused,
    shows: hasText('14 tracked'),
    async act(page, { op, check }) {
      const columns = Array.from({ length: 300 }, (_, index) => `c${index} int default ${index}`)
      await op('run_sql', {
        sql: `create table broad (id int primary key, ${columns.join(', ')}); insert into broad (id) select generate_series(1, 150)`,
      })
      await op('track_table', 'broad')
      await goTo(page, 'data/public/broad?pin=c7', hasText('c7'))
      await page.until(`document.querySelector(${JSON.stringify(cell(0, 1))})?.innerText === '7'`)
      const asked = () =>
        page.sent.flatMap(({ body }) => {
          const { type, args } = JSON.parse(body ?? '{}')
          return type === 'browse_rows' ? [args.columns] : []
        })
      assert.deepEqual(
        asked().map((names) => names.length),
        [40],
      )
      await page.click(cell(0, 1))
      await page.press('End')
      await page.until(`document.querySelector(${JSON.stringify(cell(0, 301))})?.innerText === '299'`)
      await page.until(`document.querySelector(${JSON.stringify(cell(0, 1))})?.innerText === '7'`)
      assert.ok(asked().every((names) => names.length <= 41))
      await check(page)
      await goTo(page, 'data', hasText('tracked'))
      await op('untrack_table', { table: 'broad' })
      await op('run_sql', { sql: 'drop table broad' })
    },
  },
]
