// Errors as the log of asynchronous calls keeps them.

import { pathText, toTrellisError } from '../../sdk/index.ts'

/** An error with what administrators may see of it. */
export function describedError(error: unknown): Record<string, unknown> {
  const { path, message, code, extensions, internal } = toTrellisError(error)
  return {
    path: pathText(path),
    error: message,
    code,
    ...(extensions && { extensions }),
    ...(internal !== undefined && { internal }),
  }
}
