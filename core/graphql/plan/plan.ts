// Plans one operation; each root field's planner contributes its part.

import { NarrowingRefusal } from '../../access/narrowing.ts'
import type { CallPlan } from '../../compiler/plan/call-plan.ts'
import type { MutationList, MutationPlan } from '../../compiler/plan/mutation-plan.ts'
import type { RootOutput } from '../../compiler/plan/plan.ts'
import { blaming } from '../../errors/blame.ts'
import { badRequest, validationFailed } from '../../errors/errors.ts'
import { pathKeys } from '../../errors/path.ts'
import { checkOperationDirectives, subscribesToSeveral } from '../read/directives.ts'
import type { GraphQLOperation } from '../read/document.ts'
import type { ChangeGuard } from '../read/guard.ts'
import type { PlanContext } from '../read/plan-context.ts'
import { collectFields, type FieldSelection } from '../read/selection.ts'
import { type PreparedFeed, planFeed } from './feed.ts'
import { checkSelected, collectJoins, type JoinStep, planCall, type RootCall } from './steps.ts'

/** A root field and its executor. `within`: the response name of the namespace that contains it, if there is one. */
export type PlannedField = RootPlan & { readonly within?: string }

/** The work of a plugin before the field changes tables. */
export interface PreparedGuard {
  readonly field: FieldSelection
  readonly run: ChangeGuard
}

/** `joins` are fields of its rows that JavaScript answers. */
type RootPlan =
  | { readonly kind: 'output'; readonly key: string; readonly output: RootOutput; readonly joins: readonly JoinStep[] }
  | {
      readonly kind: 'mutation'
      readonly key: string
      readonly plan: MutationPlan | MutationList | CallPlan
      readonly joins: readonly JoinStep[]
      readonly guards: readonly PreparedGuard[]
    }
  /** `__schema` or `__type`. */
  | { readonly kind: 'introspection'; readonly key: string; readonly field: FieldSelection }
  | { readonly kind: 'call'; readonly key: string; readonly call: RootCall }
  /** The only field of a subscription. */
  | { readonly kind: 'feed'; readonly key: string; readonly feed: PreparedFeed }

/** Validates the operation against the role's schema and plans its root fields, in the order of the answer. */
export function planOperation(context: PlanContext): readonly PlannedField[] {
  const { schema, operation } = context
  checkOperationDirectives(context, schema)
  const root = schema.root(operation.kind)
  const fields = collectFields(context, [operation.node.selectionSet], { source: root })
  if (operation.kind === 'subscription') checkSubscription(fields, operation)
  return fields.flatMap((field): PlannedField[] => {
    const inside = fieldsWithin(field)
    if (!inside) return [locatedPlan(field, context)]
    return inside.map((each) => ({ ...locatedPlan(each, context), within: field.responseName }))
  })
}

/** The fields of a namespace; null for other fields. */
const fieldsWithin = (field: FieldSelection): readonly FieldSelection[] | null =>
  field.definition?.extensions.root?.kind === 'namespace' ? field.fields() : null

/** The guards of a field, whose arguments they get. */
function guardsOf(
  field: FieldSelection,
  plan: MutationPlan | MutationList | CallPlan,
  { schema, calls }: PlanContext,
): readonly PreparedGuard[] {
  const guards = 'call' in plan ? [] : schema.guardsOf({ field, plan })
  if (guards.length > 0) calls.add(field)
  return guards.map((run) => ({ field, run }))
}

/** Root fields that the schema itself answers. Other names may begin with `__` too, because tables' names may. */
const isIntrospection = (name: string): boolean => name === '__schema' || name === '__type'

/** Refuses a subscription to more than one field, unless the operation's directive allows several. */
export function checkSubscription(given: readonly FieldSelection[], operation: GraphQLOperation): void {
  const fields = given.flatMap((field) => fieldsWithin(field) ?? [field])
  if (fields.length === 0 || (fields.length > 1 && !subscribesToSeveral(operation))) {
    throw validationFailed('subscriptions must select one top level field')
  }
  if (fields.some(({ name, definition }) => definition === null || isIntrospection(name))) {
    throw badRequest('not-supported', 'Introspection not supported over subscriptions')
  }
  const sole = fields.length > 1 ? fields.find(isSubscribedAlone) : undefined
  if (!sole) return
  const path = pathKeys(sole.path)
  throw badRequest('not-supported', `"${sole.name}" must be the only field of its subscription`, { path })
}

/** Streams, and every field that the database does not answer. */
function isSubscribedAlone({ definition }: FieldSelection): boolean {
  const planner = definition?.extensions.root
  return planner !== undefined && (planner.kind !== 'relational' || planner.isSole === true)
}

/** Plans a root field; a plugin's refusal of a change or of rows points at the field. */
function locatedPlan(field: FieldSelection, context: PlanContext): RootPlan {
  try {
    return planRootField(field, context)
  } catch (error) {
    throw error instanceof NarrowingRefusal ? error.at(...pathKeys(field.path)) : error
  }
}

function planRootField(field: FieldSelection, context: PlanContext): RootPlan {
  const key = field.responseName
  if (field.definition === null) {
    const text = JSON.stringify(field.parentType)
    return { kind: 'output', key, output: { kind: 'json', text }, joins: [] }
  }
  if (isIntrospection(field.name)) {
    checkSelected(field, context)
    return { kind: 'introspection', key, field }
  }
  const planner = field.definition.extensions.root
  if (!planner) throw new Error(`the root field "${field.name}" has no planner`)
  switch (planner.kind) {
    case 'relational': {
      const { planned, joins } = collectJoins(context, () => blaming(planner, () => planner.plan(field, context)))
      return { kind: 'output', key, output: planned, joins }
    }
    case 'mutation': {
      const { planned, joins } = collectJoins(context, () => blaming(planner, () => planner.plan(field, context)))
      return { kind: 'mutation', key, plan: planned, joins, guards: guardsOf(field, planned, context) }
    }
    case 'resolved':
      return { kind: 'call', key, call: planCall(field, context, planner) }
    case 'feed':
      return { kind: 'feed', key, feed: planFeed(field, context, planner) }
    case 'namespace':
      throw new Error(`the namespace "${field.name}" is inside another one`)
    default: {
      const { kind }: { readonly kind: unknown } = planner
      throw new Error(`the root field "${field.name}" has a planner of unknown kind: ${kind}`)
    }
  }
}
