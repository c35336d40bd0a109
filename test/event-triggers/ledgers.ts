// The event log of a shop as another worker sees it, over a database whose answers the test chooses.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { Attempt } from '../../plugins/delivery/index.ts'
import type { Outcome } from '../../plugins/delivery/ledger.ts'
import { DeliveryMeasures } from '../../plugins/delivery/measures.ts'
import { deliveryWorker } from '../../plugins/delivery/worker.ts'
import { EventLedger } from '../../plugins/event-triggers/ledger/ledger.ts'
import type { ClaimedEvent } from '../../plugins/event-triggers/ledger/ledger-statements.ts'
import type { Shop } from './shop.ts'

type Parts = ConstructorParameters<typeof EventLedger>[0]

/** The log of a shop as another worker sees it. */
export const ledgerOf = (
  shop: Shop,
  database: Parts['database'],
  call: Parts['caller']['call'] = () => assert.fail('nothing is sent'),
) =>
  new EventLedger({
    ...{ database, caller: { call }, model: () => shop.engine.model, triggerConcurrency: 0, pool: 10 },
    interval: () => 1000,
    unknownTrigger: () => {},
  })

const measured = { kind: 'x', invocations: 'x', processed: 'x', fetched: 'x', workers: 'x' }

/** A worker on it. */
export const workerOn = (ledger: EventLedger, report: (message: string) => void = assert.fail) =>
  deliveryWorker<ClaimedEvent>({
    ...{ ledger, concurrency: 10, batch: 10, report, missed: () => {}, settled: () => {} },
    measures: new DeliveryMeasures(measured),
  })

export const outcomeFor = ({ id }: { readonly id: string }): Outcome => ({
  ...{ id, attempt: null, state: 'delivered', delay: 0 },
})

/** The result of a call. */
export const attemptOf = ({ succeeded }: Pick<Attempt, 'succeeded'>): Attempt => ({
  ...{ id: randomUUID(), succeeded, status: succeeded ? 200 : 500, retryAfter: null },
  ...{ request: '{}', response: '{}', size: 0, logged: { type: 'client', detail: null } },
})
