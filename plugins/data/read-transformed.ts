// Replaces stored values of transformed columns in an answer by the values that the caller may read.

import { readValue } from '../../sdk/access.ts'
import type { Output } from '../../sdk/sql.ts'
import type { TransformedReads } from './caller.ts'

type Json = Readonly<Record<string, unknown>>

/** The text of a value of JSON; null: NULL. */
export function textOf(value: unknown): string | null {
  if (value === null || value === undefined) return null
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** The value of an output as the caller reads it. A value that cannot be read is null. */
export function readTransformed(output: Output, value: unknown, reads: TransformedReads): unknown {
  if (reads.size === 0 || value === null) return value
  switch (output.kind) {
    case 'object': {
      const object = value as Json
      const members = output.entries.map(({ key, value: member }) => [key, readTransformed(member, object[key], reads)])
      return Object.fromEntries(members)
    }
    case 'one':
      return readTransformed(output.select.output, value, reads)
    case 'many':
      return (value as readonly unknown[]).map((row) => readTransformed(output.select.output, row, reads))
    case 'column': {
      const seen = reads.get(output)
      if (!seen) return value
      const read = readValue(seen, value)
      return read instanceof Error ? null : read
    }
    default:
      return value
  }
}
