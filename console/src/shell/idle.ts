// Secret and rows are dropped once the page was not used for a while. Drafts stay.

import { credentialKind, forgetCredentials } from '../requests/credentials.ts'
import { queries } from '../server/queries.ts'

/** Milliseconds without a key or a pointer after which the person has left. */
const idleMillis = 30 * 60_000

/** Forgets the credentials of people who have left. */
export function endIdleSessions(): void {
  let used = Date.now()
  for (const event of ['keydown', 'pointerdown', 'pointermove']) {
    window.addEventListener(event, () => {
      used = Date.now()
    })
  }
  setInterval(() => {
    if (credentialKind.get() === 'none' || Date.now() - used < idleMillis) return
    forgetCredentials()
    void queries.resetQueries()
  }, 60_000)
}
