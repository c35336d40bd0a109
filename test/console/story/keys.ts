// Using a page without a mouse: everything is reached by keys, and found by its name for screen readers.

import type { Page } from '../../support/browser.ts'

/** Keys that are pressed at most on the way to an element. */
const longestWay = 250

/** Runs in the page first: finds the elements of a name that can be used now, in the topmost dialog where one is open. */
export const findingNames = `window.named = (() => {
  const anything = 'a[href], button, input, select, textarea, summary, [role=tab], [role=option], [role=switch], [role=combobox], [contenteditable=true], [tabindex="0"]'
  const isShown = (each) => each.checkVisibility() && !each.closest('[aria-hidden=true], [inert]')
  const nameOf = (each) => {
    const labelled = document.getElementById((each.getAttribute('aria-labelledby') ?? '').split(' ')[0])
    const text = each.getAttribute('aria-label') ?? labelled?.textContent ??
      (each.labels?.[0]?.innerText || each.innerText || each.placeholder || each.title || '')
    // The shapes of states are hidden from screen readers.
    return text.replaceAll(/[●▲■◆○…]/g, '').trim().replaceAll(/\\s+/g, ' ')
  }
  const find = (name, places = anything) => {
    const dialogs = [...document.querySelectorAll('[role=dialog], [role=alertdialog]')]
      .filter((each) => isShown(each) && each.closest('[aria-label=Notifications]') === null)
    const all = [...(dialogs.at(-1) ?? document).querySelectorAll(places)]
      .filter((each) => !each.disabled && isShown(each) && each.closest('[aria-label=Notifications]') === null)
    const exact = all.filter((each) => nameOf(each) === name)
    return exact.length > 0 ? exact : all.filter((each) => nameOf(each).startsWith(name))
  }
  const way = (name, places) => {
    const now = document.activeElement
    const found = find(name, places)
    if (found.includes(now)) return 'here'
    const isBefore = found[0] && found[0].compareDocumentPosition(now) & Node.DOCUMENT_POSITION_FOLLOWING
    return isBefore && now !== document.body ? 'before' : 'after'
  }
  const isPointed = (name) => {
    const now = document.activeElement
    const pointed = document.getElementById(now.getAttribute('aria-activedescendant') ?? '') ?? now
    return nameOf(pointed).startsWith(name)
  }
  const chosenTab = (name) => nameOf(find(name, '[role=tab]')[0].closest('[role=tablist]').querySelector('[aria-selected=true]'))
  return { find, way, isPointed, chosenTab }
})();`

/** Runs in the page first: keeps the texts of files that the page saves. */
export const keepingFiles = `{
  window.savedFiles = []
  const make = URL.createObjectURL
  URL.createObjectURL = (blob) => {
    savedFiles.push(blob.text())
    return make(blob)
  }
}`

/** A call of a function of these in the page. */
const asked = (what: 'find' | 'way' | 'isPointed' | 'chosenTab', ...args: readonly (string | undefined)[]): string =>
  `named.${what}(${args.map((each) => JSON.stringify(each)).join(', ')})`

/** Moves the focus to the element of a name with Tab. */
export async function reach(page: Page, name: string, places?: string): Promise<void> {
  await page.until(`${asked('find', name, places)}.length > 0`)
  for (let pressed = 0; pressed < longestWay; pressed += 1) {
    const way = await page.evaluate<string>(asked('way', name, places))
    if (way === 'here') return
    await page.press('Tab', way === 'before' ? ['shift'] : [])
  }
  throw new Error(`no key leads to ${name}; the focus is on ${await focused(page)}`)
}

/** The element that has the focus, for messages. */
export const focused = (page: Page): Promise<string> => page.evaluate('document.activeElement.outerHTML.slice(0, 300)')

/** Presses the button or follows the link of a name. */
export async function activate(page: Page, name: string): Promise<void> {
  await reach(page, name)
  await page.press('Enter')
}

/** Switches the tick box or the switch of a name. */
export async function tick(page: Page, name: string, places = '[type=checkbox], [role=switch]'): Promise<void> {
  await reach(page, name, places)
  await page.press(' ')
}

/** Types where the focus is. */
export async function type(page: Page, text: string): Promise<void> {
  for (const letter of text) await page.press(letter)
}

/** Replaces the text of the field of a name, key by key. */
export async function fill(page: Page, name: string, text: string): Promise<void> {
  await reach(page, name, 'input, textarea')
  await page.press('a', ['ctrl'])
  await type(page, text)
}

/** Replaces the text of the editor of a name by a paste. */
export async function pasteCode(page: Page, name: string, text: string): Promise<void> {
  await reach(page, name, '.cm-content')
  await page.press('a', ['ctrl'])
  await page.paste(text)
}

/** Moves from the chosen tab to another one of its list. */
export async function openTab(page: Page, name: string): Promise<void> {
  await page.until(`${asked('find', name, '[role=tab]')}.length > 0`)
  await reach(page, await page.evaluate<string>(asked('chosenTab', name)), '[role=tab]')
  await walk(page, 'ArrowRight', name)
  await page.press('Enter')
}

/** Presses a key until the element with the focus, or the one that it points to, has a name. */
export async function walk(page: Page, key: string, name: string): Promise<void> {
  for (let pressed = 0; pressed < longestWay; pressed += 1) {
    if (await page.evaluate<boolean>(asked('isPointed', name))) return
    await page.press(key)
  }
  throw new Error(`${key} does not lead to ${name}; the focus is on ${await focused(page)}`)
}

/** Chooses an option of the select of a name. */
export async function choose(page: Page, name: string, option: string): Promise<void> {
  await reach(page, name, '[role=combobox]')
  await page.press('Enter')
  await page.until(`document.activeElement?.getAttribute('role') === 'option'`)
  await page.press('Home')
  await walk(page, 'ArrowDown', option)
  await page.press('Enter')
  await page.until(`document.activeElement?.getAttribute('role') === 'combobox'`)
}

/** Goes somewhere by the palette. */
export async function go(page: Page, name: string): Promise<void> {
  await page.press('k', ['ctrl'])
  await page.until(`document.activeElement?.getAttribute('aria-label') === 'Search'`)
  await type(page, name)
  const first = `document.querySelector('#palette-results [aria-selected=true] span')?.textContent`
  await page.until(`${first} === ${JSON.stringify(name)}`)
  await page.press('Enter')
  await page.until(`document.querySelector('input[role=combobox][aria-label=Search]') === null`)
}

/** Presses a button of the confirmation that is shown for a moment. */
export async function activateInToast(page: Page, name: string): Promise<void> {
  const is = `document.activeElement.innerText === ${JSON.stringify(name)} && document.activeElement.closest('[role=region][aria-label=Notifications]') !== null`
  await page.press('F6')
  for (let pressed = 0; pressed < 10 && !(await page.evaluate<boolean>(is)); pressed += 1) await page.press('Tab')
  if (!(await page.evaluate<boolean>(is))) throw new Error(`no key leads to ${name} of a confirmation`)
  await page.press('Enter')
}

/** The JSON file that the page saves next, by a button of a name. */
export async function saveByButton<T>(page: Page, name: string): Promise<T> {
  const before = await page.evaluate<number>('savedFiles.length')
  await activate(page, name)
  await page.until(`savedFiles.length > ${before}`)
  return JSON.parse(await page.evaluate<string>('savedFiles.at(-1)')) as T
}
