// Steps that the states of several pages share.

import type { Page } from '../../support/browser.ts'

/** Clicks on the first button, tab or option whose text begins so, once it can be clicked: in a dialog, where one is open. */
export async function clickText(page: Page, text: string): Promise<void> {
  const places = 'button, [role=tab], [role=option], [role=switch]'
  const all = `[...document.querySelectorAll('[role=dialog]'), document].flatMap((place) => [...place.querySelectorAll('${places}')])`
  const find = `${all}.find((each) => (each.innerText.trim() || each.ariaLabel || '').startsWith(${JSON.stringify(text)}) && !each.disabled)`
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

/** Chooses an option of the select of that label in a dialog. */
export async function choose(page: Page, label: string, option: string): Promise<void> {
  const selects = `[...document.querySelectorAll('[role=dialog] [role=combobox]')]`
  const labelOf = `document.getElementById(each.getAttribute('aria-labelledby'))?.textContent`
  const find = `${selects}.find((each) => ${labelOf} === ${JSON.stringify(label)})`
  const found = `[...document.querySelectorAll('[role=option]')].find((each) => each.checkVisibility() && each.innerText.startsWith(${JSON.stringify(option)}))`
  await page.until(`${find} !== undefined`)
  await page.evaluate(`${find}.focus()`)
  await page.press('Enter')
  await page.until(`${found} !== undefined`)
  await page.evaluate(`${found}.click()`)
  await page.until(`${find}.getAttribute('aria-expanded') === 'false' && document.activeElement === ${find}`)
}
