// Keys of rows that are named after objects of users.

import { createHash } from 'node:crypto'

/** An entry of a PostgreSQL index holds some 2,700 bytes at most. */
const longestKey = 500

/** A key that PostgreSQL can store and index, for any name: without NUL or broken surrogates, and not too long. */
export function storageKey(key: string): string {
  const text = JSON.stringify(key)
  if (text.length <= longestKey) return text
  return `${text.slice(0, longestKey / 2)}…${createHash('sha256').update(text).digest('base64url')}`
}
