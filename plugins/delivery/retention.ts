// How long finished items stay in the ledgers, by state and for all triggers. One job per ledger deletes older ones in batches.

import type { JobCall, Jobs } from '../jobs/index.ts'
import type { DeliverySettings } from './options.ts'
import { retentionIntervalMillis } from './tuning.ts'

/** Delivered; failed finally or too late to be sent; or of a removed event trigger. */
export type RetainedState = 'delivered' | 'failed' | 'archived'

/** Which items to delete. */
export interface Retention {
  readonly state: RetainedState
  /** Items older than this are deleted. */
  readonly hours: number
}

export interface RetentionJob {
  readonly name: string
  readonly settings: DeliverySettings
  clean(retention: Retention, signal: AbortSignal): Promise<unknown>
}

/** Declares the job of a ledger, unless everything stays in it forever. */
export function declareRetention(jobs: Jobs, { name, settings, clean }: RetentionJob): void {
  const hours: Readonly<Record<RetainedState, number | null>> = {
    delivered: settings.eventsKeepDelivered,
    failed: settings.eventsKeepFailed,
    archived: settings.eventsKeepArchived,
  }
  const retained = (Object.keys(hours) as RetainedState[]).flatMap((state) => {
    const most = hours[state]
    return most === null ? [] : [{ state, hours: most }]
  })
  if (retained.length === 0) return
  const run = async ({ signal }: JobCall) => {
    for (const retention of retained) await clean(retention, signal)
  }
  jobs.declare({ name, schedule: { every: retentionIntervalMillis }, timeout: null, run })
}
