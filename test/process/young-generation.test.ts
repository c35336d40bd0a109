// The size of the young generation. The test controls the collector, so it runs in a process of its own.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { promisify } from 'node:util'

const program = `
  import { setTimeout as sleep } from 'node:timers/promises'
  import { getHeapSpaceStatistics } from 'node:v8'
  import { growWithRequests, holdYoungGeneration } from ${JSON.stringify(new URL('../../process/v8.ts', import.meta.url))}

  const megabytes = () => getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space').space_size / 2 ** 20

  /** The largest size during work of at most this many milliseconds, or until it is large enough. */
  async function work(millis, enough = Infinity) {
    let kept = []
    let most = 0
    for (const end = Date.now() + millis; Date.now() < end && most < enough; await sleep(0)) {
      for (let i = 0; i < 5000; i++) kept.push({ i, list: [i] })
      if (kept.length > 60_000) kept = kept.slice(50_000)
      most = Math.max(most, megabytes())
    }
    return most
  }

  holdYoungGeneration()
  const held = await work(300)
  growWithRequests()
  const grown = await work(20_000, 32)
  const beyond = await work(1000)
  gc({ type: 'major', flavor: 'last-resort' })
  const reduced = megabytes()
  const again = await work(20_000, 32)
  console.log(JSON.stringify({ held, grown, beyond, reduced, again }))
`

test('the young generation grows under load up to a useful size, also after it has shrunk', async () => {
  const args = ['--expose-gc', '--input-type=module', '--eval', program]
  const { stdout } = await promisify(execFile)(process.execPath, args)
  const { held, grown, beyond, reduced, again } = JSON.parse(stdout)
  assert.ok(held < 12, `${held} MB while it is held`)
  assert.ok(reduced < 16, `${reduced} MB when it was taken back`)
  assert.ok(grown >= 32 && again >= 32, `${grown} MB, and ${again} MB again`)
  // It may grow once more before that is seen.
  assert.ok(beyond <= 64, `${beyond} MB after a while`)
})
