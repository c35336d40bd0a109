// How a condition asks whether a related row exists. All forms mean the same; they differ in what they cost PostgreSQL's
// planner, which joins what it can (the time for that grows with a power of the number of joins) and plans an EXISTS that it
// cannot join twice (so that the time doubles with each one around it). The usual form is kept for what people write, and
// what nests deeper or is wider costs time that grows with its size.

import type { Condition, Mapping } from './plan.ts'

/**
 * - `joined`: a plain EXISTS, which becomes a join where the planner can make it one.
 * - `probed`: an EXISTS that is planned once, by itself, and asked for each row.
 * - `collected`: the keys of all rows that fit, planned once and found once; whatever is below costs the same however many
 *   rows ask for it. They may be joined; those of `hashed` never are.
 */
export type ExistsForm = 'joined' | 'probed' | 'collected' | 'hashed'

/** So many levels of relationships are joined; those below are collected. */
const joinedLevels = 8

/** So many relationships are joined in one place. */
const joinedSiblings = 12

/** An EXISTS outside of a conjunction may stand in so many others like it. */
const plannedTwice = 3

/** Where a condition stands among those around it. */
export interface Scope {
  /** How many relationships lead to it from the last that was collected. */
  readonly level: number
  /** How many EXISTS around it are planned twice. */
  readonly twice: number
  /** Whether it is a part of the conjunction that says which rows there are. */
  readonly isPart: boolean
  /** What is joined to those rows. */
  readonly joins: { count: number }
  /** Whether it may refer to a row around it, so that what it collects would have to be found for each such row anew. */
  readonly isRooted: boolean
}

/** Of a condition on all rows of a query. */
export const rootScope = (): Scope => ({ level: 0, twice: 0, isPart: true, joins: { count: 0 }, isRooted: false })

/** Of what is below a `rooted` condition. */
export const rootedScope = (scope: Scope): Scope => ({ ...scope, isRooted: true })

/** Of what stands in a disjunction or a negation. */
export const detached = (scope: Scope): Scope => (scope.isPart ? { ...scope, isPart: false } : scope)

/** Of the condition in a subquery that has rows of its own. */
export const inSubquery = ({ level, twice, isRooted }: Scope): Scope => ({ ...rootScope(), level, twice, isRooted })

type Related = Extract<Condition, { kind: 'related' }>

/** The form to ask for a related row in, and the scope of what it has to fulfil. */
export function existsForm(condition: Related, scope: Scope): { readonly form: ExistsForm; readonly inner: Scope } {
  const level = scope.level + 1
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

/** Whether one operator compares all pairs, as rows are looked for among others; there is none for no pairs. */
function isComparedAtOnce(mapping: Mapping): boolean {
  if (mapping.length > 1 && mapping.some(([, , equality]) => equality?.isUnsorted)) return false
  const operators = mapping.map(([, , equality]) => JSON.stringify(equality?.operator))
  return operators.length > 0 && operators.every((operator) => operator === operators[0])
}

const heights = new WeakMap<Condition, number>()

/** How many relationships are nested in a condition. */
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
