// Steps that the states of several pages share.

import type { Page } from '../../support/browser.ts'

/** Clicks on the first button, tab or option whose text begins so, once it can be clicked. */
export async function clickText(page: Page, text: string): Promise<void> {
  const places = 'button, [role=tab], [role=option], [role=switch]'
  const find = `[...document.querySelectorAll('${places}')].find((each) => (each.innerText.trim() || each.ariaLabel || '').startsWith(${JSON.stringify(text)}) && !each.disabled)`
  await page.until(`${find} !== undefined`)
  await page.evaluate(`${find}.click()`)
}

/** Replaces the text of the editor of that name. */
export async function typeCode(page: Page, label: string, text: string): Promise<void> {
  await page.type(`.cm-content[aria-label=${JSON.stringify(label)}]`, text)
}

/** Loads a page again, and waits until an expression is true in it. */
export async function reload(page: Page, shows: string): Promise<void> {
  await page.reload()
  await page.until(shows)
}
