// Tests that need a browser: where none is to be had they are skipped, and say so; in CI they fail.

import { type TestContext, test } from 'node:test'
import { findChromium } from './chromium-programs.ts'

const missing = await findChromium().then(
  () => null,
  (error: Error) => error.message,
)

if (missing !== null) console.error(`\n!!! Pages are NOT tested: ${missing}.\n`)

/** A test that needs a browser. */
export const browserTest = (name: string, run: (t: TestContext) => Promise<void>): void => {
  test(name, { skip: missing !== null && process.env['CI'] === undefined && missing }, run)
}
