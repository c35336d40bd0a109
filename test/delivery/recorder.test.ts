import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Settled } from '../../plugins/delivery/ledger.ts'
import { Recorder } from '../../plugins/delivery/recorder.ts'
import { eventually } from '../support/waiting.ts'

const settled = (id: string): Settled<{ readonly id: string }> => ({
  item: { id },
  outcome: { id, attempt: null, state: 'delivered', delay: 0 },
})

/** A recorder whose database is away or not. */
function startRecorder() {
  const database = { isAway: false, writing: 0, written: [] as string[], tried: 0 }
  const recorder = new Recorder<{ readonly id: string }>({
    async record(batch) {
      database.tried++
      database.writing++
      await new Promise((done) => setTimeout(done, 5))
      database.writing--
      if (database.isAway) throw new Error('away')
      database.written.push(...batch.map(({ item }) => item.id))
    },
    report: () => {},
  })
  return { database, recorder }
}

/** No pause between two attempts ends by itself any more. */
const stopClock = (t: TestContext) => t.mock.method(performance, 'now', () => 0)

test('work runs between two writes while outcomes arrive', async () => {
  const { database, recorder } = startRecorder()
  const coming = setInterval(() => recorder.add(settled('x')), 1)
  await eventually(() => database.written.length > 0)
  const seen: number[] = []
  await recorder.between(async () => {
    seen.push(database.writing)
    await new Promise((done) => setTimeout(done, 20))
    seen.push(database.writing)
  })
  clearInterval(coming)
  assert.deepEqual(seen, [0, 0])
  await recorder.finish(AbortSignal.timeout(1000))
  assert.equal(recorder.pending, 0)
})

test('work also runs while a write fails, and its success ends the pause', async (t) => {
  const { database, recorder } = startRecorder()
  stopClock(t)
  database.isAway = true
  recorder.add(settled('a'))
  await eventually(() => database.tried === 1)
  await assert.rejects(
    recorder.between(() => Promise.reject(new Error('away'))),
    /away/,
  )
  assert.equal(database.tried, 1)
  database.isAway = false
  await recorder.between(async () => {})
  await eventually(() => database.written.length === 1)
  await recorder.finish(AbortSignal.timeout(1000))
})

test('a write that keeps failing is given up on request', async (t) => {
  const { database, recorder } = startRecorder()
  stopClock(t)
  database.isAway = true
  recorder.add(settled('a'))
  await eventually(() => database.tried === 1)
  await recorder.finish(AbortSignal.timeout(50))
  assert.deepEqual(database.written, [])
})

test('an outcome whose content the database refuses is written with its request as a text, the others unchanged', async () => {
  const written: (readonly [id: string, request: string | undefined])[] = []
  const recorder = new Recorder<{ readonly id: string }>({
    async record(batch) {
      const requests = batch.map(({ item, outcome }) => [item.id, outcome.attempt?.request] as const)
      if (requests.some(([, request]) => request === '[[]]')) {
        throw Object.assign(new Error('stack depth limit exceeded'), { code: '54001' })
      }
      written.push(...requests)
    },
    report: () => {},
  })
  const logged = { type: 'client', detail: null } as const
  for (const [id, request] of Object.entries({ a: '{}', b: '[[]]', c: '{}', d: '[[]]', e: '{}' })) {
    const attempt = { id, succeeded: true, status: 200, retryAfter: null, request, response: '{}', size: 0, logged }
    recorder.add({ item: { id }, outcome: { id, attempt, state: 'delivered', delay: 0 } })
  }
  await recorder.finish(AbortSignal.timeout(1000))
  assert.deepEqual(Object.fromEntries(written), { a: '{}', b: '"[[]]"', c: '{}', d: '"[[]]"', e: '{}' })
})
