// Session variable names of this dialect, and those that belong only to the other one.

import { type ErrorHelp, parseFailed } from '../errors/errors.ts'
import type { Dialect } from '../names/dialect.ts'

/**
 * The session variable (lower case) that a JSON string in a permission refers to; null for other texts. Throws for a
 * variable of the other dialect: taken as plain text, it could let rows through that it is meant to hide.
 */
export function sessionVariableName(names: Dialect, text: string): string | null {
  const lower = text.toLowerCase()
  if (lower === 'req_user_id') return names.userIdVariable
  if (lower.startsWith(names.sessionPrefix)) return lower
  if (!lower.startsWith(names.foreignPrefix)) return null
  const message = `"${text}" is a session variable of the other dialect; here their names begin with "${names.sessionPrefix}"`
  throw parseFailed(message).with({ help: () => foreignHint(names) })
}

/** The hint for a request with names of the other dialect. */
export const foreignHint = ({ foreignPrefix, foreignDialect }: Dialect): ErrorHelp => ({
  hint: `only servers with --dialect ${foreignDialect} use names that begin with "${foreignPrefix}"`,
})
