// The id of the request that made a change travels to the event log as a setting of its transaction.

import type { Engine } from '../../../sdk/index.ts'
import { eventTriggersOf } from '../metadata.ts'
import { longestRequestId } from '../tuning.ts'

/** The setting, in all dialects; triggers in the database read it. */
export const requestSetting = 'trellis.request_id'

const none = {}

/** A request's id as the log has it: clients may send long ones. */
export const recordedId = (id: string): string => id.slice(0, longestRequestId)

/** Adds the setting to the transactions of requests. They pay nothing for it while there are no event triggers. */
export function recordRequestIds(engine: Engine): void {
  engine.sessionSettings.add((id) =>
    id === null || eventTriggersOf(engine.model).size === 0 ? none : { [requestSetting]: recordedId(id) },
  )
}
