// Pages as other people see them: with the colours of a contrast theme, on a narrow window, and with names of any letters.

import assert from 'node:assert/strict'
import { hasText, type State } from '../support.ts'
import { clickText, goTo } from './steps.ts'

/** The colours of an element's style, by its selector. */
const colours = (selector: string, ...properties: readonly string[]): string =>
  `(({ ${properties.join(', ')} }) => [${properties.join(', ')}].join(' '))(getComputedStyle(document.querySelector(${JSON.stringify(selector)})))`

const media = [
  { name: 'forced-colors', value: 'active' },
  { name: 'prefers-color-scheme', value: 'dark' },
]

const invoiceOfGuest = { customer_id: { _eq: 2 } }

export const looks: readonly State[] = [
  {
    title: 'contrast themes show what is chosen, pressed, allowed and hidden',
    path: 'data',
    shows: hasText('15 tables'),
    async act(page, { op, check }) {
      await op('create_select_permission', { table: 'artist', role: 'guest', permission: { columns: '*', filter: {} } })
      const permission = { columns: '*', filter: invoiceOfGuest }
      await op('create_select_permission', { table: 'invoice', role: 'guest', permission })
      await page.command('Emulation.setEmulatedMedia', { features: media })
      await goTo(page, 'roles', `document.querySelectorAll('[role=gridcell] [data-rows]').length === 2`)
      const ground = await page.evaluate(colours('html', 'backgroundColor'))
      const marks = ['all', 'rule'].map((rows) => colours(`[data-rows=${rows}]`, 'backgroundColor', 'borderTopColor'))
      const [all, rule] = await Promise.all(marks.map((each) => page.evaluate<string>(each)))
      assert.notEqual(all, rule)
      const none = colours('[role=gridcell] [role=img] > :not([data-rows])', 'borderTopColor')
      assert.equal(await page.evaluate(none), ground)
      const current = 'nav [aria-current=page]'
      assert.equal(
        await page.evaluate(`${colours(current, 'backgroundColor')} === ${colours('nav a', 'backgroundColor')}`),
        false,
      )
      assert.equal(await page.evaluate(`${colours(`${current} svg`, 'color')} === ${colours(current, 'color')}`), true)
      await check(page)
      await goTo(page, 'data/public/invoice/permissions?edit=select%20guest', hasText('Effects of saving'))
      const tab = (isChosen: boolean) =>
        colours(`[role=dialog] [role=tab][aria-selected=${isChosen}]`, 'borderBottomColor')
      assert.equal(await page.evaluate(tab(false)), ground)
      assert.notEqual(await page.evaluate(tab(true)), ground)
      const toggle = (isOn: boolean) => colours(`[role=dialog] button[aria-pressed=${isOn}]`, 'backgroundColor')
      assert.equal(await page.evaluate(`${toggle(true)} === ${toggle(false)}`), false)
      await goTo(page, 'data/public/invoice/rows?as=guest', hasText('guest gets'))
      assert.match(await page.evaluate(colours('[role=row] > [data-hidden]', 'backgroundImage')), /gradient/)
      await op('drop_select_permission', { table: 'artist', role: 'guest' })
      await op('drop_select_permission', { table: 'invoice', role: 'guest' })
    },
  },
  {
    title: 'roles of any letters are sent in UTF-8, and a name that no header can have is refused here',
    path: 'api',
    shows: hasText('GraphQL as the administrator'),
    async act(page, { op }) {
      const role = 'café עברית'
      await op('create_select_permission', { table: 'genre', role, permission: { columns: '*', filter: {} } })
      await goTo(page, `data/public/genre/rows?as=${encodeURIComponent(role)}`, hasText(`${role} gets`))
      await goTo(page, 'data/public/genre/rows?as=fan,%22a%22:1', hasText('no header can have this name or value'))
      assert.equal(await page.evaluate(hasText('cannot be reached')), false)
      await op('drop_select_permission', { table: 'genre', role })
    },
  },
  {
    title: 'a table whose name GraphQL does not have says how it gets one',
    path: 'data',
    shows: hasText('15 tables'),
    async act(page, { op }) {
      const table = { schema: 'public', name: 'naïve שלום' }
      await op('run_sql', { sql: 'create table "naïve שלום" (id int primary key)' })
      await op('track_table', table)
      const own = `data/public/${encodeURIComponent(table.name)}`
      await goTo(page, `${own}/api`, hasText('GraphQL has no names like naïve שלום'))
      await goTo(page, `${own}/structure`, hasText('GraphQL has no names like naïve שלום'))
      await goTo(page, 'data', hasText('16 tables'))
      await op('run_sql', { sql: 'drop table "naïve שלום"', cascade: true })
    },
  },
  {
    title: 'records of 300 columns have the first of them, and the rest on request; nothing moves while they are read',
    path: 'data',
    width: 320,
    shows: hasText('15 tables'),
    async act(page, { op, check }) {
      const names = Array.from({ length: 299 }, (_, at) => `c${at + 1} text`)
      await op('run_sql', {
        sql: `create table wide (id int primary key, ${names.join()}); insert into wide (id, c299) values (1, 'the last'), (2, null)`,
      })
      await op('track_table', 'wide')
      await goTo(page, 'data/public/wide/rows', hasText('Show 280 more columns'))
      const fields = `[...document.querySelectorAll('section[aria-label=Rows] li')].map((each) => each.children.length).join()`
      assert.equal(await page.evaluate(fields), '22,22')
      await check(page)
      const chip = `document.querySelector('header button').getBoundingClientRect()`
      const before = await page.evaluate(`JSON.stringify(${chip})`)
      // Answers wait, so that the sign of a running request stays.
      await page.evaluate(`{
        const send = fetch
        window.held = []
        window.fetch = (...args) => new Promise((done) => held.push(() => done(send(...args))))
      }`)
      await clickText(page, 'Show 280 more columns')
      await page.until(`held.length > 0 && document.querySelector('header [aria-label="Asking the server"]') !== null`)
      assert.equal(await page.evaluate(`JSON.stringify(${chip})`), before)
      await page.evaluate(`held.forEach((send) => send())`)
      await page.until(hasText('the last'))
      assert.equal(await page.evaluate(fields), '301,22')
      await goTo(page, 'data', hasText('16 tables'))
      await op('run_sql', { sql: 'drop table wide', cascade: true })
    },
  },
]
