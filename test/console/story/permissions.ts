// Steps 5 and 6: a role gets its own rows, copies of its rule go to other tables, and a rule that no index serves.

import assert from 'node:assert/strict'
import type { Page } from '../../support/browser.ts'
import { hasText } from '../support.ts'
import { activate, fill, go, openTab, reach, tick } from './keys.ts'
import type { Story } from './stage.ts'

/** Opens the editor of a permission to select invoices that a role does not have yet. */
async function beginPermission(page: Page, role: string): Promise<void> {
  await fill(page, 'Another role', role)
  await page.press('Enter')
  await activate(page, `select of ${role}: none`)
  await page.until(hasText(`${role} may select invoice`))
}

/** Gives a role the invoices of one customer. */
export async function makeRole({ page, permission }: Story): Promise<void> {
  await go(page, 'invoice')
  await openTab(page, 'Permissions')
  await beginPermission(page, 'customer')
  await fill(page, 'Rows that customer may select', 'customer_id = X-Service-User-Id')
  await fill(page, 'Try with', '2')
  await page.until(hasText('customer gets 7 of 412 rows'))
  await activate(page, 'Effects of saving')
  await page.until(hasText('table invoice select permission customer'))
  await activate(page, 'Save permission')
  await page.until(hasText('Saved select of customer'))
  assert.deepEqual(await permission('invoice', 'customer'), {
    columns: '*',
    filter: { customer_id: { _eq: 'X-Service-User-Id' } },
  })
}

/** Copies the rule to a table that has the same column, and through a relationship to one that has not. */
export async function copyRule({ page, permission }: Story): Promise<void> {
  await activate(page, 'Copy permissions of customer')
  await tick(page, 'customer', '[role=dialog] fieldset:first-of-type input')
  for (const table of ['customer', 'invoice_line']) await tick(page, table, '[role=dialog] fieldset:last-of-type input')
  await page.until(`${hasText('through invoice')} && ${hasText('table invoice_line select permission customer')}`)
  await activate(page, 'Copy 2 permissions')
  await page.until(hasText('Copied 2 permissions'))
  const filter = { customer_id: { _eq: 'X-Service-User-Id' } }
  assert.deepEqual(await permission('customer', 'customer'), { columns: '*', filter })
  assert.deepEqual(await permission('invoice_line', 'customer'), { columns: '*', filter: { invoice: filter } })
}

/** Gives a second role a rule that no index serves, and makes the index that the page names. */
export async function makeIndex({ page, trellis, permission }: Story): Promise<void> {
  await beginPermission(page, 'clerk')
  await fill(page, 'Rows that clerk may select', 'billing_country = X-Service-Country')
  await fill(page, 'Try with', 'Norway')
  await page.until(`${hasText('clerk gets 7 of 412 rows')} && ${hasText('no index serves invoice (billing_country)')}`)
  await activate(page, 'Create this index')
  await page.until(`${hasText('Created the index')} && !${hasText('no index serves')}`)
  const indexes = await trellis.sql(`select from pg_indexes where indexdef like '%invoice % (billing_country)'`)
  assert.equal(indexes.length, 1)
  await activate(page, 'Save permission')
  await page.until(hasText('Saved select of clerk'))
  assert.ok(await permission('invoice', 'clerk'))
  await reach(page, 'Copy permissions of clerk')
}
