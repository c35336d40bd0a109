// What goes on, for those who measure it.

import { serviceKey } from '../../sdk/index.ts'
import type { BatchReport } from './live/group.ts'

export interface SubscriptionActivity {
  readonly sockets: number
  readonly eventStreams: number
  readonly subscribers: number
  readonly groups: number
  readonly cohorts: number
  /** Since the start, like bytes of messages. */
  readonly looks: number
  readonly bytes: { readonly sent: number; readonly received: number }
  /** Told of each statement that answered a batch. */
  onBatch(listener: (batch: BatchReport) => void): void
}

export const subscriptionActivity = serviceKey<SubscriptionActivity>('subscription-activity')
