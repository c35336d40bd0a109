import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Settled } from '../../core/queue/ledger.ts'
import { Recorder } from '../../core/queue/recorder.ts'
import { eventually } from '../support/waiting.ts'

interface Item {
  readonly id: string
}

const settled = (id: string): Settled<Item, string> => ({ item: { id }, outcome: 'done' })

/** A recorder whose database is away or not. */
function startRecorder() {
  const database = { isAway: false, writing: 0, written: [] as string[], tried: 0 }
  const recorder = new Recorder<Item, string>({
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

test('a write that keeps failing is abandoned on request', async (t) => {
  const { database, recorder } = startRecorder()
  stopClock(t)
  database.isAway = true
  recorder.add(settled('a'))
  await eventually(() => database.tried === 1)
  await recorder.finish(AbortSignal.timeout(50))
  assert.deepEqual(database.written, [])
})

test('an outcome whose content the database refuses is written in another form, the others unchanged', async () => {
  const written: [id: string, text: string][] = []
  const recorder = new Recorder<Item, string>({
    async record(batch) {
      if (batch.some(({ outcome }) => outcome === '[[]]')) {
        throw Object.assign(new Error('stack depth limit exceeded'), { code: '54001' })
      }
      for (const { item, outcome } of batch) written.push([item.id, outcome])
    },
    rewritten: (outcome, error) => `${(error as Error).message}: ${outcome.length}`,
    report: () => {},
  })
  for (const [id, outcome] of Object.entries({ a: '{}', b: '[[]]', c: '{}', d: '[[]]', e: '{}' })) {
    recorder.add({ item: { id }, outcome })
  }
  await recorder.finish(AbortSignal.timeout(1000))
  const rewritten = 'stack depth limit exceeded: 4'
  assert.deepEqual(Object.fromEntries(written), { a: '{}', b: rewritten, c: '{}', d: rewritten, e: '{}' })
})
