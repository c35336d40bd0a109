// The stored form of errors in the log of asynchronous calls.

import { pathText, toTrellisError } from '../../sdk/index.ts'
import { isJsonObject } from '../../sdk/services.ts'
import { storableText } from '../../sdk/sql.ts'

/** An error with its internals for administrators. */
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

/** The JSON of an error, without characters that PostgreSQL cannot store: a webhook may answer invalid text. */
export const storableError = (error: unknown): string =>
  JSON.stringify(error, (_name, value: unknown) => {
    if (typeof value === 'string') return storableText(value)
    if (!isJsonObject(value)) return value
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [storableText(name), member]))
  })
