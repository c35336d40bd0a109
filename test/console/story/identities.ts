// Step 7: the eyes of a customer, beside those of the administrator.

import { hasText } from '../support.ts'
import { activate, fill, go, openTab, pasteCode } from './keys.ts'
import type { Story } from './stage.ts'

/** Looks as customer 2, and asks why an invoice is hidden. */
export async function lookAsCustomer({ page }: Story): Promise<void> {
  await openTab(page, 'Rows')
  await activate(page, 'Look as')
  await fill(page, 'Look as role', 'customer')
  await page.press('Enter')
  await page.until(hasText('customer needs a value'))
  await fill(page, 'x-service-user-id', '2')
  await page.press('Enter')
  await page.until(hasText('and 7 in all'))
  await activate(page, 'Why customer does not get row 2')
  const crossed = `document.querySelector('[role=dialog] [aria-label=fails]')?.closest('li').innerText ?? ''`
  await page.until(`${crossed}.includes('the row has 4')`)
  await page.until(`/customer_id.*X-Service-User-Id is 2/s.test(${crossed})`)
  await page.press('Escape')
  await page.until(`!${hasText('the row has 4')}`)
}

/** Sends the same operation as the administrator and as the customer, side by side. */
export async function askAsBoth({ page }: Story): Promise<void> {
  await go(page, 'API')
  await pasteCode(page, 'Operation', 'query { invoice(order_by: { invoice_id: asc }) { invoice_id } }')
  await page.press('Enter', ['ctrl'])
  await page.until(`${hasText('as admin')} && ${hasText('invoice: [412]')}`)
  await activate(page, 'As two roles')
  await fill(page, 'Compare admin with the role', 'customer')
  await fill(page, 'Session variables', 'user-id=2')
  await activate(page, 'Send as both')
  await page.until(`${hasText('invoice: [412]')} && ${hasText('invoice: [7]')}`)
  await page.until(`/in that of admin, \\d+ in that of customer \\(user-id: 2\\)/.test(document.body.innerText)`)
  await activate(page, 'As one role')
}
