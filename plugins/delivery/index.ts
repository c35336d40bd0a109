// The base of event triggers and scheduled events: webhook calls with common rules, and workers that deliver due items from
// PostgreSQL tables.

import { definePlugin } from '../../sdk/index.ts'
import { eventHandlers } from './attempts/handlers.ts'
import { Deliveries, deliveries } from './deliveries.ts'
import { deliveryMigrations } from './migrations.ts'
import { deliveryOptions } from './options.ts'
import { testWebhook } from './test-webhook.ts'

export { leaseSeconds } from '../../sdk/services.ts'
export { type Attempt, failureStatus } from './attempts/attempt.ts'
export {
  type EventCall,
  type EventHandler,
  type EventHandlers,
  eventHandlers,
  type NamedHandlers,
  type Receiver,
  type ReceiverCaller,
  refuseWebhookMembers,
} from './attempts/handlers.ts'
export { noHeaders, type ResolvedHeaders, resolveHeaders } from './attempts/headers.ts'
export { ClaimBounds, type ClaimStart, type Overlooked } from './claim-bounds.ts'
export { CronExpression, occurrencesAfter, TimeZone } from './cron.ts'
export { type Deliveries, deliveries } from './deliveries.ts'
export { jobNameOf, type KeptJob, keepJobs } from './kept-jobs.ts'
export {
  type Backlog,
  byIndexes,
  type Claimed,
  delayOfUnknown,
  isFinal,
  isLeaseOver,
  type Ledger,
  type Outcome,
  outcomeOf,
  outcomeRows,
  outcomeTexts,
  type Settled,
} from './ledger.ts'
export { notifyStatement } from './notifications.ts'
export {
  declareRetention,
  type RetainedState,
  type Retention,
} from './retention.ts'
export { longestAhead, mostClaimedBytes, retentionBatch } from './tuning.ts'

export default definePlugin({
  name: 'delivery',
  dependencies: ['metadata', 'jobs', 'transforms'],
  options: deliveryOptions,
  migrations: deliveryMigrations,
  register(engine) {
    const service = new Deliveries(engine, engine.options)
    engine.provide(deliveries, service)
    engine.provide(eventHandlers, service.handlers)
    engine.operations.add(testWebhook(engine))
  },
})
