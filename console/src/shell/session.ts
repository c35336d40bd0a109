// The end of a session: the person signs out, or has left. Drafts stay.

import { createStore } from '../base/store.ts'
import { forgetCredentials } from '../requests/credentials.ts'
import { requestLog } from '../requests/log.ts'
import { conflict } from '../server/edits.ts'
import { queries } from '../server/queries.ts'

/** How many sessions ended: the page begins anew after each, because its parts have rows and typed secrets. */
export const endedSessions = createStore(0)

/** Forgets the credentials, and all that they opened. */
export function endSession(): void {
  forgetCredentials()
  conflict.get()?.decide(false)
  requestLog.set([])
  endedSessions.set(endedSessions.get() + 1)
  void queries.resetQueries()
}
