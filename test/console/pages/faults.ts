// Every page of a server that fails all requests: each page says so, and no page is blank.

import assert from 'node:assert/strict'
import type { Page } from '../../support/browser.ts'
import { hasText, type State } from '../support.ts'
import { cell, change, clickText, markForDeletion } from './steps.ts'

const addresses = [
  ...['now', 'api', 'api/operations/export_metadata', 'data', 'data/diagram', 'data/public/track', 'sql', 'roles'],
  ...['data/public/track/structure', 'data/public/track/relations', 'data/public/track/permissions', 'roles/compare'],
  ...['events', 'events/log', 'events/cron', 'events/once', 'events/jobs', 'remote', 'actions', 'govern/metadata'],
  ...['govern/history', 'govern/inconsistent', 'govern/limits', 'govern/plugins', 'govern/server'],
]

/** Goes to an address without loading the page again. */
async function visit(page: Page, address: string): Promise<void> {
  await page.evaluate(`{
    history.pushState(null, '', ${JSON.stringify(`/console/${address}`)})
    dispatchEvent(new PopStateEvent('popstate'))
  }`)
  await page.until(
    `location.pathname.endsWith(${JSON.stringify(address)}) && document.querySelector('main h1') !== null`,
  )
  await page.until(`document.querySelector('main [data-loading]') === null`)
}

const answers = {
  'an error of its own': { status: 500, body: { path: '$', error: 'it <b>broke</b>', code: 'unexpected' } },
  'the page of a proxy': { status: 200, body: '<html><body>hello</body></html>' },
  nothing: { status: 200, body: '' },
  'no answer': { status: -1 },
}

const failing = Object.entries(answers).map<State>(([title, fault]) => ({
  title: `every page, where the server answers with ${title}`,
  isKnown: true,
  path: 'data',
  faults: [{ on: '*', ...fault }],
  shows: `document.querySelector('main [role=alert]') !== null`,
  complains: /status of 500/,
  async act(page) {
    const wrong: string[] = []
    for (const address of addresses) {
      await visit(page, address).catch((error: Error) => {
        throw new Error(`${address}: ${error.message}`)
      })
      const text = await page.evaluate<string>(`document.querySelector('main').innerText`)
      const isBlank =
        text.trim() === '' || text.includes('Something went wrong') || /undefined|is not a function/.test(text)
      if (isBlank) wrong.push(`${address}: ${text.slice(0, 200)}`)
    }
    assert.deepEqual(wrong, [])
  },
}))

const markup = '<img src=x onerror=alert(1)>'
const table = { schema: 'public', name: markup }
const hebrew = 'שלום 😀'

/** Names and values that a careless page would take for more than text. */
const hostile: State = {
  title: 'markup, right to left, emoji and names of JavaScript are text, as names and as values',
  isKnown: true,
  path: 'data',
  shows: hasText('15 tables'),
  async act(page, { op }) {
    const sql = `create table "${markup}" (id int primary key, "__proto__" text, "constructor" text, "${hebrew}" text);
      insert into "${markup}" values (1, '${markup}', null, repeat('${hebrew} ', 150000))`
    await op('run_sql', { sql })
    await op('track_table', { table, configuration: { custom_name: 'hostile' } }, 2)
    const permission = { columns: '*', filter: { id: { _eq: 1 } } }
    await op('create_select_permission', { table, role: '__proto__', permission })
    await page.reload()
    const own = `data/public/${encodeURIComponent(markup)}`
    const shown = {
      ...{ data: markup, [own]: '__proto__', [`${own}/structure`]: hebrew, [`${own}/relations`]: markup },
      ...{
        [`${own}/permissions`]: '__proto__',
        roles: '__proto__',
        'govern/metadata': 'hostile',
        'data/diagram': markup,
      },
    }
    for (const [address, text] of Object.entries(shown)) {
      await visit(page, address)
      await page.until(hasText(text))
      assert.equal(await page.evaluate(`document.querySelector('img[src=x]')`), null)
    }
    await visit(page, own)
    await page.until(hasText('__proto__'))
    await change(page, cell(0, 3), 'built')
    await page.press('s', ['ctrl'])
    await clickText(page, 'Save 1 row')
    await page.until(hasText('Saved 1 row'))
    const updates = page.sent.flatMap(({ body }) => JSON.parse(body ?? '{}').args?.[0]?.args ?? [])
    assert.equal(JSON.stringify(updates.at(-1).where), '{"_and":[{"id":{"_eq":1}},{"constructor":{"_is_null":true}}]}')
    await clickText(page, 'Insert row')
    await page.until(`document.querySelector(${JSON.stringify(cell(0, 3))}).innerText === 'default'`)
    await clickText(page, 'Undo')
    // The grid has only the beginning of one text: a deletion does not compare it.
    await markForDeletion(page, 0)
    await page.press('s', ['ctrl'])
    await clickText(page, 'Save 1 row')
    await page.until(hasText('The table has no rows'))
    await visit(page, 'data')
    await op('drop_select_permission', { table, role: '__proto__' })
    await op('run_sql', { sql: `drop table "${markup}"`, cascade: true })
  },
}

export const faults: readonly State[] = [...failing, hostile]
