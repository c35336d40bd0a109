// When V8 compiles what runs often to fast code. It waits for hundreds and thousands of calls, as suits pages that nobody looks
// at for long; a server runs the same code for as long as it lives, and is slow until then: several times at its first request,
// and noticeably for its first 10,000.

import { setFlagsFromString } from 'node:v8'

/** Calls after which a function is compiled quickly, and well; and for which what it is called with must have been the same. */
const calls = { quickly: 100, well: 300, alike: 100 } as const

/** Has what runs from now on compiled sooner. What runs once, as most does at a start, gains nothing by it. */
export function compileSooner(): void {
  setFlagsFromString(`--invocation-count-for-maglev=${calls.quickly}`)
  setFlagsFromString(`--invocation-count-for-turbofan=${calls.well}`)
  setFlagsFromString(`--minimum-invocations-after-ic-update=${calls.alike}`)
}
