// Every page of the console in every state, in Chromium: it shows the state, axe finds nothing, and nothing is refused by
// the policy or written to the browser's console. All pages share one server and one browser.

import assert from 'node:assert/strict'
import { isEditing } from '../../console/src/server/editing.ts'
import { browserTest } from '../support/chromium.ts'
import { otherServers } from './other-servers.ts'
import { api } from './pages/api.ts'
import { createTable } from './pages/create-table.ts'
import { data } from './pages/data.ts'
import { drafts } from './pages/drafts.ts'
import { events } from './pages/events.ts'
import { faults } from './pages/faults.ts'
import { govern } from './pages/govern.ts'
import { lookAs } from './pages/look-as.ts'
import { looks } from './pages/looks.ts'
import { now } from './pages/now.ts'
import { permissions } from './pages/permissions.ts'
import { related } from './pages/related.ts'
import { relations } from './pages/relations.ts'
import { remote } from './pages/remote.ts'
import { rowEdits } from './pages/row-edits.ts'
import { rows } from './pages/rows.ts'
import { shell } from './pages/shell.ts'
import { sql } from './pages/sql.ts'
import { structure } from './pages/structure.ts'
import { type State, startConsole } from './support.ts'

const pages: Readonly<Record<string, readonly State[]>> = {
  ...{
    shell,
    now,
    api,
    data,
    createTable,
    rows,
    rowEdits,
    related,
    lookAs,
    structure,
    relations,
    permissions,
    drafts,
    sql,
    events,
    remote,
    govern,
    looks,
    faults,
  },
}

/** Parts of the names of states, with commas between them, to try some of them alone. */
const only = (process.env['TRELLIS_TEST_STATES'] ?? '').split(',')

const isWanted = (name: string): boolean => only.some((part) => name.includes(part))

browserTest('the pages of the console', async (t) => {
  const context = await startConsole(t)
  for (const [name, states] of Object.entries(pages)) {
    for (const { title, shows, act, complains, isKnown, ...opening } of states) {
      if (!isWanted(`${name}: ${title}`)) continue
      await t.test(`${name}: ${title}`, async (t) => {
        const page = await context.open(opening)
        // An open page keeps its streams, and a browser has few connections to one server.
        t.after(() => page.close())
        await page.until(shows)
        await act?.(page, context)
        if (isKnown) context.checkComplaints(page, complains)
        else await context.check(page, complains)
        const origin = new URL(await page.evaluate<string>('location.href')).origin
        assert.deepEqual(
          page.requests.filter(
            (url) =>
              !url.startsWith('data:') && !url.startsWith(origin) && !url.startsWith(origin.replace('http', 'ws')),
          ),
          [],
        )
        for (const request of page.sent) context.contract.check(request)
      })
    }
  }
  for (const [name, visit] of Object.entries(otherServers)) {
    if (isWanted(`other servers: ${name}`)) await t.test(`other servers: ${name}`, (t) => visit(t, context))
  }
  await t.test('the page itself knows which of its operations edit', () => {
    const { contract } = context
    const wrong = contract.operations
      .map((name) => {
        const [, type = '', , version = '1'] = /^request\.(\w+)(\.v(\d+))?$/.exec(name) ?? []
        const operation = { type, version: Number(version), args: { apply: true } }
        return { name, page: isEditing(operation), server: contract.edits(operation) }
      })
      // `bulk` is as its members are.
      .filter(({ page, server }) => server !== undefined && page !== server)
    assert.deepEqual(wrong, [])
  })
})
