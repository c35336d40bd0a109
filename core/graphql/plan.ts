// Plans one operation: every root field is asked for its part.

import type { MutationPlan } from '../compiler/mutation-plan.ts'
import type { RootOutput } from '../compiler/plan.ts'
import { badRequest, validationFailed } from '../errors/errors.ts'
import type { RootPlanner } from './contribution.ts'
import { checkOperationDirectives } from './directives.ts'
import type { PlanContext } from './plan-context.ts'
import { collectFields, type FieldSelection } from './selection.ts'

/** A root field and what answers it. */
export type PlannedField =
  | { readonly kind: 'output'; readonly key: string; readonly output: RootOutput }
  | { readonly kind: 'mutation'; readonly key: string; readonly plan: MutationPlan }
  | {
      readonly kind: 'resolved'
      readonly key: string
      readonly planner: Extract<RootPlanner, { kind: 'resolved' }>
      readonly field: FieldSelection
      readonly args: Readonly<Record<string, unknown>>
    }

/** Validates the operation against the role's schema and plans its root fields, in the order of the answer. */
export function planOperation(context: PlanContext): readonly PlannedField[] {
  const { schema, operation } = context
  checkOperationDirectives(context)
  const root = schema.root(operation.kind)
  const fields = collectFields(context, [operation.node.selectionSet], root)
  if (operation.kind === 'subscription') checkSubscription(fields)
  return fields.map((field) => planRootField(field, context))
}

/** Refuses a subscription to anything but one field of the data. */
export function checkSubscription(fields: readonly FieldSelection[]): void {
  if (fields.length !== 1) throw validationFailed('subscriptions must select one top level field')
  if (fields[0]!.name.startsWith('__')) {
    throw badRequest('not-supported', 'Introspection not supported over subscriptions')
  }
}

function planRootField(field: FieldSelection, context: PlanContext): PlannedField {
  const key = field.responseName
  if (field.definition === null) {
    const text = JSON.stringify(field.parentType)
    return { kind: 'output', key, output: { kind: 'json', text } }
  }
  const planner = field.definition.extensions.root
  if (!planner) throw new Error(`the root field "${field.name}" has no planner`)
  switch (planner.kind) {
    case 'relational':
      return { kind: 'output', key, output: planner.plan(field, context) }
    case 'mutation':
      return { kind: 'mutation', key, plan: planner.plan(field, context) }
    case 'resolved':
      return { kind: 'resolved', key, field, planner, args: readResolved(field) }
  }
}

/** The arguments of a resolved field; what is selected under it is checked now, not only when its value is completed. */
function readResolved(field: FieldSelection): Readonly<Record<string, unknown>> {
  const args = field.argumentsJson()
  for (const child of field.children()) readResolved(child)
  return args
}
