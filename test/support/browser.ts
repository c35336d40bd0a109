// The browser of the tests of pages, which ends with the test.

import type { TestContext } from 'node:test'
import { type Page, startBrowser as start } from '../../sdk/testing/browser.ts'
import { environmentOf, findChromium } from './chromium-programs.ts'
import { atEnd } from './cleanup.ts'

export type { Page, SentRequest } from '../../sdk/testing/browser.ts'

/** Starts a browser that ends with the test; returns a function that opens a page in it. `before` is a script that runs first. */
export async function startBrowser(t: TestContext): Promise<(url: string, before?: string) => Promise<Page>> {
  const chromium = await findChromium()
  const browser = await start({ program: chromium.program, environment: environmentOf(chromium) })
  atEnd(t, () => browser.close())
  return browser.open
}
