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

test('something is done between two writes, while others come', async () => {
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

test('while a write fails it is done all the same, and what shows that the database is well ends the rest', async (t) => {
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

test('what fails to the end is given up when that is asked for', async (t) => {
  const { database, recorder } = startRecorder()
  stopClock(t)
  database.isAway = true
  recorder.add(settled('a'))
  await eventually(() => database.tried === 1)
  await recorder.finish(AbortSignal.timeout(50))
  assert.deepEqual(database.written, [])
})

test('what the database refuses for what is in it is written with its request as a text, and the rest as it is', async () => {
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
