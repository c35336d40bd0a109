// Event triggers and their log, as the server tells them.

import type { TableName } from '../../server/names.ts'
import { type Metadata, tablesOf } from '../../server/queries.ts'

/** An event trigger with its table. */
export interface EventTrigger {
  readonly name: string
  readonly table: TableName
  readonly definition: Readonly<Record<string, unknown>>
  readonly isPaused: boolean
  /** The URL, the variable that has it, or the function of a plugin. */
  readonly target: string
  /** Operations that make events. */
  readonly operations: readonly string[]
}

const operationNames = ['insert', 'update', 'delete', 'enable_manual']

/** The event triggers of a document. */
export function eventTriggersOf(metadata: Metadata): readonly EventTrigger[] {
  return tablesOf(metadata).flatMap((entry) => {
    const list = (entry['event_triggers'] ?? []) as readonly (Record<string, unknown> & { readonly name: string })[]
    return list.map((trigger) => {
      const definition = (trigger['definition'] ?? {}) as Record<string, unknown>
      const { name: _, definition: __, ...others } = trigger
      const target = trigger['webhook'] ?? trigger['webhook_from_env'] ?? trigger['handler'] ?? ''
      return {
        name: trigger.name,
        table: entry.table,
        definition: { ...definition, ...others },
        isPaused: trigger['paused'] === true || definition['paused'] === true,
        target: typeof target === 'string' ? target : JSON.stringify(target),
        operations: operationNames
          .filter((each) => definition[each])
          .map((each) => (each === 'enable_manual' ? 'manual' : each)),
      }
    })
  })
}

/** An event in the log. */
export interface LoggedEvent {
  readonly id: string
  readonly trigger_name: string
  readonly payload: { readonly op?: string; readonly [key: string]: unknown } | null
  readonly delivered: boolean
  readonly error: boolean
  readonly archived: boolean
  readonly tries: number
  readonly created_at: string
  readonly locked: string | null
  readonly next_retry_at: string | null
}

/** An attempt to deliver an event. */
export interface Invocation {
  readonly id: string
  readonly status: number | null
  readonly request: unknown
  readonly response: unknown
  readonly created_at: string
}

/** The state of an event with its mark. */
export function stateOf(event: LoggedEvent): readonly ['good' | 'bad' | 'waiting' | 'off' | 'info', string] {
  if (event.archived) return ['off', 'archived']
  if (event.delivered) return ['good', 'delivered']
  if (event.error) return ['bad', 'failed']
  if (event.locked !== null) return ['info', 'being delivered']
  return ['waiting', event.tries > 0 ? 'waits for a retry' : 'pending']
}

/** Times of the server in UTC, also where they have no zone. */
export const utc = (time: string): string => (/[zZ]|[+-]\d\d:?\d\d$/.test(time) ? time : `${time}Z`)
