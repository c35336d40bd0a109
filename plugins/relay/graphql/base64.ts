// Base64 as ids and cursors are sent: one line, of JSON in UTF-8.

import { parseScanned, scanJson } from '../../../sdk/services.ts'
import { type Sql, sql } from '../../../sdk/sql.ts'
import { longestId, maxDepth } from '../tuning.ts'

/** The base64 of a text in SQL; PostgreSQL breaks the lines of its own. */
export const base64Sql = (text: Sql): Sql => sql`translate(encode(convert_to(${text}, 'UTF8'), 'base64'), E'\\n', '')`

/** The JSON in a base64 text, with numbers as they are written; other characters are skipped. Throws if it is not JSON. */
export function base64Json(base64: string): unknown {
  if (base64.length > longestId) throw new RangeError(`the text has more than ${longestId} characters`)
  const bytes = Buffer.from(base64, 'base64')
  const scan = scanJson(bytes)
  if (scan.depth > maxDepth) throw new RangeError('the JSON is nested too deeply')
  return parseScanned(bytes.toString('utf8'), scan, 'lossless')
}
