// Cron triggers, as the server tells them.

import { queryOptions } from '@tanstack/react-query'
import { run } from '../../server/operations.ts'

/** A cron trigger; it keeps members that the console does not know. */
export interface CronTrigger {
  readonly name: string
  readonly schedule: string
  readonly timezone?: string
  readonly webhook?: unknown
  readonly handler?: string
  readonly comment?: string | null
  readonly payload?: unknown
  readonly [key: string]: unknown
}

/** All cron triggers. */
export const cronTriggersQuery = queryOptions({
  queryKey: ['cron-triggers'],
  queryFn: async ({ signal }) => {
    const answer = await run<{ cron_triggers: readonly CronTrigger[] } | readonly CronTrigger[]>(
      'get_cron_triggers',
      {},
      { signal },
    )
    return 'cron_triggers' in answer ? answer.cron_triggers : answer
  },
})
