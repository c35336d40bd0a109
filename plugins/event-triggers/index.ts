// Event triggers: send row changes, and payloads sent by hand, to webhooks.

import './log.ts'
import { definePlugin } from '../../sdk/index.ts'
import { deliveries } from '../delivery/index.ts'
import { jobs } from '../jobs/index.ts'
import { recordRequestIds } from './capture/request-id.ts'
import { DisabledTriggers, followEventTriggers, reconcileEventTriggers } from './capture/sync-triggers.ts'
import { scheduleCleanups } from './cleanup/cleanup.ts'
import { cleanupEventTriggerLogs, pauseCleanups, resumeCleanups } from './cleanup/cleanup-operations.ts'
import { deliverEvents } from './deliver.ts'
import { archiveWhatIsLeft } from './ledger/archive.ts'
import { RowListeners, rowEvents } from './listeners/service.ts'
import { rowListenersSlice } from './listeners/slice.ts'
import { UnknownListeners } from './listeners/unknown.ts'
import { getEventStats, redeliverEvents } from './many-events.ts'
import { eventTriggersFacet } from './metadata.ts'
import { eventLogMigrations } from './migrations.ts'
import {
  createEventTrigger,
  deleteEventTrigger,
  invokeEventTrigger,
  pauseEventTrigger,
  redeliverEvent,
  resumeEventTrigger,
} from './operations.ts'
import { getEventById, getEventInvocationLogs, getEventLogs } from './reading.ts'
import { getEventTimeline } from './timeline.ts'

export { type EventCall, type EventHandler, type EventHandlers, eventHandlers } from '../delivery/index.ts'
export type { EventCondition } from './capture/condition.ts'
export type { RowOperation } from './capture/row-operations.ts'
export { type LatestEvents, latestEvents } from './latest.ts'
export {
  type EventRow,
  type RowEvent,
  type RowEventCall,
  type RowEventHandler,
  type RowEvents,
  type RowListener,
  rowEvents,
} from './listeners/service.ts'
export type { EventTriggerLog } from './log.ts'

export default definePlugin({
  name: 'event-triggers',
  dependencies: ['metadata', 'tables', 'permissions', 'jobs', 'delivery', 'transforms'],
  migrations: eventLogMigrations,
  register(engine) {
    const { dialect, settings, observe } = engine
    const report = (message: string) => observe.log({ type: 'event-trigger', level: 'error', detail: { message } })
    const disabled = new DisabledTriggers()
    const unknown = new UnknownListeners()
    const { handlers } = engine.use(deliveries)
    const listsRows = settings.graphqlInterface === '2'
    const names = { dialect, stringifyNumbers: settings.stringifyNumericTypes, listsRows }
    engine.metadata.facet(eventTriggersFacet(dialect, { names, handlers, noun: 'event trigger' }))
    const listeners = new RowListeners(dialect.roleVariable)
    engine.metadata.slice('row_listeners', rowListenersSlice(listeners, { ...names, listsRows: false }))
    engine.provide(rowEvents, listeners)
    engine.onReady(() => listeners.complete())
    recordRequestIds(engine)
    engine.metadata.effect(async ({ previous, next, isReread, transaction }) => {
      if (previous) await followEventTriggers({ previous, next }, { transaction, dialect })
      // Another instance, or a reload by the server itself, may have found changed tables.
      if (!isReread) return
      unknown.found(await reconcileEventTriggers(next, { transaction, dialect, report }), report)
      await disabled.warn(next, transaction, report)
    })
    engine.operations.add(
      createEventTrigger(dialect, () => engine.model, unknown),
      deleteEventTrigger(dialect),
    )
    engine.operations.add(redeliverEvent, redeliverEvents, getEventStats, invokeEventTrigger(dialect))
    engine.operations.add(pauseEventTrigger, resumeEventTrigger, getEventLogs, getEventInvocationLogs, getEventById)
    engine.operations.add(getEventTimeline)
    engine.operations.add(cleanupEventTriggerLogs, pauseCleanups, resumeCleanups)
    archiveWhatIsLeft(engine, report)
    scheduleCleanups(engine, engine.use(jobs), engine.use(deliveries))
    deliverEvents(engine, engine.use(deliveries), { unknown, report })
  },
})
