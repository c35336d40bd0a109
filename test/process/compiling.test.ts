// After how many calls V8 compiles a function, in a process of its own.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { promisify } from 'node:util'

const program = `
  import { setImmediate as turn } from 'node:timers/promises'
  import { compileSooner } from ${JSON.stringify(new URL('../../process/v8.ts', import.meta.url))}

  /** A function of its own at each call, so that nothing is known of it. */
  const work = () => new Function('sides', 'return sides.a * sides.a + sides.b * sides.b')
  const compiled = 1 << 4

  /** The number of calls of a function, one in each turn, until V8 compiles it. */
  async function runs(run) {
    for (let count = 1; count < 100_000; count++) {
      run({ a: count, b: 1 })
      if (%GetOptimizationStatus(run) & compiled) return count
      await turn()
    }
    return Infinity
  }

  const before = await runs(work())
  compileSooner()
  console.log(JSON.stringify({ before, after: await runs(work()) }))
`

test("frequent functions are compiled after fewer calls than by V8's own rule", async () => {
  // Compiled at once rather than on another thread, which takes its time.
  const args = ['--no-concurrent-recompilation', '--allow-natives-syntax', '--input-type=module', '--eval', program]
  const { stdout } = await promisify(execFile)(process.execPath, args)
  const { before, after } = JSON.parse(stdout)
  assert.ok(after < before / 2, `${after} calls, and ${before} by itself`)
})
