// The SQL forms of a condition on a related row. All forms mean the same, but PostgreSQL's planning time differs. It
// joins wherever it can, which takes time that grows with a power of the number of joins. An EXISTS that it cannot join
// is planned twice, so the time doubles with each level of nesting. Usual queries keep the usual form; deeper or wider
// ones get forms whose planning time grows with their size.

import { joinedLevels, joinedSiblings, plannedTwice } from '../tuning.ts'
import type { Condition, Mapping } from './plan.ts'
import { inSubquery, rootScope, type Scope } from './scope.ts'

/**
 * - `joined`: a plain EXISTS. The planner turns it into a join if it can.
 * - `probed`: an EXISTS that is planned once, on its own, and evaluated for each row.
 * - `collected`: the keys of all matching rows. They are planned and found once, however many rows are compared with
 *   them. The planner may join them.
 * - `hashed`: as `collected`, but never joined.
 */
export type ExistsForm = 'joined' | 'probed' | 'collected' | 'hashed'

type Related = Extract<Condition, { kind: 'related' }>

/** The form of the condition on a related row, and the scope of the condition within it. */
export function existsForm(condition: Related, scope: Scope): { readonly form: ExistsForm; readonly inner: Scope } {
  const level = scope.level + 1
  // A function of the outer row has no keys to collect.
  if (condition.from) return { form: 'probed', inner: { ...inSubquery(scope), level } }
  const isDeep = level + heightOf(condition.where) > joinedLevels
  if (level > joinedLevels || (isDeep && !scope.isPart)) return collected(condition, scope)
  if (scope.isPart) {
    if (scope.joins.count < joinedSiblings) {
      scope.joins.count++
      return { form: 'joined', inner: { ...scope, level } }
    }
    return isDeep ? collected(condition, scope) : { form: 'probed', inner: { ...inSubquery(scope), level } }
  }
  const twice = scope.twice + 1
  if (twice > plannedTwice) return collected(condition, scope)
  return { form: 'joined', inner: { ...inSubquery(scope), level, twice } }
}

function collected({ mapping }: Related, scope: Scope): { readonly form: ExistsForm; readonly inner: Scope } {
  if (scope.isRooted || !isComparedAtOnce(mapping)) return { form: 'probed', inner: inSubquery(scope) }
  const { isPart, joins, twice } = scope
  const form = isPart && joins.count >= joinedSiblings ? 'hashed' : 'collected'
  if (isPart) joins.count++
  return { form, inner: { ...rootScope(), level: joinedLevels, twice } }
}

/** Whether one operator compares all pairs, as `in` and `any` need; false if there are no pairs. */
function isComparedAtOnce(mapping: Mapping): boolean {
  if (mapping.some(([, , equality]) => equality?.given)) return false
  if (mapping.length > 1 && mapping.some(([, , equality]) => equality?.isUnsorted)) return false
  const operators = mapping.map(([, , equality]) => JSON.stringify(equality?.operator))
  return operators.length > 0 && operators.every((operator) => operator === operators[0])
}

const heights = new WeakMap<Condition, number>()

/** The depth of nested relationships in a condition. */
function heightOf(condition: Condition): number {
  switch (condition.kind) {
    case 'and':
    case 'or':
    case 'not':
    case 'rooted':
    case 'related': {
      const known = heights.get(condition)
      if (known !== undefined) return known
      const height = heightOfParts(condition)
      heights.set(condition, height)
      return height
    }
    default:
      return 0
  }
}

function heightOfParts(condition: Extract<Condition, { kind: 'and' | 'or' | 'not' | 'rooted' | 'related' }>): number {
  if (condition.kind === 'related') return 1 + heightOf(condition.where)
  if (condition.kind === 'not' || condition.kind === 'rooted') return heightOf(condition.of)
  return condition.of.reduce((highest, part) => Math.max(highest, heightOf(part)), 0)
}
