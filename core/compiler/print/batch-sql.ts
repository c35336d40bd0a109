// One statement for many requests with the same plan. Each request is a row that holds its parameters, and the plan is
// a lateral query on these rows.

import type { ParamSource } from '../../database/sql/param.ts'
import {
  compile,
  empty,
  id,
  integer,
  join,
  param,
  replaceValues,
  type Sql,
  type Statement,
  sql,
  typed,
} from '../../database/sql/sql.ts'
import { trialSql } from '../printer.ts'
import type { RootQuery } from './root-sql.ts'

/** The two parameters of the statement: the ids of the members, and the parameter texts of each as a JSON array. */
const ids: ParamSource = { from: 'slot', slot: 0, column: 0 }
const texts: ParamSource = { from: 'slot', slot: 0, column: 1 }

/** PostgreSQL's limit for the columns of a row. */
const maxColumns = 1600

export interface BatchStatement extends Statement {
  /** The sources of a member's values. */
  readonly memberParams: readonly ParamSource[]
  /** The type that each value is cast to; null if it is not cast, or cast to several types. */
  readonly memberTypes: readonly (string | null)[]
  /** The answer of a member that gets no row. */
  readonly whenEmpty: string
}

const element = (index: number): Sql => sql`("subscribers"."values" ->> ${integer(index)})`
const memberValue = (index: number, type: string | null): Sql =>
  type === null ? element(index) : typed(element(index), type)
const columnOf = (index: number): Sql => id(String(index))

/** A statement that yields a row for each member of a batch: its id and its answer. */
export function batchStatement({ query, whenEmpty }: RootQuery): BatchStatement {
  // Each value is cast once for each member, not for each row that is compared with it, which would be slow. An invalid
  // value would also fail only if there are such rows, and so reveal hidden ones.
  const values: Sql[] = []
  const types: (string | null)[] = []
  let replaced = replaceValues(query, (index, type) => {
    const column = columnOf(values.length)
    types[index] = index in types ? null : type
    values.push(memberValue(index, type))
    return sql`"given".${column}`
  })
  const isTakenOut = values.length > 0 && values.length <= maxColumns
  if (!isTakenOut) replaced = replaceValues(query, memberValue)
  const columns = values.map((value, index) => sql`${value} as ${columnOf(index)}`)
  const given = isTakenOut ? sql` cross join lateral (select ${join(columns, ', ')} offset 0) as "given"` : empty
  const tried = values.length > maxColumns ? sql` where ${trialSql(values)}` : empty
  const members = sql`unnest(${param(ids, 'uuid[]')}, ${param(texts, 'json[]')}) as "subscribers" ("id", "values")${given}`
  const answer = sql`left join lateral (${replaced.fragment}) as "answer" ("j") on true${tried}`
  const statement = compile(sql`select "subscribers"."id", "answer"."j" from ${members} ${answer}`)
  return { ...statement, memberParams: replaced.params, memberTypes: types, whenEmpty }
}
