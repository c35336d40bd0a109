import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { type Place, WriteLimiter } from '../../core/database/placing/write-limiter.ts'

/** Asks for admission, and reports whether it was given. */
function ask(limiter: WriteLimiter, signal: AbortSignal | null = null) {
  const asked = { place: null as Place | null, done: Promise.resolve() as Promise<unknown> }
  const entering = limiter.enter(signal)
  if (entering instanceof Promise) {
    asked.done = entering.then((place) => {
      asked.place = place
    })
  } else asked.place = entering
  return asked
}

const letIn = (asked: readonly { readonly place: Place | null }[]) => asked.filter(({ place }) => place !== null).length

/** Admits this number of writes, one after the other, each of which takes this long by the clock of the test. */
async function pass(t: TestContext, limiter: WriteLimiter, count: number, millis: number): Promise<void> {
  let now = 0
  const { mock } = t.mock.method(performance, 'now', () => now)
  for (let i = 0; i < count; i++) {
    const place = await limiter.enter(null)
    now += millis
    limiter.leave(place)
  }
  mock.restore()
}

test('few writes run at once, and each end starts a waiting one', async () => {
  const limiter = new WriteLimiter()
  const asked = Array.from({ length: 10 }, () => ask(limiter))
  assert.equal(letIn(asked), 8)
  limiter.leave(asked[0]!.place!)
  await asked[8]!.done
  assert.equal(letIn(asked), 9)
  limiter.leave(asked[1]!.place!)
  await asked[9]!.done
})

test('writes that wait for locks leave their places to others', async () => {
  const limiter = new WriteLimiter()
  const asked = Array.from({ length: 50 }, () => ask(limiter))
  await Promise.all(asked.map(({ done }) => done))
  assert.equal(letIn(asked), 50)
})

test('an aborted write leaves the queue', async () => {
  const limiter = new WriteLimiter()
  const asked = Array.from({ length: 8 }, () => ask(limiter))
  const controller = new AbortController()
  const given = ask(limiter, controller.signal)
  controller.abort(new Error('enough'))
  await assert.rejects(given.done, /^Error: enough$/)
  const next = ask(limiter)
  limiter.leave(asked[0]!.place!)
  await next.done
  assert.equal(given.place, null)
})

test('all writes are admitted while they wait for something other than processors', async (t) => {
  const limiter = new WriteLimiter()
  await pass(t, limiter, 64, 4)
  assert.equal(letIn(Array.from({ length: 44 }, () => ask(limiter))), 44)
})

test('few writes are admitted while processors are busy', async (t) => {
  const limiter = new WriteLimiter()
  await pass(t, limiter, 1000, 2)
  assert.equal(letIn(Array.from({ length: 44 }, () => ask(limiter))), 8)
})
