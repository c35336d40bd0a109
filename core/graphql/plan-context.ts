// What planning one operation needs and finds out: the role's schema, the variables, and what of them the plan depends
// on. A plan may be used again for every request whose variables look the same in those respects.

import type { Operation } from './document.ts'
import { OperationInput, type Variables } from './operation-input.ts'
import type { ResolvedRowPlanner } from './resolved-field.ts'
import type { SchemaScope } from './schema-scope.ts'
import type { FieldSelection, FieldSource } from './selection.ts'

export * from './operation-input.ts'

/** A field of rows that JavaScript answers after the statement has run. */
export interface RowJoin {
  readonly field: FieldSelection
  readonly args: Readonly<Record<string, unknown>>
  readonly planner: ResolvedRowPlanner
}

/** A role's schema, as planning needs it. */
export interface PlannedSchema extends SchemaScope {
  /** Major version of the PostgreSQL server. */
  readonly serverVersion: number
  root(kind: Operation['kind']): FieldSource
}

export class PlanContext extends OperationInput {
  readonly schema: PlannedSchema
  /** In the order of the `index` of deferred outputs. */
  readonly joins: RowJoin[] = []

  constructor(schema: PlannedSchema, operation: Operation, variables: Variables) {
    super(operation, variables)
    this.schema = schema
  }
}
