// One statement for many requests that have a plan in common: what its parameters are to a single request are elements of
// a row to this one, and the plan stands behind the rows as a lateral query.

import type { ParamSource } from '../database/param.ts'
import {
  compile,
  empty,
  id,
  integer,
  join,
  param,
  replaceParams,
  type Sql,
  type Statement,
  sql,
} from '../database/sql.ts'
import type { RootQuery } from './root-sql.ts'

/** The two parameters of the statement itself: ids of the members, and the values of each as a JSON array. */
const ids: ParamSource = { from: 'slot', slot: 0, column: 0 }
const values: ParamSource = { from: 'slot', slot: 0, column: 1 }

/** A row has no more columns than these. */
const maxColumns = 1600

export interface BatchStatement extends Statement {
  /** Where the elements of a member's values come from. */
  readonly memberParams: readonly ParamSource[]
  /** The answer of a member for which there is no row. */
  readonly whenEmpty: string
}

const element = (index: number): Sql => sql`"subscribers"."values" ->> ${integer(index)}`
const columnOf = (index: number): Sql => id(String(index))

/** A statement with a row for each member of a batch: its id and its answer. */
export function batchStatement({ query, whenEmpty }: RootQuery): BatchStatement {
  // Taken out of the array once for each member, not for each row that is compared with them.
  let replaced = replaceParams(query, (index) => sql`"given".${columnOf(index)}`)
  const { params } = replaced
  const isTakenOut = params.length > 0 && params.length <= maxColumns
  if (!isTakenOut) replaced = replaceParams(query, (index) => sql`(${element(index)})`)
  const columns = params.map((_, index) => sql`${element(index)} as ${columnOf(index)}`)
  const given = isTakenOut ? sql` cross join lateral (select ${join(columns, ', ')} offset 0) as "given"` : empty
  const members = sql`unnest(${param(ids, 'uuid[]')}, ${param(values, 'json[]')}) as "subscribers" ("id", "values")${given}`
  const answer = sql`left join lateral (${replaced.fragment}) as "answer" ("j") on true`
  const statement = compile(sql`select "subscribers"."id", "answer"."j" from ${members} ${answer}`)
  return { ...statement, memberParams: params, whenEmpty }
}
