// What statements read: which give the same for as long as no row is written, and so need not be asked; and whose rows.

import type { Database } from '../../../../sdk/sql.ts'
import { namesIn, statementOfNames } from './names.ts'

const readsSql = statementOfNames('reads.sql')

/** What looks at the clock, or throws dice; a column of such a name only costs asking. */
const unsteadyWords =
  /\b(now|current_\w+|localtime\w*|\w*_timestamp|timeofday|random\w*|gen_random_\w+|uuid\w*|age|pg_\w+|nextval|currval|lastval|setseed)\s*\(|\b(current_date|current_time|current_timestamp|localtime|localtimestamp)\b/i

/** A relation that holds rows. */
export interface ReadTable {
  readonly oid: string
  /** Qualified, and quoted where that is needed. */
  readonly name: string
  /** Whether a server can tell of writes to it. */
  readonly isTold: boolean
}

/** A transaction that was committed. */
export interface HeardCommit {
  readonly tables: ReadonlySet<string>
  /** The lower 32 bits of its number, where it may be heard of before others see it; else null. */
  readonly transaction: number | null
}

export interface Reads {
  /** Whether the statement depends on nothing but rows that are written in transactions. */
  readonly isSteady: boolean
  /** Those that are known: functions that are called may read others. */
  readonly tables: readonly ReadTable[]
}

/** What a statement reads, views looked through. */
export async function readsOf(database: Pick<Database, 'rows'>, text: string): Promise<Reads> {
  const [row] = await database.rows<{ steady: boolean; tables: readonly ReadTable[] }>(readsSql, namesIn(text))
  return { isSteady: row?.steady === true && !unsteadyWords.test(text), tables: row?.tables ?? [] }
}

/** Whether each write that may change an answer is told. */
export const areTold = ({ isSteady, tables }: Reads): boolean => isSteady && tables.every(({ isTold }) => isTold)

/** Texts that PostgreSQL reads as the time at hand. */
const clockTexts = /now|today|tomorrow|yesterday/i

/** Whether values may stand for another time at each look. */
export const mayBeClock = (values: string): boolean => clockTexts.test(values)
