// Several updates of one table as one: each changes the row with a key of its own, in the same way.

import { isDeepStrictEqual } from 'node:util'
import type { ParamSource } from '../../database/sql/param.ts'
import type { SqlType } from '../../database/sql/sql.ts'
import type { MutationAnswer, MutationList, ParamOperand, RowCheck, Update } from './mutation-plan.ts'
import type { Condition } from './plan.ts'

/** A value of each update. */
export interface EachValue {
  readonly sources: readonly ParamSource[]
  readonly type: SqlType
}

/** The change of a column, to one value in all updates or to a value in each. */
export interface EachAssignment {
  readonly column: string
  readonly operator: string
  readonly value: ParamOperand | EachValue
}

/** Updates that differ only in the values that they compare columns with, and set columns to. */
export interface MergedUpdates {
  readonly table: Update['table']
  readonly assignments: readonly EachAssignment[]
  /** Columns that equal a value of the update; the key is among them. */
  readonly equal: readonly { readonly column: string; readonly value: EachValue; readonly isKey: boolean }[]
  /** The conditions that all share. */
  readonly where: readonly Condition[]
  readonly check: RowCheck | null
  readonly answer: Extract<MutationAnswer, { kind: 'response' }>
}

/** The merged updates; null if they differ otherwise, or depend on more than their own rows. */
export function mergedUpdates({ list, key }: MutationList): MergedUpdates | null {
  const [first, ...others] = list
  if (!first || others.length === 0 || !key || first.answer.kind !== 'response') return null
  const updates = list.flatMap(({ steps: [step, ...more] }) =>
    step?.change.kind === 'update' && more.length === 0 && !step.change.form && !step.change.distributed
      ? [step.change]
      : [],
  )
  if (updates.length < list.length || list.some(({ answer }) => answer !== first.answer)) return null
  const [one] = updates as [Update, ...Update[]]
  const isSame = (other: Update) =>
    isDeepStrictEqual(other.table, one.table) && isDeepStrictEqual(other.check, one.check)
  if (!updates.every(isSame) || (one.check && !isOfRow(one.check.condition))) return null
  const assignments = mergedAssignments(updates)
  if (!assignments || assignments.some(({ column }) => key.includes(column))) return null
  const conditions = mergedConditions(updates, key)
  return conditions && { table: one.table, assignments, ...conditions, check: one.check, answer: first.answer }
}

function mergedAssignments(updates: readonly Update[]): readonly EachAssignment[] | null {
  const [first] = updates as [Update, ...Update[]]
  const merged = first.assignments.map(({ column, operator, value }, i): EachAssignment | null => {
    const values = updates.map(({ assignments }) => assignments[i])
    if (values.some((each) => each?.column !== column || each.operator !== operator)) return null
    if (operator === '_default' || values.some((each) => each?.build)) return null
    const all = values.map((each) => each!.value)
    if (all.every((each) => each === value)) return { column, operator, value }
    const each = eachValue(all)
    return each && { column, operator, value: each }
  })
  const isWhole = updates.every(({ assignments }) => assignments.length === first.assignments.length)
  return isWhole ? allThere(merged) : null
}

/** The values, if they are of one type. */
function eachValue(values: readonly ParamOperand[]): EachValue | null {
  const { type } = values[0]!
  return values.every((value) => value.type === type) ? { sources: values.map(({ source }) => source), type } : null
}

const allThere = <T>(items: readonly (T | null)[]): readonly T[] | null =>
  items.every((item) => item !== null) ? items : null

function mergedConditions(
  updates: readonly Update[],
  key: readonly string[],
): Pick<MergedUpdates, 'equal' | 'where'> | null {
  const parts = updates.map(({ where }) => [...partsOf(where)])
  const [first, ...others] = parts as [Condition[], ...Condition[][]]
  if (others.some(({ length }) => length !== first.length)) return null
  const where: Condition[] = []
  const equal: MergedUpdates['equal'][number][] = []
  for (const [i, part] of first.entries()) {
    const all = parts.map((each) => each[i]!)
    const values = equalValues(all)
    if (values && part.kind === 'compare') {
      const { column } = part
      equal.push({ column, value: values, isKey: key.includes(column) })
    } else if (isOfRow(part) && all.every((each) => each === part || isDeepStrictEqual(each, part))) where.push(part)
    else return null
  }
  const keys = equal.filter(({ isKey }) => isKey).map(({ column }) => column)
  return keys.length === key.length && new Set(keys).size === key.length ? { equal, where } : null
}

/** The conditions of a conjunction. */
function* partsOf(condition: Condition): Iterable<Condition> {
  if (condition.kind !== 'and') yield condition
  else for (const part of condition.of) yield* partsOf(part)
}

/** The values that the conditions compare the same column with; null if they do not. */
function equalValues(conditions: readonly Condition[]): EachValue | null {
  const [first] = conditions
  if (first?.kind !== 'compare') return null
  const values = conditions.map((each) => {
    const isAlike = each.kind === 'compare' && each.operator === '_eq' && each.column === first.column
    return isAlike && each.operand.kind === 'param' ? each.operand : null
  })
  const given = allThere(values)
  return given && eachValue(given)
}

/** Whether a condition reads only its own row. */
function isOfRow(condition: Condition): boolean {
  switch (condition.kind) {
    case 'true':
    case 'false':
    case 'null':
      return true
    case 'compare':
      return condition.operand.kind !== 'rootColumn'
    case 'and':
    case 'or':
      return condition.of.every(isOfRow)
    case 'not':
      return isOfRow(condition.of)
    default:
      return false
  }
}
