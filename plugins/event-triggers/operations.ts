// Operations that create and remove event triggers, redeliver events, and send events by hand.

import { badRequest, type Dialect, didYouMean, nameKey, sameName, Type } from '../../sdk/index.ts'
import { findTable, type Model, operation, type TableModel } from '../../sdk/metadata.ts'
import { isLeaseOver, notifyStatement } from '../delivery/index.ts'
import { requireTable } from '../tables/index.ts'
import { recordedId } from './capture/request-id.ts'
import { rowOperations } from './capture/row-operations.ts'
import { archive } from './ledger/archive.ts'
import { asNew } from './ledger/ledger-statements.ts'
import { listenersOf } from './listeners/slice.ts'
import { forgetListener, type UnknownListeners } from './listeners/unknown.ts'
import {
  listenerElsewhere,
  noSuchEvent,
  noSuchTrigger,
  ownerOf,
  refuseListener,
  requireEventTrigger,
} from './lookup.ts'
import { eventTriggerRef, eventTriggersOf, storedTriggers } from './metadata.ts'
import { refuseTable } from './resolving.ts'
import {
  createEventTriggerArgs,
  type EventTrigger,
  EventTriggerName,
  InvokeEventTriggerArgs,
  RedeliverEventArgs,
} from './schema.ts'

const kindTexts: Readonly<Record<string, string>> = {
  relationship: 'relationship',
  computed_field: 'computed field',
  remote_relationship: 'remote relationship',
}

/** Wrong columns of an update get their own errors; the resolve step reports all others. */
function checkColumns({ definition }: EventTrigger, table: TableModel): void {
  for (const each of rowOperations) {
    const { columns = '*' } = definition[each] ?? {}
    for (const name of columns === '*' ? [] : columns) {
      if (table.columns.has(name)) continue
      const field = table.fields.get(name)
      if (!field || field.kind === 'column') {
        const help = didYouMean(name, () => table.columns.keys())
        throw badRequest('not-exists', `column "${name}" does not exist`, { help })
      }
      const kind = kindTexts[field.kind] ?? field.kind
      throw badRequest('unexpected-payload', `expecting a postgres column; but, "${name}" is a ${kind}; `)
    }
  }
}

/** `served`: the triggers that were served when the request began; `undeclared`: the listeners of other servers. */
export const createEventTrigger = (
  dialect: Dialect,
  served: () => Model,
  undeclared: Pick<UnknownListeners, 'names'>,
) =>
  operation({
    type: 'create_event_trigger',
    about: {
      summary:
        'Creates an event trigger, which sends changes of a table to a webhook; with `replace`, changes an existing one.',
    },
    args: createEventTriggerArgs(dialect),
    check: 'object',
    object: ({ table, trigger }) => eventTriggerRef(table, trigger.name),
    async handle({ metadata, model, transaction, interface: interfaceName }, { table, replace, trigger }) {
      const entry = requireTable(metadata, table)
      refuseListener(model, trigger.name)
      if (undeclared.names.has(trigger.name)) throw listenerElsewhere(trigger.name)
      const owner = ownerOf(metadata, trigger.name)
      if (!replace && owner) {
        const named = interfaceName === '2' ? 'Event trigger with name' : 'event trigger'
        throw badRequest('already-exists', `${named} "${trigger.name}" already exists`)
      }
      if (replace && !owner) throw noSuchTrigger(trigger.name)
      if (owner && !sameName(owner.table, table)) {
        throw badRequest('not-supported', 'cannot replace table or schema for trigger')
      }
      const resolved = model.tables.get(nameKey(table))
      if (resolved) refuseTable(resolved)
      if (resolved) checkColumns(trigger, resolved)
      entry.event_triggers = [...(entry.event_triggers ?? []).filter(({ name }) => name !== trigger.name), trigger]
      // For the database, a trigger that is removed and created in one bulk is a changed trigger.
      if (!owner && storedTriggers(served()).has(trigger.name)) await archive([trigger.name], transaction)
    },
  })

export const deleteEventTrigger = (dialect: Dialect) =>
  operation({
    type: 'delete_event_trigger',
    about: { summary: 'Removes an event trigger; its undelivered events are archived.' },
    args: EventTriggerName,
    check: 'new',
    async handle(context, { name }) {
      const { metadata, model, transaction, remove } = context
      refuseListener(model, name)
      const owner = ownerOf(metadata, name)
      if (owner) {
        remove(eventTriggerRef(owner.table, name))
        return
      }
      const isFound = await forgetListener(name, transaction, dialect)
      // In v1.3 the deletion of an unknown trigger succeeds.
      if (isFound || context.interface !== '2') return
      throw badRequest('not-exists', `event trigger with name "${name}" does not exist`)
    },
  })

export const redeliverEvent = operation({
  type: 'redeliver_event',
  about: { summary: 'Delivers an event once more, with all of its retries.' },
  args: RedeliverEventArgs,
  editsMetadata: false,
  async handle({ metadata, model, transaction }, { event_id: id }) {
    // PostgreSQL's texts cannot contain it.
    if (id.includes('\0')) throw noSuchEvent()
    const [event] = await transaction.rows<{ trigger_name: string; busy: boolean }>(
      `select trigger_name, not coalesce(${isLeaseOver('locked')}, true) as busy from trellis.event_log where id = $1 for update`,
      [id],
    )
    const isKnown =
      event && (ownerOf(metadata, event.trigger_name) || listenersOf(model).declared.has(event.trigger_name))
    if (!isKnown) throw noSuchEvent()
    if (event.busy) throw badRequest('busy', 'event is already being processed')
    await transaction.rows(`update trellis.event_log set ${asNew} where id = $1`, [id])
    await transaction.rows(notifyStatement, ['events'])
  },
})

const pausing = (type: string, summary: string, paused: boolean) =>
  operation({
    type,
    about: { summary },
    args: EventTriggerName,
    check: 'new',
    handle({ metadata, model }, { name }) {
      if (listenersOf(model).declared.has(name)) {
        const others = metadata.row_listeners.filter((each) => each.name !== name)
        metadata.row_listeners = paused ? [...others, { name, paused }] : others
        return
      }
      const { owner } = requireEventTrigger(metadata, name)
      const table = findTable(metadata, owner.table)
      const trigger = table?.event_triggers?.find((each) => each.name === name)
      if (!trigger) return
      if (paused) trigger.paused = true
      else delete trigger.paused
    },
  })

export const pauseEventTrigger = pausing(
  'pause_event_trigger',
  'Has the events of an event trigger wait; they are recorded as before.',
  true,
)

export const resumeEventTrigger = pausing(
  'resume_event_trigger',
  'Delivers the events of an event trigger that was paused, those that waited first.',
  false,
)

export const invokeEventTrigger = (dialect: Dialect) =>
  operation({
    type: 'invoke_event_trigger',
    about: {
      summary: 'Sends a payload through an event trigger.',
      result: Type.Object({ event_id: Type.String() }),
    },
    args: InvokeEventTriggerArgs,
    editsMetadata: false,
    async handle({ model, metadata, transaction, requestId }, { name, payload }) {
      refuseListener(model, name)
      const { owner, entry } = requireEventTrigger(metadata, name)
      if (!entry.definition.enable_manual) {
        throw badRequest('not-supported', 'manual mode is not enabled for event trigger')
      }
      const table = eventTriggersOf(model).get(name)?.table ?? owner.table
      const [event] = await transaction.rows<{ id: string }>(
        `insert into trellis.event_log (schema_name, table_name, trigger_name, payload, request_id)
         values ($1, $2, $3, json_build_object('op', 'MANUAL', 'data', $4::json,
           'session_variables', trellis.setting_json(current_setting($5, true)),
           'trace_context', trellis.setting_json(current_setting($6, true))), $7)
         returning id, pg_notify('trellis_delivery', 'events')`,
        [
          ...[table.schema, table.name, name, JSON.stringify(payload), dialect.userSetting, dialect.traceSetting],
          requestId && recordedId(requestId),
        ],
      )
      return { event_id: event!.id }
    },
  })
