// The plans of operations, by role schema, document, operation and shape of the variables.

import { isDeepStrictEqual } from 'node:util'
import type { GraphQLInputType } from 'graphql'
import { chooseOperation, type GraphQLOperation, type ParsedDocument } from '../read/document.ts'
import { mentionedVariables } from '../read/mentioned-variables.ts'
import type { Dependence, PlanContext, Variables } from '../read/plan-context.ts'
import type { PlannedSchema } from '../read/planned-schema.ts'
import { type VariableAspect, variableAspects, variablesShape } from '../read/variables.ts'
import { maxShape, plansPerVariant, variantsPerOperation } from '../tuning.ts'
import { KeptPlans, type PlansByShape } from './kept-plans.ts'
import type { PreparedOperation } from './prepared.ts'
import { checkRoot } from './validate.ts'

/** Plans that depend on the same aspects of the variables. */
interface PlanVariant {
  readonly dependences: ReadonlyMap<string, Dependence>
  /** Derived from the dependences of the plans and the types of the group. */
  aspects: readonly VariableAspect[]
  readonly plans: PlansByShape
}

/** The plans of one operation for one role. */
export interface PlanGroup {
  readonly operation: GraphQLOperation
  /** Names of the variables in its text. */
  readonly mentioned: ReadonlySet<string>
  /** Types of the variables that plans have used. */
  readonly types: Map<string, GraphQLInputType>
  readonly variants: PlanVariant[]
}

/** An operation of a document with the plans that are cached for it. */
export interface CachedPlans {
  readonly operationName: string | null
  readonly prepared: readonly PreparedOperation[]
}

export class PlanCache {
  readonly #kept = new KeptPlans()
  readonly #groups = new WeakMap<PlannedSchema, WeakMap<ParsedDocument, Map<string | null, PlanGroup>>>()

  /** The plans of an operation for a role; refuses an operation that the document or the role lacks. */
  group(schema: PlannedSchema, document: ParsedDocument, operationName: string | null): PlanGroup {
    let byDocument = this.#groups.get(schema)
    if (!byDocument) {
      byDocument = new WeakMap()
      this.#groups.set(schema, byDocument)
    }
    let byName = byDocument.get(document)
    if (!byName) {
      byName = new Map()
      byDocument.set(document, byName)
    }
    let group = byName.get(operationName)
    if (!group) {
      const operation = chooseOperation(document, operationName)
      checkRoot(schema, operation)
      group = { operation, mentioned: mentionedVariables(operation), types: new Map(), variants: [] }
      byName.set(operationName, group)
    }
    return group
  }

  /** The plan for these variables. */
  find({ variants }: PlanGroup, variables: Variables): PreparedOperation | undefined {
    for (const { aspects, plans } of variants) {
      const kept = plans.get(variablesShape(aspects, variables))
      if (kept) return kept.prepared
    }
    return undefined
  }

  /** Caches a plan under the facts about the variables that `context` recorded. */
  remember(group: PlanGroup, prepared: PreparedOperation, context: PlanContext): void {
    const { operation, types, variants } = group
    const { dependences, variableTypes, variables } = context
    for (const [name, type] of variableTypes) types.set(name, type)
    for (const each of variants) each.aspects = variableAspects(operation, { dependences: each.dependences, types })
    const aspects = variableAspects(operation, { dependences, types })
    const shape = variablesShape(aspects, variables)
    if (shape.length > maxShape) return
    let variant = variants.find((each) => isDeepStrictEqual(each.dependences, dependences))
    if (!variant) {
      variant = { dependences, aspects, plans: new Map() }
      if (variants.length >= variantsPerOperation) this.#kept.removeAll(variants.shift()!.plans)
      variants.push(variant)
    }
    this.#kept.add({ plans: variant.plans, shape, prepared }, plansPerVariant)
  }

  /** Drops the plans of a schema or a document that was evicted. */
  forget(schema: PlannedSchema, document: ParsedDocument): void {
    for (const { variants } of this.#groups.get(schema)?.get(document)?.values() ?? []) {
      for (const { plans } of variants) this.#kept.removeAll(plans)
    }
  }

  /** Drops all plans. */
  clear(): void {
    this.#kept.clear()
  }

  /** The cached plans of a document's operations. */
  of(schema: PlannedSchema, document: ParsedDocument): CachedPlans[] {
    return [...(this.#groups.get(schema)?.get(document) ?? [])].map(([operationName, { variants }]) => ({
      operationName,
      prepared: variants.flatMap(({ plans }) => [...plans.values()].map(({ prepared }) => prepared)),
    }))
  }
}
