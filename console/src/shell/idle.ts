// Ends the session once the page was not used for a while.

import { credentialKind } from '../requests/credentials.ts'
import { endSession } from './session.ts'

/** Milliseconds without a key or a pointer after which the person has left. */
const idleMillis = 30 * 60_000
/** Milliseconds between two looks at the clock. */
const lookMillis = 60_000

/** Ends the sessions of people who have left. */
export function endIdleSessions(): void {
  let used = Date.now()
  const look = () => {
    if (credentialKind.get() !== 'none' && Date.now() - used >= idleMillis) endSession()
  }
  for (const event of ['keydown', 'pointerdown', 'pointermove', 'wheel']) {
    const use = () => {
      // A machine that slept has looked at no clock meanwhile.
      look()
      used = Date.now()
    }
    // Editors of cells stop their keys.
    window.addEventListener(event, use, { capture: true, passive: true })
  }
  document.addEventListener('visibilitychange', look)
  setInterval(look, lookMillis)
}
