// Root fields of subscriptions whose results come from outside the database one by one, for example from another
// server. Each result becomes an answer in the same way as the result of a call.

import type { PlanContext } from '../read/plan-context.ts'
import type { FieldSelection } from '../read/selection.ts'
import type { FeedPlanner } from '../schema/call.ts'
import { planCall, type RootCall } from './steps.ts'

/** A planned feed. */
export interface PreparedFeed {
  readonly planner: FeedPlanner
  /** Processes its results. */
  readonly call: RootCall
}

/** Plans a root field that is answered by a feed. */
export function planFeed(field: FieldSelection, context: PlanContext, planner: FeedPlanner): PreparedFeed {
  const { open: _, origin: __, ...rest } = planner
  const call = planCall(field, context, { ...rest, kind: 'resolved', resolve: () => null })
  return { planner, call }
}
