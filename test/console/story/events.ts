// Step 8: an event trigger, and the way of a change to its webhook.

import { hasText } from '../support.ts'
import { activate, choose, fill, go, openTab, reach, tick, type } from './keys.ts'
import type { Story } from './stage.ts'

/** Creates a trigger on invoices, whose webhook is tested first. */
export async function createTrigger({ page, webhook }: Story): Promise<void> {
  await go(page, 'Events')
  await activate(page, 'Create event trigger')
  await fill(page, 'Name', 'invoiced')
  await fill(page, 'Table', 'invoice')
  await tick(page, 'update')
  await fill(page, 'URL', webhook.url)
  await activate(page, 'Send a test')
  await page.until(hasText('status 200'))
  await fill(page, 'Retries after a failure', '1')
  await fill(page, 'Seconds between attempts', '1')
  await activate(page, 'Create event trigger')
  await page.until(hasText('Created invoiced'))
}

/** Changes the billing city of the invoices with these places in the list, and saves them. */
async function changeCities(story: Story, city: string, count: number): Promise<void> {
  const { page } = story
  await go(page, 'invoice')
  await reach(page, '', '[role=gridcell][tabindex="0"]')
  await page.press('Home', ['ctrl'])
  for (let step = 0; step < 4; step += 1) await page.press('ArrowRight')
  for (let row = 0; row < count; row += 1) {
    await page.press('Enter')
    await page.until(`document.activeElement?.matches('[role=gridcell] input')`)
    await page.press('a', ['ctrl'])
    await type(page, `${city} ${row}`)
    await page.press('Enter')
    await page.until(`document.activeElement?.matches('[role=gridcell]')`)
  }
  await page.press('s', ['ctrl'])
  await activate(page, `Save ${count} row`)
  await page.until(`!${hasText('Review')}`)
}

/** A change appears with its failure and its success, without being asked for. */
export async function followChange(story: Story): Promise<void> {
  const { page, webhook } = story
  webhook.refusals = 1
  await changeCities(story, 'Oslo', 1)
  await go(page, 'Events')
  await openTab(page, 'Log')
  await page.until(hasText('UPDATE'))
  await reach(page, 'Events, scrolls')
  await page.press('ArrowDown')
  await page.until(`document.activeElement?.matches('[role=row]')`)
  await page.press('Enter')
  for (const text of ['Request', 'Row of invoice changed', 'status 500', 'status 200', 'Delivered']) {
    await page.until(hasText(text))
  }
}

/** Three changes are refused until the server gives up, and delivered again together. */
export async function redeliver(story: Story): Promise<void> {
  const { page, webhook } = story
  // Each event has one retry.
  webhook.refusals = 6
  await changeCities(story, 'Bergen', 3)
  await go(page, 'Events')
  await openTab(page, 'Log')
  await choose(page, 'State', 'error')
  await page.until(hasText('3 events read'))
  await activate(page, 'Redeliver all that match')
  await activate(page, 'Redeliver all matching events')
  await page.until(hasText('3 events will be delivered again'))
  await choose(page, 'State', 'delivered')
  await page.until(hasText('4 events read'))
}
