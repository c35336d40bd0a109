import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Watch } from '../../plugins/delivery/watch.ts'

/** A watch that says what it says to a list. */
function watching(say: (millis: number) => Promise<void> = async () => {}) {
  const said: number[] = []
  const errors: unknown[] = []
  const watch = new Watch({
    say(millis) {
      said.push(millis)
      return say(millis)
    },
    report: (error) => errors.push(error),
  })
  return { watch, said, errors }
}

const turn = () => new Promise((done) => setImmediate(done))

test('who finds little says nothing, and is told of everything', async () => {
  const { watch, said } = watching()
  for (let now = 0; now < 10_000; now += 100) watch.looked(now, 9)
  await turn()
  assert.deepEqual(said, [])
  assert.equal(watch.pause(10_000), Number.POSITIVE_INFINITY)
  assert.equal(watch.mayBeUntold(10_000), false)
})

test('who finds much says that it watches, in time again, and looks often, less so where it finds nothing', async () => {
  const { watch, said } = watching()
  const now = performance.now()
  watch.looked(now, 20)
  await turn()
  assert.deepEqual(said, [2000])
  assert.equal(watch.pause(now), 5)
  watch.looked(now + 10, 0)
  assert.equal(watch.pause(now + 10), 10)
  for (let i = 0; i < 10; i++) watch.looked(now + 20, 0)
  assert.equal(watch.pause(now + 20), 100)
  watch.looked(now + 900, 20)
  await turn()
  assert.deepEqual(said, [2000])
  watch.looked(now + 1100, 20)
  await turn()
  assert.deepEqual(said, [2000, 2000])
})

test('when it does not watch any more it looks ever more seldom, and no more after eight seconds', async () => {
  const { watch } = watching()
  const now = performance.now()
  watch.looked(now, 100)
  await turn()
  const end = now + 2000
  const pauses = [10, 300, 1000, 2000, 4000, 8000].map((after) => {
    watch.looked(end + after, 0)
    return Math.round((watch.pause(end + after) + after) / 250) * 250
  })
  assert.deepEqual(pauses, [250, 750, 1750, 3750, 7750, Number.POSITIVE_INFINITY])
  assert.ok(watch.mayBeUntold(end + 8000))
  assert.ok(!watch.mayBeUntold(end + 11_000))
})

test('who ends says so where others rely on it, and says it once', async () => {
  const quiet = watching()
  await quiet.watch.end()
  assert.deepEqual(quiet.said, [])
  const busy = watching()
  busy.watch.looked(performance.now(), 50)
  await busy.watch.end()
  await busy.watch.end()
  assert.deepEqual(busy.said, [2000, 0])
})

test('where no answer came others may rely on it all the same', async () => {
  const { watch, errors } = watching(async () => {
    throw new Error('away')
  })
  const now = performance.now()
  watch.looked(now, 50)
  await turn()
  assert.equal(errors.length, 1)
  assert.equal(watch.pause(now), 5)
})
