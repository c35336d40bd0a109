// Arguments that choose entries of logs.

import { Type } from '@sinclair/typebox'
import { parseFailed } from '../errors/errors.ts'
import { VerbatimObject } from './types.ts'

const isoTime = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$/

function readTime(text: string): string {
  const time = isoTime.test(text) ? new Date(text) : null
  // An offset can lead to a year that PostgreSQL writes in another form.
  if (time && time.getUTCFullYear() >= 1 && time.getUTCFullYear() <= 9999) return time.toISOString()
  throw parseFailed(`expected a time such as 2026-12-01T01:00:00Z, encountered ${JSON.stringify(text)}`)
}

/** A moment; decoded to the text of a time in UTC. */
export const PointInTime = Type.String({
  convert: readTime,
  shown: Type.String({ examples: ['2026-12-01T01:00:00Z'] }),
})

/** JSON that PostgreSQL cannot store, which is therefore in no event. */
const unstorable = /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f])/i

function readContained(value: Readonly<Record<string, unknown>>): string {
  const text = JSON.stringify(value)
  if (unstorable.test(text)) throw parseFailed('the texts of events contain no U+0000 and no half of a surrogate pair')
  return text
}

/** An object that a stored JSON value must contain; decoded to its text. */
export const ContainedJson = Type.Unsafe<string>({
  ...VerbatimObject,
  convert: readContained,
  shown: Type.Object({}, { additionalProperties: true }),
})
