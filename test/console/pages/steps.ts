// Steps that the states of several pages share.

import type { Page } from '../../support/browser.ts'

/**
 * Clicks on the first button, tab or option whose text begins so, once it can be clicked: in a dialog, where one is open and
 * has such a text, and last in a notification.
 */
export async function clickText(page: Page, text: string): Promise<void> {
  const places = 'button, [role=tab], [role=option], [role=switch]'
  const withText = `(each.innerText.trim() || each.ariaLabel || '').startsWith(${JSON.stringify(text)})`
  const inside = `(place) => [...place.querySelectorAll('${places}')].filter((each) => ${withText})`
  const dialogs = `[...document.querySelectorAll('[role=dialog]:not([aria-label=Notifications] *)')].flatMap(${inside})`
  // A dialog's disabled button is awaited: the page below it may have one of the same text.
  const found = `[${dialogs}, (${inside})(document)].find((all) => all.length > 0)`
  await clickOn(page, `${found}?.find((each) => !each.disabled)`)
}

/** Clicks on the element of an expression, once it is there. */
export async function clickOn(page: Page, element: string): Promise<void> {
  await page.until(`(${element} ?? null) !== null`)
  await page.evaluate(`${element}.click()`)
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
  await clickOn(page, found)
  await page.until(`${find}.getAttribute('aria-expanded') === 'false' && document.activeElement === ${find}`)
}

/** A cell of the grid of rows by its place. The first column of the grid has the tick boxes. */
export const cell = (row: number, column: number): string =>
  `[role=grid] [aria-rowindex="${row + 2}"] [aria-colindex="${column + 1}"]`

/** Changes a cell of the grid of rows by the keyboard. */
export async function change(page: Page, place: string, value: string): Promise<void> {
  await page.click(place)
  await page.press('Enter')
  await page.until(`document.querySelector('[data-editing] input') !== null`)
  await page.type('[data-editing] input', value)
  await page.press('Enter')
  await page.until(`document.querySelector(${JSON.stringify(place)}).innerText.includes(${JSON.stringify(value)})`)
}

/** Marks a row of the grid of rows for deletion. */
export async function markForDeletion(page: Page, row: number): Promise<void> {
  await page.click(`[role=grid] [aria-rowindex="${row + 2}"] input[type=checkbox]`)
  await clickText(page, 'Delete 1 row')
  await clickText(page, 'Mark 1 row')
}

/** Loads another address of the console: also before a table goes for which the page would ask once more. */
export async function goTo(page: Page, path: string, shows: string): Promise<void> {
  await page.evaluate(`history.replaceState(null, '', ${JSON.stringify(`/console/${path}`)})`)
  await reload(page, shows)
}
