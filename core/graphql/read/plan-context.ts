// What planning one operation needs and finds out: the role's schema, the variables, and what of them the plan depends
// on. A plan may be used again for every request whose variables look the same in those respects.

import { RequestCost } from '../../access/request-cost.ts'
import type { Path } from '../../errors/path.ts'
import { CallArguments } from './arguments.ts'
import type { GraphQLOperation } from './document.ts'
import { OperationInput, type Variables } from './operation-input.ts'
import type { PlannedSchema } from './planned-schema.ts'

export * from './operation-input.ts'

export class PlanContext extends OperationInput {
  readonly schema: PlannedSchema
  /** Of fields that JavaScript answers, and of those below them. */
  readonly calls = new CallArguments(this)
  /** Collects the joins of the rows at hand (`plan/steps.ts`); null outside of a field whose rows can have them. */
  rowJoins: { add(join: object): void } | null = null

  readonly #cost: RequestCost

  constructor(schema: PlannedSchema, operation: GraphQLOperation, variables: Variables) {
    super(operation, variables)
    this.schema = schema
    this.#cost = new RequestCost(schema)
  }

  override addCost(cost: number, path: Path | null = null): void {
    this.#cost.add(cost, path)
  }

  override unionHas(union: string, member: string): boolean {
    return this.schema.unionHas(union, member)
  }
}
