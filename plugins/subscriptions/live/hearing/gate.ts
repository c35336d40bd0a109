// Whether anything was written since the last look, without asking what.

import { type Database, prepare } from '../../../../sdk/sql.ts'

/** Asks for what the database shows at this moment: as long as the answer is the same, so are those of statements. */
export class Gate {
  readonly #database: Pick<Database, 'answer' | 'serverVersion'>
  #asked = 0

  constructor(database: Pick<Database, 'answer' | 'serverVersion'>) {
    this.#database = database
  }

  /** How many times it was asked. */
  get asked(): number {
    return this.#asked
  }

  /** A text that is another one after each commit, and after a restart. */
  async look(): Promise<string> {
    this.#asked++
    const answer = await this.#database.answer(this.#statement(), [])
    return answer?.toString('latin1') ?? ''
  }

  #statement() {
    return this.#database.serverVersion >= 13 ? statement : formerStatement
  }
}

/** The snapshot of a standby does not say which transactions are not committed yet; how far it has come says that one may be. */
const text = (snapshot: string) =>
  `select pg_catalog.concat_ws(' ', pg_catalog.${snapshot}()::text, pg_catalog.pg_postmaster_start_time()::text,
    case when pg_catalog.pg_is_in_recovery() then pg_catalog.pg_last_wal_replay_lsn()::text end)`
const statement = prepare({ text: text('pg_current_snapshot'), params: [] }, { onlyReads: true })
const formerStatement = prepare({ text: text('txid_current_snapshot'), params: [] }, { onlyReads: true })

/** Whether a transaction is visible in what the gate told; given are the lower 32 bits of its number. */
export function shows(snapshot: string, transaction: number): boolean {
  const [least = '', next = '', running = ''] = (snapshot.split(' ')[0] ?? '').split(':')
  if (!/^\d+$/.test(next)) return true
  // Numbers grow beyond 32 bits: the one that is meant is the greatest below the next one, or one that is to come.
  const end = BigInt(next)
  const behind = BigInt.asUintN(32, end - BigInt(transaction))
  if (behind === 0n || behind > 2n ** 31n) return false
  const number = end - behind
  return number < BigInt(least) || !running.split(',').includes(String(number))
}
