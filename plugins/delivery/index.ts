// What event triggers and scheduled events deliver with: webhooks called by rules that hold for both, and workers that take
// what is due from tables of PostgreSQL.

import { definePlugin } from '../../sdk/index.ts'
import { deliveryMigrations, migrateLedger } from './migrate.ts'

export { type Attempt, failureStatus, WebhookCaller } from './attempt.ts'
export { environmentValue, type ResolvedHeader, resolveHeaders } from './headers.ts'
export { type Claimed, type Ledger, leaseSeconds, type Outcome, outcomeOf } from './ledger.ts'
export { type LedgerMigration, migrateLedger } from './migrate.ts'
export { Wake } from './wake.ts'
export { DeliveryWorker } from './worker.ts'

/** Deliveries at once, rows claimed at once, and milliseconds between two looks at an empty log. */
export const deliveryDefaults = { concurrency: 100, batch: 100, interval: 1000 } as const

export default definePlugin({
  name: 'delivery',
  dependencies: ['metadata'],
  async register({ database }) {
    await migrateLedger(database, deliveryMigrations)
  },
})
