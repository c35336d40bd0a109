// Names that clients make up can be as long as their requests: errors, and the logs of them, hold only a part.

/** Most characters of a name in a path. PostgreSQL has none of more than 63 bytes. */
const longestName = 200

/** Most characters of a message. */
const longestMessage = 10_000

/** Characters that stay of the end of a message, which says what is wrong with the name before it. */
const end = 1000

/** A name, of which the end is left out if it is long. */
export const shortName = (name: string): string =>
  name.length <= longestName ? name : `${name.slice(0, longestName).toWellFormed()}…`

/** A message, of which the middle is left out if it is long. */
export const shortMessage = (message: string): string =>
  message.length <= longestMessage
    ? message
    : `${message.slice(0, longestMessage - end - 1).toWellFormed()}…${message.slice(-end).toWellFormed()}`
