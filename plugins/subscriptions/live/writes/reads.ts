// The tables that a statement reads, and whether its answer depends on rows alone.

import type { QualifiedName } from '../../../../sdk/index.ts'
import type { Database } from '../../../../sdk/sql.ts'
import { namesIn, sqlOf, statementOfNames } from './names.ts'

const readsSql = statementOfNames('reads.sql')
const definitionsSql = sqlOf('definitions.sql')

/** Functions whose result changes without a write. A column with such a name only costs extra statements. */
const unsteadyWords =
  /\b(now|current_\w+|localtime\w*|\w*_timestamp|timeofday|random\w*|gen_random_\w+|uuid\w*|age|pg_\w+|nextval|currval|lastval|setseed)\s*\(|\b(current_date|current_time|current_timestamp|localtime|localtimestamp)\b/i

/** A relation with rows. */
export interface ReadTable {
  /** Qualified, and quoted where needed. */
  readonly name: string
  /** Whether writes to it can be reported. */
  readonly isNotified: boolean
  /** The named tables whose rows these are: itself, or the table that it is a part of. Null if a view or policy reads it. */
  readonly origins: readonly QualifiedName[] | null
  /** The columns whose values are equal exactly if their texts are. */
  readonly exact: readonly string[]
  /** The columns of the replica identity; null for all. */
  readonly identity: readonly string[] | null
}

/** Texts that change with the definitions of relations, by OID, and with settings that all answers may depend on. */
export type Definitions = {
  readonly definitions: Readonly<Record<string, string>>
  readonly surroundings: string
}

export interface Reads extends Definitions {
  /** Whether the answer depends on committed rows alone. */
  readonly isSteady: boolean
  /** The known tables; functions may read others. */
  readonly tables: readonly ReadTable[]
}

export const unknownReads: Reads = { isSteady: false, tables: [], definitions: {}, surroundings: '' }

/** Looks up the relations that a statement reads, through views. */
export async function readsOf(database: Pick<Database, 'rows'>, text: string): Promise<Reads> {
  const [row] = await database.rows<Omit<Reads, 'isSteady'> & { readonly steady: boolean }>(readsSql, namesIn(text))
  if (!row) return unknownReads
  const { steady, ...reads } = row
  return { ...reads, isSteady: steady && !unsteadyWords.test(text) }
}

/** The current definitions, and the position of the log. */
export interface CurrentDefinitions extends Definitions {
  readonly position: bigint
}

/** Reads the current definitions of relations. */
export async function definitionsOf(
  database: Pick<Database, 'rows'>,
  relations: readonly string[],
): Promise<CurrentDefinitions> {
  const [row] = await database.rows<Definitions & { readonly position: string }>(definitionsSql, [relations])
  return { ...row!, position: positionOf(row!.position) }
}

/** A position as PostgreSQL prints it: two hexadecimal numbers of 32 bits. */
function positionOf(text: string): bigint {
  const [high = '0', low = '0'] = text.split('/')
  return (BigInt(`0x${high}`) << 32n) | BigInt(`0x${low}`)
}

/** Whether the definitions that an answer depends on are the same. */
export const isDefinedAlike = (reads: Reads, { definitions, surroundings }: Definitions): boolean =>
  reads.surroundings === surroundings &&
  Object.entries(reads.definitions).every(([relation, definition]) => definitions[relation] === definition)

/** Whether each write that may change an answer is reported. */
export const areNotified = ({ isSteady, tables }: Reads): boolean =>
  isSteady && tables.every(({ isNotified }) => isNotified)

/** Texts that PostgreSQL reads as the current time. */
const clockTexts = /now|today|tomorrow|yesterday/i

/** Whether values may mean another time at each poll. */
export const mayBeClock = (values: string): boolean => clockTexts.test(values)
