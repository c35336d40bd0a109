// The next due times of a schedule, before a trigger is made of it.

import { Type } from '../../sdk/index.ts'
import { operation } from '../../sdk/metadata.ts'
import { CronExpression, occurrencesAfter, TimeZone } from '../delivery/index.ts'
import { mostTicks } from './tuning.ts'

/** `get_cron_ticks`: due times in UTC, the next first; fewer where the schedule ends. */
export const getCronTicks = operation({
  type: 'get_cron_ticks',
  about: {
    summary: 'Lists the next due times of a schedule.',
    result: Type.Object({ ticks: Type.Array(Type.String()) }),
  },
  args: Type.Object(
    {
      schedule: CronExpression,
      timezone: Type.Optional(TimeZone),
      count: Type.Optional(Type.Integer({ minimum: 1, maximum: mostTicks })),
    },
    { missingKey: 'A' },
  ),
  access: 'any',
  editsMetadata: false,
  onlyReads: true,
  handle(_context, { schedule, timezone, count = 10 }) {
    const now = new Date()
    const ticks = occurrencesAfter({ schedule, ...(timezone && { timezone }) }, now, { now, most: 1, ahead: count })
    return { ticks }
  },
})
