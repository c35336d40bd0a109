import assert from 'node:assert/strict'
import { test } from 'node:test'
import { StatementHistory } from '../../core/database/sql/statement-history.ts'

const runs = (history: StatementHistory, count: number, millis: number, atWork = 1) => {
  for (let i = 0; i < count; i++) history.ranAlone(millis, atWork)
}

/** The number of short runs until a statement counts as short. */
const needed = (history: StatementHistory) => {
  let count = 0
  for (; !history.isShort; count++) history.ranAlone(1, 1)
  return count
}

test('a few short runs in a row make a statement short, and a long one among them does not', () => {
  const history = new StatementHistory()
  assert.equal(history.isShort, false)
  runs(history, 2, 1)
  runs(history, 1, 12)
  runs(history, 2, 1)
  assert.equal(history.isShort, false)
  runs(history, 1, 1)
  assert.ok(history.isShort)
})

test('a statement of 12 ms is never short', () => {
  const history = new StatementHistory()
  for (const atWork of [1, 44]) runs(history, 100, 12, atWork)
  assert.equal(history.isShort, false)
})

test('a long run among many others does not count', () => {
  const history = new StatementHistory()
  runs(history, 2, 1)
  runs(history, 10, 30, 44)
  runs(history, 1, 1)
  assert.ok(history.isShort)
})

test('each time that it delays a lane, it needs twice as many short runs', () => {
  const history = new StatementHistory()
  assert.equal(needed(history), 3)
  history.heldUpLane(1)
  assert.equal(needed(history), 6)
  for (let i = 0; i < 20; i++) history.ranOnLane(1)
  history.heldUpLane(1)
  assert.equal(needed(history), 12)
  for (let i = 0; i < 20; i++) history.heldUpLane(1)
  assert.equal(needed(history), 4096)
})

test('one long run among many short ones is ignored', () => {
  const history = new StatementHistory()
  history.heldUpLane(1)
  assert.equal(needed(history), 6)
  for (let i = 0; i < 64; i++) history.ranOnLane(1)
  history.heldUpLane(1)
  assert.equal(needed(history), 3)
})

test('it remembers whether the statement ran, and its duration on a lane', () => {
  const history = new StatementHistory()
  assert.equal(history.isRepeated, false)
  runs(history, 10, 4)
  assert.ok(history.isRepeated)
  for (let i = 0; i < 200; i++) history.ranOnLane(2)
  assert.ok(Math.abs(history.meanMillis - 2) < 0.001)
})

test('under load a statement only has to show again that it is short', () => {
  const history = new StatementHistory()
  for (let i = 0; i < 20; i++) history.heldUpLane(44)
  assert.equal(needed(history), 3)
})
