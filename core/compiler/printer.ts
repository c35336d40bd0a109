// The state of printing one statement: its options and its aliases. Aliases are numbered in order of use, so that equal
// plans give equal text.

import type { StatementForm } from '../catalog/types.ts'
import { compile, empty, id, join, type Sql, type Statement, sql, trusted } from '../database/sql/sql.ts'
import { nameKey, type QualifiedName } from '../names/names.ts'
import { inSubquery, rootScope, type Scope } from './plan/scope.ts'

export interface PrinterOptions {
  /** Whether bigint, numeric, float8 and money are printed as JSON strings. */
  readonly stringifyNumbers: boolean
  /** Major version of the PostgreSQL server. */
  readonly serverVersion: number
  /** A comment at the end of statements; absent: none. */
  readonly comment?: string
}

/** PostgreSQL's limit for the arguments of a call. */
const maxArguments = 100

/** Prints the parts of one statement. Each row of it has a name of its own. */
export class Printer {
  readonly options: PrinterOptions
  #count = 0
  readonly #trials: Sql[] = []
  #root: Sql | null = null
  #scope: Scope | null = null
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

  /** Prints a condition; `rootColumn` in it refers to the row with that alias. */
  rooted(row: Sql, print: () => Sql): Sql {
    const outer = this.#root
    this.#root = row
    const printed = print()
    this.#root = outer
    return printed
  }

  /** The row that `rootColumn` refers to: that of the enclosing `rooted` condition, else this one. */
  rootOr(row: Sql): Sql {
    return this.#root ?? row
  }

  /** Prints SQL of a plugin that is a condition in this scope. */
  within(scope: Scope, print: () => Sql): Sql {
    const outer = this.#scope
    this.#scope = { ...inSubquery(scope), level: 0 }
    const printed = print()
    this.#scope = outer
    return printed
  }

  /** The scope of a condition that stands in a subquery of the current SQL of a plugin, or selects the rows of a query. */
  scope(): Scope {
    return this.#scope ? inSubquery(this.#scope) : rootScope()
  }

  /**
   * Makes the statement evaluate an expression of its parameters once, before it reads rows. An expression that fails
   * only for some rows would reveal that they exist, even if they are hidden.
   */
  try(expression: Sql): void {
    this.#trials.push(expression)
  }

  /**
   * Makes PostgreSQL replan the statement when a column of the table changes its type. It does so for tables that a
   * statement reads. But where a function or a parameter yields rows of the table's type, a prepared statement would
   * fail from then on.
   */
  follow(table: QualifiedName): void {
    this.#followed.set(nameKey(table), table)
  }

  /** The query as a statement. */
  finish(query: Sql): Statement {
    return compile(this.finished(query))
  }

  /** The query, with the expressions that must be evaluated first. */
  finished(query: Sql): Sql {
    return this.#commented(this.#followedBy(query))
  }

  /** The query as a statement that evaluates nothing first. */
  commented(query: Sql): Statement {
    return compile(this.#commented(query))
  }

  #commented(query: Sql): Sql {
    const { comment } = this.options
    return comment === undefined ? query : sql`${query}${trusted(comment)}`
  }

  #followedBy(query: Sql): Sql {
    const trial = this.trial()
    const tried = trial ? sql`select * from (${query}) as ${this.alias()} where ${trial}` : query
    if (this.#followed.size === 0) return tried
    // PostgreSQL neither plans nor runs a CTE that nothing refers to.
    const unread = [...this.#followed.values()].map(({ schema, name }) => {
      return sql`${this.alias()} as (select from ${id(schema, name)} where false)`
    })
    return sql`with ${join(unread)} ${tried}`
  }

  /** As {@link finish}, for a statement that changes rows and returns some. */
  finishChange(change: Sql, { form }: { readonly form?: StatementForm } = {}): Statement {
    const trial = this.trial()
    if (!trial && form !== 'within') return compile(this.#commented(change))
    const changed = this.alias()
    const where = trial ? sql` where ${trial}` : empty
    return compile(this.#commented(sql`with ${changed} as (${change}) select * from ${changed}${where}`))
  }

  /**
   * A condition that evaluates the collected expressions. It always holds, but the planner cannot simplify it. Null if
   * nothing was collected.
   */
  trial(): Sql | null {
    const trials = this.#trials.splice(0)
    return trials.length === 0 ? null : trialSql(trials)
  }
}

/** A condition that always holds, unless one of the expressions fails. */
export function trialSql(expressions: readonly Sql[]): Sql {
  const calls: Sql[] = []
  for (let i = 0; i < expressions.length; i += maxArguments) {
    calls.push(sql`num_nulls(${join(expressions.slice(i, i + maxArguments))}) >= 0`)
  }
  return join(calls, ' and ')
}
