// What event triggers and scheduled events deliver with: webhooks called by rules that hold for both, and workers that take
// what is due from tables of PostgreSQL.

import { definePlugin } from '../../sdk/index.ts'
import { Deliveries, deliveries } from './deliveries.ts'
import { deliveryMigrations } from './migrations.ts'
import { deliveryOptions } from './options.ts'

export { type Attempt, failureStatus, type WebhookCaller } from './attempt.ts'
export type { Backlog } from './backlog.ts'
export { CronExpression, occurrencesAfter, TimeZone } from './cron.ts'
export { type Deliveries, deliveries } from './deliveries.ts'
export { noHeaders, type ResolvedHeaders, resolveHeaders } from './headers.ts'
export { jobNameOf, type KeptJob, keepJobs } from './kept-jobs.ts'
export {
  byIndexes,
  type Claimed,
  delayOfUnknown,
  isFinal,
  isLeaseOver,
  type Ledger,
  leaseSeconds,
  longestAhead,
  mostClaimedBytes,
  type Outcome,
  outcomeOf,
  outcomeRows,
  outcomeTexts,
  type Settled,
} from './ledger.ts'
export { type Page, readPage } from './pages.ts'
export {
  declareRetention,
  deleteInBatches,
  type InTransaction,
  type RetainedState,
  type Retention,
  retentionBatch,
} from './retention.ts'
export { wakeStatement } from './wake.ts'

export default definePlugin({
  name: 'delivery',
  dependencies: ['metadata', 'jobs'],
  options: deliveryOptions,
  migrations: deliveryMigrations,
  register(engine) {
    engine.provide(deliveries, new Deliveries(engine, engine.options))
  },
})
