// The statement of a live query: that of the same query, for many sets of values at once.

import type { AnsweringStatement } from '../../../sdk/graphql.ts'
import {
  batchAsOneValue,
  batchText,
  type Database,
  encodeArray,
  prepare,
  readBatch,
  type Statement,
} from '../../../sdk/sql.ts'

/** What one set of values is asked with. */
export interface BatchItem {
  /** A uuid. */
  readonly id: string
  /** The values as a JSON array of texts. */
  readonly values: string
}

/** Answers many sets of values at once. */
export class BatchStatement {
  /** With the columns `id` and `j`. */
  readonly text: string
  readonly #whenEmpty: Buffer
  readonly #prepared: ReturnType<typeof prepare>

  constructor(statement: AnsweringStatement) {
    this.text = batchText(statement satisfies Statement)
    this.#whenEmpty = Buffer.from(statement.whenEmpty)
    const whole = { text: batchAsOneValue(this.text), params: [] }
    this.#prepared = prepare(whole, { onlyReads: statement.onlyReads })
  }

  /** The answer of each item, in their order. */
  async ask(
    database: Pick<Database, 'answer'>,
    items: readonly BatchItem[],
    signal: AbortSignal | null,
  ): Promise<readonly Buffer[]> {
    const ids = encodeArray(items.map(({ id }) => id))
    const values = encodeArray(items.map((item) => item.values))
    const answers = readBatch(await database.answer(this.#prepared, [ids, values], { signal }))
    return items.map(({ id }) => {
      const answer = answers.get(id)
      return answer && answer.length > 0 ? answer : this.#whenEmpty
    })
  }
}
