// An operation taken apart for looking at: what each root field would run.

import { type BatchStatement, batchStatement } from '../../compiler/print/batch-sql.ts'
import { rootQuery } from '../../compiler/print/root-sql.ts'
import { compile, literal, replaceParams, type Statement, trusted } from '../../database/sql/sql.ts'
import type { PlanContext, Variables } from '../read/plan-context.ts'
import { type PlannedField, planOperation } from './plan.ts'
import { body } from './prepared.ts'
import { printerOptions } from './printing.ts'

/** A statement that answers a field when it is alone. */
export interface InspectedStatement extends Statement {
  /** The text with values in the places of its parameters. */
  textWith(values: readonly (string | null)[]): string
  /** The same for any number of subscribers at once. */
  batch(): BatchStatement
}

export interface InspectedField {
  /** The response name. */
  readonly key: string
  /** Who answers: the database, JavaScript, or the schema alone (`__typename` and introspection). */
  readonly by: 'database' | 'javascript' | 'schema'
  /** Of fields that the database answers. */
  readonly statement: InspectedStatement | null
  /** How explaining it is refused, where its planner says so. */
  readonly refusal: string | null
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
  const planned = planOperation(context)
  const fields = planned.map((field): InspectedField => {
    const { key } = field
    if (field.kind === 'output' && field.output.kind !== 'json') {
      return { key, by: 'database', statement: inspectedStatement(field, context), refusal: null }
    }
    const call = field.kind === 'feed' ? field.feed.call : field.kind === 'call' ? field.call : null
    return { key, by: call ? 'javascript' : 'schema', statement: null, refusal: call?.planner.explainRefusal ?? null }
  })
  const hasJoins = planned.some((field) => 'joins' in field && field.joins.length > 0)
  return { variables: context.variables, fields, hasJoins }
}

function inspectedStatement(
  field: Extract<PlannedField, { kind: 'output' }>,
  context: PlanContext,
): InspectedStatement {
  const root = rootQuery([field], body, printerOptions(context))
  return {
    ...compile(root.query),
    textWith(values) {
      const valueAt = (index: number) => {
        const value = values[index] ?? null
        return value === null ? trusted('NULL') : literal(value)
      }
      return compile(replaceParams(root.query, valueAt).fragment).text
    },
    batch: () => batchStatement(root),
  }
}
