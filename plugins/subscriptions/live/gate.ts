// Whether anything was written since the last look, without asking what.

import { type Database, prepare } from '../../../sdk/sql.ts'

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

const text = (snapshot: string) =>
  `select pg_catalog.${snapshot}()::text || ' ' || pg_catalog.pg_postmaster_start_time()::text`
const statement = prepare({ text: text('pg_current_snapshot'), params: [] }, { onlyReads: true })
const formerStatement = prepare({ text: text('txid_current_snapshot'), params: [] }, { onlyReads: true })
