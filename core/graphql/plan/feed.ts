// Root fields of subscriptions whose results come from elsewhere, one after the other: from another server, say. Each result
// becomes an answer as the result of a call does.

import type { PlanContext } from '../read/plan-context.ts'
import type { FieldSelection } from '../read/selection.ts'
import type { CallPlanner, ResolvedCall } from '../schema/call.ts'
import { planCall, type RootCall } from './steps.ts'

/** How such a field is answered. */
export interface FeedPlanner<Plan = unknown> extends Omit<CallPlanner<Plan>, 'kind'> {
  readonly kind: 'feed'
  /**
   * Begins. The results are such as resolved fields give, or whole answers; where they end without an error, the
   * subscription does. The call's signal aborts when nobody wants more of them.
   */
  open(call: ResolvedCall<Plan>): Promise<AsyncIterable<unknown>>
  /** Where the results come from: over a change of the metadata a feed goes on for as long as this is the same. */
  origin(call: ResolvedCall<Plan>): string
}

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
