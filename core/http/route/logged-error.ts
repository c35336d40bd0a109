// An error as the log has it: whole, but for texts that nobody reads to their end, such as a statement of megabytes.

import { flatError, type TrellisError } from '../../errors/errors.ts'

/** Characters of a text that are logged. */
const longest = 4096

function cutTexts(value: unknown): unknown {
  if (typeof value === 'string') {
    return value.length > longest ? `${value.slice(0, longest).toWellFormed()}… (${value.length} characters)` : value
  }
  if (Array.isArray(value)) return value.map(cutTexts)
  // What is no plain object knows itself how it is written.
  if (value === null || typeof value !== 'object' || Object.getPrototypeOf(value) !== Object.prototype) return value
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, cutTexts(member)]))
}

/** The error of a request for its line in the log. */
export const loggedError = (error: TrellisError) => cutTexts(flatError(error, true)) as ReturnType<typeof flatError>
