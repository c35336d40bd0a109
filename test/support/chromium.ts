// Tests that need a browser: without one they are skipped with a message; in CI they fail.

import { type TestContext, test } from 'node:test'
import { findChromium } from './chromium-programs.ts'

/** The reason why pages cannot be tested; null: they can. */
export const missing = await findChromium().then(
  () => null,
  (error: Error) => error.message,
)

if (missing !== null) console.error(`\n!!! Pages are NOT tested: ${missing}.\n`)

const skip = missing !== null && process.env['CI'] === undefined && missing

/** A test that needs a browser; `alsoSkip` is the reason why something else that it needs is missing. */
export const browserTest = (
  name: string,
  run: (t: TestContext) => Promise<void>,
  alsoSkip: string | false = false,
): void => {
  test(name, { skip: skip || alsoSkip }, run)
}
