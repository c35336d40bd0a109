// Keys of rows that are called after things of users.

import { createHash } from 'node:crypto'

/** An index row holds some 2,700 bytes at most. */
const longestKey = 500

/** A key that PostgreSQL can store and index whatever the name: no NUL, no broken surrogates, not too long. */
export function storageKey(key: string): string {
  const text = JSON.stringify(key)
  if (text.length <= longestKey) return text
  return `${text.slice(0, longestKey / 2)}…${createHash('sha256').update(text).digest('base64url')}`
}
