// The configuration of clean-up.

import { type Static, Type } from '../../../sdk/index.ts'
import { ObjectName, SourceName } from '../../../sdk/metadata.ts'
import { CronExpression, type RetainedState } from '../../delivery/index.ts'

/** The maximum keeps PostgreSQL's intervals in range. */
const hours = Type.Integer({ minimum: 0, maximum: 10 ** 7 })

const limits = {
  batch_size: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000 })),
  timeout: Type.Optional(Type.Integer({ minimum: 1, maximum: 86_400 })),
  clean_invocation_logs: Type.Optional(Type.Boolean()),
  keep_errors: Type.Optional(Type.Boolean()),
}

const CleanupConfigSchema = Type.Object(
  { schedule: CronExpression, clear_older_than: hours, ...limits, paused: Type.Optional(Type.Boolean()) },
  { missingKey: 'A' },
)

/** When and how a trigger's events are cleaned up; absent members have their defaults. */
export type CleanupConfig = Static<typeof CleanupConfigSchema>

export const CleanupConfig = CleanupConfigSchema

/** Which events are deleted, and within which limits. */
export interface Cleanup {
  /** Hours since they were created. */
  readonly olderThan: number
  readonly batchSize: number
  /** Seconds after which the rest waits for the next run. */
  readonly timeout: number
  readonly withInvocations: boolean
  readonly of: CleanedState
}

/** The events to delete: those without further attempts, a part of these, or those of removed triggers. */
export type CleanedState = 'settled' | RetainedState

const defaults = { batch_size: 10_000, timeout: 60, clean_invocation_logs: false, keep_errors: false }

/** The configuration with its defaults. */
export function cleanupOf(given: Omit<CleanupConfig, 'schedule'>): Cleanup {
  const { clear_older_than: olderThan, ...rest } = given
  const { batch_size, timeout, clean_invocation_logs, keep_errors } = { ...defaults, ...rest }
  return {
    ...{ olderThan, timeout, batchSize: batch_size },
    ...{ withInvocations: clean_invocation_logs, of: keep_errors ? 'delivered' : 'settled' },
  }
}

/** The arguments of `cleanup_event_trigger_logs`. */
export const CleanupArgs = Type.Object(
  { event_trigger_name: ObjectName, source: SourceName, clear_older_than: hours, ...limits },
  { missingKey: 'A' },
)

const OfSources = Type.Object({ sources: Type.Union([Type.Literal('*'), Type.Array(ObjectName)]) }, { missingKey: 'A' })
const OfTriggers = Type.Array(
  Type.Object({ source_name: Type.Optional(ObjectName), event_triggers: Type.Array(ObjectName) }, { missingKey: 'A' }),
)

/** The arguments that select the triggers whose clean-up is paused or resumed. */
export const CleanupTriggersArgs = Type.Object(
  { event_triggers: Type.Union([OfSources, OfTriggers], { message: 'expecting an object with sources, or an array' }) },
  { missingKey: 'A' },
)
