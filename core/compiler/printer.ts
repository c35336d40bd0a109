// State of printing one statement: aliases, numbered in order of use so that equal plans give equal text, and what the
// server at hand can do.

import { id, type Sql } from '../database/sql.ts'

export interface PrinterOptions {
  /** Whether bigint, numeric, float8 and money are printed as JSON strings. */
  readonly stringifyNumbers: boolean
  /** Major version of the PostgreSQL server. */
  readonly serverVersion: number
}

export class Printer {
  readonly options: PrinterOptions
  #count = 0

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
}
