// An operation taken apart for looking at: what each root field would run.

import { type RootStatement, rootStatement } from '../compiler/root-sql.ts'
import { planOperation } from './plan.ts'
import type { PlanContext, Variables } from './plan-context.ts'
import { printerOptions } from './prepared.ts'

export interface InspectedField {
  /** The response name. */
  readonly key: string
  /** Who answers: the database, JavaScript, or the schema alone (`__typename` and introspection). */
  readonly by: 'database' | 'javascript' | 'schema'
  /** Of fields that the database answers. */
  readonly statement: RootStatement | null
}

export interface InspectedOperation {
  readonly variables: Variables
  /** In the order of the answer. */
  readonly fields: readonly InspectedField[]
  /** Whether JavaScript answers fields of rows. */
  readonly hasJoins: boolean
}

/** Plans a query or subscription and prints a statement for each field, the same that answers it when it is alone. */
export function inspectOperation(context: PlanContext): InspectedOperation {
  const options = printerOptions(context)
  const fields = planOperation(context).map((field): InspectedField => {
    const { key } = field
    if (field.kind === 'output' && field.output.kind !== 'json') {
      const statement = rootStatement([field], { prefix: '{"data":{', suffix: '}}' }, options)
      return { key, by: 'database', statement }
    }
    const isSchema = field.kind !== 'resolved' || field.field.name.startsWith('__')
    return { key, by: isSchema ? 'schema' : 'javascript', statement: null }
  })
  return { variables: context.variables, fields, hasJoins: context.joins.length > 0 }
}
