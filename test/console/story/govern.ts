// Step 10: the history, the document, and the recording of all edits.

import assert from 'node:assert/strict'
import { hasText } from '../support.ts'
import { activate, go, openTab, pasteCode, saveByButton } from './keys.ts'
import { type Document, documentOf, type Story, secret, tablesOf } from './stage.ts'

/** Takes the second role back, as one change of the history. */
export async function revertRole({ page, permission }: Story): Promise<void> {
  await go(page, 'Govern')
  await openTab(page, 'History')
  await activate(page, 'Revert this change: table invoice select permission clerk')
  await activate(page, 'Revert 1 version')
  await page.until(hasText('Reverted 1 version'))
  assert.equal(await permission('invoice', 'clerk'), undefined)
}

/** Exports the document, clears the metadata, and imports it with its differences shown. */
export async function importDocument({ page, exported }: Story): Promise<void> {
  const before = await exported()
  await openTab(page, 'Metadata')
  const saved = await saveByButton<Document>(page, 'Export as JSON')
  assert.deepEqual(saved, before)
  await go(page, 'clear_metadata')
  await activate(page, 'Run clear_metadata')
  await page.until(hasText('success'))
  assert.deepEqual(tablesOf(await exported()), [])
  await go(page, 'Govern')
  await activate(page, 'Import a document')
  await pasteCode(page, 'Document', JSON.stringify(saved))
  await activate(page, 'Compare')
  await page.until(`${hasText('album')} && ${hasText('loyalty')}`)
  await activate(page, 'Apply')
  await page.until(hasText('Imported'))
  assert.deepEqual(await exported(), before)
}

/** Another server gets the recording as one request, and has the same metadata. */
export async function replay({ page, exported, startOther }: Story): Promise<void> {
  await page.press('j', ['ctrl'])
  const bulk = await saveByButton<object>(page, 'Save as bulk')
  assert.equal(JSON.stringify(bulk).includes(secret), false)
  const other = await startOther()
  const { status, text } = await other.request('/v1/metadata', { body: bulk })
  assert.equal(status, 200, text)
  assert.deepEqual(await documentOf(other), await exported())
}
