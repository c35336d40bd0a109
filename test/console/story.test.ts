// The story of a new server, from signing in to replaying all of it on another one, in one browser. Pages are reached by the
// palette, and fields by the keyboard.

import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'
import { loadFiles } from '../../plugins/console/assets.ts'
import { type Page, startBrowser } from '../support/browser.ts'
import { chinook } from '../support/chinook.ts'
import { browserTest } from '../support/chromium.ts'
import { atEnd } from '../support/cleanup.ts'
import { startTrellis } from '../support/trellis.ts'
import { clickText, typeCode } from './pages/steps.ts'
import { clickButton, hasText, secret } from './support.ts'

/** Goes somewhere by the palette. */
async function go(page: Page, name: string): Promise<void> {
  await page.press('k', ['ctrl'])
  await page.until(`document.activeElement?.getAttribute('role') === 'combobox'`)
  await page.type('input[role=combobox]', name)
  const first = `document.querySelector('[role=option][aria-selected=true] span')?.textContent`
  await page.until(`${first} === ${JSON.stringify(name)}`)
  await page.press('Enter')
  await page.until(`document.querySelector('input[role=combobox][aria-label=Search]') === null`)
}

/** A webhook that fails once. */
async function startWebhook(t: TestContext): Promise<string> {
  let calls = 0
  const server = createServer((request, response) => {
    request.resume()
    calls += 1
    response.writeHead(calls === 1 ? 500 : 200, { 'content-type': 'application/json' }).end('{}')
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  atEnd(t, () => server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`
}

const cell = (row: number, column: number) => `[role=grid] [aria-rowindex="${row + 2}"] [aria-colindex="${column}"]`

async function change(page: Page, place: string, value: string): Promise<void> {
  await page.click(place)
  await page.press('Enter')
  await page.until(`document.querySelector('[role=gridcell] input') !== null`)
  await page.type('[role=gridcell] input', value)
  await page.press('Enter')
  await page.until(`document.querySelector(${JSON.stringify(place)}).innerText.includes(${JSON.stringify(value)})`)
}

interface Document {
  readonly metadata: {
    readonly tables: readonly { object_relationships?: unknown[]; array_relationships?: unknown[] }[]
  }
}

browserTest('from an empty server to another one with the same metadata', async (t) => {
  const settings = { adminSecret: secret, enableConsole: true, enabledApis: ['metadata', 'graphql', 'config'] }
  const [trellis, open, webhook] = await Promise.all([
    startTrellis(t, { settings }),
    startBrowser(t),
    startWebhook(t),
    loadFiles(),
  ])
  const headers = { 'x-service-admin-secret': secret }
  const op = <T>(type: string, args: unknown, version?: number) =>
    trellis.op<T>(type, args, { headers, ...(version !== undefined && { version }) })
  const exported = async () => (await op<Document>('export_metadata', {}, 2)).metadata
  const page = await open(`${trellis.url.replace('127.0.0.1', 'localhost')}/console/`)

  await t.test('sign in: the first steps', async () => {
    await page.until(`document.querySelector('input[type=password]') !== null`)
    await page.type('input[type=password]', secret)
    await page.press('Enter')
    await page.until(`${hasText('First steps')} && ${hasText('Track tables')}`)
    await page.press('j', ['ctrl'])
    await clickButton(page, 'Record edits')
    await page.press('j', ['ctrl'])
  })

  await t.test('SQL makes the database, and one request tracks it', async () => {
    await go(page, 'SQL')
    await page.until(`document.querySelector('.cm-content') !== null`)
    await page.type('.cm-content', chinook)
    await clickText(page, 'Reads only')
    await page.click('.cm-content')
    await page.press('a', ['ctrl'])
    await page.press('Enter', ['ctrl'])
    await page.until(hasText('INSERT'))
    await go(page, 'Data')
    const before = page.sent.length
    await clickButton(page, 'Track 11 tables')
    await page.until(hasText('Tracked 11 tables'))
    const edits = page.sent
      .slice(before)
      .filter(({ body }) => /"type":"(?:bulk|pg_track_tables|track_tables)"/.test(body ?? ''))
    assert.equal(edits.length, 1)
    const { tables } = await exported()
    const count = tables.reduce(
      (sum, one) => sum + (one.object_relationships?.length ?? 0) + (one.array_relationships?.length ?? 0),
      0,
    )
    assert.deepEqual([tables.length, count], [11, 22])
  })

  await t.test('rows: the filter is part of the address', async () => {
    await go(page, 'track')
    await page.type('[data-filter]', 'milliseconds > 300000 and genre.name = Rock')
    await page.press('Enter')
    await page.until(hasText('of 407 rows'))
    assert.match(await page.evaluate('location.search'), /where=milliseconds/)
  })

  await t.test('rows: a conflict of two clients is resolved', async () => {
    await go(page, 'genre')
    await page.until(hasText('25 rows'))
    await change(page, cell(0, 2), 'Rock and roll')
    await change(page, cell(1, 2), 'Jazz!')
    await trellis.sql(`update genre set name = 'Hard rock' where genre_id = 1`)
    await page.press('s', ['ctrl'])
    await clickButton(page, 'Save 2 rows')
    await page.until(hasText('Somebody else changed the marked rows'))
    await clickButton(page, 'Save on top')
    await clickButton(page, 'Save 1 row')
    await page.until(`!${hasText('Review 1 edit')}`)
    const names = await trellis.sql(`select name from genre where genre_id < 3 order by genre_id`)
    assert.deepEqual(names, [{ name: 'Rock and roll' }, { name: 'Jazz!' }])
  })

  await t.test('a role gets its own invoices, and customers by a copy', async () => {
    await go(page, 'invoice')
    await clickText(page, 'Permissions')
    await page.type('main form input', 'customer')
    await clickButton(page, 'Add role')
    await page.click('[aria-label="select of customer: none"]')
    await page.type('[role=dialog] input[placeholder="all rows"]', 'customer_id = X-Service-User-Id')
    await page.until(hasText('A value shows how many rows'))
    await page.type('[role=dialog] [class*=preview] input', '2')
    await page.until(hasText('customer gets 7 of 412 rows'))
    await clickButton(page, 'Save permission')
    await page.until(hasText('Saved select of customer'))
    await page.click('[aria-label="Copy permissions of customer"]')
    const labels = `[...document.querySelectorAll('[role=dialog] fieldset:last-of-type label')]`
    for (const target of ['customer', 'invoice']) {
      await page.evaluate(`${labels}.find((each) => each.textContent === '${target}').click()`)
    }
    await clickButton(page, 'Copy 1 permission')
    await page.until(hasText('Copied 1 permission'))
  })

  await t.test('as customer 2, beside the administrator, the hidden invoice says why', async () => {
    await clickText(page, 'Rows')
    await clickText(page, 'Look as')
    await page.type('[aria-label="Look as"] input', 'customer')
    await clickText(page, 'Look')
    await page.until(hasText('needs a value'))
    await page.type('[aria-label="Look as"] datalist ~ div input', '2')
    await page.press('Enter')
    await page.until(hasText('and 7 in all'))
    await page.click('[aria-label="Why customer does not get row 2"]')
    await page.until(`${hasText('the row has 4')} && ${hasText('X-Service-User-Id is 2')}`)
    await page.press('Escape')
    await page.until(`document.querySelector('[role=dialog]') === null`)
  })

  await t.test('an event trigger: a change of a row appears by itself, fails once, and is delivered', async () => {
    await go(page, 'create_event_trigger')
    await page.until(hasText('Run create_event_trigger'))
    const retry = { num_retries: 3, interval_sec: 1, timeout_sec: 10 }
    const trigger = { name: 'invoiced', table: 'invoice', update: { columns: '*' }, webhook, retry_conf: retry }
    await typeCode(page, 'Arguments', JSON.stringify(trigger))
    await clickText(page, 'Run create_event_trigger')
    await page.until(hasText('success'))
    await go(page, 'Events')
    await clickText(page, 'Log')
    await page.until(hasText('No event matches'))
    await trellis.sql('update invoice set total = total + 1 where invoice_id = 2')
    await page.until(`${hasText('UPDATE')} && ${hasText('delivered')}`)
    await page.click('[aria-label="Events"] [role=row][data-index="0"]')
    await page.until(hasText('2 attempts'))
    await page.press('Escape')
  })

  await t.test('the recording gives another server the same metadata', async () => {
    await page.press('j', ['ctrl'])
    await page.evaluate(`{
      const make = URL.createObjectURL
      URL.createObjectURL = (blob) => { window.saved = blob.text(); return make(blob) }
    }`)
    await clickButton(page, 'Save as bulk')
    const body = JSON.parse(await page.evaluate<string>('window.saved'))
    assert.equal(JSON.stringify(body).includes(secret), false)
    const other = await startTrellis(t)
    const { status, text } = await other.request('/v1/metadata', { body })
    assert.equal(status, 200, text)
    const { metadata } = await other.op<Document>('export_metadata', {}, { version: 2 })
    assert.deepEqual(metadata, await exported())
    await page.press('j', ['ctrl'])
  })

  await t.test('history takes the last change back', async () => {
    await go(page, 'Govern')
    await clickText(page, 'History')
    await page.until(`${hasText('event trigger invoiced')}`)
    await clickText(page, 'Revert this change')
    await clickText(page, 'Revert 1 version')
    await page.until(hasText('Reverted 1 version'))
    assert.equal(JSON.stringify(await exported()).includes('invoiced'), false)
  })

  await t.test('a table that was dropped is an inconsistent object, and goes', async () => {
    await trellis.sql('drop table playlist_track')
    await op('reload_metadata', {})
    await clickText(page, 'Inconsistent')
    await page.until(hasText('playlist_track'))
    await clickText(page, 'Remove all')
    await page.evaluate(`[...document.querySelectorAll('[role=dialog] button')].at(-1).click()`)
    await page.until(hasText('Everything is consistent'))
  })
  assert.deepEqual(
    page.complaints.filter((each) => !/status of (?:401|400)/.test(each)),
    [],
  )
})
