// For whom a request is explained.

import { assumedSession } from '../../sdk/http.ts'
import type { Dialect, Session } from '../../sdk/index.ts'

/** The session of the member `user`: session variables in any case, what else it holds is left out. */
export function explainedSession(user: Readonly<Record<string, string>>, dialect: Dialect): Session {
  const variables: Record<string, string> = {}
  for (const [key, value] of Object.entries(user)) {
    const name = key.toLowerCase()
    const isSecret = name === dialect.adminSecretHeader || name === dialect.accessKeyHeader
    if (name.startsWith(dialect.sessionPrefix) && !isSecret) variables[name] = value
  }
  return assumedSession(variables, dialect)
}
