// Keys of rows that are named after objects of users.

import { createHash } from 'node:crypto'
import { longestKey } from '../tuning.ts'

/** A key that PostgreSQL can store and index, for any name: without NUL or broken surrogates, and not too long. */
export function storageKey(key: string): string {
  const text = JSON.stringify(key)
  if (text.length <= longestKey) return text
  return `${text.slice(0, longestKey / 2)}…${createHash('sha256').update(text).digest('base64url')}`
}
