// Base64 as ids and cursors are sent: one line, of JSON in UTF-8.

import { type Sql, sql } from '../../../core/database/sql.ts'
import { nestingDepth, parseJson } from '../../../core/json.ts'

/** The base64 of a text in SQL; PostgreSQL breaks the lines of its own. */
export const base64Sql = (text: Sql): Sql => sql`translate(encode(convert_to(${text}, 'UTF8'), 'base64'), E'\\n', '')`

/** No id or cursor that was given out is nested deeper. */
const maxDepth = 100

/** The JSON in a base64, numbers kept as they are written; what is no base64 is skipped. Throws when it is no JSON. */
export function base64Json(base64: string): unknown {
  const text = Buffer.from(base64, 'base64').toString('utf8')
  if (nestingDepth(text) > maxDepth) throw new RangeError('the JSON is nested too deeply')
  return parseJson(text, 'lossless')
}
