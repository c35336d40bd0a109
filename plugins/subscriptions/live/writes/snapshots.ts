// Whether anything was committed since the last poll.

import { type Database, type PreparedStatement, prepare } from '../../../../sdk/sql.ts'

/** Reads the snapshot of the database: while it stays the same, so do the answers of statements. */
export class Snapshots {
  readonly #database: Pick<Database, 'answer' | 'serverVersion'>
  #count = 0

  constructor(database: Pick<Database, 'answer' | 'serverVersion'>) {
    this.#database = database
  }

  /** The number of reads. */
  get count(): number {
    return this.#count
  }

  /** A text that changes with each commit and each restart. */
  async current(): Promise<string> {
    this.#count++
    return textOf(await this.#database.answer(this.statement, []))
  }

  /** The statement that reads it. */
  get statement(): PreparedStatement {
    return this.#database.serverVersion >= 13 ? statement : formerStatement
  }
}

/** The text in an answer of the statement. */
export const textOf = (answer: Buffer | null): string => answer?.toString('latin1') ?? ''

/** On a standby, the snapshot does not show which transactions are uncommitted, so the replay position is added. */
const text = (snapshot: string) =>
  `select pg_catalog.concat_ws(' ', pg_catalog.${snapshot}()::text, pg_catalog.pg_postmaster_start_time()::text,
    case when pg_catalog.pg_is_in_recovery() then pg_catalog.pg_last_wal_replay_lsn()::text end)`
const statement = prepare({ text: text('pg_current_snapshot'), params: [] }, { onlyReads: true })
const formerStatement = prepare({ text: text('txid_current_snapshot'), params: [] }, { onlyReads: true })

/** Whether a snapshot shows a transaction, given by the lower 32 bits of its number. */
export function shows(snapshot: string, transaction: number): boolean {
  const [least = '', next = '', running = ''] = (snapshot.split(' ')[0] ?? '').split(':')
  if (!/^\d+$/.test(next)) return true
  // Transaction numbers exceed 32 bits: take the greatest one below the next number, or a future one.
  const end = BigInt(next)
  const behind = BigInt.asUintN(32, end - BigInt(transaction))
  if (behind === 0n || behind > 2n ** 31n) return false
  const number = end - behind
  return number < BigInt(least) || !running.split(',').includes(String(number))
}
