// Root fields of subscriptions whose results come from elsewhere, one after the other: from another server, say. Each result
// becomes an answer as the result of a call does.

import type { PlanContext } from '../read/plan-context.ts'
import type { FieldSelection } from '../read/selection.ts'
import type { FeedPlanner } from '../schema/call.ts'
import { planCall, type RootCall } from './steps.ts'

/** A feed as it is planned. */
export interface PreparedFeed {
  readonly planner: FeedPlanner
  /** What becomes of its results. */
  readonly call: RootCall
}

/** Plans a root field of this kind. */
export function planFeed(field: FieldSelection, context: PlanContext, planner: FeedPlanner): PreparedFeed {
  const { open: _, origin: __, ...rest } = planner
  const call = planCall(field, context, { ...rest, kind: 'resolved', resolve: () => null })
  return { planner, call }
}
