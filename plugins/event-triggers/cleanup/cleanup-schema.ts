// What people say of when events leave the log.

import { type Static, Type } from '../../../sdk/index.ts'
import { ObjectName } from '../../../sdk/metadata.ts'
import { CronExpression, type RetainedState } from '../../delivery/index.ts'
import { Source } from '../source.ts'

/** PostgreSQL's intervals have an end. */
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

/** When and how events of a trigger leave the log; what is absent has its default. */
export type CleanupConfig = Static<typeof CleanupConfigSchema>

export const CleanupConfig = CleanupConfigSchema

/** Which events leave the log, and how much is done for that. */
export interface Cleanup {
  /** Hours since they were made. */
  readonly olderThan: number
  readonly batchSize: number
  /** Seconds after which what is left is left for the next time. */
  readonly timeout: number
  readonly withInvocations: boolean
  readonly of: CleanedState
}

/** What leaves: what needs no more attempts, or of that a part; or what is of triggers that are gone. */
export type CleanedState = 'settled' | RetainedState

const defaults = { batch_size: 10_000, timeout: 60, clean_invocation_logs: false, keep_errors: false }

/** What a configuration says, defaults included. */
export function cleanupOf(given: Omit<CleanupConfig, 'schedule'>): Cleanup {
  const { clear_older_than: olderThan, ...rest } = given
  const { batch_size, timeout, clean_invocation_logs, keep_errors } = { ...defaults, ...rest }
  return {
    ...{ olderThan, timeout, batchSize: batch_size },
    ...{ withInvocations: clean_invocation_logs, of: keep_errors ? 'delivered' : 'settled' },
  }
}

/** The configuration without what is at its default. */
export function storedCleanup({ schedule, clear_older_than, ...given }: CleanupConfig): CleanupConfig {
  const standard: Readonly<Record<string, unknown>> = { ...defaults, paused: false }
  const rest = Object.entries(given).filter(([key, value]) => value !== undefined && value !== standard[key])
  return { schedule, clear_older_than, ...Object.fromEntries(rest) }
}

/** The arguments of `cleanup_event_trigger_logs`. */
export const CleanupArgs = Type.Object(
  { event_trigger_name: ObjectName, source: Source, clear_older_than: hours, ...limits },
  { missingKey: 'A' },
)

const OfSources = Type.Object({ sources: Type.Union([Type.Literal('*'), Type.Array(ObjectName)]) }, { missingKey: 'A' })
const OfTriggers = Type.Array(
  Type.Object({ source_name: Source, event_triggers: Type.Array(ObjectName) }, { missingKey: 'A' }),
)

/** The arguments that name the triggers whose clean-up is paused or resumed. */
export const CleanupTriggersArgs = Type.Object(
  { event_triggers: Type.Union([OfSources, OfTriggers], { message: 'expecting an object with sources, or an array' }) },
  { missingKey: 'A' },
)
