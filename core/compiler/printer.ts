// State of printing one statement: aliases, numbered in order of use so that equal plans give equal text, and what the
// server at hand can do.

import type { StatementForm } from '../catalog/types.ts'
import { compile, empty, id, join, type Sql, type Statement, sql } from '../database/sql/sql.ts'
import { nameKey, type QualifiedName } from '../names/names.ts'

export interface PrinterOptions {
  /** Whether bigint, numeric, float8 and money are printed as JSON strings. */
  readonly stringifyNumbers: boolean
  /** Major version of the PostgreSQL server. */
  readonly serverVersion: number
}

/** A call of PostgreSQL takes no more arguments. */
const maxArguments = 100

export class Printer {
  readonly options: PrinterOptions
  #count = 0
  readonly #trials: Sql[] = []
  #root: Sql | null = null
  readonly #followed = new Map<string, QualifiedName>()

  constructor(options: PrinterOptions) {
    this.options = options
  }

  /** An alias that the statement has not used. */
  alias(): Sql {
    return id(`t${this.#count++}`)
  }

  /** A column name that no table has. */
  column(): string {
    return `trellis#${this.#count++}`
  }

  /** Prints a condition in which `root` is the row of that alias. */
  rooted(row: Sql, print: () => Sql): Sql {
    const outer = this.#root
    this.#root = row
    const printed = print()
    this.#root = outer
    return printed
  }

  /** The row that `rootColumn` belongs to; without a `rooted` condition around, the one at hand. */
  rootOr(row: Sql): Sql {
    return this.#root ?? row
  }

  /**
   * Has the statement evaluate an expression of its parameters once, before it looks at any row: what fails for some rows
   * only would tell that there are such rows, hidden ones too.
   */
  try(expression: Sql): void {
    this.#trials.push(expression)
  }

  /**
   * Has PostgreSQL look at the statement anew when a column of the table gets another type. Of tables that are read it knows;
   * but where a function or a parameter gives rows of the type, a prepared statement would fail from then on.
   */
  follow(table: QualifiedName): void {
    this.#followed.set(nameKey(table), table)
  }

  /** The query as a statement. */
  finish(query: Sql): Statement {
    return compile(this.finished(query))
  }

  /** The query with what is to be tried before. */
  finished(query: Sql): Sql {
    const trial = this.trial()
    const tried = trial ? sql`select * from (${query}) as ${this.alias()} where ${trial}` : query
    if (this.#followed.size === 0) return tried
    // What nobody refers to is neither planned nor run.
    const unread = [...this.#followed.values()].map(({ schema, name }) => {
      return sql`${this.alias()} as (select from ${id(schema, name)} where false)`
    })
    return sql`with ${join(unread)} ${tried}`
  }

  /** The same for one that changes rows and returns some. */
  finishChange(change: Sql, { form }: { readonly form?: StatementForm } = {}): Statement {
    const trial = this.trial()
    if (!trial && form !== 'within') return compile(change)
    const changed = this.alias()
    const where = trial ? sql` where ${trial}` : empty
    return compile(sql`with ${changed} as (${change}) select * from ${changed}${where}`)
  }

  /** What is to be tried, as a condition that always holds, though the planner does not see it; null: nothing. */
  trial(): Sql | null {
    const trials = this.#trials.splice(0)
    return trials.length === 0 ? null : trialSql(trials)
  }
}

/** A condition that always holds where none of the expressions fails. */
export function trialSql(expressions: readonly Sql[]): Sql {
  const calls: Sql[] = []
  for (let i = 0; i < expressions.length; i += maxArguments) {
    calls.push(sql`num_nulls(${join(expressions.slice(i, i + maxArguments))}) >= 0`)
  }
  return join(calls, ' and ')
}
