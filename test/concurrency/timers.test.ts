// Waits that are longer than a timer of Node can be.

import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import { atTime } from '../../core/concurrency/timers.ts'

const day = 86_400_000

test('a call at a time is made then, also when that is after the longest timer', (t) => {
  mock.timers.enable({ apis: ['setTimeout', 'Date'] })
  t.after(() => mock.timers.reset())
  const called: string[] = []
  atTime(Date.now() - day, () => called.push('past'))
  atTime(Date.now() + day, () => called.push('tomorrow'))
  atTime(Date.now() + 60 * day, () => called.push('in 60 days'))
  atTime(undefined, () => called.push('never'))
  const end = atTime(Date.now() + 61 * day, () => called.push('ended'))
  mock.timers.tick(1)
  assert.deepEqual(called, ['past'])
  mock.timers.tick(day)
  assert.deepEqual(called, ['past', 'tomorrow'])
  for (let days = 1; days < 59; days++) mock.timers.tick(day)
  assert.equal(called.length, 2)
  end()
  for (let days = 59; days < 70; days++) mock.timers.tick(day)
  assert.deepEqual(called, ['past', 'tomorrow', 'in 60 days'])
})
