// Cron triggers and one-off events: webhooks that are called at given times.

import './log.ts'
import { definePlugin } from '../../sdk/index.ts'
import { deliveries } from '../delivery/index.ts'
import { jobs } from '../jobs/index.ts'
import { deliverScheduled } from './deliver.ts'
import { keepCronJobs } from './jobs.ts'
import { cronTriggersSlice } from './metadata.ts'
import { scheduledMigrations } from './migrations.ts'
import { followCronTriggers, topUp } from './occurrences.ts'
import { createCronTrigger, createScheduledEvent, deleteCronTrigger } from './operations.ts'
import {
  deleteScheduledEvent,
  getCronTriggers,
  getEventInvocations,
  getScheduledEventInvocations,
  getScheduledEvents,
} from './reading.ts'
import { retainScheduled } from './retention.ts'
import { cronTriggersSchema } from './schema.ts'
import { getCronTicks } from './ticks.ts'

export default definePlugin({
  name: 'scheduled',
  dependencies: ['metadata', 'jobs', 'delivery', 'transforms'],
  migrations: scheduledMigrations,
  register(engine) {
    const { dialect } = engine
    engine.metadata.slice(
      'cron_triggers',
      cronTriggersSlice(cronTriggersSchema(dialect), engine.use(deliveries).handlers),
    )
    engine.metadata.effect(({ previous, next, transaction }) =>
      previous === null ? topUp(next, transaction) : followCronTriggers({ previous, next }, transaction),
    )
    engine.operations.add(
      createCronTrigger(dialect, () => engine.model),
      deleteCronTrigger,
      createScheduledEvent(dialect),
    )
    engine.operations.add(getCronTriggers, getScheduledEvents, getEventInvocations, getScheduledEventInvocations)
    engine.operations.add(deleteScheduledEvent, getCronTicks)
    keepCronJobs(engine, engine.use(jobs))
    retainScheduled(engine, engine.use(jobs), engine.use(deliveries))
    deliverScheduled(engine, engine.use(deliveries))
  },
})
