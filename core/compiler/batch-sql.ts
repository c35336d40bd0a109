// One statement for many requests that have a plan in common: what its parameters are to a single request are elements of
// a row to this one, and the plan stands behind the rows as a lateral query.

import type { ParamSource } from '../database/param.ts'
import { compile, integer, param, replaceParams, type Statement, sql } from '../database/sql.ts'
import type { RootQuery } from './root-sql.ts'

/** The two parameters of the statement itself: ids of the members, and the values of each as a JSON array. */
const ids: ParamSource = { from: 'slot', slot: 0, column: 0 }
const values: ParamSource = { from: 'slot', slot: 0, column: 1 }

export interface BatchStatement extends Statement {
  /** Where the elements of a member's values come from. */
  readonly memberParams: readonly ParamSource[]
  /** The answer of a member for which there is no row. */
  readonly whenEmpty: string
}

/** A statement with a row for each member of a batch: its id and its answer. */
export function batchStatement({ query, whenEmpty }: RootQuery): BatchStatement {
  const { fragment, params } = replaceParams(query, (index) => sql`("subscribers"."values" ->> ${integer(index)})`)
  const members = sql`unnest(${param(ids, 'uuid[]')}, ${param(values, 'json[]')}) as "subscribers" ("id", "values")`
  const statement = compile(
    sql`select "subscribers"."id", "answer"."j" from ${members} left join lateral (${fragment}) as "answer" ("j") on true`,
  )
  return { ...statement, memberParams: params, whenEmpty }
}
