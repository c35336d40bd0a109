// The planned steps that JavaScript executes: calls, statements that add to their results, and joins, which are calls
// for all rows of an answer. Each step contains the steps that depend on it.

import { getNamedType, isAbstractType } from 'graphql'
import type { PgType } from '../../catalog/types.ts'
import type { Output } from '../../compiler/plan/plan.ts'
import { givenRowsStatement } from '../../compiler/print/given-rows-sql.ts'
import type { PreparedStatement } from '../../database/sql/prepared-statement.ts'
import { blaming } from '../../errors/blame.ts'
import type { PlanContext } from '../read/plan-context.ts'
import type { FieldSelection } from '../read/selection.ts'
import type { MemberPlanner, ResolvedPlanner, ResolvedRowPlanner } from '../schema/call.ts'
import { objectTypesOf } from '../schema/possible-types.ts'
import { printerOptions, reading } from './printing.ts'

/** A field that JavaScript answers, at the root or of rows. */
export type CallStep = RootCall | JoinStep

export interface AnyCall {
  readonly kind: 'call'
  readonly field: FieldSelection
  /** The result of the planner's own `plan`. */
  readonly plan: unknown
  /** Members of the objects in its result that have another executor. */
  readonly members: ReadonlyMap<FieldSelection, MemberStep>
  /** Answers the members of the database, for all objects of the result; null when the call has no such members. */
  readonly statement: PreparedStatement | null
}

/** A call for one value. */
export interface RootCall extends AnyCall {
  readonly isJoin: false
  readonly planner: ResolvedPlanner
}

/** A call for all rows of an answer, or all objects of another call's result. */
export interface JoinStep extends AnyCall {
  readonly isJoin: true
  readonly planner: ResolvedRowPlanner
  /** A member that only rows of this join have; null: nothing else stands at its places. */
  readonly mark: string | null
}

export type MemberStep =
  /** A part of the call's statement, by its position, and the steps that need the rows in it. */
  | {
      readonly kind: 'relational'
      readonly field: FieldSelection
      readonly index: number
      readonly needs: readonly string[]
      readonly joins: readonly JoinStep[]
    }
  | { readonly kind: 'call'; readonly step: JoinStep }

export type RelationalMember = Extract<MemberStep, { kind: 'relational' }>

class Joins {
  readonly list: JoinStep[] = []

  add(join: JoinStep): void {
    this.list.push(join)
  }
}

/** Plans a part of the operation, and returns the joins that need its rows. */
export function collectJoins<T>(
  context: PlanContext,
  plan: () => T,
): { readonly planned: T; readonly joins: readonly JoinStep[] } {
  const outer = context.rowJoins
  const joins = new Joins()
  context.rowJoins = joins
  try {
    return { planned: plan(), joins: joins.list }
  } finally {
    context.rowJoins = outer
  }
}

/** Plans a root field that JavaScript answers. */
export const planCall = (field: FieldSelection, context: PlanContext, planner: ResolvedPlanner): RootCall => ({
  ...planAnyCall(field, context, planner),
  isJoin: false,
  planner,
})

/** Checks the selections below a field that the schema answers, and their arguments. */
export function checkSelected(field: FieldSelection, context: PlanContext): void {
  context.calls.add(field)
  new PlannedMembers(context, false).walk(field)
}

/**
 * The output of a row's field that JavaScript answers. The statement returns the columns that the call needs; the
 * call's result then replaces them.
 */
export function planJoin(
  field: FieldSelection,
  context: PlanContext,
  { planner, typeOf }: { readonly planner: ResolvedRowPlanner; readonly typeOf: (column: string) => PgType },
): Output {
  if (!context.rowJoins) throw new Error(`"${field.name}" is planned outside of a root field`)
  const mark = isBelowAbstract(field) ? context.newMark() : null
  context.rowJoins.add(joinStep(field, context, { planner, mark }))
  const needs = planner.needs.map((column) => ({ column, type: typeOf(column) }))
  return { kind: 'deferred', needs: [...needs, ...(planner.needsValues ?? [])], ...(mark !== null && { mark }) }
}

/** Whether the rows around a field may have several types, whose fields of one response name may be different ones. */
function isBelowAbstract({ parent }: FieldSelection): boolean {
  for (let at = parent; at; at = at.parent) {
    if (at.definition && isAbstractType(getNamedType(at.definition.type))) return true
  }
  return false
}

const joinStep = (
  field: FieldSelection,
  context: PlanContext,
  { planner, mark = null }: { readonly planner: ResolvedRowPlanner; readonly mark?: string | null },
): JoinStep => ({
  ...planAnyCall(field, context, planner),
  isJoin: true,
  planner,
  mark,
})

function planAnyCall(
  field: FieldSelection,
  context: PlanContext,
  planner: Pick<ResolvedPlanner, 'completed' | 'plan'>,
): AnyCall {
  context.calls.add(field)
  const plan = blaming(planner, () => planner.plan?.(field, context))
  const planned = new PlannedMembers(context, planner.completed === true)
  planned.walk(field)
  const { members } = planned
  return { kind: 'call', field, plan, members, statement: planned.statement() }
}

/** A relationship of a call's objects, within the call's statement. */
interface GivenRows {
  readonly needs: Extract<MemberPlanner, { kind: 'relational' }>['needs']
  readonly output: Output
}

/** Collects the selections of a call's result; all arguments in them are checked. */
class PlannedMembers {
  readonly members = new Map<FieldSelection, MemberStep>()
  readonly #parts: GivenRows[] = []
  readonly #context: PlanContext
  readonly #isCompleted: boolean

  constructor(context: PlanContext, isCompleted: boolean) {
    this.#context = context
    this.#isCompleted = isCompleted
  }

  walk(field: FieldSelection): void {
    const type = field.definition && getNamedType(field.definition.type)
    for (const object of objectTypesOf(type, this.#context.schema)) {
      for (const child of field.fieldsOf(object)) {
        const planner = child.definition?.extensions.member
        if (planner) this.#add(child, planner)
        else {
          this.#context.calls.add(child)
          if (!child.twin) this.walk(child)
        }
      }
    }
  }

  #add(field: FieldSelection, planner: MemberPlanner): void {
    if (this.#isCompleted) {
      throw new Error(`"${field.name}" of "${field.parentType}" is planned, but the value of its call is not completed`)
    }
    const context = this.#context
    if (planner.kind === 'resolved') {
      this.members.set(field, { kind: 'call', step: joinStep(field, context, { planner }) })
      return
    }
    const { planned: output, joins } = collectJoins(context, () => blaming(planner, () => planner.plan(field, context)))
    const needs = Object.keys(planner.needs)
    const index = this.#parts.push({ needs: planner.needs, output }) - 1
    this.members.set(field, { kind: 'relational', field, index, needs, joins })
  }

  statement(): PreparedStatement | null {
    if (this.#parts.length === 0) return null
    return reading(givenRowsStatement(this.#parts, printerOptions(this.#context)), this.#context)
  }
}
