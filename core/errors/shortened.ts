// Shortens names that clients make up, which can be as long as their requests, for errors and logs.

/** The longest name in a path, in characters. PostgreSQL's names have at most 63 bytes. */
const longestName = 200

/** The longest message, in characters. */
const longestMessage = 10_000

/** The number of characters kept from the end of a message, which states the fault of the name before it. */
const end = 1000

/** A name, without its end if it is long. */
export const shortName = (name: string): string =>
  name.length <= longestName ? name : `${name.slice(0, longestName).toWellFormed()}…`

/** A message, without its middle if it is long. */
export const shortMessage = (message: string): string =>
  message.length <= longestMessage
    ? message
    : `${message.slice(0, longestMessage - end - 1).toWellFormed()}…${message.slice(-end).toWellFormed()}`
