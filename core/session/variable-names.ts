// The names of session variables, and those that are names in the other dialect only.

import { type ErrorHelp, parseFailed } from '../errors/errors.ts'
import type { Dialect } from '../names/dialect.ts'

/**
 * Whether a JSON string in a permission stands for a session variable, and which (lower case), else null. Refuses one that is a
 * variable in the other dialect: as a text like any other it would let through what it is to keep back.
 */
export function sessionVariableName(names: Dialect, text: string): string | null {
  const lower = text.toLowerCase()
  if (lower === 'req_user_id') return names.userIdVariable
  if (lower.startsWith(names.sessionPrefix)) return lower
  if (!lower.startsWith(names.foreignPrefix)) return null
  const message = `"${text}" is a session variable of the other dialect; here their names begin with "${names.sessionPrefix}"`
  throw parseFailed(message).with({ help: () => foreignHint(names) })
}

/** What may mend a request that has names of the other dialect. */
export const foreignHint = ({ foreignPrefix, foreignDialect }: Dialect): ErrorHelp => ({
  hint: `names that begin with "${foreignPrefix}" are those of servers that are started with --dialect ${foreignDialect}`,
})
