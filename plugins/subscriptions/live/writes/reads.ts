// The tables that a statement reads, and whether its answer depends on rows alone.

import type { Database } from '../../../../sdk/sql.ts'
import { namesIn, statementOfNames } from './names.ts'

const readsSql = statementOfNames('reads.sql')

/** Functions whose result changes without a write. A column with such a name only costs extra statements. */
const unsteadyWords =
  /\b(now|current_\w+|localtime\w*|\w*_timestamp|timeofday|random\w*|gen_random_\w+|uuid\w*|age|pg_\w+|nextval|currval|lastval|setseed)\s*\(|\b(current_date|current_time|current_timestamp|localtime|localtimestamp)\b/i

/** A relation with rows. */
export interface ReadTable {
  readonly oid: string
  /** Qualified, and quoted where needed. */
  readonly name: string
  /** Whether writes to it can be reported. */
  readonly isNotified: boolean
}

/** A committed transaction. */
export interface ObservedCommit {
  readonly tables: ReadonlySet<string>
  /** The lower 32 bits of its number if it may be reported before it is visible; else null. */
  readonly transaction: number | null
}

export interface Reads {
  /** Whether the answer depends on committed rows alone. */
  readonly isSteady: boolean
  /** The known tables; functions may read others. */
  readonly tables: readonly ReadTable[]
}

/** Looks up what a statement reads, through views. */
export async function readsOf(database: Pick<Database, 'rows'>, text: string): Promise<Reads> {
  const [row] = await database.rows<{ steady: boolean; tables: readonly ReadTable[] }>(readsSql, namesIn(text))
  return { isSteady: row?.steady === true && !unsteadyWords.test(text), tables: row?.tables ?? [] }
}

/** Whether each write that may change an answer is reported. */
export const areNotified = ({ isSteady, tables }: Reads): boolean =>
  isSteady && tables.every(({ isNotified }) => isNotified)

/** Texts that PostgreSQL reads as the current time. */
const clockTexts = /now|today|tomorrow|yesterday/i

/** Whether values may mean another time at each poll. */
export const mayBeClock = (values: string): boolean => clockTexts.test(values)
