import assert from 'node:assert/strict'
import { hasText, type State, screenshot } from '../support.ts'
import { clickText, goTo } from './steps.ts'

const looking = 'data/public/invoice?as=guest,user-id:2&order=invoice_id'

const give = {
  table: 'invoice',
  role: 'guest',
  permission: {
    columns: ['invoice_id', 'customer_id', 'total'],
    filter: { customer_id: { _eq: 'X-Service-User-Id' } },
  },
}

export const lookAs: readonly State[] = [
  {
    title: 'a role without a permission reads why, and a link gives it one',
    path: looking,
    shows: `document.querySelector('[role=alert]') !== null && ${hasText('Give guest a permission to select')}`,
    complains: /status of 400/,
  },
  {
    title: 'hidden rows are hatched, and each says why it is hidden',
    path: 'data/public/invoice?order=invoice_id',
    theme: 'dark',
    shows: hasText('Look as'),
    async act(page, { op, check }) {
      await op('create_select_permission', give)
      await page.reload()
      await clickText(page, 'Look as')
      await page.until(hasText('Choose a role'))
      await page.type('[aria-label="Look as"] input', 'guest')
      await clickText(page, 'Look')
      await page.until(hasText('guest needs a value'))
      await page.type('[aria-label="Look as"] datalist ~ div input', '2')
      await page.press('Enter')
      await page.until(hasText('guest gets 3 of the 100 rows shown, and 7 in all'))
      await page.until(`document.querySelectorAll('[role=columnheader] del').length > 0`)
      await check(page)
      await screenshot(page, 'look-as')
      await page.click('[aria-label="Why guest does not get row 2"]')
      await page.until(`${hasText('the row has 4')} && ${hasText('X-Service-User-Id is 2')}`)
      await page.until(`document.querySelector('[role=dialog] [aria-label=fails]') !== null`)
      await clickText(page, 'Show SQL and plan')
      await page.until(hasText('Index Scan'))
    },
  },
  {
    title: 'a role that may not read the key is compared by its rule',
    path: 'data/public/customer?as=guest,user-id:2&order=customer_id',
    shows: hasText('Look as role'),
    isKnown: true,
    complains: /status of 400/,
    async act(page, { op }) {
      const permission = { columns: ['first_name'], filter: { customer_id: { _eq: 'X-Service-User-Id' } } }
      await op('create_select_permission', { table: 'customer', role: 'guest', permission })
      const shows = hasText('guest gets 1 of the 59 rows shown, and 1 in all. It may not read the key')
      await goTo(page, 'data/public/customer?as=guest,user-id:2&order=customer_id', shows)
      const rows = `[...document.querySelectorAll('[role=table][aria-label^="As guest"] [role=rowgroup] [role=row]')]`
      assert.deepEqual(await page.evaluate(`${rows}.slice(0, 3).map(({ dataset }) => 'hidden' in dataset)`), [
        true,
        false,
        true,
      ])
      const cells = `[...${rows}[1].querySelectorAll('[role=cell]')].slice(1, 3).map((each) => each.innerText)`
      assert.deepEqual(await page.evaluate(cells), ['hidden', 'Leonie'])
      await page.click('[aria-label="Why guest does not get row 1"]')
      await page.until(hasText('X-Service-User-Id is 2'))
      await op('drop_select_permission', { table: 'customer', role: 'guest' })
    },
  },
  {
    title: 'both sides scroll down a long table and back to its first rows',
    isKnown: true,
    path: 'data',
    shows: hasText('14 tracked'),
    async act(page, { op }) {
      await op('run_sql', {
        sql: 'create table long (id int primary key); insert into long select generate_series(1, 3000)',
      })
      const permission = { columns: '*', filter: { id: { _gt: 5 } } }
      await op('track_table', 'long')
      await op('create_select_permission', { table: 'long', role: 'guest', permission })
      await goTo(page, 'data/public/long?as=guest&order=id', hasText('guest gets 95 of the 100 rows shown'))
      const side = (name: string) => `document.querySelector('[role=table][aria-label^="As ${name}"]')`
      const shown = (name: string) =>
        `[...${side(name)}.querySelectorAll('[role=rowgroup] [role=row]')].map((each) => [each.ariaRowIndex - 1, each.innerText.replace('Why', '').trim()])`
      const isShown = (row: number) =>
        `['admin', 'guest'].every((name) => ({ admin: ${shown('admin')}, guest: ${shown('guest')} })[name].some(([at, text]) => at === ${row} && text === String(${row})))`
      const down = (row: number) =>
        page.until(`(${side('admin')}.parentElement.scrollTop = ${row - 1} * 32, ${isShown(row)})`)
      for (let row = 90; row < 2500; row += 100) await down(row)
      for (const row of [1200, 560, 460]) await down(row)
      await page.until(
        `(${side('admin')}.parentElement.scrollTop = 0, ${shown('admin')}.some(([at, text]) => at === 1 && text === '1'))`,
      )
      await page.until(`${shown('guest')}.some(([at, text]) => at === 5 && text.startsWith('hidden'))`)
      await goTo(page, 'data', hasText('tracked'))
      await op('run_sql', { sql: 'drop table long', cascade: true })
    },
  },
  {
    title: 'at 320 px the side of the role is alone',
    path: looking,
    width: 320,
    shows: hasText('and 7 in all'),
    // The page asks again once the permission is gone.
    complains: /status of 400/,
    async act(page, { op, check }) {
      await check(page)
      await op('drop_select_permission', { table: 'invoice', role: 'guest' })
    },
  },
]
