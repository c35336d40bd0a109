import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DueTimes } from '../../core/queue/timing.ts'

test('the timer waits for the first due time, and forgets past ones', () => {
  const times = new DueTimes()
  assert.equal(times.wait(0, 0), Number.POSITIVE_INFINITY)
  times.add(3000, 0)
  times.add(1010, 0)
  times.add(1020, 0)
  times.add(1e12, 0)
  assert.equal(times.wait(500, 500), 550)
  assert.equal(times.wait(1100, 1100), 1900)
  assert.equal(times.wait(3000, 3000), Number.POSITIVE_INFINITY)
})

test('an item that came due after the last poll began is looked for at once', () => {
  const times = new DueTimes()
  times.add(1000, 0)
  assert.equal(times.wait(990, 1200), 0)
  assert.equal(times.wait(1200, 1200), Number.POSITIVE_INFINITY)
})
