// Step 9: a remote schema that is joined to customers, and a table that another program drops.

import assert from 'node:assert/strict'
import { hasText } from '../support.ts'
import { activate, choose, fill, go, openTab, pasteCode } from './keys.ts'
import { type Story, tablesOf } from './stage.ts'

/** Adds the remote schema, and joins it to customers; a row tries the join first. */
export async function joinRemote({ page, loyalty, exported }: Story): Promise<void> {
  await go(page, 'Remote')
  await activate(page, 'Add remote schema')
  await fill(page, 'Name', 'loyalty')
  await fill(page, 'URL', loyalty)
  await activate(page, 'Add remote schema')
  await page.until(hasText('Added loyalty'))
  await activate(page, 'loyalty')
  await openTab(page, 'Joins')
  await choose(page, 'Table', 'customer')
  await activate(page, 'Join this table')
  await fill(page, 'Name', 'card')
  await choose(page, 'Field', 'card: Card')
  await fill(page, 'customer: Int!', '$customer_id')
  await activate(page, 'Try with a row')
  await page.until(hasText('points: 100'))
  await activate(page, 'Add relationship')
  await page.until(hasText('Added card'))
  assert.match(JSON.stringify(await exported()), /"remote_schema":"loyalty"/)
}

/** Asks for a customer and the joined value as the role. */
export async function askThroughJoin({ page }: Story): Promise<void> {
  await activate(page, 'As admin')
  await fill(page, 'Role', 'customer')
  await fill(page, 'Value', '2')
  await activate(page, 'Apply')
  await go(page, 'API')
  await pasteCode(page, 'Operation', 'query { customer { last_name card { points } } }')
  await page.press('Enter', ['ctrl'])
  await page.until(`${hasText('customer: [1]')} && ${hasText('points: 200')}`)
  await activate(page, 'As customer (user-id: 2)')
  await activate(page, 'Back to admin')
}

/** Another program drops a table: the object that is left has a reason and a way out. */
export async function mendMetadata({ page, trellis, op, exported }: Story): Promise<void> {
  await trellis.sql('drop table if exists playlist_track')
  await go(page, 'Govern')
  await openTab(page, 'Metadata')
  await activate(page, 'Reload metadata')
  await page.until(hasText('Reloaded the metadata'))
  await openTab(page, 'Inconsistent')
  await page.until(hasText('table playlist_track'))
  await page.until(hasText('table "playlist_track" does not exist'))
  // The table, and the relationships from it and to it.
  await activate(page, 'Drop 5 objects')
  await activate(page, 'Remove 5 objects')
  await page.until(hasText('Everything is consistent'))
  assert.deepEqual(await op('get_inconsistent_metadata', {}), [])
  assert.equal(tablesOf(await exported()).length, 10)
}
