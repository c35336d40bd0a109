// Paths in the language of SQL/JSON, as operands of comparisons.

import { badRequest } from '../../errors/errors.ts'

/** A text or a comment of a path. One that does not end takes the rest, which PostgreSQL refuses. */
const quotedParts = /"(?:\\[\s\S]|[^"\\])*(?:"|\\?$)|\/\*[\s\S]*?(?:\*\/|$)/g

/** A variable: a dollar sign before anything but a blank or a sign of the language. */
const variable = /\$[^?%$.[\]{}()|&!=<>@#,*:\-+/\s]/

/** Methods whose results compare differently by time zone. */
const temporal = /\.\s*(?:datetime|date|time|time_tz|timestamp|timestamp_tz)\s*\(/

/**
 * Refuses a path that fails for some values only, although the operators suppress errors. Such a failure would reveal
 * that a value exists, even in a hidden row.
 */
export function checkJsonPath(text: string): void {
  const bare = text.replace(quotedParts, (part) => (part.startsWith('"') ? '"' : ' '))
  if (variable.test(bare)) throw badRequest('bad-request', 'a JSON path cannot use variables')
  if (temporal.test(bare)) throw badRequest('bad-request', 'a JSON path cannot use methods of dates and times')
}
