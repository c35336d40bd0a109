// The context of planning one operation: the role's schema and the variables. It records the aspects of variables that
// the plan depends on. The plan is reused for every request with equal aspects.

import { RequestCost } from '../../access/request-cost.ts'
import type { Path } from '../../errors/path.ts'
import { CallArguments } from './arguments.ts'
import type { GraphQLOperation } from './document.ts'
import { OperationInput, type Variables } from './operation-input.ts'
import type { PlannedSchema } from './planned-schema.ts'

export * from './operation-input.ts'

/** The state of planning one operation: the role's schema, and the variables whose values the plan depends on. */
export class PlanContext extends OperationInput {
  readonly schema: PlannedSchema
  /** Arguments of fields that JavaScript answers, and of the fields below them. */
  readonly calls = new CallArguments(this)
  /** Collects the joins of the current rows (`plan/steps.ts`); null outside of a field whose rows can have joins. */
  rowJoins: { add(join: object): void } | null = null

  readonly #cost: RequestCost
  #marks = 0

  constructor(schema: PlannedSchema, operation: GraphQLOperation, variables: Variables) {
    super(operation, variables, schema.settings.backwardsCompatNullInNonnullableVariables)
    this.schema = schema
    this.#cost = new RequestCost(schema)
  }

  /** A name that no other call of this method returns, and no column has. */
  newMark(): string {
    return `trellis#${this.#marks++}`
  }

  override addCost(cost: number, path: Path | null = null): void {
    this.#cost.add(cost, path)
  }

  override unionHas(union: string, member: string): boolean {
    return this.schema.unionHas(union, member)
  }
}
