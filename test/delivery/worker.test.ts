// A worker on a ledger whose answers come in an unusual order or get lost.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Claimed, Ledger, Outcome } from '../../plugins/delivery/ledger.ts'
import { DeliveryMeasures } from '../../plugins/delivery/measures.ts'
import { deliveryWorker } from '../../plugins/delivery/worker.ts'
import { eventually } from '../support/waiting.ts'

const measured = { kind: 'x', invocations: 'x', processed: 'x', fetched: 'x', workers: 'x' }

const [a, b] = ['a', 'b'].map((id) => ({ id, tries: 0, late: 0 })) as [Claimed, Claimed]

/** A worker on a ledger that gives these, batch by batch; `more`: other methods of the ledger. */
function startWorker(
  batches: readonly (readonly Claimed[])[],
  deliver: Ledger<Claimed>['deliver'],
  { concurrency = 10, ...more }: Partial<Ledger<Claimed>> & { readonly concurrency?: number } = {},
) {
  const rest = [...batches]
  const recorded: Outcome[] = []
  const ledger: Ledger<Claimed> = {
    claim: async () => rest.shift() ?? [],
    deliver,
    record: async (settled) => {
      recorded.push(...settled.map(({ outcome }) => outcome))
      return []
    },
    renew: async () => [],
    release: async () => {},
    releaseUnknown: async () => {},
    pause: () => 5,
    backlog: async () => [],
    ...more,
  }
  const silent = { report: () => {}, missed: () => {}, settled: () => {} }
  const measures = new DeliveryMeasures(measured)
  const worker = deliveryWorker({ ledger, concurrency, batch: 10, ...silent, measures })
  worker.start()
  return { worker, recorded, left: () => rest.length }
}

test('a delivery in flight is not repeated after its lease expired while the database was away', async () => {
  const answered = Promise.withResolvers<void>()
  const begun: string[] = []
  const deliver = async ({ id }: Claimed): Promise<Outcome> => {
    begun.push(id)
    await answered.promise
    return { id, attempt: null, state: 'delivered', delay: 0 }
  }
  const { worker, recorded, left } = startWorker([[a], [a, b], [a]], deliver)
  await eventually(() => left() === 0)
  answered.resolve()
  await eventually(() => recorded.length >= 2)
  await worker.stop(1000)
  assert.deepEqual(begun, ['a', 'b'])
  assert.deepEqual(recorded.map(({ id }) => id).sort(), ['a', 'b'])
})

/** An outcome is recorded, and two claims are answered first: a repeated claim belongs to this worker or not. */
async function overtaken(isOurs: boolean) {
  const begun: string[] = []
  let asked = 0
  const left = () => fake.left()
  const fake = startWorker(
    [[a, b], [a], []],
    async ({ id }) => {
      begun.push(id)
      const isAgain = id === 'b' || begun.length > 2
      return { id, attempt: null, state: isAgain ? 'delivered' : 'retry', delay: 0 }
    },
    {
      record: async () => {
        await eventually(() => left() === 0)
        return []
      },
      renew: async (ids) => {
        asked++
        assert.deepEqual(ids, ['a'])
        return isOurs ? ids : []
      },
    },
  )
  await eventually(() => asked > 0)
  await fake.worker.stop(1000)
  return begun
}

test('an item that is due again at once is delivered again although its claim overtook the answer to its outcome', async () => {
  assert.deepEqual(await overtaken(true), ['a', 'b', 'a'])
})

test('an item that was claimed again before its outcome was recorded is not delivered again', async () => {
  assert.deepEqual(await overtaken(false), ['a', 'b'])
})

const delivered = ({ id }: Claimed): Outcome => ({ id, attempt: null, state: 'delivered', delay: 0 })

test('after a claim without an answer, all leases that the worker does not know are released at once', async () => {
  const told: (readonly string[])[] = []
  let claims = 0
  const isAnswered = Promise.withResolvers<void>()
  const { worker, recorded } = startWorker(
    [],
    async (item) => {
      if (item.id === 'a') await isAnswered.promise
      return delivered(item)
    },
    {
      claim: async () => {
        claims++
        if (claims === 2) throw new Error('the connection was lost')
        return claims === 1 ? [a] : claims === 3 ? [b] : []
      },
      releaseUnknown: async (ids) => void told.push(ids),
    },
  )
  await eventually(() => recorded.length === 1)
  assert.deepEqual(told, [['a']])
  isAnswered.resolve()
  await eventually(() => recorded.length === 2)
  await worker.stop(1000)
})

test('a claim that overtook the answer to an outcome is released if the ledger cannot tell its owner', async () => {
  const told: (readonly string[])[] = []
  const left = () => fake.left()
  const fake = startWorker([[a], [a]], async ({ id }) => ({ id, attempt: null, state: 'retry', delay: 0 }), {
    record: async () => {
      await eventually(() => left() === 0)
      return []
    },
    renew: () => Promise.reject(new Error('the connection was lost')),
    releaseUnknown: async (ids) => void told.push(ids),
  })
  await eventually(() => told.length > 0)
  assert.deepEqual(told, [[]])
  await fake.worker.stop(1000)
})

test('an item that becomes due during a slow claim is looked for after its answer', async (t) => {
  let [now, begun, claims] = [0, 0, 0]
  t.mock.method(performance, 'now', () => now)
  const { worker } = startWorker(
    [],
    async ({ id }) => {
      begun++
      return begun > 1 ? delivered(a) : { id, attempt: null, state: 'retry', delay: 0.1 }
    },
    {
      claim: async () => {
        claims++
        if (claims === 1) return [a]
        if (claims === 2) return []
        // The claim began before the item was due, and its answer comes later.
        if (claims === 3) now += 400
        return claims === 4 ? [a] : []
      },
      pause: () => 60_000,
    },
  )
  await eventually(() => begun === 2)
  await worker.stop(1000)
})

test('a prefetched item that waits for a second because webhooks became slow is released', async () => {
  const released: string[] = []
  const [isBegun, isAnswered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const { worker } = startWorker(
    [[a]],
    async (item) => {
      if (item.id === 'b') {
        isBegun.resolve()
        await isAnswered.promise
      }
      return delivered(item)
    },
    {
      concurrency: 1,
      claim: (() => {
        const batches = [[a], [b]]
        return async () => batches.shift() ?? []
      })(),
      // The next item of the key is claimed with the record: there is no more room for it by then.
      record: async ([first]) => {
        if (first?.item.id !== 'a') return []
        await isBegun.promise
        return [{ id: 'c', tries: 0, late: 0 }]
      },
      release: async (ids) => void released.push(...ids),
    },
  )
  await eventually(() => released.length > 0)
  assert.deepEqual(released, ['c'])
  isAnswered.resolve()
  assert.equal(await worker.stop(1000), 0)
})

test('a stopping worker releases items that were claimed with an outcome', async () => {
  const released: string[] = []
  const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const { worker, left } = startWorker(
    [[a, b]],
    async (item) => {
      await (item.id === 'a' ? first : second).promise
      return delivered(item)
    },
    {
      record: async (settled) => (settled.some(({ item }) => item.id === 'a') ? [{ id: 'c', tries: 0, late: 0 }] : []),
      release: async (ids) => void released.push(...ids),
    },
  )
  await eventually(() => left() === 0)
  const stopped = worker.stop(10_000)
  first.resolve()
  await eventually(() => released.length > 0)
  assert.deepEqual(released, ['c'])
  second.resolve()
  assert.equal(await stopped, 1)
})

test('a stopping worker releases claims without an answer', async () => {
  const told: (readonly string[])[] = []
  const asked = Promise.withResolvers<void>()
  const { worker } = startWorker([], async (item) => delivered(item), {
    claim: async () => {
      asked.resolve()
      throw new Error('the connection was lost')
    },
    releaseUnknown: async (ids) => void told.push(ids),
  })
  await asked.promise
  await worker.stop(1000)
  assert.deepEqual(told, [[]])
})

test('nothing is claimed while the leased items use all of the allowed memory', async () => {
  const answered = Promise.withResolvers<void>()
  const deliver = async ({ id }: Claimed): Promise<Outcome> => {
    if (id === 'a') await answered.promise
    return { id, attempt: null, state: 'delivered', delay: 0 }
  }
  const { worker, recorded, left } = startWorker([[{ ...a, size: 2 ** 28 }], [b]], deliver)
  await eventually(() => left() === 1)
  await new Promise((done) => setTimeout(done, 100))
  assert.equal(left(), 1)
  answered.resolve()
  await eventually(() => recorded.length === 2)
  await worker.stop(1000)
})
