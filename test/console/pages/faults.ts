// Every page, where the server fails whatever it is asked: each page says so, and no page is blank.

import assert from 'node:assert/strict'
import type { Page } from '../../support/browser.ts'
import type { State } from '../support.ts'

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

export const faults: readonly State[] = Object.entries(answers).map(([title, fault]) => ({
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
