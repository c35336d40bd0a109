// Cron triggers and one-off events: webhooks that are called at given times.

import './log.ts'
import { definePlugin, type Engine, environment } from '../../sdk/index.ts'
import { DeliveryWorker, deliveryDefaults, type Ledger, migrateLedger, Wake, WebhookCaller } from '../delivery/index.ts'
import { type ClaimedEvent, CronLedger, OneOffLedger } from './ledger.ts'
import { cronTriggersOf, cronTriggersSlice } from './metadata.ts'
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
import { cronTriggersSchema } from './schema.ts'

export default definePlugin({
  name: 'scheduled',
  dependencies: ['metadata', 'delivery'],
  async register(engine) {
    const { dialect, database } = engine
    await migrateLedger(database, scheduledMigrations)
    engine.metadata.slice('cron_triggers', cronTriggersSlice(cronTriggersSchema(dialect)))
    engine.metadata.effect(({ previous, next, transaction }) => followCronTriggers({ previous, next }, transaction))
    engine.operations.add(createCronTrigger(dialect), deleteCronTrigger, createScheduledEvent(dialect))
    engine.operations.add(getCronTriggers, getScheduledEvents, getEventInvocations, getScheduledEventInvocations)
    engine.operations.add(deleteScheduledEvent)
    deliverScheduled(engine)
  },
})

function deliverScheduled(engine: Engine): void {
  const { database, outgoing, dialect, observe, settings } = engine
  const caller = new WebhookCaller({ outgoing, dialect, showsEnvironment: false, version: '1' })
  const variables = { ...environment }
  const variable = (name: string) => (Object.hasOwn(variables, name) ? variables[name] : undefined)
  const report = (error: unknown) =>
    observe.log({ type: 'scheduled-trigger', level: 'error', detail: { message: (error as Error).message } })
  const cron = workerOf(new CronLedger({ database, caller }, () => cronTriggersOf(engine.model)), engine, report)
  const oneOff = workerOf(new OneOffLedger({ database, caller }, variable), engine, report)
  const wake = new Wake(database)
  wake.on('cron', () => cron.wake())
  wake.on('one-off', () => oneOff.wake())
  engine.onReady(async () => {
    await database.transaction((transaction) => topUp(engine.model, transaction)).catch(report)
    wake.start()
    cron.start()
    oneOff.start()
  })
  engine.onClose(async () => {
    await wake.stop()
    const grace = settings.gracefulShutdownTimeout * 1000
    const left = (await Promise.all([cron.stop(grace), oneOff.stop(grace)])).reduce((a, b) => a + b)
    if (left === 0) return
    const detail = { message: `${left} events successfully unlocked` }
    observe.log({ type: 'scheduled-trigger', level: 'info', detail })
  })
}

function workerOf<Item extends ClaimedEvent>(
  ledger: Ledger<Item>,
  { observe }: Engine,
  report: (error: unknown) => void,
): DeliveryWorker<Item> {
  const { concurrency, batch } = deliveryDefaults
  return new DeliveryWorker<Item>({
    ...{ ledger, concurrency, batch, report },
    settled({ id }, { attempt }) {
      if (!attempt) return
      const detail = { request: { size: attempt.size }, context: { event_id: id }, response: attempt.logged }
      observe.log({ type: 'scheduled-trigger', level: 'info', detail })
    },
  })
}
