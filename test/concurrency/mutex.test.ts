import assert from 'node:assert/strict'
import test from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { Mutex } from '../../core/concurrency/mutex.ts'

test('work runs one after another, also after a failure', async () => {
  const mutex = new Mutex()
  const order: string[] = []
  const step = (name: string) => async () => {
    order.push(`${name} begins`)
    await new Promise((resolve) => setImmediate(resolve))
    order.push(`${name} ends`)
    if (name === 'a') throw new Error('a failed')
    return name
  }
  const all = await Promise.allSettled([mutex.run(step('a')), mutex.run(step('b'))])
  assert.deepEqual(
    all.map((each) => (each.status === 'fulfilled' ? each.value : each.reason.message)),
    ['a failed', 'b'],
  )
  assert.deepEqual(order, ['a begins', 'a ends', 'b begins', 'b ends'])
})

test('the result of the last work is not kept', async () => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const mutex = new Mutex()
  const result = await mutex.run(async () => ({ large: 'answer' })).then((answer) => new WeakRef(answer))
  // A reference that was just made is kept until the turn ends.
  await new Promise((resolve) => setImmediate(resolve))
  collect()
  assert.equal(result.deref(), undefined)
  assert.equal(await mutex.run(async () => 'next'), 'next')
})
