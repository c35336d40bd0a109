// The tables that the statement of a group reads, and the cohorts that changed rows concern.

import type { PreparedBatch } from '../../../../sdk/graphql.ts'
import type { Database, DecodedCommit } from '../../../../sdk/sql.ts'
import { areNotified, type Definitions, isDefinedAlike, type Reads, readsOf, unknownReads } from '../writes/reads.ts'
import type { Cohort } from './cohort.ts'
import { CohortIndex } from './cohort-index.ts'

/** The changed rows of a transaction by table. */
export type ChangedTables = DecodedCommit['tables']

export interface GroupReadsOptions {
  readonly database: Pick<Database, 'rows'>
  readonly batch: PreparedBatch
  /** The cohorts by their values. */
  readonly cohorts: ReadonlyMap<string, Cohort>
}

export class GroupReads {
  readonly #options: GroupReadsOptions
  /** Unknown at first, so that any change concerns all cohorts. */
  #reads: Reads = unknownReads
  #tables: ReadonlySet<string> = new Set()
  #index: CohortIndex | null = null
  /** The lookup in progress; an earlier one that ends later must not replace its result. */
  #learning: Promise<unknown> | null = null
  /** The last snapshot at which the definitions were compared. */
  definedAt: string | null = null

  constructor(options: GroupReadsOptions) {
    this.#options = options
    void this.#learn()
  }

  async #learn(): Promise<void> {
    const { database, batch, cohorts } = this.#options
    this.#index = null
    // If the lookup fails, the statement itself fails as well, and its subscribers get that error.
    const learning = readsOf(database, batch.text).then(
      (reads) => ({ reads, index: new CohortIndex(batch, reads) }),
      () => null,
    )
    this.#learning = learning
    const learned = await learning
    if (this.#learning !== learning) return
    this.#learning = null
    this.#reads = learned?.reads ?? unknownReads
    if (!learned) return
    this.#tables = new Set(learned.reads.tables.map(({ name }) => name))
    this.#index = learned.index
    for (const cohort of cohorts.values()) this.#index.add(cohort)
  }

  /** Whether the answers depend on committed rows alone. */
  get isSteady(): boolean {
    return this.#reads.isSteady
  }

  /** Whether each write that may change an answer is reported by table. */
  get isNotified(): boolean {
    return !this.#learning && areNotified(this.#reads)
  }

  /** The OIDs of the relations that the statement reads, through views and policies too. */
  get relations(): readonly string[] {
    return Object.keys(this.#reads.definitions)
  }

  /** Whether one of these relations was redefined until this snapshot; the read relations are looked up again then. */
  isRedefined(definitions: Definitions, snapshot: string): boolean {
    this.definedAt = snapshot
    if (isDefinedAlike(this.#reads, definitions)) return false
    void this.#learn()
    return true
  }

  /** Whether a write to these tables may change an answer; true while the tables are unknown. */
  readsAny(tables: Iterable<string>): boolean {
    if (this.#learning) return true
    for (const table of tables) if (this.#tables.has(table)) return true
    return false
  }

  /** The columns of a table whose changed values tell the cohorts apart; null: any row concerns all of them. */
  columnsOf(table: string): ReadonlySet<string> | null {
    return this.#index?.columnsOf(table) ?? null
  }

  add(cohort: Cohort): void {
    this.#index?.add(cohort)
  }

  delete(cohort: Cohort): void {
    this.#index?.delete(cohort)
  }

  /** The cohorts that changes concern; null for all. */
  concerned(changes: readonly ChangedTables[]): ReadonlySet<Cohort> | null {
    if (!this.#index) return null
    const concerned = new Set<Cohort>()
    for (const tables of changes) {
      for (const [table, rows] of tables) {
        if (!this.#tables.has(table)) continue
        const cohorts = this.#index.concerned(table, rows)
        if (!cohorts) return null
        for (const cohort of cohorts) concerned.add(cohort)
      }
    }
    return concerned
  }
}
