import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DueTimes } from '../../plugins/delivery/due-times.ts'

test('the first of what is due is waited for, and what is past is forgotten', () => {
  const times = new DueTimes()
  assert.equal(times.wait(0), Number.POSITIVE_INFINITY)
  times.add(3000, 0)
  times.add(1010, 0)
  times.add(1020, 0)
  times.add(1e12, 0)
  assert.equal(times.wait(500), 550)
  assert.equal(times.wait(1100), 1900)
  assert.equal(times.wait(3000), Number.POSITIVE_INFINITY)
})
