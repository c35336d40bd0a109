// Which statements give the same for as long as no row is written, and so need not be asked.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Database } from '../../../sdk/sql.ts'

const steadySql = readFileSync(join(import.meta.dirname, 'steady.sql'), 'utf8')

const qualifiedNames = /"((?:[^"]|"")+)"\."((?:[^"]|"")+)"/g

/** What looks at the clock, or throws dice; a column of such a name only costs asking. */
const unsteadyWords =
  /\b(now|current_\w+|localtime\w*|\w*_timestamp|timeofday|random\w*|gen_random_\w+|uuid\w*|age|pg_\w+|nextval|currval|lastval|setseed)\s*\(|\b(current_date|current_time|current_timestamp|localtime|localtimestamp)\b/i

const unquote = (name: string): string => name.replaceAll('""', '"')

/** Whether a statement depends on nothing but rows that are written in transactions. */
export async function isSteady(database: Pick<Database, 'rows'>, text: string): Promise<boolean> {
  if (unsteadyWords.test(text)) return false
  const pairs = [...text.matchAll(qualifiedNames)].map(([, schema = '', name = '']) => [unquote(schema), unquote(name)])
  const values = [pairs.map(([schema]) => schema), pairs.map(([, name]) => name)]
  const [row] = await database.rows<{ steady: boolean }>(steadySql, values)
  return row?.steady === true
}

/** Texts that PostgreSQL reads as the time at hand. */
const clockTexts = /now|today|tomorrow|yesterday/i

/** Whether values may stand for another time at each look. */
export const mayBeClock = (values: string): boolean => clockTexts.test(values)
