import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Watch } from '../../core/queue/watch.ts'

/** A watch that records its announcements in a list. */
function watching(say: () => Promise<void> = async () => {}) {
  const said: number[] = []
  const errors: unknown[] = []
  const watch = new Watch({
    announce(millis) {
      said.push(millis)
      return say()
    },
    report: (error) => errors.push(error),
  })
  return { watch, said, errors }
}

const turn = () => new Promise((done) => setImmediate(done))

test('a worker that finds little announces nothing and needs notifications', async () => {
  const { watch, said } = watching()
  for (let now = 0; now < 10_000; now += 100) watch.looked(now, 9)
  await turn()
  assert.deepEqual(said, [])
  assert.equal(watch.pause(10_000), Number.POSITIVE_INFINITY)
  assert.equal(watch.mayBeUnnotified(10_000), false)
})

test('an announcement without an answer may already be in effect', async () => {
  const { watch } = watching(() => new Promise(() => {}))
  watch.looked(performance.now(), 20)
  await turn()
  assert.equal(watch.pause(performance.now()), 5)
})

test('without a ledger that announces, no worker watches', async () => {
  const watch = new Watch({ announce: undefined, report: () => {} })
  watch.looked(performance.now(), 20)
  await turn()
  assert.equal(watch.pause(performance.now()), Number.POSITIVE_INFINITY)
  await watch.end()
})

test('a worker that finds much announces that it watches, and repeats that in time', async () => {
  const { watch, said } = watching()
  const now = performance.now()
  for (const after of [0, 900, 1100]) {
    watch.looked(now + after, 20)
    await turn()
  }
  assert.deepEqual(said, [2000, 2000])
})

test('a watching worker polls often, less often when it finds nothing, and then stops watching', async () => {
  const { watch, said } = watching()
  const pauses: number[] = []
  for (let i = 0; i < 5; i++) {
    watch.looked(performance.now(), i === 0 ? 20 : 0)
    await turn()
    pauses.push(watch.pause(performance.now()))
  }
  assert.deepEqual(pauses.slice(0, 4), [5, 15, 45, 135])
  assert.deepEqual(said, [2000, 0])
  // Then it is the first of the late looks.
  assert.ok(pauses[4]! > 400 && pauses[4]! <= 500, `${pauses[4]}`)
})

test('after the watch it polls less and less often, and not at all after three seconds', async () => {
  const { watch } = watching()
  watch.looked(performance.now() - 1000, 100)
  await watch.end()
  const end = performance.now()
  const looks = [10, 600, 3000].map((after) => {
    watch.looked(end + after, 0)
    return Math.round((watch.pause(end + after) + after) / 250) * 250
  })
  assert.deepEqual(looks, [500, 2500, Number.POSITIVE_INFINITY])
  assert.ok(watch.mayBeUnnotified(end + 3000))
  assert.ok(!watch.mayBeUnnotified(end + 5000))
})

test('a stopping worker withdraws its announcement while writers may rely on it', async () => {
  const quiet = watching()
  await quiet.watch.end()
  assert.deepEqual(quiet.said, [])
  const busy = watching()
  busy.watch.looked(performance.now(), 50)
  await busy.watch.end()
  assert.deepEqual(busy.said, [2000, 0])
})

test('writers may rely on an announcement whose answer was lost', async () => {
  const { watch, errors } = watching(async () => {
    throw new Error('away')
  })
  const now = performance.now()
  watch.looked(now, 50)
  await turn()
  assert.equal(errors.length, 1)
  assert.equal(watch.pause(now), 5)
})
