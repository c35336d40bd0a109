import assert from 'node:assert/strict'
import { test } from 'node:test'
import { atOnce, inTurns, mapSteps, type Steps } from '../../core/concurrency/stepwise.ts'

function* busySteps(count: number, millis: number): Steps<string> {
  for (let i = 0; i < count; i++) {
    const end = performance.now() + millis
    while (performance.now() < end);
    yield
  }
  return 'done'
}

test('a long computation yields to other work', async () => {
  const happened: string[] = []
  const computation = inTurns(busySteps(5, 3)).then((result) => happened.push(result))
  setImmediate(() => happened.push('another request'))
  await computation
  assert.deepEqual(happened, ['another request', 'done'])
})

test('a computation without turns never yields', () => {
  let isOther = false
  setImmediate(() => {
    isOther = true
  })
  assert.equal(atOnce(busySteps(3, 3)), 'done')
  assert.equal(isOther, false)
})

test('a computation that fails in any turn rejects', async () => {
  const list = [1, 2, 3]
  const failing = mapSteps(list, (item) => {
    if (item === 3) throw new Error('three')
    return item * 2
  })
  await assert.rejects(inTurns(failing), /^Error: three$/)
  assert.deepEqual(await inTurns(mapSteps(list, (item, i) => item * 10 + i)), [10, 21, 32])
})
