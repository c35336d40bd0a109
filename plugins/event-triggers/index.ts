// Event triggers: changes of tables, and payloads that somebody hands in, are sent to webhooks.

import './log.ts'
import { definePlugin, type Engine } from '../../sdk/index.ts'
import { DeliveryWorker, deliveryDefaults, migrateLedger, Wake, WebhookCaller } from '../delivery/index.ts'
import { type ClaimedEvent, EventLedger } from './ledger.ts'
import { eventTriggersFacet, eventTriggersOf } from './metadata.ts'
import { eventLogMigrations } from './migrations.ts'
import { createEventTrigger, deleteEventTrigger, invokeEventTrigger, redeliverEvent } from './operations.ts'
import { followEventTriggers, reconcileEventTriggers } from './sync-triggers.ts'

export default definePlugin({
  name: 'event-triggers',
  dependencies: ['metadata', 'tables', 'delivery'],
  async register(engine) {
    const { dialect, settings, database } = engine
    const prefix = dialect.triggerPrefix
    await migrateLedger(database, eventLogMigrations)
    engine.metadata.facet(eventTriggersFacet(dialect, { dialect, stringifyNumbers: settings.stringifyNumericTypes }))
    engine.metadata.effect(({ previous, next, transaction }) =>
      followEventTriggers({ previous, next }, { transaction, prefix }),
    )
    engine.operations.add(createEventTrigger(dialect), deleteEventTrigger, redeliverEvent, invokeEventTrigger(dialect))
    deliverEvents(engine)
  },
})

function deliverEvents(engine: Engine): void {
  const { dialect, database, outgoing, observe, settings } = engine
  const report = (message: string) => observe.log({ type: 'event-trigger', level: 'error', detail: { message } })
  const worker = new DeliveryWorker<ClaimedEvent>({
    ledger: new EventLedger({
      database,
      caller: new WebhookCaller({ outgoing, dialect, showsEnvironment: false, version: '2' }),
      triggers: () => eventTriggersOf(engine.model),
      interval: deliveryDefaults.interval,
      unknownTrigger: ({ trigger_name: name }) => report(`table or event-trigger not found in schema cache: "${name}"`),
    }),
    concurrency: deliveryDefaults.concurrency,
    batch: deliveryDefaults.batch,
    report: (error) => report((error as Error).message),
    settled({ id, created_at }, { attempt }) {
      if (!attempt) return
      const context = { event_id: id, event_created_at: created_at }
      const detail = { request: { size: attempt.size }, context, response: attempt.logged }
      observe.log({ type: 'event-trigger', level: 'info', detail })
    },
  })
  const wake = new Wake(database)
  wake.on('events', () => worker.wake())
  engine.onReady(async () => {
    await reconcile(engine, report)
    wake.start()
    worker.start()
  })
  engine.onClose(async () => {
    await wake.stop()
    const left = await worker.stop(settings.gracefulShutdownTimeout * 1000)
    if (left === 0) return
    observe.log({ type: 'event-trigger', level: 'info', detail: { message: `${left} events successfully unlocked` } })
  })
}

/** What cannot be brought in line is told; the rest is served. */
async function reconcile({ database, model, dialect }: Engine, report: (message: string) => void): Promise<void> {
  const prefix = dialect.triggerPrefix
  try {
    await database.transaction((transaction) => reconcileEventTriggers(model, { transaction, prefix }))
  } catch (error) {
    report(`the triggers in the database could not be brought in line: ${(error as Error).message}`)
  }
}
