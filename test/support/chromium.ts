// Tests that need a browser: without one they are skipped with a message; in CI they fail.

import { type TestContext, test } from 'node:test'
import { findChromium } from './chromium-programs.ts'

/** The reason why pages cannot be tested; null: they can. */
export const missing = await findChromium().then(
  () => null,
  (error: Error) => error.message,
)

if (missing !== null) console.error(`\n!!! Pages are NOT tested: ${missing}.\n`)

/** A test that needs a browser. */
export const browserTest = (name: string, run: (t: TestContext) => Promise<void>): void => {
  test(name, { skip: missing !== null && process.env['CI'] === undefined && missing }, run)
}
