// Shortens names that clients make up, which can be as long as their requests, for errors and logs.

import { keptEnd, longestMessage, longestName } from './tuning.ts'

/** A name, without its end if it is long. */
export const shortName = (name: string): string =>
  name.length <= longestName ? name : `${name.slice(0, longestName).toWellFormed()}…`

/** A message, without its middle if it is long. */
export const shortMessage = (message: string): string =>
  message.length <= longestMessage
    ? message
    : `${message.slice(0, longestMessage - keptEnd - 1).toWellFormed()}…${message.slice(-keptEnd).toWellFormed()}`
