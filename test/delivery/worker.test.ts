// What a worker does with what it claims, on a ledger that does what databases rarely do.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Claimed, Ledger, Outcome } from '../../plugins/delivery/ledger.ts'
import { DeliveryMeasures } from '../../plugins/delivery/measures.ts'
import { DeliveryWorker } from '../../plugins/delivery/worker.ts'
import { eventually } from '../support/waiting.ts'

const measured = { kind: 'x', invocations: 'x', processed: 'x', fetched: 'x', workers: 'x' }

const [a, b] = ['a', 'b'].map((id) => ({ id, late: 0 })) as [Claimed, Claimed]

/** A worker on a ledger that gives these, batch by batch; `more`: what else the ledger does. */
function startWorker(
  batches: readonly (readonly Claimed[])[],
  deliver: Ledger<Claimed>['deliver'],
  more: Partial<Ledger<Claimed>> = {},
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
    pause: () => 5,
    backlog: async () => [],
    ...more,
  }
  const silent = { report: () => {}, missed: () => {}, settled: () => {} }
  const measures = new DeliveryMeasures(measured)
  const worker = new DeliveryWorker({ ledger, concurrency: 10, batch: 10, ...silent, measures })
  worker.start()
  return { worker, recorded, left: () => rest.length }
}

test('what is being delivered is not begun again where its lease ran out while the database was away', async () => {
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

/** An outcome is written down, and two claims come before the answer to that: what was claimed again is this worker's or not. */
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

test('what is due again at once is begun again though its claim overtook the answer to its outcome', async () => {
  assert.deepEqual(await overtaken(true), ['a', 'b', 'a'])
})

test('what was claimed again before its outcome was written down is not', async () => {
  assert.deepEqual(await overtaken(false), ['a', 'b'])
})
